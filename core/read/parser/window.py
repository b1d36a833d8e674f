"""A reused buffer over the text of a file: what is decoded in place is never copied."""

from collections.abc import Iterator

from vpstop.read.damage import Damaged
from vpstop.read.inflate import CHUNK_BYTES


class Window:
    """The text as `data[start:end]`, as far as it was read and not yet consumed.

    A byte before `start` may be overwritten, for an opening bracket.
    """

    def __init__(self, chunks: Iterator[bytes], size: int) -> None:
        self._chunks = chunks
        self._size = size
        self._base = -1
        self.data = bytearray(size + CHUNK_BYTES)
        self.start = self.end = 1
        self.finished = False
        """Whether nothing follows `end`."""
        self.flaw: Damaged | None = None
        """Why nothing follows, where the file is not read to its end."""

    @property
    def offset(self) -> int:
        """Place of `start` in the text."""
        return self._base + self.start

    def fill(self) -> bool:
        """Moves the text to the front and reads on; False where nothing follows.

        What is not yet consumed doubles at least, or the window gets its full size.
        """
        unread = self.end - self.start
        target = max(self._size, 2 * unread)
        data = self.data
        if target + CHUNK_BYTES > len(data):
            self.data = bytearray(target + CHUNK_BYTES)
        self.data[1 : 1 + unread] = data[self.start : self.end]
        self._base += self.start - 1
        self.start, self.end = 1, 1 + unread
        while self.end - self.start < target:
            chunk = self._next_chunk()
            if chunk is None:
                self.finished = True
                break
            self.data[self.end : self.end + len(chunk)] = chunk
            self.end += len(chunk)
        return self.end - self.start > unread

    def _next_chunk(self) -> bytes | None:
        try:
            return next(self._chunks, None)
        except Damaged as flaw:
            self.flaw = flaw
            return None

    def consume(self, end: int) -> bytes:
        """The text up to `end`, which is the new start."""
        text = bytes(self.data[self.start : end])
        self.start = end
        return text
