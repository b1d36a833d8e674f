"""Columns of a table as data: values stay in arrays, and only visible cells become text.

A text column holds codes that sort as its texts do, so ordering, ties and filters of all columns
work on numbers and cost the same for a thousand rows and for a million.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from rich.cells import cell_len, set_cell_size

Tone = Literal["text", "number", "quiet", "bar"]
"""How a cell is coloured."""

GAP: Final = 2
"""Blank cells between two columns."""

_MARGIN: Final = 1
_SORT_MARK_WIDTH: Final = 2
_SAMPLE: Final = 200


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table of n rows."""

    title: str
    """Unique; empty for a picture of the column before it, by which nothing is ordered."""
    values: npt.NDArray[Any]
    """Shape (n,): what the rows are sorted by."""
    format: Callable[[Any], str]
    """Text of one value."""
    natural_width: int
    """Cells that the title and the widest of a sample of values need."""
    minimum_width: int
    """Below `natural_width` only in columns that give way to others, as long names do."""
    tone: Tone = "number"
    expendable: int = 0
    """0: always shown; of the others the highest is left out first in a narrow table."""
    texts: tuple[str, ...] = ()
    """Of a text column: the text of each value."""

    @property
    def is_left_aligned(self) -> bool:
        """Texts and bars begin at the left, numbers end at the right."""
        return self.tone in ("text", "bar")

    def cell(self, row: int) -> str:
        """Text of a row, of any width."""
        return self.format(self.values[row].item())


class Slot(NamedTuple):
    """Where a column stands on the line."""

    column: Column
    left: int
    width: int


def number_column(
    title: str,
    values: npt.NDArray[Any],
    format: Callable[[Any], str],  # noqa: A002 - the name of the field it fills
    *,
    tone: Tone = "number",
    expendable: int = 0,
) -> Column:
    """A column of numbers, as wide as its title and values need."""
    width = max(_title_width(title), _widest(values, format))
    return Column(title, values, format, width, width, tone, expendable)


def text_column(
    title: str,
    codes: npt.NDArray[np.integer[Any]],
    texts: Sequence[str],
    *,
    minimum_width: int | None = None,
    expendable: int = 0,
) -> Column:
    """A column of `texts[codes]`; with a `minimum_width` it gives way to the other columns."""
    order = sorted(range(len(texts)), key=lambda row: (texts[row].casefold(), texts[row]))
    place = np.empty(len(texts), np.min_scalar_type(max(len(texts) - 1, 0)))
    place[order] = np.arange(len(texts))
    in_order = tuple(texts[row] for row in order)
    width = max((cell_len(text) for text in in_order), default=0)
    width = max(_title_width(title), width)
    least = width if minimum_width is None else min(width, minimum_width)
    return Column(
        title, place[codes], in_order.__getitem__, width, least, "text", expendable, in_order
    )


def lay_out(columns: Sequence[Column], width: int) -> tuple[Slot, ...]:
    """Places of the columns that fit into `width` cells, and of all that cannot be left out."""
    shown = list(columns)
    while shown and _least(shown) > width:
        first_out = max(shown, key=lambda column: column.expendable)
        if not first_out.expendable:
            break
        shown.remove(first_out)
    widths = _widths(shown, spare=max(0, width - _least(shown)))
    slots, left = [], _MARGIN
    for column in shown:
        slots.append(Slot(column, left, widths[column.title]))
        left += slots[-1].width + GAP
    return tuple(slots)


def fit(text: str, width: int, *, left: bool) -> str:
    """`text` in exactly `width` cells, cut with an ellipsis where it is longer."""
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, width - 1) + "…" if width > 0 else ""
    blank = " " * (width - length)
    return text + blank if left else blank + text


def _widths(columns: Sequence[Column], spare: int) -> dict[str, int]:
    """Width of each column by title; those that lack least get what they lack first."""
    widths = {}
    for column in sorted(columns, key=lambda one: one.natural_width - one.minimum_width):
        extra = min(spare, column.natural_width - column.minimum_width)
        widths[column.title] = column.minimum_width + extra
        spare -= extra
    return widths


def _least(columns: Sequence[Column]) -> int:
    cells = sum(column.minimum_width + GAP for column in columns)
    return cells - GAP + 2 * _MARGIN


def _title_width(title: str) -> int:
    return cell_len(title) + _SORT_MARK_WIDTH


def _widest(values: npt.NDArray[Any], text: Callable[[Any], str]) -> int:
    """Width of the extremes and of a spread of other values: formatting all would be slow."""
    if not len(values):
        return 0
    spread = np.linspace(0, len(values) - 1, min(len(values), _SAMPLE)).astype(np.intp)
    rows = np.concatenate((spread, [np.argmin(values), np.argmax(values)]))
    return max(cell_len(text(value)) for value in values[rows].tolist())
