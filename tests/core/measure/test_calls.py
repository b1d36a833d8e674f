"""Which call contains which: the rule of torch's `EventList._populate_cpu_children`."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vpstop.measure.calls import containing, nearest, sums_with_callees

Interval = tuple[int, int, int]
"""Lane, start, end."""

intervals = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 12), st.integers(0, 8)).map(
        lambda one: (one[0], one[1], one[1] + one[2])
    ),
    max_size=30,
).map(lambda found: sorted(found, key=lambda one: (one[0], one[1], -one[2])))


def by_stack(rows: list[Interval]) -> list[int]:
    """torch's own loop: what cannot contain the next interval leaves the stack for good."""
    callers: list[int] = []
    stack: list[int] = []
    for row, (lane, start, end) in enumerate(rows):
        while stack:
            other_lane, _, other_end = rows[stack[-1]]
            if lane == other_lane and start < other_end and end <= other_end:
                break
            stack.pop()
        callers.append(stack[-1] if stack else -1)
        stack.append(row)
    return callers


@given(intervals)
def test_the_container_is_the_one_a_stack_finds(rows: list[Interval]) -> None:
    lane, start, end = np.array(rows, np.int64).reshape(-1, 3).T
    assert containing(start, end, lane.astype(np.int32)).tolist() == by_stack(rows)


def test_deep_and_long_rows_of_calls() -> None:
    """300 calls inside each other, then 300 inside the outermost one."""
    start = np.arange(600)
    end = np.concatenate((1000 - np.arange(300), np.arange(800, 1100)))
    end[300:] = start[300:] + 1
    caller = containing(start, end, np.zeros(600, np.int32))
    assert caller[:300].tolist() == list(range(-1, 299))
    assert set(caller[300:].tolist()) == {299}


def test_the_nearest_wanted_on_the_way() -> None:
    hop = np.array([-1, 0, 1, 2, 3])
    wanted = np.array([False, True, False, False, True])
    assert nearest(hop, wanted).tolist() == [-1, -1, 1, 1, 1]


def test_sums_go_up_to_every_caller() -> None:
    caller = np.array([-1, 0, 1, 1, -1])
    assert sums_with_callees(caller, np.array([1, 0, 10, 100, 7])).tolist() == [
        111,
        110,
        10,
        100,
        7,
    ]
