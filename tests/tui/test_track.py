"""What a row of a timeline shows: at a moment, in a window, and next to it."""

from hypothesis import given
from hypothesis import strategies as st
from timelines import layout_of, rank_capture, track

from build import EPOCH_NS, capture, kernel, op, row
from vpstop.measure.window import Window
from vpstop.tui.track import Track

MADE = capture(
    op("outer", 100, 100),
    op("inner", 120, 30),
    op("tiny", 120, 10),
    op("later", 300, 50),
    kernel("gemm", 150, 20),
)
THREAD = "r0 thread 1"


def shown(row_of: Track, start: int, end: int) -> list[tuple[str, int, int]]:
    """Name and interval of what a track shows, in ns after the epoch."""
    found = row_of.segments(Window(EPOCH_NS + start, EPOCH_NS + end))
    names, slices = row_of.capture.names, row_of.capture.slices
    return [
        (names[slices.name[place]], int(begin) - EPOCH_NS, int(stop) - EPOCH_NS)
        for begin, stop, place in zip(*found, strict=True)
    ]


def test_a_compact_row_shows_the_innermost_slices() -> None:
    found = shown(track(layout_of(MADE), THREAD), 0, 400)
    assert found == [
        ("outer", 100, 120),
        ("tiny", 120, 130),
        ("inner", 130, 150),
        ("outer", 150, 200),
        ("later", 300, 350),
    ]


def test_a_nested_row_shows_one_depth() -> None:
    layout = layout_of(MADE, nested=True)
    assert shown(track(layout, THREAD), 0, 400) == [("outer", 100, 200), ("later", 300, 350)]
    assert shown(track(layout, "r0   +1"), 0, 400) == [("inner", 120, 150)]
    assert shown(track(layout, "r0   +2"), 0, 400) == [("tiny", 120, 130)]


def test_a_window_shows_what_began_before_it() -> None:
    assert ("outer", 150, 200) in shown(track(layout_of(MADE), THREAD), 180, 190)
    nested = track(layout_of(MADE, nested=True), THREAD)
    assert shown(nested, 180, 190) == [("outer", 100, 200)]


def test_at_a_moment_there_is_the_innermost_slice_or_none() -> None:
    thread = track(layout_of(MADE), THREAD)
    assert thread.at(EPOCH_NS + 125) == row(MADE, "tiny")
    assert thread.at(EPOCH_NS + 100) == row(MADE, "outer")
    assert thread.at(EPOCH_NS + 99) is None
    assert thread.at(EPOCH_NS + 200) is None


def test_next_and_previous_take_the_innermost_of_those_that_start_together() -> None:
    thread = track(layout_of(MADE), THREAD)
    assert thread.after(EPOCH_NS + 100) == row(MADE, "tiny")
    assert thread.after(EPOCH_NS + 120) == row(MADE, "later")
    assert thread.after(EPOCH_NS + 300) is None
    assert thread.before(EPOCH_NS + 300) == row(MADE, "tiny")
    assert thread.before(EPOCH_NS + 120) == row(MADE, "outer")
    assert thread.before(EPOCH_NS + 100) is None


def test_idle_time_reaches_from_one_slice_to_the_next() -> None:
    thread = track(layout_of(MADE), THREAD)
    assert thread.idle_around(EPOCH_NS + 250) == Window(EPOCH_NS + 200, EPOCH_NS + 300)
    assert thread.idle_around(EPOCH_NS + 50) is None
    assert thread.idle_around(EPOCH_NS + 360) is None


def test_slices_whose_time_is_not_trusted_are_not_walked() -> None:
    made = capture(op("lost", -EPOCH_NS, 10**18, trusted=False), op("a", 100, 10), op("b", 200, 10))
    thread = track(layout_of(made), THREAD)
    assert thread.before(EPOCH_NS + 100) is None
    assert shown(thread, 0, 400) == [("a", 100, 110), ("b", 200, 210)]


def test_captures_without_an_origin_begin_with_the_run() -> None:
    absolute = rank_capture(0)
    relative = rank_capture(1, epoch_ns=77, relative=True)
    layout = layout_of(absolute, relative)
    found = track(layout, "r1 s7").segments(layout.extent)
    expected = track(layout, "r0 s7").segments(layout.extent)
    assert found.start_ns.tolist() == expected.start_ns.tolist()
    assert layout.extent.end_ns - layout.extent.start_ns == 20_000_000


INTERVALS = st.lists(st.tuples(st.integers(0, 500), st.integers(1, 200)), min_size=1, max_size=40)


@given(INTERVALS, st.integers(0, 700), st.integers(1, 300))
def test_a_window_shows_the_same_as_the_whole_row(
    intervals: list[tuple[int, int]], start: int, width: int
) -> None:
    made = capture(*(op(f"op{place}", *times) for place, times in enumerate(intervals)))
    thread = track(layout_of(made), THREAD)
    whole = {moment: thread.at(EPOCH_NS + moment) for moment in range(start, start + width)}
    segments = thread.segments(Window(EPOCH_NS + start, EPOCH_NS + start + width))
    inside: dict[int, int | None] = dict.fromkeys(whole)
    for begin, end, place in zip(*segments, strict=True):
        for moment in range(
            max(start, int(begin) - EPOCH_NS), min(start + width, int(end) - EPOCH_NS)
        ):
            inside[moment] = int(place)
    assert inside == whole
