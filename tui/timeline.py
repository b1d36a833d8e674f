"""The panes of all nodes: one below the other, with one time window and one cursor."""

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.binding import BindingType
from textual.containers import ScrollableContainer

from vpstop.tui.keys import Context, bindings
from vpstop.tui.layout import Layout
from vpstop.tui.node_pane import NodePane
from vpstop.tui.view import ViewState

MIN_PANE_LINES: Final = 3
"""Title and two rows; with more nodes than fit so, the panes scroll."""

_MIN_GUTTER: Final = 17
_MAX_GUTTER: Final = 34
_GUTTER_DIVISOR: Final = 4


def gutter_width(layout: Layout, width: int) -> int:
    """Cells for the labels of rows, the same in all panes and in the ruler."""
    longest = max((len(track.label) for track in layout.tracks), default=0)
    limit = max(_MIN_GUTTER, min(_MAX_GUTTER, width // _GUTTER_DIVISOR))
    return min(max(longest + 2, _MIN_GUTTER), limit)


def shared_heights(rows: Sequence[int], available: int) -> list[int]:
    """Lines of each pane, title included: all rows where they fit, else shares of what there is.

    Shares are proportional to what is wanted above the minimum. Together they are more than
    `available` only where the minimum of all panes is.
    """
    wanted = [count + 1 for count in rows]
    least = [min(lines, MIN_PANE_LINES) for lines in wanted]
    spare = min(available, sum(wanted)) - sum(least)
    room = [lines - low for lines, low in zip(wanted, least, strict=True)]
    if spare <= 0:
        return least
    extra = [spare * one // sum(room) for one in room]
    rest = spare - sum(extra)
    for place, one in enumerate(room):
        if rest and extra[place] < one:
            extra[place] += 1
            rest -= 1
    return [low + more for low, more in zip(least, extra, strict=True)]


class Timeline(ScrollableContainer, can_focus=True, inherit_bindings=False):
    """The panes; their keys move the view, which the app holds."""

    DEFAULT_CSS = """
    Timeline {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size: 0 0;
        &:focus { background-tint: transparent; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Context.TIMELINE)]

    @property
    def panes(self) -> list[NodePane]:
        """The panes from top to bottom."""
        return list(self.query_children(NodePane))

    @property
    def page(self) -> int:
        """Rows of the current pane that fit on the screen."""
        return next((pane.visible_rows for pane in self.panes if pane.is_current), 0) or 1

    def show(self, layout: Layout, view: ViewState, gutter: int) -> None:
        """Shows the layout in the window of the view, beside labels of so many cells."""
        old, count = self.panes, len(layout.panes)
        for widget, pane in zip(old, layout.panes, strict=False):
            widget.show(pane, view, gutter)
        for widget in old[count:]:
            widget.remove()
        new = [NodePane(pane, view, gutter) for pane in layout.panes[len(old) :]]
        if new:
            self.mount_all(new)
        panes = [*old[:count], *new]
        self._share_height(panes)
        self._scroll_to_current(panes)

    def on_resize(self) -> None:
        """Shares the new height."""
        self._share_height(self.panes)

    def _share_height(self, panes: Sequence[NodePane]) -> None:
        heights = shared_heights([len(pane.pane.tracks) for pane in panes], self.size.height)
        for pane, height in zip(panes, heights, strict=True):
            if pane.styles.height is None or pane.styles.height.value != height:
                pane.styles.height = height

    def _scroll_to_current(self, panes: Sequence[NodePane]) -> None:
        if self.max_scroll_y:
            current = next((pane for pane in panes if pane.is_current), None)
            if current is not None:
                self.scroll_to_widget(current, animate=False)
