"""Cuts the event list of a trace into pieces that parse on their own, without copying the text.

A strict parser proves a cut: where a piece that began at a record's start parses as a complete
list, its end lay outside every string and every nested list, for a cut inside leaves one open.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import msgspec

from vpstop.read.damage import Damaged
from vpstop.read.inflate import CHUNK_BYTES
from vpstop.read.parser.events import Event
from vpstop.read.parser.facts import is_open_list

WINDOW_BYTES: Final = 4 << 20
PIECE_BYTES: Final = 512 << 10
"""Larger pieces leave the processor's cache: they are slower by a third."""
_LONGEST_PIECE_BYTES: Final = 64 << 20
_RETRY_BYTES: Final = (PIECE_BYTES // 8, 4 * PIECE_BYTES, 32 * PIECE_BYTES)

_OPEN, _CLOSE = b"[]"
_BLANK: Final = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*")
_LIST: Final = re.compile(rb'"traceEvents"\s*:\s*\[')
_BETWEEN: Final = re.compile(rb"\}\s*,\s*\{")
_LIST_END: Final = re.compile(rb"\}\s*\]")

Decode = Callable[[memoryview], list[Event]]


class Piece(NamedTuple):
    """Some records of the event list, valid until the next piece is asked for."""

    offset: int
    """Place of the first record in the text."""
    text: memoryview
    """The records as a JSON list, in the buffer that the next piece will overwrite."""
    events: list[Event]


class Window:
    """A reused buffer over the text of a file; `data[start:end]` is what was not consumed yet."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self.data = bytearray(WINDOW_BYTES)
        self.start = self.end = 1  # a byte before the text stays free for an opening bracket
        self.finished = False
        self._base = -1

    @property
    def offset(self) -> int:
        """Place of `start` in the text."""
        return self._base + self.start

    def fill(self) -> bool:
        """Moves what was not consumed to the front and reads on; False at the end of the text."""
        unread = self.end - self.start
        data = self.data
        if unread + CHUNK_BYTES >= len(data):
            self.data = bytearray(2 * len(data))
        self.data[1 : 1 + unread] = data[self.start : self.end]
        self._base += self.start - 1
        self.start, self.end = 1, 1 + unread
        while self.end + CHUNK_BYTES <= len(self.data):
            chunk = next(self._chunks, None)
            if chunk is None:
                self.finished = True
                break
            self.data[self.end : self.end + len(chunk)] = chunk
            self.end += len(chunk)
        return self.end - self.start > unread


class EventList:
    """The event list of a text: `head` before it, its `pieces`, and then `tail` behind it."""

    def __init__(self, chunks: Iterator[bytes], decode: Decode) -> None:
        """Raises `Damaged` where there is no event list."""
        self.decode = decode
        self.closed = False
        """Whether the end of the list was seen."""
        self.tail = b""
        self._window = Window(chunks)
        self._separator = b""
        self.head = self._open()
        self._skip_blanks()

    def pieces(self) -> Iterator[Piece]:
        """Decoded pieces in the order of the file; raises `Damaged` where one does not parse."""
        window = self._window
        while not self.closed:
            if window.end - window.start <= PIECE_BYTES:
                window.fill()
            yield self._next()
        self._read_tail()

    def _open(self) -> bytes:
        """Consumes the text up to the first record."""
        window = self._window
        searched = window.start
        while window.fill():
            begin = _end_of(_BLANK, window)
            if window.data[begin : begin + 1] == b"[":
                self._consume(begin)
                return self._consume(begin + 1)
            for found in _LIST.finditer(window.data, searched, window.end):
                if is_open_list(bytes(window.data[begin : found.end()])):
                    return self._consume(found.end())
        raise Damaged("no event list", window.offset)

    def _consume(self, end: int) -> bytes:
        window = self._window
        text = bytes(window.data[window.start : end])
        window.start = end
        return text

    def _skip_blanks(self) -> None:
        """Consumes blanks, and the end of a list that comes at once."""
        window = self._window
        while (begin := _end_of(_BLANK, window)) == window.end and window.fill():
            pass
        self._consume(begin)
        if window.data[begin : begin + 1] == b"]":
            self._consume(begin + 1)
            self.closed = True

    def _read_tail(self) -> None:
        window = self._window
        while window.fill():
            pass
        self.tail = self._consume(window.end)

    def _next(self) -> Piece:
        """The next piece, cut somewhere else where the first place turns out to be inside one."""
        window = self._window
        cut = self._cut(PIECE_BYTES)
        piece = self._piece(cut) or self._last_piece(cut or window.end)
        sizes = () if piece or b"\n" in self._separator else _RETRY_BYTES
        for size in sizes:
            piece = piece or self._piece(self._cut(size))
        if piece is None:
            raise Damaged("records that do not parse", window.offset)
        return piece

    def _piece(self, cut: int | None) -> Piece | None:
        """Consumes the records before `cut`; None if they do not parse."""
        if cut is None or (events := self._parsed(cut)) is None:
            return None
        return self._taken(cut, events, cut + len(self._separator) - 2)

    def _last_piece(self, limit: int) -> Piece | None:
        """Consumes the records up to the end of the list; None if that is not before `limit`."""
        window = self._window
        for found in _LIST_END.finditer(window.data, window.start, limit):
            end = found.end() - 1
            if (events := self._parsed(end)) is not None:
                self.closed = True
                return self._taken(end, events, end + 1)
        return None

    def _taken(self, end: int, events: list[Event], rest: int) -> Piece:
        window = self._window
        text = memoryview(window.data)[window.start - 1 : end + 1]
        piece = Piece(window.offset, text, events)
        window.start = rest
        return piece

    def _cut(self, size: int) -> int | None:
        """The place behind the last record of the next `size` bytes, or of the next longer ones.

        None where no separator follows.
        """
        window = self._window
        while True:
            if self._separator:
                limit = min(window.start + size, window.end)
                cut = window.data.rfind(self._separator, window.start, limit)
                if cut < 0:
                    cut = window.data.find(self._separator, window.start, window.end)
                if cut >= 0:
                    return cut + 1
            if self._learn():
                continue
            if window.end - window.start > _LONGEST_PIECE_BYTES or not window.fill():
                return None

    def _learn(self) -> bool:
        """Takes the separator from the file: the first before which one record is complete."""
        window = self._window
        for found in _BETWEEN.finditer(window.data, window.start, window.end):
            end = found.start() + 1
            before = window.data[end]
            if self._parsed(end) is not None:
                window.data[end] = before
                self._separator = found.group()
                return True
        return False

    def _parsed(self, end: int) -> list[Event] | None:
        """The records up to `end`, whose byte becomes the closing bracket; None if they fail."""
        window = self._window
        before = window.data[end]
        window.data[window.start - 1], window.data[end] = _OPEN, _CLOSE
        try:
            return self.decode(memoryview(window.data)[window.start - 1 : end + 1])
        except (msgspec.DecodeError, RecursionError):
            window.data[end] = before
            return None


def _end_of(pattern: re.Pattern[bytes], window: Window) -> int:
    """Where the pattern, which may match nothing, ends at the start of the window."""
    found = pattern.match(window.data, window.start, window.end)
    return found.end() if found else window.start
