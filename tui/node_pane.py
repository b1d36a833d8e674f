"""The pane of one node: a title line, then a row for each visible track, drawn line by line."""

from typing import Final

from rich.cells import set_cell_size
from rich.segment import Segment
from textual import events
from textual.filter import ANSIToTruecolor, LineFilter
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from vpstop.report.units import duration
from vpstop.tui.layout import Pane
from vpstop.tui.paint import NO_SLICE, Picture, paint
from vpstop.tui.scale import column_of, time_at
from vpstop.tui.strips import Marks, Selection, mark, strips
from vpstop.tui.theme import (
    BACKGROUND,
    BACKGROUNDS,
    BRIGHT,
    CURRENT_TRACK,
    ELLIPSIS,
    QUIET,
    TEXT,
    TITLE,
    style,
)
from vpstop.tui.track import Track
from vpstop.tui.view import TrackKey, ViewState

WHEEL_ROWS: Final = 3

_CURRENT_BACKGROUND: Final = BACKGROUNDS.index(CURRENT_TRACK)
_BLANK: Final = style(TEXT, BACKGROUND)
_FIRST_RANK: Final = style(BRIGHT, BACKGROUND, bold=True)
_RANK: Final = style(QUIET, BACKGROUND)
_LANE: Final = style(TEXT, BACKGROUND)
_CURRENT_LABEL: Final = style(BRIGHT, CURRENT_TRACK, bold=True)
_TITLE: Final = style(TEXT, TITLE)
_CURRENT_TITLE: Final = style(BRIGHT, TITLE, bold=True)
_ROWS: Final = style(QUIET, TITLE)


class NodePane(Widget):
    """Tracks of one host in the shared time window."""

    class Picked(Message):
        """A place was clicked."""

        def __init__(self, track: TrackKey, time_ns: int, slice_row: int | None) -> None:
            super().__init__()
            self.track = track
            self.time_ns = time_ns
            self.slice_row = slice_row

    def __init__(self, pane: Pane, view: ViewState, gutter: int) -> None:
        super().__init__()
        self.pane = pane
        self._view = view
        self._gutter = gutter
        self._top = 0
        self._painted: tuple[object, Picture] | None = None
        self._strips: list[Strip] | None = None

    @property
    def visible_rows(self) -> int:
        """Rows that fit below the title."""
        return max(0, self.size.height - 1)

    @property
    def is_current(self) -> bool:
        """True where the current track is one of this pane."""
        return self._current_place() is not None

    def show(self, pane: Pane, view: ViewState, gutter: int) -> None:
        """Draws this pane in the window of the view; scrolls when another track became current."""
        moved = view.track != self._view.track or pane is not self.pane
        self.pane, self._view, self._gutter = pane, view, gutter
        if moved:
            self._scroll_to_current()
        self._draw()

    def get_line_filters(self) -> list[LineFilter]:
        """Without the one for ANSI colours: cells have none of the 16 that a theme redefines."""
        filters = super().get_line_filters()
        return [one for one in filters if not isinstance(one, ANSIToTruecolor)]

    def on_resize(self) -> None:
        """Keeps the current track in sight."""
        self._scroll_to_current()
        self._draw()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scrolls the rows, if there are more than fit."""
        self._scroll_by(WHEEL_ROWS, event)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scrolls back."""
        self._scroll_by(-WHEEL_ROWS, event)

    def on_click(self, event: events.Click) -> None:
        """Says which track, moment and slice were clicked."""
        place, column = self._top + event.y - 1, event.x - self._gutter
        if event.y < 1 or place >= len(self.pane.tracks):
            return
        window, columns = self._view.window, self._columns
        time_ns = time_at(window, columns, max(0, column))
        found = int(self._picture().slices[event.y - 1, column]) if column >= 0 else NO_SLICE
        track = self.pane.tracks[place]
        if found != NO_SLICE:
            start_ns, end_ns = track.rank.interval(found)
            time_ns = min(max(time_ns, start_ns), max(start_ns, end_ns - 1))
        self.post_message(self.Picked(track.key, time_ns, None if found == NO_SLICE else found))

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines as they are drawn: there is neither border nor padding to put around them."""
        lines = [self.render_line(y) for y in crop.line_range]
        _, background = self.background_colors
        for line_filter in self.get_line_filters():
            lines = [line.apply_filter(line_filter, background) for line in lines]
        return [line.crop(*crop.column_span) for line in lines]

    def render_line(self, y: int) -> Strip:
        """The title, or the row of a track."""
        if y == 0:
            return self._title()
        if self._strips is None:
            self._strips = self._draw_strips()
        if y <= len(self._strips):
            return self._strips[y - 1]
        return Strip.blank(self.size.width, _BLANK)

    @property
    def _columns(self) -> int:
        return max(1, self.size.width - self._gutter)

    @property
    def _visible(self) -> tuple[Track, ...]:
        return self.pane.tracks[self._top : self._top + self.visible_rows]

    def _draw(self) -> None:
        self._strips = None
        self.refresh()

    def _current_place(self) -> int | None:
        key = self._view.track
        places = (place for place, track in enumerate(self.pane.tracks) if track.key == key)
        return next(places, None)

    def _scroll_by(self, rows: int, event: events.MouseEvent) -> None:
        top = self._clamped(self._top + rows)
        if top != self._top:
            event.stop()
            self._top = top
            self._draw()

    def _scroll_to_current(self) -> None:
        place = self._current_place()
        if place is not None:
            self._top = min(max(self._top, place - self.visible_rows + 1), place)
        self._top = self._clamped(self._top)

    def _clamped(self, top: int) -> int:
        return max(0, min(top, len(self.pane.tracks) - self.visible_rows))

    def _picture(self) -> Picture:
        """The painted rows, kept while only marks change."""
        tracks = self._visible
        key = (self._view.window, self._columns, tracks)
        if self._painted is None or self._painted[0] != key:
            self._painted = (key, paint(tracks, self._view.window, self._columns))
        return self._painted[1]

    def _draw_strips(self) -> list[Strip]:
        tracks, view, columns = self._visible, self._view, self._columns
        gutters = [self._gutter_of(track) for track in tracks]
        places = (place for place, track in enumerate(tracks) if track.key == view.track)
        current = next(places, None)
        selection = None
        if current is not None and view.selected is not None:
            start_ns = tracks[current].rank.interval(view.selected).start_ns
            column = column_of(view.window, columns, start_ns)
            selection = Selection(current, view.selected, column)
        backgrounds = [track.rank.number % 2 for track in tracks]
        if current is not None:
            backgrounds[current] = _CURRENT_BACKGROUND
        marks = Marks(column_of(view.window, columns, view.cursor_ns), backgrounds, selection)
        return strips(mark(self._picture(), marks), gutters)

    def _gutter_of(self, track: Track) -> list[Segment]:
        """The label of a row, shortened to its place; the rank stands out where its rows begin."""
        room = self._gutter - 2
        text = track.label if len(track.label) <= room else track.label.replace("thread ", "t", 1)
        text = text if len(text) <= room else set_cell_size(text, room - 1) + ELLIPSIS
        if track.key == self._view.track:
            return [Segment(set_cell_size(f"▸{text}", self._gutter), _CURRENT_LABEL)]
        split = min(len(track.rank.label), room)
        return [
            Segment(f" {text[:split]}", _FIRST_RANK if track.is_first else _RANK),
            Segment(set_cell_size(text[split:], self._gutter - 1 - split), _LANE),
        ]

    def _title(self) -> Strip:
        right = self._elsewhere() or self._shown_rows()
        room = max(0, self.size.width - len(right))
        title = set_cell_size(f" {self.pane.title}", room)
        look = _CURRENT_TITLE if self.is_current else _TITLE
        return Strip([Segment(title, look), Segment(right, _ROWS)], self.size.width)

    def _shown_rows(self) -> str:
        count, visible = len(self.pane.tracks), self.visible_rows
        shown = f" rows {self._top + 1}-{min(count, self._top + visible)} of {count} "
        return shown if visible < count else ""

    def _elsewhere(self) -> str:
        """Where the node's time is, when none of it is in the window."""
        span, window = self.pane.span, self._view.window
        if span is None or (span.start_ns < window.end_ns and window.start_ns < span.end_ns):
            return ""
        if span.start_ns >= window.end_ns:
            return f" begins {duration(span.start_ns - window.end_ns)} after this window "
        return f" ended {duration(window.start_ns - span.end_ns)} before this window "
