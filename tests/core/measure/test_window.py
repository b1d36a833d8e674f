"""The extent of a capture and the part of it that a window leaves."""

from build import EPOCH_NS, capture, kernel, op, slice_
from vpstop.measure.window import Window, extent, times_within
from vpstop.read.categories import LaneKind


def test_the_extent_leaves_out_overhead_and_distrusted_times() -> None:
    made = capture(
        op("a", 100, 10),
        op("lost", 5, 10, trusted=False),
        slice_("overhead", "Buffer Flush", 0, 500, kind=LaneKind.OVERHEAD),
        kernel("k", 150, 20),
    )
    assert extent(made) == (EPOCH_NS + 100, EPOCH_NS + 170)


def test_host_slices_end_past_their_caller_and_stream_slices_at_the_next() -> None:
    made = capture(op("caller", 0, 50), op("callee", 10, 90), kernel("long", 0, 10_000))
    assert extent(made) == (EPOCH_NS, EPOCH_NS + 10_000)
    made = capture(
        op("caller", 0, 50), op("callee", 10, 90), kernel("long", 0, 900), kernel("k", 5, 2)
    )
    assert extent(made) == (EPOCH_NS, EPOCH_NS + 100)


def test_nothing_has_no_extent() -> None:
    assert extent(capture()) is None
    assert extent(capture(op("lost", 0, 10, trusted=False))) is None


def test_a_window_cuts_slices() -> None:
    made = capture(op("before", 0, 10), op("across", 20, 30), op("behind", 60, 5), epoch_ns=0)
    start_ns, end_ns = times_within(made, Window(30, 40))
    assert (end_ns - start_ns).tolist() == [0, 10, 0]
