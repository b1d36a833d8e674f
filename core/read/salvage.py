"""What stands around an event list, read pair by pair where it does not parse as a whole.

Libraries append log lines with bare quotes behind the events: a value that cannot be read must not
cost the rank or the time base, which may stand behind it.
"""

import json
import re
from typing import Any, Final, NamedTuple

from vpstop.read.parser.facts import EVENTS_KEY, OPTIONS
from vpstop.read.repair import repair

Pairs = list[tuple[str, Any]]

_KNOWN_KEYS: Final = OPTIONS | {
    EVENTS_KEY,
    "schemaVersion",
    "deviceProperties",
    "distributedInfo",
    "displayTimeUnit",
    "baseTimeNanoseconds",
    "traceName",
    "trace_id",
    "group_trace_id",
    "host_name",
    "cupti_version",
    "cuda_runtime_version",
    "cuda_driver_version",
    "INFO",
    "WARNING",
    "ERROR",
    "STAGE",
}
"""Keys that stand at the top level only."""
_MOST_FAILURES: Final = 100
"""A text with more values that do not parse is no metadata."""
_MOST_TRIES: Final = 16
"""So many places are tried as the end of a value where no key is known to follow."""

_OPENING: Final = re.compile(r"\ufeff?[\s\],]*+\{?\s*+(\})?")
_LINE: Final = re.compile(r"\n\s*+\Z")
_KEY: Final = re.compile(r'"([^"\\\x00-\x1f]{1,200})"\s*+:\s*+')
_NEXT: Final = re.compile(r'\s*+,\s*+(?=")')
_END: Final = re.compile(r"\s*+,?\s*+\}")
_BLANK: Final = re.compile(r"\s*+\Z")
_CUT_LIST: Final = re.compile(r"\[\s*+\Z")
_FURTHER: Final = re.compile(r"(?<!\s)(\s*+)(?=" + _KEY.pattern + ")")
_SEPARATING: Final = ", \t\r\n"
_CLOSING: Final = '"]}'

_value = json.JSONDecoder().raw_decode


class Salvaged(NamedTuple):
    """The top-level pairs that could be read."""

    pairs: Pairs
    """In the order of the text, twice where a key is there twice."""
    damaged: bool
    """Whether something could not be read as it stands there, or the end is missing."""
    trailing: bool
    """Whether text follows behind the end of the outermost object."""


def salvage(text: bytes) -> Salvaged:
    """Pairs of the outermost object, of its head up to the event list, or of its tail behind it."""
    return _Salvage(text).all()


class _Salvage:
    """Reads pairs from `_at` on."""

    def __init__(self, text: bytes) -> None:
        self._text = text.decode(errors="replace")
        self._damaged = False
        opening = _OPENING.match(self._text)
        self._at = opening.end() if opening else 0
        self._closed = opening is not None and opening[1] is not None
        line = _LINE.search(self._text, 0, self._at)
        self._indent = line[0] if line else ""
        self._pairs: Pairs = []

    def all(self) -> Salvaged:
        failures = 0
        while not self._closed and failures < _MOST_FAILURES:
            key = _KEY.match(self._text, self._at)
            self._at = key.end() if key else self._at
            if key and key[1] == EVENTS_KEY and _CUT_LIST.match(self._text, self._at):
                return Salvaged(self._pairs, self._damaged, trailing=False)
            if _BLANK.match(self._text, self._at):
                break
            if key is None or not self._take(key[1]):
                failures += 1
                self._take_damaged(key[1] if key else None)
        rest = _BLANK.match(self._text, self._at) is None
        is_cut = not self._closed and (rest or bool(self._pairs))
        return Salvaged(self._pairs, self._damaged or is_cut, trailing=self._closed and rest)

    def _take(self, key: str) -> bool:
        """Takes a value that parses and has a proper end."""
        try:
            value, end = _value(self._text, self._at)
        except (ValueError, RecursionError):
            return False
        behind = _NEXT.match(self._text, end) or _END.match(self._text, end)
        is_last = _BLANK.match(self._text, end) and self._text[end - 1] in _CLOSING
        if behind is None and not is_last:
            return False
        self._closed = behind is not None and behind[0].endswith("}")
        self._at = behind.end() if behind else end
        self._pairs.append((key, value))
        return True

    def _take_damaged(self, key: str | None) -> None:
        """Goes on to the next key; takes the text before it as a value if it can be repaired."""
        self._damaged = True
        tries = _MOST_TRIES
        for found in _FURTHER.finditer(self._text, self._at):
            is_next = self._is_top_level(found)
            tries -= 1
            if is_next or tries >= 0:
                is_next |= self._repaired(key, found.start())
            if is_next:
                self._at = found.end()
                return
        self._closed = self._text.rstrip().endswith("}")
        if self._closed:
            self._repaired(key, self._text.rindex("}"))
        self._at = len(self._text)

    def _repaired(self, key: str | None, end: int) -> bool:
        """Takes the text up to `end` as a value if it can be repaired."""
        if key is None:
            return False
        repaired = repair(self._text[self._at : end].rstrip(_SEPARATING).encode())
        if repaired is not None:
            self._pairs.append((key, json.loads(repaired.text)))
        return repaired is not None

    def _is_top_level(self, found: re.Match[str]) -> bool:
        """Whether a key stands where such keys do, as far as can be told."""
        on_own_line = bool(self._indent) and found[1] == self._indent
        return on_own_line or found[2] in _KNOWN_KEYS
