"""Lines of a table as strips of few, pre-built styles: what a frame costs over a slow link."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from vpstop.tui.columns import GAP, Slot, fit
from vpstop.tui.rows import Sort

StyleOf = Callable[[str], Style]
"""Style of a part of a table: `header`, `sorted`, `cursor`, or the tone of a column."""


def header_line(slots: Sequence[Slot], sort: Sort, style_of: StyleOf) -> Strip:
    """Titles, with a mark at the one that orders."""
    cells = (
        (_title(slot, sort), style_of("sorted" if slot.column.title == sort.title else "header"))
        for slot in slots
    )
    return _line(cells, style_of("header"))


def row_line(slots: Sequence[Slot], row: int, style_of: StyleOf, *, is_cursor: bool) -> Strip:
    """The cells of a row; the cursor line has one style and so one segment."""
    cells = (
        (
            fit(slot.column.cell(row), slot.width, left=slot.column.is_left_aligned),
            style_of("cursor" if is_cursor else slot.column.tone),
        )
        for slot in slots
    )
    return _line(cells, style_of("cursor" if is_cursor else "text"))


def message_line(text: str, style_of: StyleOf) -> Strip:
    """A line without cells."""
    return Strip([Segment(f" {text}", style_of("quiet"))])


def _title(slot: Slot, sort: Sort) -> str:
    """A mark stands at the inner side, so that titles and numbers stay in line."""
    title = slot.column.title
    left = slot.column.is_left_aligned
    if title == sort.title:
        mark = "▼" if sort.descending else "▲"
        title = f"{title} {mark}" if left else f"{mark} {title}"
    return fit(title, slot.width, left=left)


def _line(cells: Iterable[tuple[str, Style]], blank: Style) -> Strip:
    """Cells with gaps between them, neighbours of one style in one segment."""
    pieces = [(" ", blank)]
    for cell in cells:
        pieces += (cell, (" " * GAP, blank))
    return Strip(
        Segment("".join(text for text, _ in run), style)
        for style, run in groupby(pieces, key=itemgetter(1))
    )
