"""A damaged stretch of an event list, walked so that what is damaged costs no other record.

A strict parser proves where records end: groups of them at first, single ones where a group does
not parse. Only where no record parses, the text is searched for what may begin the next one.
"""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeVar

import msgspec

from vpstop.read.findings import Findings
from vpstop.read.parser.events import NUMERIC
from vpstop.read.patch import patch
from vpstop.read.quotes import RECORD_KEYS
from vpstop.read.repair import LONGEST_BYTES, Repaired, repair

Record = TypeVar("Record")
Decode = Callable[[bytes], list[Record]]

_FIRST_GROUP_BYTES: Final = 64 << 10
_LARGEST_GROUP_BYTES: Final = 512 << 10
_SMALLEST_GROUP_BYTES: Final = 8 << 10
_OBJECT_BYTES: Final = (4 << 10, 64 << 10, 1 << 20)
"""So much text is looked at for the end of an object; more where it ends inside of it."""
_MARGIN_BYTES: Final = 16
_EFFORT: Final = 4
"""So often, on average, a byte is parsed in the search for a record inside a broken one."""
_LEAST_EFFORT_BYTES: Final = 1 << 10
_UNKNOWN_EFFORT_BYTES: Final = 64 << 10
"""Of a parse that ended nobody knows where: brackets too deep, or an object too long."""
_MOST_IN_VAIN: Final = 1000
"""After so many records without a good one, the walk goes on in strides."""
_STRIDE_BYTES: Final = 4 << 10

_OPENING: Final = ord("{")
_FIRST_KEY: Final = re.compile(rb'[\s,]*+\{\s*+"([^"\\]{1,60})"\s*+:')
_CONTINUED: Final = re.compile(rb'\s*+,\s*+"[^"]*+"\s*+:')
_LIST_END: Final = re.compile(rb'\]\s*+(?:,\s*+(?:"[^"]*+(?:"\s*+(?::|\Z)|\Z)|\Z)|\}|\Z)')
_NEXT_TEXT: Final = re.compile(rb"\}\s*+\{|\]\s*+\[")
"""Where a JSON text ends and another one begins: no comma is between them."""
_LIST: Final = re.compile(rb'"traceEvents"\s*+:\s*+\[')
_LAST_END: Final = re.compile(rb'\}(?=\s*+\]\s*+(?:,\s*+"[^"]*+"\s*+:|\}\s*+\Z|\Z))')
_CLOSING: Final = b"}"
_QUOTE: Final = b'"'
_OPEN_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+\\?\Z', re.DOTALL)
_NO_END: Final = "Unterminated string"
_SEPARATING: Final = b", \t\r\n"
_PHASE: Final = b'"ph"'
_GAP: Final = re.compile(rb"[\s,]*+")
_ELEMENT: Final = re.compile(rb'(?:"(?:[^"\\\x00-\x1f]|\\.)*+"|[-+.\w]++)(?=\s*+(?:[,\]]|\Z))')

_RAW: Final = msgspec.json.Decoder(list[msgspec.Raw])
_value = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class Recovered(Generic[Record]):
    """What could be read of a stretch."""

    records: list[Record]
    """In the order of the text, as the decoder made them."""
    findings: Findings
    lost_bytes: int
    """Text that gave no record."""
    closed_at: int | None
    """Place of the bracket that closes the event list, if it is in the stretch."""
    open_at: int | None
    """Place of a last record that the stretch cuts off, as far as can be told: it is not lost."""


def texts(listed: bytes) -> list[bytes]:
    """Decodes a list of records to their texts; raises what the typed decoder raises."""
    NUMERIC.decode(listed)
    return [bytes(raw) for raw in _RAW.decode(listed)]


def recover(stretch: bytes, decode: Decode[Record]) -> Recovered[Record]:
    """All records of a stretch that begins between two records, or where the list begins.

    `decode` makes records of a JSON list; it raises `msgspec.DecodeError` or `RecursionError` where
    one is not as it should be. Takes time in proportion to the length. The end of the list ends the
    walk, unless records follow even there.
    """
    return _Walk(stretch, decode).all()


def first_record(text: bytes, decode: Decode[Record]) -> int | None:
    """Where the first whole record of a text begins, whatever stands before it."""
    return _whole_record(text, _marks(b"").start, 0, len(text), decode)


def goes_on(behind: bytes, decode: Decode[Record]) -> bool:
    """Whether records of the same list follow a bracket that seems to close it."""
    start = first_record(behind, decode)
    return start is not None and not _is_another_trace(behind, 0, start)


def _is_another_trace(text: bytes, low: int, high: int) -> bool:
    """Whether a whole trace was appended: its head stands between an end and the next record."""
    begin = _NEXT_TEXT.search(text, low, high)
    is_array = begin is not None and begin[0].endswith(b"[")
    return begin is not None and (is_array or bool(_LIST.search(text, begin.end(), high)))


class _Walk(Generic[Record]):
    """Reads a stretch from `_at` on: what is before it was taken or counted as lost."""

    def __init__(self, stretch: bytes, decode: Decode[Record]) -> None:
        self._text = stretch
        self._decode = decode
        self._at = 0
        self._start = _marks(stretch).start
        self._ends = _record_ends(stretch)
        self._records: list[Record] = []
        self._findings = Findings()
        self._lost_bytes = 0
        self._in_vain = 0
        self._known_start = -1
        self._closed_at: int | None = None
        self._open_at: int | None = None

    def all(self) -> Recovered[Record]:
        size = _FIRST_GROUP_BYTES
        while self._to_record():
            end = self._end_after(self._at + size)
            if self._take(self._text[self._at : end], end):
                size = min(2 * size, _LARGEST_GROUP_BYTES)
            elif size > _SMALLEST_GROUP_BYTES:
                size //= 2
            elif not self._take_repaired(patch(self._text[self._at : end]), end):
                self._one_by_one(end)
        return Recovered(
            self._records, self._findings, self._lost_bytes, self._closed_at, self._open_at
        )

    def _to_record(self) -> bool:
        """Goes on to what begins like a record; False at the end of the list or of the text."""
        text = self._text
        while self._closed_at is None:
            gap = _GAP.match(text, self._at)
            self._at = gap.end() if gap else self._at
            if self._at == len(text):
                break
            if text[self._at] == _OPENING:
                return True
            if _LIST_END.match(text, self._at) and not self._records_follow():
                self._closed_at = self._at
            else:
                self._lose(self._next_start())
        return False

    def _records_follow(self) -> bool:
        if self._known_start < self._at:
            start = self._inner(self._at, len(self._text))
            self._known_start = -1 if start is None else start
        start = self._known_start
        return start >= self._at and not _is_another_trace(self._text, self._at, start)

    def _next_start(self) -> int:
        """The place behind an element that is no object, else where the next record begins."""
        element = _ELEMENT.match(self._text, self._at)
        if element is not None:
            return element.end()
        start = self._start.search(self._text, self._at)
        return start.start() if start else len(self._text)

    def _one_by_one(self, end: int) -> None:
        while self._at < end and self._to_record():
            self._one()
            if self._in_vain > _MOST_IN_VAIN:
                self._stride()

    def _stride(self) -> None:
        """Gives up all records within some distance."""
        end = self._end_after(self._at + _STRIDE_BYTES)
        self._lose(end, bisect_right(self._ends, end) - bisect_right(self._ends, self._at))

    def _one(self) -> None:
        """Takes the record that begins here as it is or repaired, or gives up what begins here."""
        start = self._at
        proven, wrong_at = _parsed(self._text, start)
        if proven is not None and _CONTINUED.match(self._text, proven):
            proven = None
        if proven is not None and self._take(self._text[start:proven], proven):
            return
        end = proven or self._end_after(self._last_string(start, wrong_at))
        inner = self._inner(start + 1, end)
        if inner is None and self._repair(end):
            return
        if inner is None and self._goes_on(wrong_at, end):
            self._open_at, self._at = start, len(self._text)
            return
        self._in_vain += 1
        self._lose(end if inner is None else inner)

    def _last_string(self, start: int, wrong_at: int) -> int:
        """Where the last string begins that parsed, or the record.

        Only from there on it may end: a string may have swallowed its end.
        """
        closing = self._text.rfind(_QUOTE, start, wrong_at)
        return max(self._text.rfind(_QUOTE, start, max(closing, start)), start) + 1

    def _goes_on(self, wrong_at: int, end: int) -> bool:
        """Whether the record ends behind the stretch."""
        is_open = _OPEN_STRING.match(self._text, wrong_at) is not None
        return self._text.find(_CLOSING, wrong_at) < 0 or (is_open and end >= self._ends[-1])

    def _inner(self, low: int, high: int) -> int | None:
        """Where a whole record begins between two places."""
        return _whole_record(self._text, self._start, low, high, self._decode)

    def _take(self, listed: bytes, end: int) -> bool:
        """Adds records if they are as they should be, and goes on at `end`."""
        records = _decoded(listed, self._decode)
        if records is None:
            return False
        self._records += records
        self._in_vain = 0
        self._at = end
        return True

    def _repair(self, end: int) -> bool:
        """Takes the record up to `end` if it can be repaired."""
        if end - self._at > LONGEST_BYTES:
            return False
        return self._take_repaired(repair(self._text[self._at : end]), end)

    def _take_repaired(self, repaired: Repaired | None, end: int) -> bool:
        """As `_take`, with what the repair found."""
        start = self._at
        if repaired is None or not repaired.findings or not self._take(repaired.text, end):
            return False
        self._findings.take(repaired.findings, start)
        return True

    def _lose(self, end: int, count: int = 1) -> None:
        """Counts the text up to `end` as what could not be understood."""
        self._findings.note("bad_record", self._text, self._at, end, count)
        self._lost_bytes += end - self._at
        self._at = end

    def _end_after(self, place: int) -> int:
        """The first place, from `place` on, where a record ends as far as can be told."""
        row = bisect_left(self._ends, place)
        return self._ends[row] if row < len(self._ends) else len(self._text)


def _whole_record(
    text: bytes, start: re.Pattern[bytes], low: int, high: int, decode: Decode[Record]
) -> int | None:
    """Where the first record begins between two places that parses to its end."""
    effort = _EFFORT * (high - low) + _LEAST_EFFORT_BYTES
    for found in start.finditer(text, low, high):
        place = found.start()
        parsed = _parsed(text, place)
        if parsed.end is not None and _decoded(text[place : parsed.end], decode):
            return place
        effort -= (parsed.wrong_at - place) or _UNKNOWN_EFFORT_BYTES
        if effort < 0:
            break
    return None


def _decoded(listed: bytes, decode: Decode[Record]) -> list[Record] | None:
    try:
        return decode(b"[%b]" % listed)
    except (msgspec.DecodeError, RecursionError):
        return None


class _Parsed(NamedTuple):
    """What a strict parser says of an object."""

    end: int | None
    """None if it does not parse."""
    wrong_at: int
    """Where it does not, the quote in front of a string without end; its start if nobody knows."""


def _parsed(text: bytes, start: int) -> _Parsed:
    """Parses the object that begins at `start`: its end does not depend on the text behind it."""
    for size in _OBJECT_BYTES:
        window = text[start : start + size].decode("latin-1")
        try:
            end = start + _value(window)[1]
        except json.JSONDecodeError as error:
            is_inside = error.pos + _MARGIN_BYTES < size and not error.msg.startswith(_NO_END)
            if is_inside or len(window) < size:
                return _Parsed(None, start + error.pos)
        except (ValueError, RecursionError):
            break
        else:
            return _Parsed(end, end)
    return _Parsed(None, start)


class _Marks(NamedTuple):
    """What records begin with, and what stands between them."""

    start: re.Pattern[bytes]
    between: re.Pattern[bytes]


def _marks(text: bytes) -> _Marks:
    """Marks that know the keys of the format, and the one with which this text begins."""
    first = _FIRST_KEY.match(text)
    keys = rb"%b|%b" % (re.escape(first[1]), RECORD_KEYS) if first else RECORD_KEYS
    start = rb'\{\s*+"(?:%b)"\s*+:' % keys
    return _Marks(re.compile(start), re.compile(rb"\}(?=[\s,]*+%b)" % start))


def _record_ends(text: bytes) -> list[int]:
    """Places behind what looks like the end of a record, in order."""
    between = [found.start() + 1 for found in _marks(text).between.finditer(text)]
    tail = max(text.rfind(_PHASE), 0)
    last = [found.start() + 1 for found in _LAST_END.finditer(text, tail)]
    return sorted([*between, *last, len(text.rstrip(_SEPARATING))])
