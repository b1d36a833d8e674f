"""Columns and times are two names of the same places."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from vpstop.measure.window import Window
from vpstop.tui.scale import column_edges, column_of, time_at

STARTS = st.integers(-(10**18), 2 * 10**18)


@given(STARTS, st.integers(1, 10**17), st.integers(1, 500))
def test_edges_split_the_window_without_gap(start_ns: int, width_ns: int, columns: int) -> None:
    edges = column_edges(Window(start_ns, start_ns + width_ns), columns).tolist()
    assert edges[0] == start_ns
    assert edges[-1] == start_ns + width_ns
    widths = [after - before for before, after in pairwise(edges)]
    assert max(widths) - min(widths) <= 1


@given(STARTS, st.integers(1, 10**17), st.integers(1, 500), st.data())
def test_the_first_moment_of_a_column_lies_in_it(
    start_ns: int, width_ns: int, columns: int, data: st.DataObject
) -> None:
    window = Window(start_ns, start_ns + width_ns)
    column = data.draw(st.integers(0, columns - 1))
    time_ns = time_at(window, columns, column)
    if width_ns >= columns:
        assert column_of(window, columns, time_ns) == column
    assert column_of(window, columns, time_ns - 1) < column


@given(STARTS, st.integers(1, 10**17), st.integers(1, 500), st.data())
def test_every_moment_of_the_window_has_a_column(
    start_ns: int, width_ns: int, columns: int, data: st.DataObject
) -> None:
    time_ns = data.draw(st.integers(start_ns, start_ns + width_ns - 1))
    assert 0 <= column_of(Window(start_ns, start_ns + width_ns), columns, time_ns) < columns
