"""What the timelines show: window, cursor, selection. Every movement in time is a pure function.

All times are integer nanoseconds of the run's common time. The cursor is always inside the window,
and the window always inside the run with a small margin, whatever is asked for.
"""

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from vpstop.measure.window import Window

MIN_WIDTH_NS: Final = 10
"""The window never gets narrower."""

_MARGIN_DIVISOR: Final = 64
_REVEAL_DIVISOR: Final = 5
_HISTORY: Final = 100


class TrackKey(NamedTuple):
    """A row of the timelines: a lane of a member of the run, at one depth of nesting."""

    member: int
    lane: int
    depth: int
    """`coverage.INNERMOST` for the innermost slices of the lane."""


class Place(NamedTuple):
    """An entry of the view history."""

    window: Window
    cursor_ns: int


@dataclass(frozen=True, slots=True)
class ViewState:
    """The state of the timelines; the app holds one and widgets draw it."""

    extent: Window
    """From the first to the last trusted moment of the run."""
    window: Window
    cursor_ns: int
    track: TrackKey | None = None
    selected: int | None = None
    """Row of a slice in the capture of `track`."""
    nested: bool = False
    """One row a depth instead of one row a lane."""
    past: tuple[Place, ...] = ()
    future: tuple[Place, ...] = ()
    notice: str = ""
    """Why the last key did nothing; gone with the next one."""


def first_view(extent: Window) -> ViewState:
    """The whole run, cursor at its start."""
    return ViewState(extent, limits(extent), extent.start_ns)


def limits(extent: Window) -> Window:
    """The widest window: the run and a margin of 1/64 on both sides."""
    margin_ns = max(_width_ns(extent) // _MARGIN_DIVISOR, MIN_WIDTH_NS)
    return Window(extent.start_ns - margin_ns, extent.end_ns + margin_ns)


def grown(view: ViewState, extent: Window, was: Window, now: Window) -> ViewState:
    """The same view of a run that has changed its extent.

    One that showed all that there `was` to open with shows what there is `now`.
    """
    is_opening, is_at_start = view.window == limits(was), view.cursor_ns == was.start_ns
    view = replace(view, extent=extent)
    window = limits(now) if is_opening else view.window
    return _moved(view, window, now.start_ns if is_at_start else view.cursor_ns)


def zoom(view: ViewState, numerator: int, denominator: int) -> ViewState:
    """The window times a fraction, about the cursor, which keeps its place on the screen."""
    old_ns = _width_ns(view.window)
    new_ns = max(MIN_WIDTH_NS, old_ns * numerator // denominator)
    before_ns = (view.cursor_ns - view.window.start_ns) * new_ns // old_ns
    start_ns = view.cursor_ns - before_ns
    return _remembering(view, Window(start_ns, start_ns + new_ns), view.cursor_ns)


def pan(view: ViewState, numerator: int, denominator: int) -> ViewState:
    """The window moved by a fraction of its width. The cursor goes with it.

    At an end of the run the window stays and the cursor goes on alone, up to the edge.
    """
    width_ns = _width_ns(view.window)
    step_ns = width_ns * abs(numerator) // denominator or 1
    delta_ns = step_ns if numerator > 0 else -step_ns
    start_ns = view.window.start_ns + delta_ns
    return _moved(view, Window(start_ns, start_ns + width_ns), view.cursor_ns + delta_ns)


def fit_all(view: ViewState) -> ViewState:
    """The whole run."""
    return _remembering(view, limits(view.extent), view.cursor_ns)


def fit(view: ViewState, interval: Window) -> ViewState:
    """The interval over 80 % of the window."""
    width_ns = max(MIN_WIDTH_NS, _width_ns(interval) * 5 // 4)
    start_ns = interval.start_ns - (width_ns - _width_ns(interval)) // 2
    last_ns = max(interval.start_ns, interval.end_ns - 1)
    cursor_ns = min(max(view.cursor_ns, interval.start_ns), last_ns)
    return _remembering(view, Window(start_ns, start_ns + width_ns), cursor_ns)


def shift(view: ViewState, delta_ns: int) -> ViewState:
    """Window and cursor moved together, as far as the run goes."""
    start_ns, end_ns = view.window
    moved = Window(start_ns + delta_ns, end_ns + delta_ns)
    return _remembering(view, moved, view.cursor_ns + delta_ns)


def reveal(view: ViewState, time_ns: int) -> ViewState:
    """The cursor at a moment; the window follows only where that lies outside it.

    Then four fifths of it show what lies beyond that moment, in the direction of the move.
    """
    start_ns, end_ns = view.window
    room_ns = _width_ns(view.window) // _REVEAL_DIVISOR
    if time_ns < start_ns:
        start_ns = time_ns - (_width_ns(view.window) - room_ns)
    elif time_ns >= end_ns:
        start_ns = time_ns - room_ns
    return _moved(view, Window(start_ns, start_ns + _width_ns(view.window)), time_ns)


def undo(view: ViewState) -> ViewState:
    """The view before the last change of zoom, or before the last jump."""
    if not view.past:
        return replace(view, notice="no earlier view")
    here = Place(view.window, view.cursor_ns)
    before = replace(view, past=view.past[:-1], future=(*view.future, here))
    return _moved(before, *view.past[-1])


def redo(view: ViewState) -> ViewState:
    """The view that `undo` left."""
    if not view.future:
        return replace(view, notice="no later view")
    here = Place(view.window, view.cursor_ns)
    after = replace(view, past=(*view.past, here), future=view.future[:-1])
    return _moved(after, *view.future[-1])


def _remembering(view: ViewState, window: Window, cursor_ns: int) -> ViewState:
    moved = _moved(view, window, cursor_ns)
    if moved.window == view.window:
        return moved
    past = (*view.past, Place(view.window, view.cursor_ns))[-_HISTORY:]
    return replace(moved, past=past, future=())


def _moved(view: ViewState, window: Window, cursor_ns: int) -> ViewState:
    """The view at this window and cursor, put right where they break the rules of this module."""
    widest = limits(view.extent)
    width_ns = min(max(_width_ns(window), MIN_WIDTH_NS), _width_ns(widest))
    start_ns = min(max(window.start_ns, widest.start_ns), widest.end_ns - width_ns)
    window = Window(start_ns, start_ns + width_ns)
    cursor_ns = min(max(cursor_ns, window.start_ns), window.end_ns - 1)
    return replace(view, window=window, cursor_ns=cursor_ns)


def _width_ns(window: Window) -> int:
    return window.end_ns - window.start_ns
