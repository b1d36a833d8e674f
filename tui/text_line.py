"""One line of text in parts, left and right: header, status and hints are made of it.

A line that has not changed sends nothing to the terminal.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from vpstop.tui.theme import ELLIPSIS

Tone = Literal["plain", "strong", "quiet", "key", "alert"]


class Part(NamedTuple):
    """A piece of text and how it is coloured."""

    text: str
    tone: Tone = "plain"


class TextLine(Widget):
    """Parts from the left, and parts that stand at the right edge."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line--plain",
        "line--strong",
        "line--quiet",
        "line--key",
        "line--alert",
    }
    DEFAULT_CSS = """
    TextLine {
        height: 1;
        & > .line--plain { color: $foreground; }
        & > .line--strong { color: $text; text-style: bold; }
        & > .line--quiet { color: $text-muted; }
        & > .line--key { color: $primary; text-style: bold; }
        & > .line--alert { color: $warning; text-style: bold; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._left: tuple[Part, ...] = ()
        self._right: tuple[Part, ...] = ()

    def show(self, left: Sequence[Part], right: Sequence[Part] = ()) -> None:
        """Replaces the text; the left gives way where there is no room for both."""
        if (tuple(left), tuple(right)) != (self._left, self._right):
            self._left, self._right = tuple(left), tuple(right)
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line, cut to the width."""
        width = self.size.width
        right = fitted(self._right, width)
        room = width - parts_width(right)
        left = fitted(self._left, max(0, room - 1) if right else room)
        gap = Part(" " * (room - parts_width(left)))
        parts = [part for part in (*left, gap, *right) if part.text]
        segments = [Segment(part.text, self._style(part.tone)) for part in parts]
        return Strip(segments, width)

    def _style(self, tone: Tone) -> Style:
        return self.get_component_rich_style(f"line--{tone}")


def parts_width(parts: Sequence[Part]) -> int:
    """Cells that the parts take."""
    return sum(cell_len(part.text) for part in parts)


def fitted(parts: Sequence[Part], width: int) -> list[Part]:
    """As many of the first cells of the parts as fit, with an ellipsis where text is missing."""
    found: list[Part] = []
    for part in parts:
        room = width - parts_width(found)
        if cell_len(part.text) > room:
            if room > 0:
                found.append(part._replace(text=set_cell_size(part.text, room - 1) + ELLIPSIS))
            break
        found.append(part)
    return found
