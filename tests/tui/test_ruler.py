"""Ticks stand at round times, as dense as their labels allow."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vpstop.measure.window import Window
from vpstop.tui.ruler import Tick, clock_text, ticks
from vpstop.tui.scale import column_of

MS = 1_000_000


def labels(start_ns: int, end_ns: int, columns: int = 60) -> list[str]:
    """Labels of a window, as times since the start of the run."""
    return [tick.label for tick in ticks(Window(start_ns, end_ns), 0, columns)]


@pytest.mark.parametrize(
    ("start_ns", "end_ns", "expected"),
    [
        (0, 60 * MS, ["0 ms", "10 ms", "20 ms", "30 ms", "40 ms", "50 ms"]),
        (0, 6000 * MS, ["0 s", "1 s", "2 s", "3 s", "4 s", "5 s"]),
        (0, 60, ["0 ns", "10 ns", "20 ns", "30 ns", "40 ns", "50 ns"]),
        (2_000_000_000, 2_000_000_040, [f"2.0000000{place} s" for place in range(4)]),
        (-3 * MS, 3 * MS, ["-3 ms", "-2 ms", "-1 ms", "0 ms", "1 ms", "2 ms"]),
        (1234 * MS, 1240 * MS, [f"1.23{place} s" for place in range(4, 10)]),
    ],
)
def test_labels(start_ns: int, end_ns: int, expected: list[str]) -> None:
    assert labels(start_ns, end_ns) == expected


def test_ticks_count_from_the_start_of_the_run() -> None:
    origin_ns = 1_700_000_000_123_456_789
    window = Window(origin_ns, origin_ns + 60 * MS)
    assert ticks(window, origin_ns, 60)[1] == Tick(10, "10 ms")


@given(
    st.integers(-(10**12), 10**15), st.integers(10, 10**14), st.integers(30, 400), st.integers(0, 9)
)
def test_ticks_are_in_place_and_their_labels_apart(
    start_ns: int, width_ns: int, columns: int, origin_ns: int
) -> None:
    window = Window(start_ns, start_ns + width_ns)
    found = ticks(window, origin_ns, columns)
    for before, after in pairwise(found):
        assert after.column - before.column > len(before.label) + 1
    assert all(0 <= tick.column < columns for tick in found)
    assert len({tick.label for tick in found}) == len(found)


def test_a_label_says_the_time_of_its_column() -> None:
    window = Window(0, 7_300_000)
    for column, label in ticks(window, 0, 173):
        number, unit = label.split()
        assert unit == "ms"
        assert column_of(window, 173, round(float(number) * MS)) == column


def test_clock_text() -> None:
    assert clock_text(1_712_195_495_502_117_999) == "01:51:35.502117"
    assert clock_text(10**22) == ""
