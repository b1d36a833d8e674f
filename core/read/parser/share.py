"""Every n-th block of an event list: what one of n processes parses when a file is split.

All n inflate the whole text, which costs little, and cut it into the same blocks. A share that
parses proves its own cuts; when all shares parse, all cuts are proved.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from vpstop.read.damage import Damaged
from vpstop.read.parser.cut import DEFAULT_SIZES, Decode, EventList, Piece, Sizes

_TRIES: Final = 64
_TRIES_OF_RECORD: Final = 8


class SharedList(EventList):
    """The pieces in the blocks `turn`, `turn + turns`, ... of an event list."""

    def __init__(
        self,
        chunks: Iterator[bytes],
        decode: Decode,
        turn: int,
        turns: int,
        sizes: Sizes = DEFAULT_SIZES,
    ) -> None:
        super().__init__(chunks, decode, sizes)
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
        usual = window.start + self._sizes.piece
        cut = self._cut_before(usual) if usual < limit else None
        piece = self._piece(limit if cut is None else cut) or self._last_piece()
        if piece is None and not self._is_certain():
            piece = self._piece_elsewhere()
        if piece is None:
            raise Damaged("records that do not parse", window.offset)
        return piece

    def _block_end(self) -> int | None:
        """The place behind the last record that the window holds whole; None in the last block."""
        window = self._window
        if not (window.finished or self._separator or self._learn()):
            raise Damaged("a record longer than a block", window.offset)
        if window.finished:
            return None
        for cut in islice(self._separators_before(window.end), _TRIES):
            if self._is_certain() or self._is_behind_record(cut):
                return cut + 1
        raise Damaged("no end of a record in a block", window.offset)

    def _is_behind_record(self, cut: int) -> bool:
        """Whether a record ends here and begins at one of the separators before."""
        return any(
            self._is_record(before + len(self._separator) - 1, cut + 1)
            for before in islice(self._separators_before(cut), _TRIES_OF_RECORD)
        )

    def _separators_before(self, limit: int) -> Iterator[int]:
        """Places of separators in the window, from the last one on."""
        window = self._window
        cut = window.data.rfind(self._separator, window.start, limit)
        while cut >= 0:
            yield cut
            cut = window.data.rfind(self._separator, window.start, cut)
