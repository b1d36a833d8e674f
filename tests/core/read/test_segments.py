"""The innermost slice at every moment, and the rows of a lane."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from build import EPOCH_NS, Slice, capture, kernel, op, row
from vpstop.read.activity import Activity
from vpstop.read.capture import Capture
from vpstop.read.coverage import INNERMOST, MAX_DEPTHS, busy_ns, row_of
from vpstop.read.segments import innermost, lane_rows, window_rows


def shown(made: Capture, rows: slice) -> list[tuple[int, int, str]]:
    """The segments as (start, end, name), in ns after the epoch."""
    starts, ends, owners = innermost(made.slices, rows)
    names = [made.names[code] for code in made.slices.name[owners]]
    return list(zip((starts - EPOCH_NS).tolist(), (ends - EPOCH_NS).tolist(), names, strict=True))


def test_the_caller_shows_between_its_callees() -> None:
    made = capture(op("a", 0, 100), op("b", 10, 20), op("c", 15, 5), op("d", 30, 10))
    assert shown(made, lane_rows(made.slices, 0)) == [
        (0, 10, "a"),
        (10, 15, "b"),
        (15, 20, "c"),
        (20, 30, "b"),
        (30, 40, "d"),
        (40, 100, "a"),
    ]


def test_empty_slices_and_untrusted_ones_do_not_show() -> None:
    made = capture(op("a", 0, 10), op("empty", 5, 0), op("bad", 6, 100, trusted=False))
    assert shown(made, lane_rows(made.slices, 0)) == [(0, 5, "a"), (5, 10, "a")]


def test_on_a_stream_the_next_slice_takes_over() -> None:
    made = capture(kernel("a", 0, 100), kernel("b", 30, 10))
    assert shown(made, lane_rows(made.slices, 0)) == [(0, 30, "a"), (30, 40, "b")]


def test_no_rows_show_nothing() -> None:
    made = capture(op("a", 0, 10, trusted=False))
    assert shown(made, slice(0, 1)) == []
    assert shown(made, slice(0, 0)) == []


def test_a_window_shows_what_began_before_it() -> None:
    made = capture(op("a", 0, 100), op("b", 10, 20), op("c", 50, 10), op("d", 52, 2))
    rows = window_rows(made.slices, 0, EPOCH_NS + 40, EPOCH_NS + 51)
    assert shown(made, rows) == [(10, 30, "b"), (30, 50, "a"), (50, 60, "c"), (60, 100, "a")]


def test_a_window_does_not_start_at_an_untrusted_slice() -> None:
    made = capture(op("a", 0, 100), op("bad", 20, 0, trusted=False))
    rows = window_rows(made.slices, 0, EPOCH_NS + 40, EPOCH_NS + 60)
    assert shown(made, rows) == [(0, 100, "a")]


def test_rows_of_a_lane() -> None:
    made = capture(op("a", 0, 5), op("b", 10, 5), kernel("k", 0, 5))
    assert lane_rows(made.slices, 0) == slice(0, 1)
    assert lane_rows(made.slices, 1) == slice(1, 3)
    assert lane_rows(made.slices, 2) == slice(3, 3)


OPERATORS = st.lists(
    st.builds(
        op,
        st.sampled_from(["aten::mm", "Optimizer.step#SGD.step", "c10d::allreduce_"]),
        st.integers(0, 60),
        st.integers(0, 40),
        trusted=st.integers(0, 9).map(bool),
    ),
    min_size=1,
    max_size=40,
)


def innermost_rows(made: Capture, until: int) -> list[int]:
    """The row that is innermost in each nanosecond, -1 for none: the last open one of the stack."""
    found = [-1] * until
    slices = made.slices
    for at in np.flatnonzero(slices.trusted).tolist():
        start = int(slices.start_ns[at]) - EPOCH_NS
        for moment in range(start, start + int(slices.effective_ns[at])):
            found[moment] = at
    return found


@given(OPERATORS)
def test_segments_are_the_innermost_slices(parts: list[Slice]) -> None:
    made = capture(*parts)
    found = [-1] * 120
    for start, end, owner in zip(*innermost(made.slices, lane_rows(made.slices, 0)), strict=True):
        for moment in range(start - EPOCH_NS, end - EPOCH_NS):
            assert found[moment] == -1
            found[moment] = owner
    assert found == innermost_rows(made, 120)


@given(OPERATORS, st.integers(0, 100), st.integers(1, 20))
def test_a_window_is_exact(parts: list[Slice], first: int, length: int) -> None:
    made = capture(*parts)
    rows = window_rows(made.slices, 0, EPOCH_NS + first, EPOCH_NS + first + length)
    expected = innermost_rows(made, 120)
    starts, ends, owners = innermost(made.slices, rows)
    for moment in range(first, first + length):
        inside = (starts <= EPOCH_NS + moment) & (EPOCH_NS + moment < ends)
        assert [*owners[inside], -1][0] == expected[moment]


@given(OPERATORS)
def test_coverage_rows_are_the_busy_times_of_their_slices(parts: list[Slice]) -> None:
    made = capture(*parts)
    slices = made.slices
    everything = np.array([EPOCH_NS - 1, EPOCH_NS + 10**6])
    for at, depth in enumerate(made.coverage.depth.tolist()):
        rows = slices.trusted & (slices.depth == depth)
        lasts = slices.effective_ns
        if depth == INNERMOST:
            owners = [owner for owner in innermost_rows(made, 120) if owner >= 0]
            rows, lasts = np.array(owners, np.int64), np.ones(len(slices), np.int64)
        expected = np.bincount(slices.activity[rows], lasts[rows], minlength=len(Activity))
        assert np.array_equal(busy_ns(made.coverage, at, everything)[0], expected)


def test_a_lane_has_a_row_for_each_depth_up_to_a_limit() -> None:
    made = capture(*(op(f"level {depth}", depth, 100 - 2 * depth) for depth in range(20)))
    depths = [INNERMOST, *range(MAX_DEPTHS)]
    assert made.coverage.depth.tolist() == depths
    assert row_of(made.coverage, 0, MAX_DEPTHS) is None
    inner = busy_ns(made.coverage, 0, EPOCH_NS + np.array([0, 1000]))
    assert inner.sum() == made.slices.duration_ns[row(made, "level 0")]


def test_coverage_leaves_untrusted_slices_out() -> None:
    made = capture(kernel("lost", -(10**15), 5, trusted=False), kernel("gemm", 0, 10))
    assert made.coverage.first_ns.tolist() == [EPOCH_NS]
    assert made.coverage.sums[-1].sum() == 10
