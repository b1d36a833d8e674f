"""Colours and glyphs: those of the timelines, and the theme of everything around them.

Timeline cells refer to styles by number, so a frame creates no style at all. Hues come from the
256-colour cube: 256 colours and true colour look the same. They are at least 30 apart (CIE76) for
every kind of colour vision. Finer classes are steps of one hue, never new hues.
"""

from typing import Final

from rich.color import Color
from rich.style import Style
from textual.theme import Theme

from vpstop.read.activity import Activity
from vpstop.tui.labels import SHADES

BACKGROUND: Final = 233
TRACK: Final = 234
ODD_TRACK: Final = 235
CURRENT_TRACK: Final = 236
TITLE: Final = 238
TEXT: Final = 252
QUIET: Final = 245
BRIGHT: Final = 231
DARK: Final = 16
CURSOR_LINE: Final = BRIGHT

HUES: Final = {
    Activity.OTHER: (240, 243),
    Activity.COMPUTE: (27, 26),
    Activity.COMMUNICATION: (208, 172),
    Activity.MEMORY: (36, 29),
    Activity.HOST: (186, 144),
    Activity.OPTIMIZER: (90, 127),
    Activity.SYNC: (124, 88),
}
"""Of each activity `SHADES` colours; the first stands for the activity."""

_DARK_TEXT: Final = {Activity.COMMUNICATION, Activity.MEMORY, Activity.HOST}

IDLE: Final = 0
"""Style of a cell without slices."""
DENSITY: Final = 1
"""First of the styles of cells with slices narrower than a cell, by activity."""
BACKGROUNDS: Final = (TRACK, ODD_TRACK, CURRENT_TRACK)
"""The styles above exist on each of these, in blocks of `ON_BACKGROUND`."""
ON_BACKGROUND: Final = DENSITY + len(Activity)
SOLID: Final = ON_BACKGROUND * len(BACKGROUNDS)
"""First of the styles of cells of one slice, by activity and shade."""
SELECTED: Final = SOLID + SHADES * len(Activity)
"""Style of the selected slice."""
CURSOR: Final = SELECTED + 1
"""Added to any of the styles above in the column of the cursor."""

BLOCKS: Final = " ▁▂▃▄▅▆▇█"
"""Eighths of a cell, from none to all."""
EDGE: Final = "▏"
"""Between two slices that look the same."""
CURSOR_GLYPH: Final = "│"
ELLIPSIS: Final = "…"


def style(foreground: int, background: int, *, bold: bool = False) -> Style:
    """A style of two colours of the 256."""
    return Style(
        color=Color.from_ansi(foreground), bgcolor=Color.from_ansi(background), bold=bold or None
    )


def _cells() -> list[Style]:
    """All styles without the cursor, in the order of their numbers."""
    cells = []
    for track in BACKGROUNDS:
        cells.append(style(TRACK, track))
        cells.extend(style(HUES[activity][0], track) for activity in Activity)
    for activity in Activity:
        text = DARK if activity in _DARK_TEXT else BRIGHT
        cells.extend(style(text, hue) for hue in HUES[activity])
    return [*cells, style(DARK, BRIGHT, bold=True)]


def _under_cursor(cell: Style) -> Style:
    """A line that can be seen on the cell's background."""
    is_light = cell.color == Color.from_ansi(DARK)
    line = Color.from_ansi(DARK if is_light else CURSOR_LINE)
    return Style(color=line, bgcolor=cell.bgcolor, bold=True)


def cell_styles() -> tuple[Style, ...]:
    """Styles of timeline cells by number."""
    cells = _cells()
    return (*cells, *map(_under_cursor, cells))


THEME: Final = Theme(
    name="vpstop-dark",
    primary="#5fafff",
    secondary="#00af87",
    accent="#ff8700",
    warning="#ffaf00",
    error="#ff5f5f",
    success="#5faf5f",
    foreground="#d0d0d0",
    background="#121212",
    surface="#1c1c1c",
    panel="#262626",
    boost="#303030",
)

KEY_STYLE: Final = "bold #5fafff"
"""Keys and labels in the text of sheets."""
HEADING_STYLE: Final = "bold #ffaf00"
QUIET_STYLE: Final = "#8a8a8a"
