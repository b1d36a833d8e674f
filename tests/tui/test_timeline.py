"""Panes share the height, and all labels one width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timelines import layout_of, rank_capture

from build import capture, op
from vpstop.tui.timeline import MIN_PANE_LINES, gutter_width, shared_heights


@pytest.mark.parametrize(
    ("rows", "available", "heights"),
    [
        ([5, 3], 40, [6, 4]),
        ([48], 40, [40]),
        ([20, 20], 20, [10, 10]),
        ([30, 10], 20, [14, 6]),
        ([1, 30], 20, [2, 18]),
        ([9, 9, 9, 9], 8, [3, 3, 3, 3]),
        ([], 20, []),
        ([0, 5], 20, [1, 6]),
    ],
    ids=[
        "all rows fit",
        "one pane has all",
        "halves",
        "in proportion",
        "a small pane keeps its rows",
        "too many nodes scroll",
        "no panes",
        "a pane without rows",
    ],
)
def test_shared_heights(rows: list[int], available: int, heights: list[int]) -> None:
    assert shared_heights(rows, available) == heights


@given(st.lists(st.integers(0, 200), max_size=30), st.integers(0, 120))
def test_heights_are_used_up_and_never_too_much(rows: list[int], available: int) -> None:
    heights = shared_heights(rows, available)
    wanted = [count + 1 for count in rows]
    least = [min(lines, MIN_PANE_LINES) for lines in wanted]
    assert sum(heights) == max(sum(least), min(available, sum(wanted)))
    assert all(
        low <= height <= most for low, height, most in zip(least, heights, wanted, strict=True)
    )


def test_the_gutter_is_as_wide_as_the_longest_label_within_limits() -> None:
    named = {("100", "1"): "a name of a thread that is much too long"}
    long = layout_of(capture(op("a", 0, 10), thread_names=named))
    assert gutter_width(layout_of(rank_capture(0)), 200) == 17
    assert gutter_width(long, 200) == 34
    assert gutter_width(long, 80) == 20
