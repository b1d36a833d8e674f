"""Running sums of busy time: exact at bucket edges, and nothing is lost in between."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from build import EPOCH_NS, capture, kernel, op
from vpstop.read.activity import Activity
from vpstop.read.coverage import INNERMOST, Coverage, busy_ns, cover, row_of, stack

Int64 = npt.NDArray[np.int64]

INTERVALS = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 300), st.sampled_from(list(Activity))),
    min_size=1,
    max_size=120,
)
"""(gap before, duration, activity) of intervals in a row."""


def columns(intervals: list[tuple[int, int, Activity]]) -> tuple[Int64, Int64, Int64]:
    gaps, durations, activities = np.array(intervals, np.int64).T
    ends = EPOCH_NS + np.cumsum(gaps + durations)
    return ends - durations, ends, activities


def row_coverage(intervals: list[tuple[int, int, Activity]]) -> Coverage:
    starts, ends, activities = columns(intervals)
    return stack([cover(0, 0, starts, ends, activities.astype(np.uint8))])


def brute_force(intervals: list[tuple[int, int, Activity]], edges_ns: Int64) -> Int64:
    """Busy time per activity between the edges, one interval after the other."""
    found = np.zeros((len(edges_ns) - 1, len(Activity)), np.int64)
    for start, end, activity in zip(*columns(intervals), strict=True):
        clipped = np.clip([start, end], edges_ns[:-1, None], edges_ns[1:, None])
        found[:, activity] += np.diff(clipped, axis=1)[:, 0]
    return found


@given(INTERVALS)
def test_sums_are_exact_between_any_two_bucket_edges(
    intervals: list[tuple[int, int, Activity]],
) -> None:
    made = row_coverage(intervals)
    edges = made.first_ns[0] + np.arange(len(made.sums)) * made.bucket_ns[0]
    assert np.array_equal(np.diff(made.sums, axis=0), brute_force(intervals, edges))
    assert np.array_equal(busy_ns(made, 0, edges), brute_force(intervals, edges))


@given(INTERVALS)
def test_the_last_line_is_the_total(intervals: list[tuple[int, int, Activity]]) -> None:
    made = row_coverage(intervals)
    everything = np.array([EPOCH_NS - 1, EPOCH_NS + 10**9])
    total = brute_force(intervals, everything)
    assert np.array_equal(made.sums[-1:], total)
    assert np.array_equal(busy_ns(made, 0, everything), total)


@given(INTERVALS, st.lists(st.integers(-100, 50_000), min_size=2, max_size=60))
def test_the_parts_of_a_window_sum_up_to_the_whole(
    intervals: list[tuple[int, int, Activity]], drawn: list[int]
) -> None:
    made = row_coverage(intervals)
    edges = EPOCH_NS + np.sort(np.array(drawn, np.int64))
    parts = busy_ns(made, 0, edges)
    assert np.array_equal(parts.sum(axis=0), busy_ns(made, 0, edges[[0, -1]])[0])
    assert parts.min() >= 0


@given(INTERVALS)
def test_buckets_are_powers_of_two_of_about_eight_intervals(
    intervals: list[tuple[int, int, Activity]],
) -> None:
    made = row_coverage(intervals)
    (bucket_ns,) = made.bucket_ns.tolist()
    assert bucket_ns & (bucket_ns - 1) == 0
    buckets = len(made.sums) - 1
    assert buckets * 8 <= max(8, len(intervals))
    assert len(intervals) < 16 * (buckets + 1)


def test_within_a_bucket_time_is_spread_evenly() -> None:
    made = capture(kernel("gemm", 0, 256), kernel("gemm", 768, 256)).coverage
    assert made.bucket_ns.tolist() == [1024]
    parts = busy_ns(made, 0, EPOCH_NS + np.array([0, 512, 1024]))
    assert parts[:, Activity.COMPUTE].tolist() == [256, 256]


def test_an_empty_interval_may_end_the_row() -> None:
    made = capture(kernel("gemm", 0, 256), kernel("empty", 256, 0)).coverage
    assert made.bucket_ns.tolist() == [256]
    assert made.sums[:, Activity.COMPUTE].tolist() == [0, 256]


def test_outside_its_row_nothing_is_busy() -> None:
    made = capture(kernel("gemm", 100, 50)).coverage
    assert not busy_ns(made, 0, EPOCH_NS + np.array([0, 50, 100])).any()
    assert not busy_ns(made, 0, EPOCH_NS + np.array([10_000, 20_000])).any()


def test_buckets_are_bounded() -> None:
    starts = EPOCH_NS + 10 * np.arange(600_000)
    made = cover(0, 0, starts, starts + 4, np.zeros(len(starts), np.uint8))
    assert len(made.sums) <= (1 << 16) + 1
    assert made.sums[-1, 0] == 4 * 600_000


def test_a_bucket_of_days_loses_no_nanosecond() -> None:
    """Two slices in one bucket of 2^50 ns."""
    day = 86_400 * 10**9
    made = capture(kernel("a", 0, 3), kernel("b", 9 * day, 4)).coverage
    parts = busy_ns(made, 0, EPOCH_NS + np.array([0, 100 * day]))
    assert parts.sum() == 7


@pytest.fixture
def nested() -> Coverage:
    """A stream, a thread of two levels and a thread of one."""
    return capture(
        kernel("gemm", 0, 10),
        op("outer", 0, 100),
        op("inner", 20, 30),
        op("flat", 0, 10, thread=2),
    ).coverage


def test_rows_are_found_by_lane_and_depth(nested: Coverage) -> None:
    assert len(nested) == 5
    found = [row_of(nested, 1, depth) for depth in (INNERMOST, 0, 1)]
    assert found == [1, 2, 3]
    assert row_of(nested, 1, 2) is None
    assert row_of(nested, 7) is None


def test_a_flat_lane_is_its_own_innermost_row(nested: Coverage) -> None:
    assert row_of(nested, 0) == row_of(nested, 0, 0) == 0
    assert row_of(nested, 2) == 4


def test_no_rows_without_slices() -> None:
    made = capture().coverage
    assert len(made) == 0
    assert made.sums.shape == (0, len(Activity))
    assert row_of(made, 0) is None
