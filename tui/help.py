"""The help sheet, made from the list of keys."""

from itertools import zip_longest
from typing import Final

from rich.text import Text

from vpstop.tui.keys import KEYS, Group, Key
from vpstop.tui.theme import HEADING_STYLE, KEY_STYLE

_KEY_WIDTH: Final = max(len(key.caption) for key in KEYS)
_COLUMN_WIDTH: Final = _KEY_WIDTH + max(len(key.help) for key in KEYS) + 6
_LEFT: Final = (Group.TIME, Group.WALK)
_RIGHT: Final = (Group.TABLE, Group.SCREEN, Group.SHEET)


def help_text(width: int) -> Text:
    """All keys under their headings, in two columns where there is room."""
    left, right = _lines(_LEFT), _lines(_RIGHT)
    if width < 2 * _COLUMN_WIDTH:
        return Text("\n").join([*left, *right])
    rows = zip_longest(left, right, fillvalue=Text())
    return Text("\n").join(_side_by_side(one.copy(), other) for one, other in rows)


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
