"""Where a string ends that holds quotes nobody escaped: what follows a quote tells.

Behind the last quote of a string stands the next key, the next item or a closing bracket.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from vpstop.read.escapes import looks_like_path

RECORD_KEYS: Final = (
    rb"(?:ph|cat|name|pid|tid|ts|dur|args|id|s|bp|tts|tdur|cname|id2|scope"
    rb"|bind_id|flow_in|flow_out|sf|esf|stack)"
)
"""Pattern of the keys that the trace format gives a record."""

_LOOKAHEAD: Final = 64
"""So many quotes behind the first that may end the string, a better one is looked for."""
_BEST: Final = 3
_PATH_BYTES: Final = 40
_QUOTE: Final = re.compile(rb'"|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})?')
NEXT_KEY: Final = rb'\s*+"(?:[^"\\]++|\\.)*+"\s*+:'
"""Pattern of a key of any object behind a comma."""
_PAIR: Final = re.compile(rb"," + NEXT_KEY)


class Ends(NamedTuple):
    """What may stand behind the closing quote of a string, and what makes sure that it is one."""

    any: re.Pattern[bytes]
    sure: re.Pattern[bytes]


def _ends(pattern: bytes, sure: bytes = b"") -> Ends:
    return Ends(re.compile(pattern), re.compile(sure or pattern))


_BRACKET: Final = rb"%b\s*+(?:[,\]}]|\Z)"
_PAIR_OR_END: Final = rb"\s*+(?:,(?:%b|\s*+\})|%b)" % (NEXT_KEY, _BRACKET % rb"\}")

KEY: Final = _ends(rb"\s*+:")
FIELD: Final = _ends(_PAIR_OR_END, rb'\s*+(?:,\s*+"%b"\s*+:|\}\s*+\Z)' % RECORD_KEYS)
"""A value of the outermost object, a record as a rule."""
VALUE: Final = _ends(_PAIR_OR_END)
ITEM: Final = _ends(rb'\s*+(?:,\s*+[-"\[{\w.]|%b)' % (_BRACKET % rb"\]"))
WHOLE: Final = _ends(rb"\s*+\Z")


def closing_quote(text: bytes, start: int, ends: Ends) -> int | None:
    """The quote that best ends a damaged string that begins behind its own at `start`, or None.

    Best is one behind which something sure follows, with the brackets of the string in pairs. Takes
    time in proportion to the length of the string and what follows up to 64 quotes behind.
    """
    best, best_rank, left = -1, -1, _LOOKAHEAD
    depth, counted = 0, start
    for quote in _bare_quotes(text, start):
        left -= best >= 0
        if best_rank == _BEST or not left:
            break
        if ends.any.match(text, quote + 1):
            depth, counted = depth + _depth(text[counted:quote]), quote
            rank = 2 * bool(ends.sure.match(text, quote + 1)) + (depth == 0)
            if rank > best_rank:
                best, best_rank = quote, rank
    return None if best < 0 or _swallows_pairs(text[start:best]) else best


def _bare_quotes(text: bytes, start: int) -> Iterator[int]:
    """Quotes that no backslash escapes, and those that one seems to escape in a path of Windows."""
    raw = looks_like_path(text[start : start + _PATH_BYTES])
    for mark in _QUOTE.finditer(text, start):
        raw = raw or mark[0] == b"\\"
        if mark[0] == b'"' or (raw and mark[0] == b'\\"'):
            yield mark.end() - 1


def _depth(text: bytes) -> int:
    """How many more brackets a text opens than it closes."""
    opening = text.count(b"{") + text.count(b"[") + text.count(b"(")
    return opening - text.count(b"}") - text.count(b"]") - text.count(b")")


def _swallows_pairs(content: bytes) -> bool:
    """Whether a key stands in a string outside of brackets: then the string's own end is lost."""
    depth, counted = 0, 0
    for pair in _PAIR.finditer(content):
        depth, counted = depth + _depth(content[counted : pair.start()]), pair.start()
        if depth <= 0:
            return True
    return False
