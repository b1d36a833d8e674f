"""Every n-th block of an event list: what one of n processes parses when a file is split.

All n inflate the whole text, which costs little, and cut it into the same blocks. A share that
parses proves its own cuts; when all shares parse, all cuts are proved.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from vpstop.read.damage import Damaged
from vpstop.read.parser.cut import DEFAULT_SIZES, Decode, EventList, Piece, Sizes
from vpstop.read.parser.events import Event
from vpstop.read.resync import Recovered

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
                if limit is None:
                    break
            elif limit is None:
                return
            else:
                window.start = limit + len(self._separator) - 2
            self.block += 1
        self._finish()

    def _pieces_before(self, limit: int | None) -> Iterator[Piece]:
        """The pieces of a block; the last one has no limit but the end of the list."""
        window = self._window
        while not self.closed and window.start < (window.end if limit is None else limit):
            piece = self._next() if limit is None else self._next_before(limit)
            self.last_block = self.block
            yield piece

    def _next_before(self, limit: int) -> Piece:
        """As `_next`, within what is in the window: shares read on in step."""
        window = self._window
        usual = window.start + self._sizes.piece
        cut = self._cut_before(usual) if usual < limit else None
        end = limit if cut is None else cut
        piece = self._piece(end) or self._last_piece()
        if piece is None:
            piece = None if self._is_certain() else self._piece_elsewhere()
        return piece or self._recovered(end)

    def _recovered(self, limit: int | None = None) -> Piece:
        """Only where a share cannot have begun inside a text."""
        if not self._is_certain():
            raise Damaged("records that do not parse", self._window.offset)
        return super()._recovered(limit)

    def _taken_damaged(self, end: int, found: Recovered[Event], limit: int | None) -> Piece:
        """Nothing at all in a stretch may mean that the list has ended in another share."""
        if not found.records and found.open_at is None:
            raise Damaged("no record in a stretch", self._window.offset)
        return super()._taken_damaged(end, found, limit)

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
