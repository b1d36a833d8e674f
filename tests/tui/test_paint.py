"""Cells of a row: runs with names where slices are wide, blocks of the busy share where not.

Styles are compared as letters: C compute, N communication, M memory, H host, S sync; capital where
the cell belongs to one slice, small where it shows a share, dot where it is idle.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from timelines import layout_of, track

from build import EPOCH_NS, annotation, capture, kernel, launch, memcpy, op, row
from vpstop.measure.window import Window
from vpstop.read.activity import Activity
from vpstop.read.capture import Capture
from vpstop.tui import paint as painting
from vpstop.tui.labels import SHADES
from vpstop.tui.paint import Picture, exact_tracks, paint
from vpstop.tui.theme import DENSITY, SOLID

LETTERS = "OCNMHPS"


def picture(made: Capture, start: int, end: int, columns: int, label: str = "r0 s7") -> Picture:
    """The row of this label from `start` to `end` ns after the epoch."""
    return paint([track(layout_of(made), label)], Window(EPOCH_NS + start, EPOCH_NS + end), columns)


def text(drawn: Picture) -> str:
    """Glyphs of the first row."""
    return str(drawn.glyphs[0].tobytes(), "utf-32-le")


def looks(drawn: Picture) -> str:
    """Letters of the first row."""
    return "".join(map(letter, drawn.styles[0].tolist()))


def letter(style: int) -> str:
    """What a style stands for."""
    if style >= SOLID:
        return LETTERS[(style - SOLID) // SHADES]
    return "." if style < DENSITY else LETTERS[style - DENSITY].lower()


def test_a_wide_slice_is_a_run_with_its_name() -> None:
    drawn = picture(capture(kernel("gemm", 20, 60)), 0, 100, 10)
    assert text(drawn) == "   gemm   "
    assert looks(drawn) == "..CCCCCC.."


def test_names_that_do_not_fit_are_cut_and_narrow_runs_have_none() -> None:
    drawn = picture(capture(kernel("volta_sgemm", 0, 50), kernel("memo", 70, 30)), 0, 100, 10)
    assert text(drawn) == " vol…     "
    assert looks(drawn) == "CCCCC..CCC"


def test_names_stay_in_sight_while_their_slice_reaches_beyond_the_window() -> None:
    assert text(picture(capture(kernel("gemm", 0, 1000)), 500, 600, 10)) == " gemm     "


def test_cells_that_a_slice_covers_less_than_half_are_not_its_own() -> None:
    drawn = picture(capture(kernel("gemm", 6, 48)), 0, 100, 10)
    assert looks(drawn) == ".CCCC....."
    drawn = picture(capture(kernel("gemm", 4, 52)), 0, 100, 10)
    assert looks(drawn) == "CCCCCC...."


def test_a_line_stands_between_neighbours_that_look_the_same() -> None:
    made = capture(kernel("gemm", 0, 50), kernel("gemm", 50, 50))
    assert text(picture(made, 0, 100, 10)) == " gemm▏gemm"


def test_neighbours_with_other_names_or_work_need_no_line() -> None:
    made = capture(kernel("gemm", 0, 50), memcpy("copy", 50, 50))
    drawn = picture(made, 0, 100, 10)
    assert text(drawn) == " gemm copy"
    assert looks(drawn) == "CCCCCMMMMM"


def test_narrow_slices_show_their_share_of_the_column() -> None:
    made = capture(*(kernel("k", 10 * place, 2 * place) for place in range(1, 5)))
    drawn = picture(made, 0, 60, 6)
    # 20 %, 40 %, 60 % and 80 % of a column, in eighths.
    assert text(drawn) == " ▂▃▅▆ "
    assert looks(drawn) == ".cccc."


def test_the_shortest_slice_is_seen() -> None:
    drawn = picture(capture(kernel("k", 50, 1)), 0, 100_000, 10)
    assert text(drawn) == "▁         "


def test_a_column_has_the_colour_of_what_has_most_of_it_not_of_the_last() -> None:
    made = capture(
        kernel("a", 0, 3), kernel("b", 3, 3), memcpy("c", 6, 4), kernel("ncclAllGather", 10, 1)
    )
    drawn = picture(made, 0, 22, 2)
    assert looks(drawn) == "c."
    assert text(drawn) == "█ "


def test_every_work_has_its_colour() -> None:
    made = capture(
        op("aten::mm", 0, 10),
        op("nccl:all_reduce", 10, 10),
        annotation("Optimizer.step#SGD.step", 20, 10),
        launch("cudaDeviceSynchronize", 30, 10),
        annotation("forward", 40, 10),
    )
    assert looks(picture(made, 0, 60, 6, "r0 thread 1")) == "HNPSO."


def test_a_nested_slice_hides_its_caller_only_where_it_runs() -> None:
    made = capture(annotation("outer", 0, 100), op("inner", 40, 20))
    assert looks(picture(made, 0, 100, 10, "r0 thread 1")) == "OOOOHHOOOO"


def test_cells_know_their_slice() -> None:
    made = capture(kernel("a", 0, 30), kernel("b", 50, 30))
    drawn = picture(made, 0, 100, 10)
    a, b = row(made, "a"), row(made, "b")
    assert drawn.slices[0].tolist() == [a, a, a, -1, -1, b, b, b, -1, -1]


def test_rows_are_painted_side_by_side_as_alone() -> None:
    made = capture(
        *(kernel(f"k{n}", 7 * n, 6, stream=n % 3) for n in range(30)), op("aten::mm", 3, 90)
    )
    tracks = layout_of(made).tracks
    window = Window(EPOCH_NS + 10, EPOCH_NS + 170)
    together = paint(tracks, window, 40)
    for place, one in enumerate(tracks):
        alone = paint([one], window, 40)
        assert np.array_equal(together.glyphs[place], alone.glyphs[0])
        assert np.array_equal(together.styles[place], alone.styles[0])


def many_slices() -> Capture:
    """4000 slices of 5 of every 10 ns: compute in the first half, copies in the second."""
    return capture(
        *(kernel("k", 10 * place, 5) for place in range(2000)),
        *(memcpy("c", 10 * place, 5) for place in range(2000, 4000)),
    )


def test_with_many_slices_a_frame_reads_sums() -> None:
    tracks = [track(layout_of(many_slices()), "r0 s7")]
    assert exact_tracks(tracks, Window(EPOCH_NS, EPOCH_NS + 40_000), 10) == []
    assert exact_tracks(tracks, Window(EPOCH_NS, EPOCH_NS + 400), 10) == [0]


def test_sums_show_the_same_as_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    made = many_slices()
    summed = picture(made, 0, 40_000, 16)
    monkeypatch.setattr(painting, "EXACT_PER_COLUMN", 10**6)
    exact = picture(made, 0, 40_000, 16)
    assert text(summed) == text(exact) == "▄" * 16
    assert looks(summed) == looks(exact) == "cccccccc" + "mmmmmmmm"


def test_few_slices_are_drawn_exactly_beside_many() -> None:
    made = capture(
        *(kernel("k", 10 * place, 5) for place in range(4000)),
        kernel("ncclAllGather", 0, 20_000, stream=20),
    )
    drawn = paint(layout_of(made).tracks, Window(EPOCH_NS, EPOCH_NS + 40_000), 20)
    assert drawn.glyphs[1].tobytes().decode("utf-32-le").startswith(" ncclAll")


def test_a_window_of_years_does_not_overflow() -> None:
    year = 365 * 86_400 * 10**9
    made = capture(kernel("gemm", 0, year), kernel("gemm", 2 * year, year))
    assert looks(picture(made, 0, 4 * year, 400)) == "C" * 100 + "." * 100 + "C" * 100 + "." * 100


def test_a_window_narrower_than_its_columns_repeats_nanoseconds() -> None:
    drawn = picture(capture(kernel("k", 0, 5)), 0, 10, 40)
    assert looks(drawn) == "C" * 20 + "." * 20


TIMES = st.lists(st.tuples(st.integers(1, 60), st.integers(0, 60)), min_size=1, max_size=30)


@given(TIMES, st.integers(0, 300), st.integers(10, 900), st.integers(1, 60))
def test_no_column_with_work_looks_idle_and_no_idle_one_looks_busy(
    times: list[tuple[int, int]], start: int, width: int, columns: int
) -> None:
    """Unless a slice that is wider than a column has less than half of this one."""
    parts, at = [], 0
    for gap, length in times:
        parts.append(kernel("k", at + gap, length))
        at += gap + length
    drawn = picture(capture(*parts), start, start + width, columns)
    for column, look in enumerate(looks(drawn)):
        left, right = start * columns + column * width, start * columns + (column + 1) * width
        shares = [
            (
                min(right, (p.start + p.duration) * columns) - max(left, p.start * columns),
                p.duration,
            )
            for p in parts
        ]
        touching = [(share, length) for share, length in shares if share > 0]
        if not touching:
            assert look == "."
        elif any(length * columns < width for _, length in touching):
            assert look != "."
        elif sum(share for share, _ in touching) * 2 >= width:
            assert look == "C"


def test_the_palette_has_a_style_for_every_activity() -> None:
    assert len(LETTERS) == len(Activity)
