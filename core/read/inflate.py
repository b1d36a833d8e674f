"""The text of a trace file in chunks, plain or gzip, decided by content and never by suffix.

Gzip is driven through the decompression object: unlike a file object it bounds every output, takes
several members and padding, and loses nothing of what stands before a cut.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from isal import isal_zlib

from vpstop.read.capture import WarningKind
from vpstop.read.damage import Damaged

GZIP_MAGIC: Final = b"\x1f\x8b"
CHUNK_BYTES: Final = 1 << 17
"""No chunk is longer: allocations of this size are reused, larger ones are mapped anew each time,
which takes as long as the inflating."""

_INPUT_BYTES: Final = 1 << 14
_GZIP_WINDOW: Final = 31
_REPORTS: Final = 200

_BROKEN: Final[type[Exception]] = isal_zlib.error  # type: ignore[assignment]  # a class indeed

Progress = Callable[[int], None]


def chunks(path: Path, progress: Progress | None = None) -> Iterator[bytes]:
    """The text of a file, no chunk empty; `progress` gets the bytes of the file consumed so far.

    Raises `OSError`, and `Damaged` where a gzip stream is broken or cut.
    """
    with path.open("rb") as file:
        compressed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        file.seek(0)
        text = _inflate(file) if compressed else _plain(file)
        yield from text if progress is None else _reporting(text, file, progress)


def _reporting(text: Iterator[bytes], file: BinaryIO, progress: Progress) -> Iterator[bytes]:
    step = max(file.seek(0, 2) // _REPORTS, _INPUT_BYTES)
    file.seek(0)
    reported = 0
    for chunk in text:
        yield chunk
        consumed = file.tell()
        if consumed - reported >= step:
            progress(consumed)
            reported = consumed
    progress(file.tell())


def _plain(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(CHUNK_BYTES):
        yield chunk


def _inflate(file: BinaryIO) -> Iterator[bytes]:
    member, produced, is_surplus = None, 0, False
    data = file.read(_INPUT_BYTES)
    while data:
        if member is None:
            data = data.lstrip(b"\0")
            member = isal_zlib.decompressobj(_GZIP_WINDOW) if data else None
            is_surplus = produced > 0
        if member is not None:
            try:
                text = member.decompress(data, CHUNK_BYTES)
            except _BROKEN as error:
                raise Damaged(f"gzip: {error}", produced, _kind(is_surplus)) from error
            produced += len(text)
            if text:
                is_surplus = False
                yield text
            data = member.unused_data if member.eof else member.unconsumed_tail
            member = None if member.eof else member
        data = data or file.read(_INPUT_BYTES)
    if member is not None:
        raise Damaged("the gzip stream is cut", produced, _kind(is_surplus))


def _kind(is_surplus: bool) -> WarningKind:
    """What to call an end that is none: of a member that gave no text, behind one that did, not."""
    return "trailing_data" if is_surplus else "truncated"
