"""Cuts the event list of a trace into pieces that parse on their own, without copying the text.

A strict parser proves a cut: where a piece that began at a record's start parses as a complete
list, its end lay outside every string and every nested list, for a cut inside leaves one open.
Where a piece does not parse, `recover` gives the records in it that do, or can be repaired.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import msgspec

from vpstop.read.capture import WarningKind
from vpstop.read.damage import Damaged
from vpstop.read.findings import Findings
from vpstop.read.parser.events import Event
from vpstop.read.parser.facts import ARRAY_HEAD, is_open_list, kind_without_events
from vpstop.read.parser.list_end import list_end
from vpstop.read.parser.window import Window
from vpstop.read.resync import Recovered, first_record, goes_on, recover

_OPEN, _CLOSE = b"[]"
_BLANK: Final = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*")
_LIST: Final = re.compile(rb'"traceEvents"\s*:\s*\[')
_BETWEEN: Final = re.compile(rb"\}\s*,\s*\{")
_GAP: Final = re.compile(rb"[\s,]*+")
_LONGEST_PIECE_BYTES: Final = 64 << 20
_LONGEST_HEAD_BYTES: Final = 64 << 20
_PROVEN_HEAD_BYTES: Final = 8 << 20
"""From here on the beginning of a list is believed though what stands before it does not parse."""
_LONGEST_TAIL_BYTES: Final = 16 << 20
_LONGEST_STRETCH_BYTES: Final = 4 << 20
_BEHIND_THE_END_BYTES: Final = 64 << 10
_EARLIER_CUTS: Final = 8
_PROBE_BYTES: Final = 1 << 20
_MARGIN_BYTES: Final = 16
"""So near the end of a text, an error may be that of the end."""
_NO_END: Final = "Unterminated string"

Decode = Callable[[bytes | memoryview], list[Event]]


class Sizes(NamedTuple):
    """How much text is looked at at a time, in bytes."""

    piece: int = 512 << 10
    """Decoded at once. What is larger leaves the processor's cache and is slower by a third."""
    window: int = 4 << 20
    """Inflated at once."""


DEFAULT_SIZES: Final = Sizes()


class Piece(NamedTuple):
    """Some records of the event list, valid until the next piece is asked for."""

    offset: int
    """Place of the first record in the text."""
    text: memoryview
    """The records as a JSON list, in the buffer that the next piece will overwrite."""
    events: list[Event]
    is_damaged: bool = False
    """Whether the text does not parse: the events are what `recover` found in it."""


class EventList:
    """The event list of a text: `head` before it, its `pieces`, and then `tail` behind it.

    After the last piece, `findings` says what was wrong, and `complete` whether the file was there
    to the end.
    """

    def __init__(
        self, chunks: Iterator[bytes], decode: Decode, sizes: Sizes = DEFAULT_SIZES
    ) -> None:
        """Raises `Damaged` where there is no event list."""
        self.decode = decode
        self.closed = False
        """Whether the end of the list was seen."""
        self.tail = b""
        self.findings = Findings()
        self.always_recovers = False
        """For tests: no piece is trusted to parse."""
        self._sizes = sizes
        self._window = Window(chunks, sizes.window)
        self._separator = b""
        self._failure, self._tried = "", 0
        self._ends_inside = False
        """Whether the text ends inside a record."""
        self.head = self._open()
        self._skip_blanks()

    @property
    def complete(self) -> bool:
        """Whether the file was there to its end; the array form needs no closing bracket."""
        is_whole_array = self.head == ARRAY_HEAD and not self._ends_inside
        return (self.closed or is_whole_array) and not self._is_cut()

    def pieces(self) -> Iterator[Piece]:
        """Decoded pieces in the order of the file."""
        window = self._window
        while not self.closed:
            if window.end - window.start <= self._sizes.piece:
                window.fill()
            if window.start == window.end:
                break
            yield self._next()
        self._finish()

    def again(self, piece: Piece) -> list[Event]:
        """The events of a piece, as `decode` makes them now."""
        if piece.is_damaged:
            return recover(bytes(piece.text[1:-1]), self.decode).records
        return self.decode(piece.text)

    def _open(self) -> bytes:
        """Consumes the text up to the first record."""
        window = self._window
        while not window.finished and window.end <= _LONGEST_HEAD_BYTES:
            window.fill()
            begin = _end_of(_BLANK, window)
            if window.data[begin : begin + 1] == b"[":
                window.consume(begin)
                return window.consume(begin + 1)
            lists = list(_LIST.finditer(window.data, begin, window.end))
            for found in lists:
                if is_open_list(bytes(window.data[begin : found.end()])):
                    return window.consume(found.end())
            if window.finished or window.end >= _PROVEN_HEAD_BYTES:
                place = lists[0].end() if lists else self._first_record()
                if place is not None:
                    return window.consume(place)
        raise Damaged("no event list", window.offset)

    def _first_record(self) -> int | None:
        """Where records of a list without beginning begin; `Damaged` where the text is sound."""
        window = self._window
        text = bytes(window.data[window.start : window.end])
        kind = kind_without_events(text) if window.finished else None
        place = None if kind == "not_a_trace" else first_record(text, self.decode)
        if kind is not None and place is None:
            raise Damaged("no event list", window.offset, kind)
        return None if place is None else window.start + place

    def _skip_blanks(self) -> None:
        """Consumes blanks, and the end of a list that comes at once."""
        window = self._window
        window.consume(_end_of(_BLANK, window))
        while window.start == window.end and window.fill():
            window.consume(_end_of(_BLANK, window))
        is_closed = window.start < window.end and window.data[window.start] == _CLOSE
        if is_closed and self._is_end(window.start):
            window.consume(window.start + 1)
            self.closed = True

    def _finish(self) -> None:
        """Reads what stands behind the list, and tells what is missing."""
        window = self._window
        while window.fill():
            if window.end > _LONGEST_TAIL_BYTES:
                window.consume(window.end)
        self.tail = window.consume(window.end)
        if window.flaw is not None:
            self._note(window.flaw.kind, window.flaw.offset, window.flaw.what.encode())
        elif not self.complete:
            self._note("truncated", window.offset, b"the event list has no end")

    def _note(self, kind: WarningKind, offset: int, text: bytes) -> None:
        found = Findings()
        found.note(kind, text, 0, len(text))
        self.findings.take(found, offset)

    def _is_cut(self) -> bool:
        flaw = self._window.flaw
        return flaw is not None and flaw.kind == "truncated"

    def _next(self) -> Piece:
        """The next piece, or the last one."""
        if self.always_recovers:
            return self._recovered()
        piece = self._piece(self._cut()) or self._last_piece()
        while piece is None and self._separator and not self._is_certain():
            piece = self._piece_elsewhere() or self._piece(self._window.end) or self._last_piece()
            if piece is None and (self._is_broken() or not self._read_more()):
                break
        return piece or self._recovered()

    def _is_broken(self) -> bool:
        """Whether more text cannot make the record here a good one."""
        window = self._window
        text = bytes(window.data[window.start : min(window.end, window.start + _PROBE_BYTES)])
        try:
            json.JSONDecoder().raw_decode(text.decode("latin-1"))
        except json.JSONDecodeError as error:
            return error.pos + _MARGIN_BYTES < len(text) and not error.msg.startswith(_NO_END)
        except RecursionError:
            return True
        return False

    def _recovered(self, limit: int | None = None) -> Piece:
        """The records that can be read in the text from here on, or up to `limit`.

        Without a limit, a record that goes on behind the text is left for the next piece, and a
        bracket ends the list unless records follow behind it.
        """
        window = self._window
        if limit is None and window.end - window.start < 2 * self._sizes.piece:
            window.fill()
        size = self._sizes.piece
        end = limit or self._stretch_end(size)
        found = recover(bytes(window.data[window.start : end]), self.decode)
        while limit is None and found.open_at == 0 and not self._is_last(end, size):
            size *= 2
            window.fill()
            end = self._stretch_end(size)
            found = recover(bytes(window.data[window.start : end]), self.decode)
        return self._taken_damaged(end, found, limit)

    def _stretch_end(self, size: int) -> int:
        """The last separator before so many bytes, or the end of the window."""
        window = self._window
        wanted = window.start + size
        if wanted >= window.end:
            return window.end
        cut = window.data.rfind(self._separator, window.start, wanted) if self._separator else -1
        return wanted if cut < 0 else cut + 1

    def _is_last(self, end: int, size: int) -> bool:
        """Whether no more text can tell more of a record."""
        window = self._window
        return (window.finished and end == window.end) or size >= _LONGEST_STRETCH_BYTES

    def _taken_damaged(self, end: int, found: Recovered[Event], limit: int | None) -> Piece:
        """Consumes a stretch, with what was found in it."""
        window, start = self._window, self._window.start
        stretch = bytes(window.data[start:end])
        text = memoryview(b"[%b]" % stretch)
        piece = Piece(window.offset, text, found.records, is_damaged=True)
        self.findings.take(found.findings, window.offset)
        rest = end
        if found.closed_at is not None:
            self.closed = limit is None and self._is_end(start + found.closed_at)
            rest = start + found.closed_at + 1
        elif found.open_at is not None and limit is None and found.open_at > 0:
            rest = start + found.open_at
        elif found.open_at is not None and window.finished and end == window.end:
            self._ends_inside = True
        elif found.open_at is not None:
            self._note("bad_record", window.offset + found.open_at, stretch[found.open_at :])
        rest = rest if limit is None else limit
        window.start = rest if self.closed else _end_of(_GAP, window, rest)
        return piece

    def _is_end(self, bracket: int) -> bool:
        """Whether the list ends here: no record follows."""
        window = self._window
        limit = min(bracket + _BEHIND_THE_END_BYTES, window.end)
        return not goes_on(bytes(window.data[bracket:limit]), self.decode)

    def _read_more(self) -> bool:
        """Makes the window longer, unless a piece would be longer than any record is."""
        window = self._window
        return window.end - window.start <= _LONGEST_PIECE_BYTES and window.fill()

    def _cut(self) -> int:
        """Where a piece of the usual size may end, or a longer one.

        The byte behind the last record; the end of the window where no separator follows.
        """
        window = self._window
        while True:
            if self._separator or self._learn():
                cut = self._cut_before(min(window.start + self._sizes.piece, window.end))
                if cut is not None:
                    return cut
            if not self._read_more():
                return window.end

    def _cut_before(self, limit: int) -> int | None:
        """The last separator before `limit`, or else the first behind it."""
        window = self._window
        cut = window.data.rfind(self._separator, window.start, limit)
        if cut < 0:
            cut = window.data.find(self._separator, window.start, window.end)
        return None if cut < 0 else cut + 1

    def _learn(self) -> bool:
        """Takes the separator from the file: the first before which one record is complete."""
        window = self._window
        parsed_bytes, previous = 0, window.start
        for found in _BETWEEN.finditer(window.data, window.start, window.end):
            end = found.start() + 1
            parsed_bytes += end - window.start
            if parsed_bytes > _LONGEST_PIECE_BYTES:
                break
            # The first record, which may hold separators, or else one that follows a damaged one.
            if self._is_record(window.start, end) or self._is_record(previous, end):
                self._separator = found.group()
                return True
            previous = found.end() - 1
        return False

    def _is_certain(self) -> bool:
        """Whether separators are never inside a text, where line breaks are not allowed.

        The blanks behind the break tell them from separators in nested lists.
        """
        return b"\n" in self._separator

    def _piece_elsewhere(self) -> Piece | None:
        """A piece cut at another separator, where the usual one may be inside a record."""
        window = self._window
        cut = min(window.start + self._sizes.piece, window.end)
        for _ in range(_EARLIER_CUTS):
            cut = window.data.rfind(self._separator, window.start, cut)
            if cut < 0:
                break
            piece = self._piece(cut + 1)
            if piece is not None:
                return piece
        return self._piece_by_records()

    def _piece_by_records(self) -> Piece | None:
        """A piece whose end is found record by record: slow, but it stops at no false cut."""
        window = self._window
        cut, begin = None, window.start
        while begin < window.start + self._sizes.piece:
            end = self._record_end(begin)
            if end is None:
                break
            cut, begin = end, end + len(self._separator) - 2
        return None if cut is None else self._piece(cut)

    def _record_end(self, begin: int) -> int | None:
        """The first separator before which the text from `begin` on is one record."""
        window, parsed_bytes = self._window, 0
        cut = window.data.find(self._separator, begin, window.end)
        while cut >= 0 and parsed_bytes < _LONGEST_PIECE_BYTES:
            if self._is_record(begin, cut + 1):
                return cut + 1
            parsed_bytes += cut - begin
            cut = window.data.find(self._separator, cut + 1, window.end)
        return None

    def _is_record(self, begin: int, end: int) -> bool:
        try:
            text = b"[" + self._window.data[begin:end] + b"]"
            return len(self.decode(memoryview(text))) == 1
        except (msgspec.DecodeError, RecursionError):
            return False

    def _piece(self, cut: int) -> Piece | None:
        """Consumes the records before `cut`; None if they fail, or if no separator is there."""
        events = self._parsed(cut)
        if events is None or cut == self._window.end:
            return None
        return self._taken(cut, events, cut + len(self._separator) - 2)

    def _last_piece(self) -> Piece | None:
        """Consumes the records up to the end of the list, if the last try went beyond it."""
        window = self._window
        text = memoryview(window.data)[window.start - 1 : self._tried]
        end = list_end(text, self._failure)
        if end is None or not self._is_end(window.start - 1 + end):
            return None
        end += window.start - 1
        events = self._parsed(end)
        self.closed = events is not None
        return None if events is None else self._taken(end, events, end + 1)

    def _parsed(self, end: int) -> list[Event] | None:
        """The records up to `end`, whose byte becomes the closing bracket; None if they fail."""
        window = self._window
        before = window.data[end]
        window.data[window.start - 1], window.data[end] = _OPEN, _CLOSE
        try:
            return self.decode(memoryview(window.data)[window.start - 1 : end + 1])
        except (msgspec.DecodeError, RecursionError) as error:
            window.data[end] = before
            self._failure, self._tried = str(error), end
            return None

    def _taken(self, end: int, events: list[Event], rest: int) -> Piece:
        window = self._window
        text = memoryview(window.data)[window.start - 1 : end + 1]
        piece = Piece(window.offset, text, events)
        window.start = rest
        return piece


def _end_of(pattern: re.Pattern[bytes], window: Window, start: int | None = None) -> int:
    """Where the pattern, which may match nothing, ends from `start` on, or from the window's."""
    place = window.start if start is None else start
    found = pattern.match(window.data, place, window.end)
    return found.end() if found else place
