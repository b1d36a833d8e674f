"""Every movement by name: keys name one, and the app takes the view that comes out.

A movement is a pure function of the layout and the view. One that cannot be made returns the same
view with a notice that says why.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from vpstop.measure.window import Window
from vpstop.read.capture import Slices
from vpstop.read.coverage import INNERMOST
from vpstop.read.segments import lane_rows
from vpstop.read.steps import Step
from vpstop.tui.layout import MAX_DEPTH_ROWS, Layout
from vpstop.tui.track import Track
from vpstop.tui.view import (
    TrackKey,
    ViewState,
    fit,
    fit_all,
    grown,
    pan,
    redo,
    reveal,
    shift,
    undo,
    zoom,
)

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Scene:
    """What movements have to know apart from the view."""

    layout: Layout
    page: int = 10
    """Rows that fit on the screen."""


Move = Callable[[Scene, ViewState], ViewState]


def slice_at_cursor(layout: Layout, view: ViewState) -> int | None:
    """The slice under the cursor: the selected one if the cursor is in it, else the shown one."""
    track = layout.track(view.track)
    if track is None:
        return None
    if view.selected is not None:
        start_ns, end_ns = track.rank.interval(view.selected)
        if start_ns <= view.cursor_ns < max(end_ns, start_ns + 1):
            return view.selected
    return track.at(view.cursor_ns)


def step_at_cursor(layout: Layout, view: ViewState) -> Step | None:
    """The step of the current rank in which the cursor is."""
    track = layout.track(view.track)
    steps = track.rank.steps if track else ()
    return next((step for step in steps if step.start_ns <= view.cursor_ns < step.end_ns), None)


def with_track(view: ViewState, track: Track) -> ViewState:
    """The view with another current track; a selection on the old one is dropped."""
    return view if view.track == track.key else replace(view, track=track.key, selected=None)


def select(view: ViewState, track: Track, slice_row: int) -> ViewState:
    """A slice selected, with the cursor at its start."""
    view = replace(with_track(view, track), selected=slice_row)
    return reveal(view, track.rank.interval(slice_row).start_ns)


def _next_slice(scene: Scene, view: ViewState) -> ViewState:
    track = scene.layout.track(view.track)
    found = track.after(view.cursor_ns) if track else None
    if track is None or found is None:
        return replace(view, notice="no later slice in this row")
    return select(view, track, found)


def _previous_slice(scene: Scene, view: ViewState) -> ViewState:
    track = scene.layout.track(view.track)
    found = track.before(view.cursor_ns) if track else None
    if track is None or found is None:
        return replace(view, notice="no earlier slice in this row")
    return select(view, track, found)


def _fit(scene: Scene, view: ViewState) -> ViewState:
    track, found = scene.layout.track(view.track), slice_at_cursor(scene.layout, view)
    if track is not None and found is not None:
        return fit(replace(view, selected=found), track.rank.interval(found))
    step = step_at_cursor(scene.layout, view)
    if step is not None:
        return fit(view, Window(step.start_ns, step.end_ns))
    span = track.rank.span if track else None
    return fit(view, span) if span else view


def _run_start(scene: Scene, view: ViewState) -> ViewState:
    return shift(view, view.extent.start_ns - view.cursor_ns)


def _run_end(scene: Scene, view: ViewState) -> ViewState:
    return shift(view, view.extent.end_ns - 1 - view.cursor_ns)


def _rows(count: int) -> Move:
    """So many rows down, or up where negative; stops at the first and the last."""
    return lambda scene, view: _to_row(scene, view, _place(scene, view) + count)


def _pages(numerator: int, denominator: int) -> Move:
    """A part of the visible rows down or up."""
    return lambda scene, view: _to_row(
        scene, view, _place(scene, view) + scene.page * numerator // denominator
    )


def _first_row(scene: Scene, view: ViewState) -> ViewState:
    return _to_row(scene, view, 0)


def _last_row(scene: Scene, view: ViewState) -> ViewState:
    return _to_row(scene, view, len(scene.layout.tracks) - 1)


def _place(scene: Scene, view: ViewState) -> int:
    return 0 if view.track is None else scene.layout.places.get(view.track, 0)


def _to_row(scene: Scene, view: ViewState, place: int) -> ViewState:
    tracks = scene.layout.tracks
    if not tracks:
        return view
    return with_track(view, tracks[min(max(place, 0), len(tracks) - 1)])


def _nodes(count: int) -> Move:
    """So many panes down, or up where negative, to the first row of that pane."""

    def move(scene: Scene, view: ViewState) -> ViewState:
        panes = [pane for pane in scene.layout.panes if pane.tracks]
        starts = [scene.layout.places[pane.tracks[0].key] for pane in panes]
        here = bisect_right(starts, _place(scene, view)) - 1
        if not 0 <= here + count < len(panes):
            return replace(view, notice="no further node")
        return _to_row(scene, view, starts[here + count])

    return move


def _steps(count: int) -> Move:
    """So many steps on, to the same place in that step."""

    def move(scene: Scene, view: ViewState) -> ViewState:
        steps = _steps_of(scene.layout, view)
        here = bisect_right([step.start_ns for step in steps], view.cursor_ns) - 1
        if not 0 <= here + count < len(steps):
            return replace(view, notice="no further step" if steps else "no steps recorded")
        target = steps[here + count]
        into_ns = view.cursor_ns - steps[here].start_ns if here >= 0 else 0
        into_ns = min(into_ns, target.duration_ns - 1)
        return shift(view, target.start_ns + into_ns - view.cursor_ns)

    return move


def _steps_of(layout: Layout, view: ViewState) -> tuple[Step, ...]:
    """Steps of the current rank, else those of the first rank that has any."""
    track = layout.track(view.track)
    ranks = (*([track.rank] if track else []), *layout.ranks)
    return next((rank.steps for rank in ranks if rank.steps), ())


def _to_launch(scene: Scene, view: ViewState) -> ViewState:
    track, found = scene.layout.track(view.track), slice_at_cursor(scene.layout, view)
    if track is None or found is None:
        return replace(view, notice="no slice under the cursor")
    launch = int(track.capture.slices.launch[found])
    if launch < 0:
        return replace(view, notice="no launch recorded for this slice")
    return _select_in(scene.layout, view, track, launch)


def _to_kernel(scene: Scene, view: ViewState) -> ViewState:
    track, found = scene.layout.track(view.track), slice_at_cursor(scene.layout, view)
    if track is None or found is None:
        return replace(view, notice="no slice under the cursor")
    slices = track.capture.slices
    launched = launched_by(slices, found)
    if not len(launched):
        return replace(view, notice="this slice launched nothing")
    first = int(launched[np.argmin(slices.start_ns[launched])])
    return _select_in(scene.layout, view, track, first)


def launched_by(slices: Slices, row: int) -> Int64:
    """Rows of the device work that a host slice, or a slice inside it, launched."""
    lane = lane_rows(slices, int(slices.lane[row]))
    end_ns = slices.start_ns[row] + slices.effective_ns[row]
    inside = lane.start + int(np.searchsorted(slices.start_ns[lane], end_ns))
    return np.flatnonzero((slices.launch >= row) & (slices.launch < max(inside, row + 1)))


def _select_in(layout: Layout, view: ViewState, from_track: Track, row: int) -> ViewState:
    """A slice of the same capture, on whichever track shows it."""
    slices, member = from_track.capture.slices, from_track.key.member
    deepest = min(int(slices.depth[row]), MAX_DEPTH_ROWS - 1) if layout.nested else INNERMOST
    track = layout.track(TrackKey(member, int(slices.lane[row]), deepest))
    if track is None:
        return replace(view, notice="its row is not shown")
    return select(view, track, row)


def settled(view: ViewState, old: Layout, new: Layout) -> ViewState:
    """The view fitted to a layout that replaces another one: other ranks, or other rows.

    The current track stays on its lane. The first one, where nobody went, stays the first; one that
    is gone gives way to it.
    """
    view = grown(replace(view, nested=new.nested), new.extent, old.opening, new.opening)
    if not new.tracks:
        return replace(view, track=None, selected=None)
    before = old.track(view.track)
    if before is None or (before is old.tracks[0] and view.selected is None):
        return with_track(view, new.tracks[0])
    alike = [track for track in new.tracks if _same_lane(track, before)]
    if not alike:
        return with_track(view, new.tracks[0])
    same_depth = (track for track in alike if track.key.depth == before.key.depth)
    return replace(view, track=next(same_depth, alike[0]).key)


def _same_lane(one: Track, other: Track) -> bool:
    return one.capture is other.capture and one.key.lane == other.key.lane


def _in_time(move: Callable[[ViewState], ViewState]) -> Move:
    return lambda scene, view: move(view)


MOVES: Final[Mapping[str, Move]] = {
    "zoom_in": _in_time(partial(zoom, numerator=5, denominator=8)),
    "zoom_out": _in_time(partial(zoom, numerator=8, denominator=5)),
    "zoom_in_far": _in_time(partial(zoom, numerator=1, denominator=4)),
    "zoom_out_far": _in_time(partial(zoom, numerator=4, denominator=1)),
    "pan_left": _in_time(partial(pan, numerator=-1, denominator=10)),
    "pan_right": _in_time(partial(pan, numerator=1, denominator=10)),
    "pan_left_far": _in_time(partial(pan, numerator=-1, denominator=2)),
    "pan_right_far": _in_time(partial(pan, numerator=1, denominator=2)),
    "fit_all": _in_time(fit_all),
    "fit": _fit,
    "undo": _in_time(undo),
    "redo": _in_time(redo),
    "run_start": _run_start,
    "run_end": _run_end,
    "previous_slice": _previous_slice,
    "next_slice": _next_slice,
    "row_down": _rows(1),
    "row_up": _rows(-1),
    "half_page_down": _pages(1, 2),
    "half_page_up": _pages(-1, 2),
    "page_down": _pages(1, 1),
    "page_up": _pages(-1, 1),
    "first_row": _first_row,
    "last_row": _last_row,
    "next_node": _nodes(1),
    "previous_node": _nodes(-1),
    "next_step": _steps(1),
    "previous_step": _steps(-1),
    "to_launch": _to_launch,
    "to_kernel": _to_kernel,
}


def moved(name: str, scene: Scene, view: ViewState) -> ViewState:
    """The view after the movement of this name; notices of the one before are gone."""
    return MOVES[name](scene, replace(view, notice=""))
