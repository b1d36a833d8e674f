"""The text of a trace file in chunks, wherever the file lies and however it is compressed."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from vpstop.read.archive import Opened
from vpstop.read.compression import CHUNK_BYTES, decompressed
from vpstop.read.source import opened

__all__ = ["CHUNK_BYTES", "Progress", "chunks"]

_REPORTS: Final = 200
_LEAST_STEP_BYTES: Final = 1 << 14

Progress = Callable[[int], None]


def chunks(path: Path, progress: Progress | None = None) -> Iterator[bytes]:
    """The text of a file, no chunk empty; `progress` gets the bytes of the file consumed so far.

    Raises `OSError`, and `Damaged` where a compressed stream is broken or cut, or no end of a bomb.
    """
    with opened(path) as file:
        if progress is None:
            yield from decompressed(file.read, file.stored_bytes)
        else:
            yield from _reporting(file, progress)


def _reporting(file: Opened, progress: Progress) -> Iterator[bytes]:
    step = max(file.bytes // _REPORTS, _LEAST_STEP_BYTES)
    consumed = reported = 0

    def read(size: int) -> bytes:
        nonlocal consumed
        data = file.read(size)
        consumed += len(data)
        return data

    for chunk in decompressed(read, file.stored_bytes):
        yield chunk
        if consumed - reported >= step:
            progress(consumed)
            reported = consumed
    progress(consumed)
