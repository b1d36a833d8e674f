"""The whole run in one row, with the window of the timelines bracketed."""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

import numpy as np
import numpy.typing as npt
from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from vpstop.read.activity import Activity
from vpstop.read.categories import LaneKind
from vpstop.report.units import duration
from vpstop.tui.layout import Layout
from vpstop.tui.paint import busy_shares
from vpstop.tui.scale import column_of
from vpstop.tui.theme import BACKGROUND, BLOCKS, BRIGHT, HUES, QUIET, TRACK, style
from vpstop.tui.track import Track
from vpstop.tui.view import ViewState, limits

Float = npt.NDArray[np.float64]

_INSIDE: Final = 239
_TRACKS_AT_ONCE: Final = 256
_CELLS: Final = {
    (activity, background): style(HUES[activity][0], background)
    for activity in Activity
    for background in (TRACK, _INSIDE)
}
_BRACKET: Final = style(BRIGHT, _INSIDE, bold=True)


def overview(layout: Layout, columns: int) -> Float:
    """Busy share of each activity in each column of the run, shape (columns, activities).

    Of the streams of all devices, or of the host threads where there are none; relative to the
    busiest column, because most streams idle most of the time.
    """
    tracks = _tracks(layout, LaneKind.STREAM) or _tracks(layout, LaneKind.HOST)
    total = np.zeros((columns, len(Activity)))
    for first in range(0, len(tracks), _TRACKS_AT_ONCE):
        some = tracks[first : first + _TRACKS_AT_ONCE]
        total += busy_shares(some, limits(layout.extent), columns).sum(axis=0)
    return total / (total.sum(axis=1).max() or 1.0)


def _tracks(layout: Layout, kind: LaneKind) -> list[Track]:
    """One row of every lane of a kind."""
    outer = (track for track in layout.tracks if track.key.depth <= 0)
    return [track for track in outer if track.lane.kind is kind]


class Minimap(Widget):
    """What the devices did in the whole run, and which part of it the timelines show."""

    DEFAULT_CSS = "Minimap { height: 1; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._layout: Layout | None = None
        self._view: ViewState | None = None
        self._gutter = 0
        self._drawn: tuple[Layout, int, list[tuple[str, Activity]]] | None = None

    def show(self, layout: Layout, view: ViewState, gutter: int) -> None:
        """Shows the run and the window of a view, beside a gutter of so many cells."""
        before = self._view
        same = self._layout is layout and self._gutter == gutter and before is not None
        self._layout, self._view, self._gutter = layout, view, gutter
        if not same or before is None or before.window != view.window:
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The minimap."""
        layout, view, columns = self._layout, self._view, self.size.width - self._gutter
        if layout is None or view is None or columns < 1:
            return Strip.blank(self.size.width, style(QUIET, BACKGROUND))
        width_ns = layout.extent.end_ns - layout.extent.start_ns
        text = f" run {duration(width_ns)}"[: self._gutter].ljust(self._gutter)
        segments = [Segment(text, style(QUIET, BACKGROUND))]
        segments.extend(self._segments(self._cells(layout, columns), view))
        return Strip(segments, self.size.width)

    def _cells(self, layout: Layout, columns: int) -> list[tuple[str, Activity]]:
        """Glyph and activity of every column, kept until the run or the width changes."""
        if self._drawn is None or self._drawn[0] is not layout or self._drawn[1] != columns:
            share = overview(layout, columns)
            total = share.sum(axis=1)
            levels = np.clip(np.rint(total * 8), total > 0, 8).astype(int).tolist()
            activities = map(Activity, share.argmax(axis=1).tolist())
            glyphs = (BLOCKS[level] for level in levels)
            self._drawn = (layout, columns, list(zip(glyphs, activities, strict=True)))
        return self._drawn[2]

    def _segments(self, cells: list[tuple[str, Activity]], view: ViewState) -> Iterator[Segment]:
        run, columns = limits(view.extent), len(cells)
        first = column_of(run, columns, view.window.start_ns)
        last = min(column_of(run, columns, view.window.end_ns), columns) - 1
        last = max(first, last)
        styled = []
        for column, (glyph, activity) in enumerate(cells):
            if column in (first, last):
                glyph = "┃" if first == last else "[" if column == first else "]"
                styled.append((glyph, _BRACKET))
            else:
                background = _INSIDE if first < column < last else TRACK
                styled.append((glyph, _CELLS[activity, background]))
        for cell_style, run_of in groupby(styled, key=lambda cell: cell[1]):
            yield Segment("".join(glyph for glyph, _ in run_of), cell_style)
