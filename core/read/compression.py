"""Plain, gzip or zstd bytes as text, decided by content and never by a name.

Both are driven through decompression objects: unlike file objects they bound every output, take
several members and padding, and lose nothing of what stands before a cut.
"""

from collections.abc import Callable, Iterator
from typing import Final, Protocol

import zstandard
from isal import isal_zlib

from vpstop.read.capture import WarningKind
from vpstop.read.damage import Damaged

GZIP_MAGIC: Final = b"\x1f\x8b"
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
CHUNK_BYTES: Final = 1 << 17
"""No chunk is longer: allocations of this size are reused, larger ones are mapped anew each time,
which takes as long as the inflating."""

_LARGEST_RATIO: Final = 100
"""Traces compress 14 to 30 times. What is beyond, and beyond `_ALWAYS_READ_BYTES`, is a bomb."""
_ALWAYS_READ_BYTES: Final = 64 << 20

_INPUT_BYTES: Final = 1 << 14
_GZIP_WINDOW: Final = 31
_ZSTD_WINDOW_BYTES: Final = 1 << 27
"""What `zstd` itself takes without `--long=31`."""
_ZSTD_INPUT_BYTES: Final = 1 << 10
"""Four bytes can stand for 128 KB: so much input is 32 MB at most."""

_GZIP_ERROR: Final[type[Exception]] = isal_zlib.error  # type: ignore[assignment]  # a class indeed
_BROKEN: Final = (_GZIP_ERROR, zstandard.ZstdError)

Read = Callable[[int], bytes]


class _Member(Protocol):
    """A part of a stream that stands for itself."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    @property
    def unconsumed_tail(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def decompressed(read: Read, stored_bytes: int) -> Iterator[bytes]:
    """The text of what `read` gives, no chunk empty.

    Raises `Damaged` where a stream is broken or cut, or the text is longer than any text is that
    takes `stored_bytes` on the disk.
    """
    head = read(_INPUT_BYTES)
    if head.startswith(GZIP_MAGIC):
        text = _members(head, read, "gzip", _gzip_member)
    elif head.startswith(ZSTD_MAGIC):
        text = _members(head, read, "zstd", _ZstdFrame)
    else:
        text = _plain(head, read)
    return _bounded(text, max(_ALWAYS_READ_BYTES, _LARGEST_RATIO * stored_bytes))


def _bounded(text: Iterator[bytes], limit_bytes: int) -> Iterator[bytes]:
    produced = 0
    for chunk in text:
        produced += len(chunk)
        if produced > limit_bytes:
            raise Damaged(
                f"the text goes on beyond {_LARGEST_RATIO} times what it takes on the disk",
                limit_bytes,
                "truncated",
            )
        yield chunk


def _plain(head: bytes, read: Read) -> Iterator[bytes]:
    chunk = head
    while chunk:
        yield chunk
        chunk = read(CHUNK_BYTES)


def _members(
    head: bytes, read: Read, name: str, new_member: Callable[[], _Member]
) -> Iterator[bytes]:
    member: _Member | None = None
    produced, is_surplus, data = 0, False, head
    while data:
        if member is None:
            data = data.lstrip(b"\0")
            member = new_member() if data else None
            is_surplus = produced > 0
        if member is not None:
            try:
                text = member.decompress(data, CHUNK_BYTES)
            except _BROKEN as error:
                raise Damaged(f"{name}: {error}", produced, _kind(is_surplus)) from error
            produced += len(text)
            if text:
                is_surplus = False
                yield from _short(text)
            data = member.unused_data if member.eof else member.unconsumed_tail
            member = None if member.eof else member
        data = data or read(_INPUT_BYTES)
    if member is not None:
        raise Damaged(f"the {name} stream is cut", produced, _kind(is_surplus))


def _short(text: bytes) -> Iterator[bytes]:
    if len(text) <= CHUNK_BYTES:
        yield text
        return
    for start in range(0, len(text), CHUNK_BYTES):
        yield text[start : start + CHUNK_BYTES]


def _kind(is_surplus: bool) -> WarningKind:
    """What to call an end that is none: of a member that gave no text, behind one that did, not."""
    return "trailing_data" if is_surplus else "truncated"


def _gzip_member() -> _Member:
    return isal_zlib.decompressobj(_GZIP_WINDOW)


class _ZstdFrame:
    """A frame; its outputs are bounded by short inputs."""

    def __init__(self) -> None:
        decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_BYTES)
        self._frame = decompressor.decompressobj()
        self.unconsumed_tail = b""

    @property
    def eof(self) -> bool:
        return self._frame.eof

    @property
    def unused_data(self) -> bytes:
        return self._frame.unused_data + self.unconsumed_tail

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        self.unconsumed_tail = data[_ZSTD_INPUT_BYTES:]
        return self._frame.decompress(data[:_ZSTD_INPUT_BYTES])
