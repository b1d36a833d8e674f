"""From painted cells to strips: cursor and selection drawn over, equal neighbours merged."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from rich.segment import Segment
from textual.strip import Strip, get_line_length

from vpstop.tui.paint import Picture
from vpstop.tui.theme import CURSOR, CURSOR_GLYPH, ON_BACKGROUND, SELECTED, SOLID, cell_styles

UInt8 = npt.NDArray[np.uint8]

_STYLES: Final = cell_styles()


class Selection(NamedTuple):
    """The selected slice, seen from the picture that its track is in."""

    place: int
    """Place of its track."""
    slice: int
    column: int
    """Where it begins, possibly outside of the picture."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What is drawn over a picture."""

    cursor: int
    """Column of the cursor line."""
    backgrounds: Sequence[int]
    """Of each track a number in `theme.BACKGROUNDS`."""
    selection: Selection | None = None


def mark(picture: Picture, marks: Marks) -> Picture:
    """A copy of the picture with the marks on it."""
    glyphs, styles = picture.glyphs.copy(), picture.styles.copy()
    block = np.array(marks.backgrounds, np.uint8)[:, None] * np.uint8(ON_BACKGROUND)
    styles += np.where(styles < SOLID, block, np.uint8(0))
    if marks.selection is not None:
        _select(picture, styles, marks.selection)
    column = glyphs[:, marks.cursor]
    is_label = (column > ord(" ")) & (column < ord("\u2500"))
    glyphs[:, marks.cursor] = np.where(is_label, column, ord(CURSOR_GLYPH))
    styles[:, marks.cursor] += CURSOR
    return replace(picture, glyphs=glyphs, styles=styles)


def _select(picture: Picture, styles: UInt8, selection: Selection) -> None:
    """Every cell of the slice; where others have all of them, the one in which it begins."""
    shown = picture.slices[selection.place] == selection.slice
    if shown.any():
        styles[selection.place, shown] = SELECTED
    elif 0 <= selection.column < styles.shape[1]:
        styles[selection.place, selection.column] = SELECTED


class WholeStrip(Strip):
    """A strip as wide as its widget, cut nowhere.

    Textual's own remembers itself as the result of such a cut: a cycle that only the garbage
    collector frees, at 25 ms for every eighth frame of a dense screen.
    """

    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        """The strip itself where it is cut at its end only."""
        places = list(cuts)
        return [self] if places == [self.cell_length] else super().divide(places)


def strips(picture: Picture, gutters: Sequence[Sequence[Segment]]) -> list[Strip]:
    """One strip a track: its gutter, then a segment for every run of cells of one style."""
    columns = picture.styles.shape[1]
    styles = picture.styles.reshape(-1)
    text = picture.glyphs.tobytes().decode("utf-32-le")
    is_first = np.diff(styles, prepend=styles[:1]) != 0
    is_first[::columns] = True
    starts = np.flatnonzero(is_first)
    bounds = [*starts.tolist(), len(styles)]
    runs = [
        Segment(text[start:end], _STYLES[number])
        for (start, end), number in zip(pairwise(bounds), styles[starts].tolist(), strict=True)
    ]
    ends = np.searchsorted(starts, np.arange(1, len(gutters) + 1) * columns).tolist()
    return [
        WholeStrip([*gutter, *runs[first:last]], columns + get_line_length(gutter))
        for gutter, first, last in zip(gutters, [0, *ends], ends, strict=False)
    ]
