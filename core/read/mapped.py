"""Columns in a file without a name instead of in memory: only what is looked at takes room.

The pages of mapped columns that were looked at stay until somebody gives them back, or the system
needs them. So whatever walks over whole columns of many captures goes `one_by_one`.
"""

import mmap
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Final, TypeVar
from weakref import WeakSet

import numpy as np

from vpstop.read.packing import Array

Item = TypeVar("Item")

_SMALLEST_BYTES: Final = 1 << 16
"""Shorter columns stay in memory."""
_REGION_BYTES: Final = 1 << 28
"""Mapped at once: every mapping holds a file descriptor."""
_ALIGNMENT: Final = 64

_regions: Final[WeakSet[mmap.mmap]] = WeakSet()
_regions_lock: Final = threading.Lock()


class ColumnStore:
    """Holds columns: in memory up to a limit, from then on in a file."""

    def __init__(self, limit_bytes: int, folders: Sequence[Path]) -> None:
        """The file goes to the first of `folders` that takes it; without one, all is in memory."""
        self._room_bytes = limit_bytes
        self._folders = folders
        self._file: FileIO | None = None
        self._region: mmap.mmap | None = None
        self._region_start = 0
        self._region_used = 0

    def keep(self, column: Array) -> Array:
        """The same column, at a place that lasts; not to be written to."""
        if column.nbytes < _SMALLEST_BYTES or column.nbytes <= self._room_bytes:
            self._room_bytes -= column.nbytes
            return column
        try:
            return self._mapped(column)
        except OSError:  # the disk is full: better too much memory than no trace
            return column

    def _mapped(self, column: Array) -> Array:
        if self._file is None:
            self._file = _nameless_file(self._folders)
        region, used = self._region, self._region_used
        if region is None or used + column.nbytes > len(region):
            region, used = self._next_region(self._file, column.nbytes), 0
        self._file.seek(self._region_start + used)
        _write(self._file, column)
        self._region_used = used + column.nbytes + -column.nbytes % _ALIGNMENT
        return np.frombuffer(region, column.dtype, column.size, used).reshape(column.shape)

    def _next_region(self, file: FileIO, least_bytes: int) -> mmap.mmap:
        """A mapped part of the file behind all others, which takes no room on the disk as yet."""
        size = max(_REGION_BYTES, least_bytes + -least_bytes % mmap.ALLOCATIONGRANULARITY)
        self._region_start = file.seek(0, 2)
        file.truncate(self._region_start + size)
        self._region = mmap.mmap(
            file.fileno(), size, prot=mmap.PROT_READ, offset=self._region_start
        )
        with _regions_lock:
            _regions.add(self._region)
        return self._region


def give_back() -> None:
    """Returns the memory of all mapped columns to the system; they stay readable."""
    with _regions_lock:
        regions = list(_regions)
    for region in regions:
        region.madvise(mmap.MADV_DONTNEED)


def one_by_one(items: Iterable[Item]) -> Iterator[Item]:
    """The items; what was mapped for one is given back before the next."""
    for item in items:
        yield item
        give_back()


def _nameless_file(folders: Sequence[Path]) -> FileIO:
    for folder in folders:
        with suppress(OSError):
            return tempfile.TemporaryFile(buffering=0, dir=folder)
    raise OSError("no folder takes a file")


def _write(file: FileIO, column: Array) -> None:
    data = np.ascontiguousarray(column).reshape(-1).view(np.uint8).data
    while data:
        data = data[file.write(data) :]
