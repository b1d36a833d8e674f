"""Common time and back."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vpstop.clock.time_map import TimeMap

AT_NS = 1_700_000_000_000_000_000

maps = st.builds(TimeMap, st.integers(-(10**14), 10**14), st.floats(-500, 500), st.just(AT_NS))
moments = st.integers(AT_NS - 10**12, AT_NS + 10**12)


def test_an_offset_is_what_the_clock_is_ahead() -> None:
    assert TimeMap(500).common(1_500) == 1_000
    assert TimeMap(500).own(1_000) == 1_500


def test_a_fast_clock_shows_more_after_the_moment_of_the_offset() -> None:
    fast = TimeMap(0, 100.0, AT_NS)
    assert fast.own(AT_NS + 10**9) == AT_NS + 10**9 + 100_000
    assert fast.common(AT_NS + 10**9 + 100_000) == AT_NS + 10**9


@given(maps, moments)
def test_there_and_back(clock: TimeMap, moment_ns: int) -> None:
    assert abs(clock.common(clock.own(moment_ns)) - moment_ns) <= 1


@given(maps, st.lists(moments, min_size=1, max_size=5))
def test_columns_are_as_single_moments(clock: TimeMap, moments_ns: list[int]) -> None:
    column = np.array(moments_ns, np.int64)
    assert clock.common(column).tolist() == [clock.common(one) for one in moments_ns]
    assert clock.own(column).tolist() == [clock.own(one) for one in moments_ns]
