"""The kernel table: what the devices of a capture, or of several, spent their time in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from vpstop.measure.device import communication_kernels, gpu_work
from vpstop.measure.window import Window, times_within
from vpstop.read.capture import Capture
from vpstop.read.categories import CODE
from vpstop.read.mapped import one_by_one

Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class KernelTable:
    """Columns of shape (rows,), one row for a kernel name, sorted by name.

    A launch counts in the window in which it starts; times are those parts that lie in the window.
    On one stream a kernel ends when the next work starts, so that totals can be summed. Percentiles
    are those of single launches (nearest rank).
    """

    names: tuple[str, ...]
    calls: Int64
    total_ns: Int64
    recorded_ns: Int64
    """Sum of whole durations as the file says them: more than the total where kernels of one stream
    overlap, as dependent launches do on current GPUs. What other tools call total."""
    p50_ns: Int64
    p99_ns: Int64
    is_communication: Bool
    work_ns: int
    """Summed time of all device work, with copies and memsets: what `share` refers to."""

    def __len__(self) -> int:
        return len(self.names)

    @property
    def mean_ns(self) -> npt.NDArray[np.float64]:
        return self.total_ns / np.maximum(self.calls, 1)

    @property
    def share(self) -> npt.NDArray[np.float64]:
        """Part of all device work, 0 to 1."""
        return self.total_ns / max(self.work_ns, 1)


def kernel_table(captures: Sequence[Capture], window: Window | None = None) -> KernelTable:
    """One table of the kernels of all `captures`."""
    parts = [_launches(capture, window) for capture in one_by_one(captures)]
    names = sorted({name for part in parts for name in part.names})
    place = {name: row for row, name in enumerate(names)}
    rows = [np.array([place[name] for name in part.names], np.int64)[part.name] for part in parts]
    row = _joined(rows, np.int64)
    duration_ns = _joined([part.duration_ns for part in parts], np.int64)
    begun = _joined([part.begun for part in parts], np.bool_)
    communicates = _joined([part.communicates for part in parts], np.bool_)
    recorded_ns = _joined([part.recorded_ns for part in parts], np.int64)
    p50_ns, p99_ns = _percentiles(row, duration_ns, len(names), (50, 99))
    return KernelTable(
        names=tuple(names),
        calls=np.bincount(row[begun], minlength=len(names)),
        total_ns=_sums(row, duration_ns, len(names)),
        recorded_ns=_sums(row, recorded_ns, len(names)),
        p50_ns=p50_ns,
        p99_ns=p99_ns,
        is_communication=np.bincount(row[communicates], minlength=len(names)) > 0,
        work_ns=sum(part.work_ns for part in parts),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Launches:
    """The kernels of one capture, columns of shape (n,); `name` is a row of `names`."""

    names: tuple[str, ...]
    name: Int64
    duration_ns: Int64
    recorded_ns: Int64
    begun: Bool
    communicates: Bool
    work_ns: int


def _launches(capture: Capture, window: Window | None) -> _Launches:
    slices = capture.slices
    start_ns, end_ns = times_within(capture, window)
    work = gpu_work(capture)
    rows = np.flatnonzero(work & (slices.category == CODE["kernel"]))
    if window is not None:
        rows = rows[(end_ns > start_ns)[rows] | window.has(slices.start_ns[rows])]
    codes, name = np.unique(slices.name[rows], return_inverse=True)
    return _Launches(
        names=tuple(capture.names[code] for code in codes),
        name=name,
        duration_ns=(end_ns - start_ns)[rows],
        recorded_ns=slices.duration_ns[rows],
        begun=np.ones(len(rows), np.bool_) if window is None else window.has(slices.start_ns[rows]),
        communicates=communication_kernels(capture)[rows],
        work_ns=int((end_ns - start_ns)[work].sum()),
    )


def _joined(columns: Sequence[npt.NDArray[Any]], dtype: type[np.generic]) -> npt.NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *columns])


def _sums(row: Int64, values: Int64, count: int) -> Int64:
    sums = np.zeros(count, np.int64)
    np.add.at(sums, row, values)
    return sums


def _percentiles(
    row: Int64, values: Int64, count: int, percents: Sequence[int]
) -> tuple[Int64, ...]:
    """For each row number the values at these percents of its sorted values, by nearest rank."""
    ordered = values[np.lexsort((values, row))]
    calls = np.bincount(row, minlength=count)
    first = np.cumsum(calls) - calls
    return tuple(ordered[first + (calls * percent + 99) // 100 - 1] for percent in percents)
