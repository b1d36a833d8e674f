"""Interval sets behave like sets of moments."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vpstop.measure.intervals import Intervals, union

pieces = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 12)).map(lambda p: (p[0], p[0] + p[1])),
    max_size=12,
)


def covering(of: list[tuple[int, int]]) -> Intervals:
    return union(np.array([a for a, _ in of], np.int64), np.array([b for _, b in of], np.int64))


def moments(of: list[tuple[int, int]]) -> set[int]:
    return {moment for start, end in of for moment in range(start, end)}


def as_moments(intervals: Intervals) -> set[int]:
    return moments(list(zip(intervals.start_ns.tolist(), intervals.end_ns.tolist(), strict=True)))


@given(pieces)
def test_a_union_is_sorted_disjoint_and_covers_the_same(a: list[tuple[int, int]]) -> None:
    found = covering(a)
    assert as_moments(found) == moments(a)
    assert found.length_ns == len(moments(a))
    assert np.all(found.start_ns < found.end_ns)
    assert np.all(found.end_ns[:-1] < found.start_ns[1:])


@given(pieces, pieces)
def test_set_operations(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> None:
    assert as_moments(covering(a) | covering(b)) == moments(a) | moments(b)
    assert as_moments(covering(a) - covering(b)) == moments(a) - moments(b)


@given(pieces)
def test_what_is_covered(a: list[tuple[int, int]]) -> None:
    every = np.arange(60)
    assert set(every[covering(a).covers(every)].tolist()) == moments(a)


def test_lengths_are_exact_at_absolute_times() -> None:
    start = 1_790_857_026_000_000_001
    found = union(np.array([start, start + 2]), np.array([start + 1, start + 5]))
    assert found.length_ns == 4
