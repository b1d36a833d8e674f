"""Movements over slices, rows, nodes and steps, each on a run small enough to check by hand."""

from dataclasses import replace

import pytest
from timelines import MS, layout_of, member, rank_capture, run_of, track, two_nodes

from build import EPOCH_NS, capture, kernel, launch, op, row
from vpstop.measure.window import Window
from vpstop.tui.layout import Layout, lay_out, turned
from vpstop.tui.moves import (
    Scene,
    launched_by,
    moved,
    settled,
    slice_at_cursor,
    step_at_cursor,
)
from vpstop.tui.view import ViewState, first_view

LAYOUT = lay_out(two_nodes())


def view_of(layout: Layout, label: str, at_ns: int = 0) -> ViewState:
    """The whole run, on the row of this label, cursor so long after the epoch."""
    view = first_view(layout.extent)
    return replace(view, track=track(layout, label).key, cursor_ns=EPOCH_NS + at_ns)


def after(view: ViewState, *names: str, layout: Layout = LAYOUT, page: int = 4) -> ViewState:
    """The view after some movements."""
    for name in names:
        view = moved(name, Scene(layout, page), view)
    return view


def label(view: ViewState, layout: Layout = LAYOUT) -> str:
    """Label of the current row."""
    found = layout.track(view.track)
    assert found is not None
    return found.label


def selected(view: ViewState, layout: Layout = LAYOUT) -> str:
    """Name of the selected slice."""
    found = layout.track(view.track)
    assert found is not None
    assert view.selected is not None
    return found.capture.names[int(found.capture.slices.name[view.selected])]


def test_walking_selects_slice_after_slice() -> None:
    view = after(view_of(LAYOUT, "r0 s7"), "next_slice")
    assert (selected(view), view.cursor_ns) == ("gemm", EPOCH_NS + 3 * MS)
    view = after(view, "next_slice")
    assert view.cursor_ns == EPOCH_NS + 13 * MS
    assert after(view, "previous_slice").cursor_ns == EPOCH_NS + 3 * MS


def test_walking_back_inside_a_slice_goes_to_its_start() -> None:
    view = after(view_of(LAYOUT, "r0 s7", 5 * MS), "previous_slice")
    assert view.cursor_ns == EPOCH_NS + 3 * MS


def test_walking_ends_at_the_last_slice_and_says_so() -> None:
    view = after(view_of(LAYOUT, "r0 s7"), *["next_slice"] * 3)
    assert view.notice == "no later slice in this row"
    assert view.cursor_ns == EPOCH_NS + 13 * MS
    view = after(view_of(LAYOUT, "r0 s7"), "previous_slice")
    assert view.notice == "no earlier slice in this row"


def test_the_next_movement_clears_the_notice() -> None:
    view = after(view_of(LAYOUT, "r0 s7"), "previous_slice", "row_down")
    assert view.notice == ""


def test_the_window_follows_the_walk() -> None:
    narrow = replace(view_of(LAYOUT, "r0 s7"), window=Window(EPOCH_NS, EPOCH_NS + MS))
    view = after(narrow, "next_slice")
    assert view.window.start_ns <= EPOCH_NS + 3 * MS < view.window.end_ns
    assert view.window.end_ns - view.window.start_ns == MS


def test_rows_go_on_over_the_panes_and_stop_at_the_ends() -> None:
    view = view_of(LAYOUT, "r1 thread 1")
    assert label(after(view, "row_down")) == "r2 s7"
    assert label(after(view, "first_row", "row_up")) == "r0 s7"
    assert label(after(view, "last_row", "row_down")) == "r3 thread 1"


def test_pages_are_as_long_as_what_is_visible() -> None:
    view = view_of(LAYOUT, "r0 s7")
    assert label(after(view, "page_down", page=4)) == "r1 s20"
    assert label(after(view, "half_page_down", page=4)) == "r0 thread 1"
    assert label(after(view, "page_down", "page_up", page=4)) == "r0 s7"
    assert label(after(view, "last_row", "half_page_up", page=4)) == "r3 s7"


def test_nodes_are_entered_at_their_first_row() -> None:
    view = view_of(LAYOUT, "r0 s20")
    assert label(after(view, "next_node")) == "r2 s7"
    assert label(after(view, "next_node", "previous_node")) == "r0 s7"
    assert after(view, "previous_node").notice == "no further node"


def test_another_row_drops_the_selection() -> None:
    view = after(view_of(LAYOUT, "r0 s7"), "next_slice", "row_down")
    assert view.selected is None


def test_the_next_step_shows_the_same_place_in_it() -> None:
    view = after(view_of(LAYOUT, "r0 s7", 4 * MS), "next_step")
    assert view.cursor_ns == EPOCH_NS + 14 * MS
    assert after(view, "previous_step").cursor_ns == EPOCH_NS + 4 * MS
    assert after(view, "next_step").notice == "no further step"


def test_from_before_the_first_step_the_next_one_begins_at_its_start() -> None:
    made = rank_capture(0, late=5 * MS)
    layout = layout_of(capture(op("early", 0, MS), rank=1), made)
    view = after(view_of(layout, "r0 s7", 2 * MS), "next_step", layout=layout)
    assert view.cursor_ns == EPOCH_NS + 5 * MS


def test_without_steps_the_status_says_so() -> None:
    layout = layout_of(capture(kernel("gemm", 0, 10)))
    assert after(view_of(layout, "r0 s7"), "next_step", layout=layout).notice == "no steps recorded"


def test_a_kernel_leads_to_its_launch_and_back() -> None:
    on_kernel = after(view_of(LAYOUT, "r1 s7"), "next_slice", "next_slice")
    launched = after(on_kernel, "to_launch")
    assert (label(launched), selected(launched)) == ("r1 thread 1", "cudaLaunchKernel")
    assert launched.cursor_ns == EPOCH_NS + 12 * MS
    back = after(launched, "to_kernel")
    assert (label(back), back.cursor_ns) == ("r1 s7", EPOCH_NS + 13 * MS)


def test_an_operator_leads_to_the_first_kernel_launched_inside_it() -> None:
    view = after(view_of(LAYOUT, "r0 thread 1", MS), "to_kernel")
    assert (label(view), selected(view)) == ("r0 s7", "gemm")


def test_following_says_what_is_not_there() -> None:
    view = after(view_of(LAYOUT, "r0 s20"), "next_slice", "to_launch")
    assert view.notice == "no launch recorded for this slice"
    assert after(view, "to_kernel").notice == "this slice launched nothing"
    assert after(view_of(LAYOUT, "r0 s7"), "to_launch").notice == "no slice under the cursor"


def test_in_the_nested_layout_a_launch_is_found_at_its_depth() -> None:
    nested = turned(LAYOUT, nested=True)
    view = after(view_of(nested, "r0 s7"), "next_slice", "to_launch", layout=nested)
    assert label(view, nested) == "r0   +2"


def test_fit_takes_the_slice_under_the_cursor_else_its_step() -> None:
    view = after(view_of(LAYOUT, "r0 s7", 4 * MS), "fit")
    assert view.window == Window(EPOCH_NS + 5 * MS // 2, EPOCH_NS + 15 * MS // 2)
    assert selected(view) == "gemm"
    view = after(view_of(LAYOUT, "r0 s7", 11 * MS), "zoom_in_far", "fit")
    assert view.window.end_ns - view.window.start_ns == 125 * MS // 10
    assert view.selected is None


def test_without_a_slice_and_a_step_the_rank_is_fitted() -> None:
    early = capture(kernel("gemm", 0, 100), kernel("gemm", 300, 100))
    layout = layout_of(early, capture(kernel("gemm", 10**6, 100), rank=1))
    view = after(view_of(layout, "r0 s7", 200), "fit", layout=layout)
    assert view.window == Window(EPOCH_NS - 50, EPOCH_NS + 450)
    there = after(view, "last_row", "fit", layout=layout)
    assert there.window.start_ns <= EPOCH_NS + 10**6 < there.window.end_ns


def test_start_and_end_of_the_run() -> None:
    near = after(view_of(LAYOUT, "r0 s7", 9 * MS), "zoom_in_far", "zoom_in_far")
    view = after(near, "run_end")
    assert view.cursor_ns == EPOCH_NS + 20 * MS - 1
    assert view.window.end_ns > EPOCH_NS + 20 * MS - 1
    view = after(view, "run_start")
    assert view.cursor_ns == EPOCH_NS
    assert view.window.end_ns - view.window.start_ns == near.window.end_ns - near.window.start_ns


def test_the_selected_slice_counts_as_under_the_cursor_even_where_others_cover_it() -> None:
    made = capture(op("outer", 0, 100), op("inner", 0, 50))
    layout = layout_of(made)
    view = view_of(layout, "r0 thread 1")
    assert slice_at_cursor(layout, view) == row(made, "inner")
    assert slice_at_cursor(layout, replace(view, selected=row(made, "outer"))) == row(made, "outer")
    away = replace(view, selected=row(made, "inner"), cursor_ns=EPOCH_NS + 70)
    assert slice_at_cursor(layout, away) == row(made, "outer")


def test_an_empty_slice_can_be_selected() -> None:
    made = capture(op("a", 0, 10), op("empty", 20, 0), op("b", 30, 10))
    layout = layout_of(made)
    view = after(view_of(layout, "r0 thread 1", 5), "next_slice", layout=layout)
    assert slice_at_cursor(layout, view) == row(made, "empty")


def test_the_step_under_the_cursor() -> None:
    step = step_at_cursor(LAYOUT, view_of(LAYOUT, "r0 s7", 15 * MS))
    assert step is not None
    assert step.number == 6
    assert step_at_cursor(LAYOUT, view_of(LAYOUT, "r0 s7", 20 * MS)) is None


def test_what_a_slice_launched_includes_the_calls_inside_it() -> None:
    made = capture(
        op("outer", 0, 100),
        launch("cudaLaunchKernel", 10, 5, correlation=1),
        launch("cudaGraphLaunch", 20, 5, correlation=2),
        op("other", 200, 10),
        kernel("first", 30, 10, correlation=1),
        kernel("second", 50, 10, correlation=2),
        kernel("third", 60, 10, correlation=2),
    )
    names = [
        made.names[code] for code in made.slices.name[launched_by(made.slices, row(made, "outer"))]
    ]
    assert names == ["first", "second", "third"]
    assert len(launched_by(made.slices, row(made, "cudaGraphLaunch"))) == 2
    assert len(launched_by(made.slices, row(made, "other"))) == 0


def test_when_a_rank_arrives_the_current_row_stays_on_its_lane() -> None:
    captures = [rank_capture(rank) for rank in (3, 1)]
    old = lay_out(run_of(member(captures[0])))
    new = lay_out(run_of(member(captures[1]), member(captures[0])))
    view = after(view_of(old, "r3 s20"), "next_slice", layout=old)
    now = settled(view, old, new)
    assert label(now, new) == "r3 s20"
    assert selected(now, new) == "ncclKernel_AllReduce_RING_LL_Sum_float"


def test_the_first_rank_that_arrives_gives_the_current_row() -> None:
    empty = lay_out(run_of())
    new = layout_of(rank_capture(0))
    assert label(settled(first_view(empty.extent), empty, new), new) == "r0 s7"


@pytest.mark.parametrize("nested", [False, True])
def test_turning_the_layout_keeps_the_lane(nested: bool) -> None:
    old, new = turned(LAYOUT, nested=not nested), turned(LAYOUT, nested=nested)
    view = settled(view_of(old, "r2 thread 1"), old, new)
    assert label(view, new) == "r2 thread 1"
    assert view.nested is nested
