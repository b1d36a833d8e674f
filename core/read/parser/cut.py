"""Cuts the event list of a trace into pieces that parse on their own, without copying the text.

A strict parser proves a cut: where a piece that began at a record's start parses as a complete
list, its end lay outside every string and every nested list, for a cut inside leaves one open.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import msgspec

from vpstop.read.damage import Damaged
from vpstop.read.parser.events import Event
from vpstop.read.parser.facts import is_open_list
from vpstop.read.parser.list_end import list_end
from vpstop.read.parser.window import Window

_OPEN, _CLOSE = b"[]"
_BLANK: Final = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*")
_LIST: Final = re.compile(rb'"traceEvents"\s*:\s*\[')
_BETWEEN: Final = re.compile(rb"\}\s*,\s*\{")

_LONGEST_PIECE_BYTES: Final = 64 << 20
_EARLIER_CUTS: Final = 8

Decode = Callable[[memoryview], list[Event]]


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


class EventList:
    """The event list of a text: `head` before it, its `pieces`, and then `tail` behind it."""

    def __init__(
        self, chunks: Iterator[bytes], decode: Decode, sizes: Sizes = DEFAULT_SIZES
    ) -> None:
        """Raises `Damaged` where there is no event list."""
        self.decode = decode
        self.closed = False
        """Whether the end of the list was seen."""
        self.tail = b""
        self._sizes = sizes
        self._window = Window(chunks, sizes.window)
        self._separator = b""
        self._failure, self._tried = "", 0
        self.head = self._open()
        self._skip_blanks()

    def pieces(self) -> Iterator[Piece]:
        """Decoded pieces in the order of the file; raises `Damaged` where one does not parse."""
        window = self._window
        while not self.closed:
            if window.end - window.start <= self._sizes.piece:
                window.fill()
            yield self._next()
        self._read_tail()

    def _open(self) -> bytes:
        """Consumes the text up to the first record."""
        window = self._window
        while window.fill():
            begin = _end_of(_BLANK, window)
            if window.data[begin : begin + 1] == b"[":
                window.consume(begin)
                return window.consume(begin + 1)
            for found in _LIST.finditer(window.data, begin, window.end):
                if is_open_list(bytes(window.data[begin : found.end()])):
                    return window.consume(found.end())
        raise Damaged("no event list", window.offset)

    def _skip_blanks(self) -> None:
        """Consumes blanks, and the end of a list that comes at once."""
        window = self._window
        while (begin := _end_of(_BLANK, window)) == window.end and window.fill():
            pass
        window.consume(begin)
        if window.data[begin : begin + 1] == b"]":
            window.consume(begin + 1)
            self.closed = True

    def _read_tail(self) -> None:
        window = self._window
        while window.fill():
            pass
        self.tail = window.consume(window.end)

    def _next(self) -> Piece:
        """The next piece, or the last one."""
        piece = self._piece(self._cut()) or self._last_piece()
        while piece is None and not self._is_certain():
            piece = self._piece_elsewhere() or self._piece(self._window.end) or self._last_piece()
            if piece is None and not self._read_more():
                break
        if piece is None:
            raise Damaged("records that do not parse", self._window.offset)
        return piece

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
        parsed_bytes = 0
        for found in _BETWEEN.finditer(window.data, window.start, window.end):
            end = found.start() + 1
            parsed_bytes += end - window.start
            if parsed_bytes > _LONGEST_PIECE_BYTES:
                break
            before = window.data[end]
            if self._parsed(end) is not None:
                window.data[end] = before
                self._separator = found.group()
                return True
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
        if end is None or (events := self._parsed(window.start - 1 + end)) is None:
            return None
        self.closed = True
        end += window.start - 1
        return self._taken(end, events, end + 1)

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


def _end_of(pattern: re.Pattern[bytes], window: Window) -> int:
    """Where the pattern, which may match nothing, ends at the start of the window."""
    found = pattern.match(window.data, window.start, window.end)
    return found.end() if found else window.start
