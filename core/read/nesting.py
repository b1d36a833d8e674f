"""Which slice encloses which, and where a slice effectively ends (trace-format 16, rules 8 and 9).

A thread works like a stack: what begins while a slice runs is its callee, and ends with it at the
latest, whatever the file says. A stream works like a queue: a slice ends when the next one begins.
"""

from array import array
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
Bool = npt.NDArray[np.bool_]


class Nesting(NamedTuple):
    """Columns of shape (n,). `effective_ns` is the given duration array where nothing was cut."""

    depth: Int32
    parent: Int32
    effective_ns: Int64


class Thread(NamedTuple):
    """Slices of one thread, columns of shape (n,) sorted by (start, -duration).

    `is_frame` marks Python frames. `outlives` marks ranges that begin inside the frames that enter
    them: such a range ends the frames around it where it begins, instead of ending with them.
    """

    start_ns: Int64
    end_ns: Int64
    is_frame: Bool
    outlives: Bool


def nest(
    start_ns: Int64,
    duration_ns: Int64,
    lane: Int32,
    is_stream: Bool,
    trusted: Bool,
    is_frame: Bool,
    outlives: Bool,
) -> Nesting:
    """Depth, parent row and effective duration of slices sorted by (lane, start, -duration).

    `is_stream` tells of each lane whether it is a queue. Of slices with equal start and duration
    the first is the outer one. Slices that are not trusted stand alone: they enclose and cut none.
    """
    depth = np.zeros(len(start_ns), np.int32)
    parent = np.full(len(start_ns), -1, np.int32)
    end_ns = start_ns + duration_ns
    trusted_rows = np.flatnonzero(trusted)
    first = np.searchsorted(lane[trusted_rows], np.arange(1, len(is_stream), dtype=np.int32))
    for rows, is_queue in zip(np.split(trusted_rows, first), is_stream, strict=False):
        if is_queue:
            end_ns[rows[:-1]] = np.minimum(end_ns[rows[:-1]], start_ns[rows[1:]])
        elif len(rows) > 1:
            thread = Thread(start_ns[rows], end_ns[rows], is_frame[rows], outlives[rows])
            depth[rows], inside, end_ns[rows] = nest_thread(thread)
            parent[rows] = np.where(inside < 0, -1, rows[inside])
    effective_ns = end_ns - start_ns
    is_cut = not np.array_equal(effective_ns, duration_ns)
    return Nesting(depth, parent, effective_ns if is_cut else duration_ns)


def nest_thread(thread: Thread) -> tuple[Int32, Int32, Int64]:
    """Depth, parent and effective end of the slices of one thread."""
    depth = _open_slices(thread.start_ns, thread.end_ns)
    parent = _parents(depth)
    crosses = (parent >= 0) & (thread.end_ns > thread.end_ns[parent])
    if crosses.any():
        return _run_stack(thread)
    return depth, parent, thread.end_ns


def _open_slices(start_ns: Int64, end_ns: Int64) -> Int32:
    """Number of earlier slices that have not ended at the start of each slice."""
    is_empty = start_ns == end_ns
    ended = np.searchsorted(np.sort(end_ns[~is_empty]), start_ns, "right")
    earlier_empty = np.cumsum(is_empty) - is_empty
    still: Int64 = np.arange(len(start_ns)) - ended - earlier_empty
    return still.astype(np.int32)


def _parents(depth: Int32) -> Int32:
    """The last earlier slice that is one level less deep, -1 for the outermost.

    Right where no slices cross.
    """
    count = len(depth)
    narrow = np.uint16 if depth.max() < 1 << 16 else np.int32
    order = np.argsort(depth.astype(narrow), kind="stable")
    place = depth[order].astype(np.int64) * count + order
    above = order[np.searchsorted(place, place - count) - 1]
    parent = np.empty(count, np.int32)
    parent[order] = np.where(depth[order] > 0, above, -1)
    return parent


def _run_stack(thread: Thread) -> tuple[Int32, Int32, Int64]:
    """What `nest_thread` gives, for slices that cross.

    One slice after the other: what encloses a slice depends on where those before it were cut.
    """
    depth, parent = array("i"), array("i")
    end_ns = thread.end_ns.copy()
    running: list[int] = []
    ends: list[int] = []
    # Going over `data` makes one Python number at a time; a list of them is four times the column.
    columns = zip(thread.start_ns.data, thread.end_ns.data, thread.outlives.data, strict=True)
    for row, (start, end, outlives) in enumerate(columns):
        while ends and ends[-1] <= start:
            ends.pop()
            running.pop()
        while outlives and ends and ends[-1] < end and thread.is_frame[running[-1]]:
            ends.pop()
            end_ns[running.pop()] = start
        if ends and end > ends[-1]:
            end = end_ns[row] = ends[-1]
        depth.append(len(running))
        parent.append(running[-1] if running else -1)
        running.append(row)
        ends.append(end)
    return np.frombuffer(depth, np.int32), np.frombuffer(parent, np.int32), end_ns
