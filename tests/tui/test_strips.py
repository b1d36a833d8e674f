"""Strips: cursor, selection and backgrounds over a picture, as few segments as there are looks."""

import numpy as np
import pytest
from rich.segment import Segment
from timelines import layout_of

from build import EPOCH_NS, capture, kernel, op, row
from vpstop.measure.window import Window
from vpstop.read.activity import Activity
from vpstop.read.capture import Capture
from vpstop.tui.paint import Picture, paint
from vpstop.tui.strips import Marks, Selection, mark, strips
from vpstop.tui.theme import BRIGHT, CURRENT_TRACK, HUES, TRACK, cell_styles

MADE = capture(kernel("gemm", 20, 40), kernel("tiny", 81, 1), op("aten::mm", 0, 100))


def picture(made: Capture = MADE) -> Picture:
    """Two rows of ten columns of 10 ns."""
    return paint(layout_of(made).tracks, Window(EPOCH_NS, EPOCH_NS + 100), 10)


def drawn(marks: Marks) -> list[list[tuple[str, int | None, int | None]]]:
    """Text, foreground and background of the segments of each row."""
    gutters = [[Segment("s7 ")], [Segment("t1 ")]]
    return [
        [
            (segment.text, segment.style.color.number, segment.style.bgcolor.number)
            for segment in list(strip)[1:]
            if segment.style and segment.style.color and segment.style.bgcolor
        ]
        for strip in strips(mark(picture(), marks), gutters)
    ]


BLUE, YELLOW = HUES[Activity.COMPUTE], HUES[Activity.HOST]


def test_equal_neighbours_are_one_segment() -> None:
    stream, thread = drawn(Marks(cursor=9, backgrounds=[0, 0]))
    assert [text for text, *_ in stream] == ["  ", " ge…", "  ", "▁", "│"]
    assert [text for text, *_ in thread] == [" aten::mm", "│"]


def test_the_cursor_line_keeps_the_colour_and_the_letter_below_it() -> None:
    stream, thread = drawn(Marks(cursor=3, backgrounds=[0, 0]))
    assert stream[2][0] == "g"
    assert stream[2][2] == stream[1][2]
    assert thread[1][0] == "e"
    assert thread[1][2] in YELLOW


def test_the_current_track_has_another_background_but_the_same_slices() -> None:
    plain, _ = drawn(Marks(cursor=9, backgrounds=[0, 0]))
    current, _ = drawn(Marks(cursor=9, backgrounds=[2, 0]))
    assert plain[0][2] == TRACK
    assert current[0][2] == CURRENT_TRACK
    assert plain[1] == current[1]
    assert current[3] == ("▁", BLUE[0], CURRENT_TRACK)


@pytest.mark.parametrize(
    ("name", "column", "cells"),
    [("gemm", 2, [2, 3, 4, 5]), ("tiny", 8, [8])],
    ids=["a run", "narrower than a column"],
)
def test_a_selected_slice_stands_out(name: str, column: int, cells: list[int]) -> None:
    marks = Marks(9, [0, 0], Selection(0, row(MADE, name), column))
    styles = mark(picture(), marks).styles[0]
    bright = [place for place, number in enumerate(styles.tolist()) if is_bright(number)]
    assert bright == cells


def test_a_selected_slice_that_others_cover_is_marked_where_it_begins() -> None:
    made = capture(op("outer", 20, 40), op("inner", 20, 40))
    window = Window(EPOCH_NS, EPOCH_NS + 100)
    marks = Marks(9, [0], Selection(0, row(made, "outer"), 2))
    styles = mark(paint(layout_of(made).tracks, window, 10), marks).styles[0]
    assert [place for place, number in enumerate(styles.tolist()) if is_bright(number)] == [2]


def test_marks_do_not_change_the_picture() -> None:
    before = picture()
    glyphs, styles = before.glyphs.copy(), before.styles.copy()
    mark(before, Marks(3, [2, 1], Selection(0, row(MADE, "gemm"), 2)))
    assert np.array_equal(before.glyphs, glyphs)
    assert np.array_equal(before.styles, styles)


def test_strips_know_their_length_and_keep_no_copy_of_themselves() -> None:
    gutters = [[Segment("r0 "), Segment("s7 ")], [Segment("r0 "), Segment("t1 ")]]
    for strip in strips(mark(picture(), Marks(3, [0, 0])), gutters):
        assert strip.cell_length == 16 == sum(len(segment.text) for segment in strip)
        assert strip.divide([16])[0] is strip
        assert [len(part.text) for part in strip.divide([6, 16])] == [6, 10]


def is_bright(number: int) -> bool:
    """True for the style of a selected slice."""
    style = cell_styles()[number]
    return bool(style.bgcolor and style.bgcolor.number == BRIGHT)
