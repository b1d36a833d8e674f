"""Every n-th block of an event list: what one of n processes parses when a file is split.

All n inflate the whole text, which costs little, and cut it into the same blocks. A share that
parses proves its own cuts; when all shares parse, all cuts are proved.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from vpstop.read.damage import Damaged
from vpstop.read.parser.cut import PIECE_BYTES, Decode, EventList, Piece

_CUT_BYTES: Final = (PIECE_BYTES, PIECE_BYTES // 8)
_TRIES: Final = 64


class SharedList(EventList):
    """The pieces in the blocks `turn`, `turn + turns`, ... of an event list."""

    def __init__(self, chunks: Iterator[bytes], decode: Decode, turn: int, turns: int) -> None:
        super().__init__(chunks, decode)
        self._turn, self._turns = turn, turns
        self.block = 0
        """The block that is being parsed or skipped."""
        self.last_block = -1
        """The last block with a piece that parses."""

    def pieces(self) -> Iterator[Piece]:
        """The pieces of the own blocks, up to the end of the list if that is in one of them."""
        window = self._window
        while not self.closed:
            window.fill()
            limit = self._block_end()
            if self.block % self._turns == self._turn:
                yield from self._pieces_before(limit)
            elif limit is None:
                return
            else:
                window.start = limit + len(self._separator) - 2
            self.block += 1
        self._read_tail()

    def _pieces_before(self, limit: int | None) -> Iterator[Piece]:
        """The pieces of a block; the last one has no limit but the end of the list."""
        window = self._window
        while not self.closed and (limit is None or window.start < limit):
            piece = self._next() if limit is None else self._next_before(limit)
            self.last_block = self.block
            yield piece

    def _next_before(self, limit: int) -> Piece:
        """As `_next`, within what is in the window: shares read on in step."""
        window = self._window
        for size in _CUT_BYTES:
            cut = self._cut_before(limit, size)
            piece = self._piece(cut) or self._last_piece(cut)
            if piece is not None:
                return piece
        raise Damaged("records that do not parse", window.offset)

    def _cut_before(self, limit: int, size: int) -> int:
        window = self._window
        if limit - window.start <= size:
            return limit
        cut = window.data.rfind(self._separator, window.start, window.start + size)
        if cut < 0:
            cut = window.data.find(self._separator, window.start, limit)
        return limit if cut < 0 else cut + 1

    def _block_end(self) -> int | None:
        """The place behind the last record that the window holds whole; None in the last block."""
        window = self._window
        while not window.finished:
            end = self._last_cut() if self._separator or self._learn() else None
            if end is not None:
                return end
            window.fill()
        return None

    def _last_cut(self) -> int | None:
        """The last separator behind a record; one without a line break may be inside a text."""
        window, separator = self._window, self._separator
        cut = window.data.rfind(separator, window.start, window.end)
        for _ in range(_TRIES):
            if cut < 0:
                return None
            before = window.data.rfind(separator, window.start, cut)
            if b"\n" in separator or self._is_record(before + len(separator) - 1, cut + 1):
                return cut + 1
            cut = before
        return None

    def _is_record(self, begin: int, end: int) -> bool:
        try:
            text = b"[" + self._window.data[begin:end] + b"]"
            return len(self.decode(memoryview(text))) == 1
        except (msgspec.DecodeError, RecursionError):
            return False
