"""The help sheet, made from the list of keys."""

from itertools import zip_longest
from typing import Final

from rich.color import Color
from rich.style import Style
from rich.text import Text

from vpstop.read.activity import Activity
from vpstop.tui.keys import KEYS, Group, Key
from vpstop.tui.theme import HEADING_STYLE, HUES, KEY_STYLE

_KEY_WIDTH: Final = max(len(key.caption) for key in KEYS)
_COLUMN_WIDTH: Final = _KEY_WIDTH + max(len(key.help) for key in KEYS) + 6
_SWATCH_WIDTH: Final = 4
_MEANINGS: Final = {
    Activity.COMPUTE: "computes on a device",
    Activity.COMMUNICATION: "communicates",
    Activity.MEMORY: "copies or sets memory",
    Activity.HOST: "operators, launches, Python",
    Activity.OPTIMIZER: "optimizer",
    Activity.SYNC: "waits: synchronisation, data loading",
    Activity.OTHER: "ranges: steps, forward, backward, what you named",
}
_LEFT: Final = (Group.TIME, Group.WALK)
_RIGHT: Final = (Group.TABLE, Group.SCREEN, Group.SHEET)


def help_text(width: int) -> Text:
    """All keys under their headings, in two columns where there is room."""
    left, right = _lines(_LEFT), _lines(_RIGHT)
    if width < 2 * _COLUMN_WIDTH:
        return Text("\n").join([*left, *right, *_legend()])
    rows = zip_longest(left, right, fillvalue=Text())
    lines = [_side_by_side(one.copy(), other) for one, other in rows]
    return Text("\n").join([*lines, *_legend()])


def _legend() -> list[Text]:
    """What the colours of the timelines mean."""
    lines = [Text("Colours", HEADING_STYLE)]
    for activity, meaning in _MEANINGS.items():
        swatch = (" " * _SWATCH_WIDTH, Style(bgcolor=Color.from_ansi(HUES[activity][0])))
        lines.append(Text.assemble("  ", swatch, "  ", meaning))
    return lines


def _lines(groups: tuple[Group, ...]) -> list[Text]:
    lines = []
    for group in groups:
        lines += [Text.assemble((group.value, HEADING_STYLE))]
        lines += [_line(key) for key in KEYS if key.group is group]
        lines += [Text()]
    return lines


def _line(key: Key) -> Text:
    return Text.assemble("  ", (key.caption.ljust(_KEY_WIDTH), KEY_STYLE), "  ", key.help)


def _side_by_side(left: Text, right: Text) -> Text:
    left.pad_right(_COLUMN_WIDTH - len(left))
    return left.append_text(right)
