"""Which slice encloses which, and where a slice effectively ends (trace-format 16, rules 8 and 9).

A thread works like a stack: what begins while a slice runs is its callee, and ends with it at the
latest, whatever the file says. A stream works like a queue: a slice ends when the next one begins.
"""

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


def nest(
    start_ns: Int64, duration_ns: Int64, lane: Int32, is_stream: Bool, trusted: Bool
) -> Nesting:
    """Depth, parent row and effective duration of slices sorted by (lane, start, -duration).

    `is_stream` tells of each lane whether it is a queue. Of slices with equal start and duration
    the first is the outer one. Slices that are not trusted stand alone: they enclose and cut none.
    """
    depth = np.zeros(len(start_ns), np.int32)
    parent = np.full(len(start_ns), -1, np.int32)
    end_ns = start_ns + duration_ns
    for number, rows in enumerate(_lanes(lane, trusted)):
        if len(rows) > 1 and is_stream[number]:
            end_ns[rows[:-1]] = np.minimum(end_ns[rows[:-1]], start_ns[rows[1:]])
        elif len(rows) > 1:
            _nest_thread(rows, start_ns, end_ns, depth, parent)
    effective_ns = end_ns - start_ns
    is_cut = not np.array_equal(effective_ns, duration_ns)
    return Nesting(depth, parent, effective_ns if is_cut else duration_ns)


def _lanes(lane: Int32, trusted: Bool) -> list[Int64]:
    """Rows of the trusted slices of each lane up to the last one that has any."""
    rows = np.flatnonzero(trusted)
    count = int(lane[-1]) + 1 if len(lane) else 0
    return np.split(rows, np.searchsorted(lane[rows], np.arange(1, count)))


def _nest_thread(rows: Int64, start_ns: Int64, end_ns: Int64, depth: Int32, parent: Int32) -> None:
    """Peel the slices of a thread level by level; writes `end_ns`, `depth` and `parent`."""
    level = 0
    start, end = start_ns[rows], end_ns[rows]
    while True:
        caller = _callers(start, end)
        inner = np.flatnonzero(caller != np.arange(len(caller)))
        if not len(inner):
            return
        level += 1
        parent[rows[inner]] = rows[caller[inner]]
        depth[rows[inner]] = level
        end = np.minimum(end[inner], end[caller[inner]])
        rows, start = rows[inner], start[inner]
        end_ns[rows] = end


def _callers(start: Int64, end: Int64) -> Int64:
    """For each slice the outermost slice that runs when it starts: itself for an outermost one."""
    running_until = np.maximum.accumulate(end)
    is_outer = np.ones(len(start), np.bool_)
    is_outer[1:] = running_until[:-1] <= start[1:]
    caller = np.maximum.accumulate(np.where(is_outer, np.arange(len(start)), 0))
    if np.any(start >= end[caller], where=~is_outer):
        is_outer = _chain(start, end)
        caller = np.maximum.accumulate(np.where(is_outer, np.arange(len(start)), 0))
    return caller


def _chain(start: Int64, end: Int64) -> Bool:
    """The slices met when one goes from the first to the first that starts after it ends, and on.

    Doubles the length of the jumps, as a loop over slices would be slow.
    """
    count = len(start)
    jump = np.append(np.maximum(np.searchsorted(start, end), np.arange(1, count + 1)), count)
    met = np.zeros(count + 1, np.bool_)
    met[0] = True
    while jump[0] < count:
        met[jump[met]] = True
        jump = jump[jump]
    return met[:-1]
