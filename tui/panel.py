"""A table with a heading and a filter line: the form of every table panel."""

from collections.abc import Sequence
from typing import ClassVar, Self

from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from vpstop.tui.columns import Column
from vpstop.tui.filter_line import FilterLine
from vpstop.tui.keys import Context, bindings
from vpstop.tui.rows import Sort
from vpstop.tui.table import VirtualTable


class TablePanel(Vertical):
    """Table, heading and filter; the keys are those of `Context.TABLE`.

    The same keys are bound here and in the table: what the table does not do is done here. Keys
    that open and leave the filter have priority, and move the focus at once: over a slow line
    `/conv` and Enter arrive together, and what is typed must not act on the timelines.
    """

    DEFAULT_CSS = """
    TablePanel > .panel--heading { height: 1; padding: 0 1; color: $text; text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(Context.TABLE),
        Binding("enter,down", "leave_filter", "to the rows", show=False, priority=True),
        Binding("escape", "clear_filter", "all names again", show=False, priority=True),
    ]

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield Static(classes="panel--heading", markup=False)
        yield VirtualTable()
        yield FilterLine()

    @property
    def table(self) -> VirtualTable:
        """The table of the panel, which takes the focus for it."""
        return self.query_one(VirtualTable)

    def focus(self, scroll_visible: bool = True) -> Self:
        """Gives the focus to the table."""
        self.table.focus(scroll_visible)
        return self

    def show_heading(self, text: str) -> None:
        """Replaces the line above the table."""
        self.query_one(".panel--heading", Static).update(text)

    def show_columns(
        self, columns: Sequence[Column], sort: Sort, *, keep_order: bool = True
    ) -> None:
        """Replaces the rows; the filter stays, and the order where it can."""
        self.table.show_columns(columns, sort, keep_order=keep_order)
        self._filter()

    def action_filter(self) -> None:
        """Opens the filter line."""
        line = self.query_one(FilterLine)
        if line.is_typing:
            raise SkipAction
        line.open()

    def action_leave_filter(self) -> None:
        """Back to the rows that were found."""
        line = self.query_one(FilterLine)
        if not line.is_typing:
            raise SkipAction
        if not line.input.value:
            line.close()
        self.screen.set_focus(self.table)

    def action_clear_filter(self) -> None:
        """Shows all rows again."""
        line = self.query_one(FilterLine)
        if not line.display and not line.input.value:
            raise SkipAction
        line.close()
        self.screen.set_focus(self.table)

    def on_input_changed(self, message: Input.Changed) -> None:
        """Filters while the user types."""
        message.stop()
        self._filter()

    def _filter(self) -> None:
        line = self.query_one(FilterLine)
        line.display = line.display or bool(line.input.value)
        problem = self.table.filter_rows(line.input.value)
        found = f"{self.table.shown_count} of {self.table.total_count}"
        line.show_found(f"{found} · as plain text: {problem}" if problem else found)
