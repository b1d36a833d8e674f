"""A table over arrays: sorted, filtered and drawn line by line, at the same cost for any length.

Textual's own `DataTable` needs 1.8 s for 10 000 rows, and repaints the screen when a cursor moves.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from vpstop.tui.columns import Column, Slot, lay_out
from vpstop.tui.keys import Context, bindings
from vpstop.tui.rows import Rows, Sort, matching_rows, sorted_rows
from vpstop.tui.table_lines import header_line, message_line, row_line


class VirtualTable(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows of columns, a header with the sort mark, and a cursor line."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "table--header",
        "table--sorted",
        "table--text",
        "table--number",
        "table--quiet",
        "table--bar",
        "table--cursor",
    }
    DEFAULT_CSS = """
    VirtualTable {
        height: 1fr;
        scrollbar-gutter: stable;
        scrollbar-size: 0 1;
        & > .table--header { color: $text-muted; background: $panel; }
        & > .table--sorted { color: $text; background: $panel; text-style: bold; }
        & > .table--text { color: $text; }
        & > .table--number { color: $text; }
        & > .table--quiet { color: $text-muted; }
        & > .table--bar { color: $primary; }
        & > .table--cursor { color: $block-cursor-blurred-foreground; background: $boost; }
        &:focus > .table--cursor {
            color: $block-cursor-foreground;
            background: $block-cursor-background;
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Context.TABLE)]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.empty_text = ""
        """Shown where there are no rows at all."""
        self._columns: tuple[Column, ...] = ()
        self._slots: tuple[Slot, ...] = ()
        self._sort = Sort("")
        self._pattern = ""
        self._order: Rows = np.empty(0, np.intp)
        self._rows: Rows = self._order
        self._cursor = 0

    @property
    def total_count(self) -> int:
        """Rows without a filter."""
        return len(self._order)

    @property
    def shown_count(self) -> int:
        """Rows that the filter lets through."""
        return len(self._rows)

    @property
    def sort(self) -> Sort:
        """The present order."""
        return self._sort

    @property
    def cursor_row(self) -> int | None:
        """Row of the column arrays under the cursor."""
        return int(self._rows[self._cursor]) if len(self._rows) else None

    def show_columns(
        self, columns: Sequence[Column], sort: Sort, *, keep_order: bool = True
    ) -> None:
        """Replaces what is shown; the first column of texts is the one to filter and break ties.

        The filter stays; so do, with `keep_order`, the cursor's place and an order by a column that
        is still there.
        """
        self._columns = tuple(columns)
        titles = {column.title for column in columns if column.title}
        if not keep_order or self._sort.title not in titles:
            self._sort = sort
        self._order_rows()
        if not keep_order:
            self.action_first()

    def filter_rows(self, pattern: str) -> str:
        """Shows the rows that match; what is wrong with the pattern, empty where nothing is.

        The cursor stays on its row if that one matches.
        """
        row = self.cursor_row
        self._pattern = pattern
        problem = self._take_matching()
        if len(self._rows):
            self._cursor = int(np.argmax(self._rows == row))
            self._scroll_to_cursor()
        return problem

    def action_move(self, rows: int) -> None:
        """Moves the cursor, and scrolls only as far as the cursor line needs."""
        before, self._cursor = self._cursor, self._clamped(self._cursor + rows)
        for line in {before, self._cursor}:
            self.refresh_line(line + 1)
        self._scroll_to_cursor()

    def action_page(self, pages: float) -> None:
        """Moves cursor and rows by a part of what is visible."""
        step = round(pages * self._visible_rows)
        self.scroll_to(y=self.scroll_offset.y + step, animate=False)
        self.action_move(step)

    def action_first(self) -> None:
        """To the first row."""
        self.action_move(-self.shown_count)

    def action_last(self) -> None:
        """To the last row."""
        self.action_move(self.shown_count)

    def action_sideways(self, cells: int) -> None:
        """Shows more of a table that is wider than its place."""
        self.scroll_to(x=self.scroll_offset.x + cells, animate=False)

    def action_sort_by(self, columns: int) -> None:
        """Takes another of the visible columns as the order."""
        titles = [slot.column.title for slot in self._titled]
        if titles:
            place = titles.index(self._sort.title) if self._sort.title in titles else 0
            self._sort_by(self._titled[(place + columns) % len(titles)].column)

    def action_invert(self) -> None:
        """Turns the order round."""
        if self._columns:
            self._sort = self._sort._replace(descending=not self._sort.descending)
            self._order_rows()
            self.action_first()

    def on_resize(self) -> None:
        """Other columns may fit now."""
        self._lay_out()

    def on_click(self, event: events.Click) -> None:
        """A row takes the cursor; a title becomes the order, or turns it round."""
        if event.y:
            self.action_move(self.scroll_offset.y + event.y - 1 - self._cursor)
            return
        x = event.x + self.scroll_offset.x
        hit = [slot.column for slot in self._titled if slot.left <= x]
        if hit and hit[-1].title == self._sort.title:
            self.action_invert()
        elif hit:
            self._sort_by(hit[-1])

    def render_line(self, y: int) -> Strip:
        """A line of what is visible; the header does not scroll."""
        left, top = self.scroll_offset
        place = top + y - 1
        if y == 0:
            line, blank = header_line(self._slots, self._sort, self._style), "header"
        elif place < len(self._rows):
            is_cursor, row = place == self._cursor, int(self._rows[place])
            line = row_line(self._slots, row, self._style, is_cursor=is_cursor)
            blank = "cursor" if is_cursor else "text"
        else:
            reason = "no name matches" if len(self._order) else self.empty_text
            line, blank = message_line(reason if place == 0 else "", self._style), "text"
        return line.crop_extend(left, left + self._visible_width, self._style(blank))

    @property
    def _titled(self) -> list[Slot]:
        """Visible columns by which the rows can be ordered."""
        return [slot for slot in self._slots if slot.column.title]

    @property
    def _visible_width(self) -> int:
        return self.scrollable_content_region.width

    @property
    def _visible_rows(self) -> int:
        return max(1, self.scrollable_content_region.height - 1)

    def _sort_by(self, column: Column) -> None:
        """Numbers begin with the largest, texts with the first."""
        self._sort = Sort(column.title, descending=column.tone != "text")
        self._order_rows()
        self.action_first()

    def _order_rows(self) -> None:
        key = next(column for column in self._columns if column.title == self._sort.title)
        self._order = sorted_rows(key, self._name_column, descending=self._sort.descending)
        self._take_matching()

    def _take_matching(self) -> str:
        """Takes the rows of the order that the filter lets through."""
        self._rows, problem = self._order, ""
        if self._pattern and self._columns:
            mask, problem = matching_rows(self._name_column, self._pattern)
            self._rows = self._order[mask[self._order]]
        self._cursor = self._clamped(self._cursor)
        self._lay_out()
        self._scroll_to_cursor()
        return problem

    def _clamped(self, place: int) -> int:
        return max(0, min(place, len(self._rows) - 1))

    @property
    def _name_column(self) -> Column:
        return next(column for column in self._columns if column.tone == "text")

    def _lay_out(self) -> None:
        self._slots = lay_out(self._columns, self._visible_width)
        last = self._slots[-1] if self._slots else None
        width = last.left + last.width + 1 if last else 0
        self.virtual_size = Size(max(width, self._visible_width), len(self._rows) + 1)
        self.refresh()

    def _scroll_to_cursor(self) -> None:
        """The least scrolling that shows the cursor line."""
        top = self.scroll_offset.y
        first = self._cursor - self._visible_rows + 1
        if not first <= top <= self._cursor:
            self.scroll_to(y=min(max(top, first), self._cursor), animate=False)

    def _style(self, part: str) -> Style:
        return self.get_component_rich_style(f"table--{part}")
