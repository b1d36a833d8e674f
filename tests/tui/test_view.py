"""Movements of the window: every rule of the view, without any screen."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vpstop.measure.window import Window
from vpstop.tui.view import (
    MIN_WIDTH_NS,
    ViewState,
    first_view,
    fit,
    fit_all,
    grown,
    limits,
    pan,
    redo,
    reveal,
    shift,
    undo,
    zoom,
)

RUN = Window(1_000_000, 2_000_000)
"""A run of 1 ms; its limits are 15 625 ns wider on both sides."""


def at(start_ns: int, end_ns: int, cursor_ns: int) -> ViewState:
    """A view of this window."""
    return replace(first_view(RUN), window=Window(start_ns, end_ns), cursor_ns=cursor_ns)


def test_the_first_view_is_the_whole_run_with_a_margin() -> None:
    view = first_view(RUN)
    assert view.window == Window(984_375, 2_015_625)
    assert view.cursor_ns == 1_000_000


def test_zoom_keeps_the_cursor_at_its_place_on_the_screen() -> None:
    view = zoom(at(1_200_000, 1_360_000, 1_240_000), 5, 8)
    assert view.window == Window(1_215_000, 1_315_000)
    assert view.cursor_ns == 1_240_000


def test_zooming_out_stops_at_the_whole_run() -> None:
    assert zoom(at(1_200_000, 1_360_000, 1_240_000), 100, 1).window == limits(RUN)


def test_zooming_in_stops_at_the_least_width() -> None:
    view = at(1_500_000, 1_500_020, 1_500_004)
    for _ in range(3):
        view = zoom(view, 1, 4)
    assert view.window.end_ns - view.window.start_ns == MIN_WIDTH_NS
    assert view.window.start_ns <= view.cursor_ns < view.window.end_ns


def test_pan_takes_the_cursor_along() -> None:
    view = pan(at(1_200_000, 1_300_000, 1_240_000), 1, 10)
    assert view.window == Window(1_210_000, 1_310_000)
    assert view.cursor_ns == 1_250_000
    assert pan(view, -1, 10) == at(1_200_000, 1_300_000, 1_240_000)


def test_at_the_end_of_the_run_only_the_cursor_goes_on() -> None:
    view = pan(first_view(RUN), 1, 10)
    assert view.window == limits(RUN)
    assert view.cursor_ns == 1_000_000 + (2_015_625 - 984_375) // 10
    for _ in range(20):
        view = pan(view, 1, 10)
    assert view.cursor_ns == view.window.end_ns - 1


def test_fit_leaves_a_tenth_on_both_sides() -> None:
    view = fit(at(1_000_000, 1_900_000, 1_200_000), Window(1_100_000, 1_500_000))
    assert view.window == Window(1_050_000, 1_550_000)
    assert view.cursor_ns == 1_200_000


def test_fit_brings_the_cursor_into_the_interval() -> None:
    assert fit(first_view(RUN), Window(1_100_000, 1_500_000)).cursor_ns == 1_100_000
    after = at(1_000_000, 1_900_000, 1_800_000)
    assert fit(after, Window(1_100_000, 1_500_000)).cursor_ns == 1_499_999


def test_an_empty_interval_can_be_fitted() -> None:
    view = fit(first_view(RUN), Window(1_500_000, 1_500_000))
    assert view.window == Window(1_499_995, 1_500_005)
    assert view.cursor_ns == 1_500_000


@pytest.mark.parametrize(
    ("time_ns", "start_ns"),
    [
        (1_250_000, 1_200_000),
        (1_200_000, 1_200_000),
        (1_300_000, 1_280_000),
        (1_150_000, 1_070_000),
    ],
    ids=["inside", "at the left edge", "behind the right edge", "before the left edge"],
)
def test_the_window_follows_only_what_leaves_it(time_ns: int, start_ns: int) -> None:
    view = reveal(at(1_200_000, 1_300_000, 1_240_000), time_ns)
    assert view.window == Window(start_ns, start_ns + 100_000)
    assert view.cursor_ns == time_ns


def test_undo_and_redo_walk_through_zooms_and_jumps() -> None:
    first = first_view(RUN)
    second = zoom(first, 1, 4)
    third = shift(second, 100_000)
    assert undo(third).window == second.window
    assert undo(undo(third)).window == first.window
    assert undo(undo(third)).cursor_ns == first.cursor_ns
    assert redo(undo(third)).window == third.window
    assert redo(undo(third)).cursor_ns == third.cursor_ns


def test_a_new_zoom_forgets_what_could_be_redone() -> None:
    view = zoom(undo(zoom(first_view(RUN), 1, 4)), 1, 2)
    assert redo(view).notice == "no later view"


def test_undo_says_when_there_is_nothing_to_undo() -> None:
    view = undo(first_view(RUN))
    assert view.notice == "no earlier view"
    assert view.window == limits(RUN)


def test_panning_is_not_part_of_the_history() -> None:
    view = zoom(first_view(RUN), 1, 4)
    for _ in range(5):
        view = pan(view, 1, 10)
    assert undo(view).window == limits(RUN)


def test_a_view_of_everything_grows_with_the_run() -> None:
    longer = Window(500_000, 3_000_000)
    view = grown(first_view(RUN), longer, RUN, longer)
    assert view.window == limits(Window(500_000, 3_000_000))
    assert view.cursor_ns == 500_000


def test_a_view_of_a_part_stays_where_it_is() -> None:
    longer = Window(500_000, 3_000_000)
    view = grown(at(1_200_000, 1_300_000, 1_240_000), longer, RUN, longer)
    assert view.window == Window(1_200_000, 1_300_000)
    assert view.cursor_ns == 1_240_000


STEPS = st.one_of(
    st.tuples(st.just("zoom"), st.integers(1, 9), st.integers(1, 9)),
    st.tuples(st.just("pan"), st.integers(-9, 9).filter(bool), st.integers(1, 9)),
    st.tuples(st.just("shift"), st.integers(-(10**9), 10**9), st.just(0)),
    st.tuples(st.just("reveal"), st.integers(0, 3 * 10**6), st.just(0)),
    st.tuples(st.just("fit"), st.integers(0, 10**6), st.integers(0, 10**6)),
    st.tuples(st.sampled_from(["undo", "redo", "all"]), st.just(0), st.just(0)),
)


@given(st.lists(STEPS, max_size=30))
def test_no_sequence_of_movements_breaks_the_rules(steps: list[tuple[str, int, int]]) -> None:
    view = first_view(RUN)
    for kind, one, other in steps:
        view = moved(view, kind, one, other)
        start_ns, end_ns = view.window
        assert limits(RUN).start_ns <= start_ns <= view.cursor_ns < end_ns <= limits(RUN).end_ns
        assert end_ns - start_ns >= MIN_WIDTH_NS


def moved(view: ViewState, kind: str, one: int, other: int) -> ViewState:
    """One movement with these numbers."""
    moves = {
        "zoom": lambda: zoom(view, one, other),
        "pan": lambda: pan(view, one, other),
        "shift": lambda: shift(view, one),
        "reveal": lambda: reveal(view, one),
        "fit": lambda: fit(view, Window(10**6 + one, 10**6 + one + other)),
        "undo": lambda: undo(view),
        "redo": lambda: redo(view),
        "all": lambda: fit_all(view),
    }
    return moves[kind]()
