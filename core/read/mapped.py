"""Columns in a file without a name instead of in memory: only what is looked at takes room.

Pages that were looked at stay until somebody gives them back, or the system needs them. So what
walks over whole columns of many captures goes `one_by_one`; for the rest a guard looks at times.
"""

import mmap
import tempfile
import threading
import time
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

_LOOK_S: Final = 0.25
_LEAST_LIMIT_BYTES: Final = 1 << 26
"""Less would be read again and again: a few captures that are on the screen."""
_STATM: Final = Path("/proc/self/statm")


class ColumnStore:
    """Holds columns: in memory up to a limit, from then on in a file."""

    def __init__(self, limit_bytes: int, folders: Sequence[Path]) -> None:
        """The file goes to the first of `folders` that takes it; without one, all is in memory."""
        self._limit_bytes = self._room_bytes = limit_bytes
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
        _guard.add(self._region, max(self._limit_bytes, _LEAST_LIMIT_BYTES))
        return self._region


class _Guard:
    """Knows the mapped regions; a thread of its own gives pages back when there are too many."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._regions: WeakSet[mmap.mmap] = WeakSet()
        self._limit_bytes = 0
        self._is_watching = False

    def add(self, region: mmap.mmap, limit_bytes: int) -> None:
        """From now on the thread watches, until the last region is gone."""
        with self._lock:
            self._regions.add(region)
            self._limit_bytes = limit_bytes
            if not self._is_watching and _STATM.exists():
                self._is_watching = True
                threading.Thread(target=self._watch, name="columns", daemon=True).start()

    def give_back(self) -> None:
        """Drops the pages of all regions from the memory of this process."""
        with self._lock:
            regions = list(self._regions)
        for region in regions:
            region.madvise(mmap.MADV_DONTNEED)

    def _watch(self) -> None:
        libraries_bytes = mapped_bytes()
        while self._has_regions():
            if mapped_bytes() - libraries_bytes > self._limit_bytes:
                self.give_back()
            time.sleep(_LOOK_S)

    def _has_regions(self) -> bool:
        with self._lock:
            self._is_watching = bool(self._regions)
            return self._is_watching


_guard: Final = _Guard()


def mapped_bytes() -> int:
    """What files that are mapped take of the memory of this process; libraries are files too."""
    return int(_STATM.read_text().split()[2]) * mmap.PAGESIZE


def give_back() -> None:
    """Returns the memory of all mapped columns to the system; they stay readable."""
    _guard.give_back()


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
