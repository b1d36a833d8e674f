"""What the rows of a timeline show: the slices of one depth, or the innermost at every moment."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from vpstop.read.capture import Slices
from vpstop.read.coverage import INNERMOST, MAX_DEPTHS, Coverage, Row, cover, stack

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]


class Segments(NamedTuple):
    """Disjoint intervals in time order, columns of shape (n,)."""

    start_ns: Int64
    end_ns: Int64
    slice: Int32
    """Row of the slice that is the innermost one in this interval."""


def lane_rows(slices: Slices, lane: int) -> slice:
    """The rows of a lane."""
    first, last = np.searchsorted(slices.lane, np.array([lane, lane + 1], np.int32))
    return slice(int(first), int(last))


def window_rows(slices: Slices, lane: int, start_ns: int, end_ns: int) -> slice:
    """The rows of a lane that `innermost` needs to be exact from `start_ns` to `end_ns`.

    They begin with the last slice that starts at `start_ns` or before, if there is one.
    """
    rows = lane_rows(slices, lane)
    starts = slices.start_ns[rows]
    first = rows.start + int(np.searchsorted(starts, start_ns, "right")) - 1
    last = rows.start + int(np.searchsorted(starts, end_ns))
    while first >= rows.start and not slices.trusted[first]:
        first -= 1
    first = max(first, rows.start)
    return slice(first, max(first, last))


def innermost(slices: Slices, rows: slice) -> Segments:
    """The innermost slice at every moment from the start of the first of `rows` on.

    `rows` are neighbours of one lane. Slices around them are taken into account, those behind them
    are not: what runs on after the last of `rows` is shown to its end. Untrusted slices are left
    out.
    """
    inside = np.arange(rows.start, rows.stop)[slices.trusted[rows]]
    if not len(inside):
        return Segments(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int32))
    chain = np.concatenate([_ancestors(slices.parent, inside[0]), inside])
    starts, owner = _boundaries(slices, chain)
    ends = np.append(starts[1:], starts[-1:])
    kept = (owner >= 0) & (starts < ends) & (ends > slices.start_ns[inside[0]])
    return Segments(starts[kept], ends[kept], owner[kept])


def _ancestors(parent: Int32, row: int) -> Int64:
    """Rows of the slices around `row`, outermost first."""
    found = []
    while (row := int(parent[row])) >= 0:
        found.append(row)
    return np.array(found[::-1], np.int64)


def _boundaries(slices: Slices, rows: Int64) -> tuple[Int64, Int32]:
    """The moments at which the innermost slice changes, in order, and the slice from then on.

    -1 is no slice. Every slice begins once and ends once; those that end between two neighbours are
    the first of them and its ancestors down to the depth of the second.
    """
    depth = slices.depth[rows]
    ending = depth - np.append(depth[1:], 0) + 1
    place = np.arange(len(rows)) + np.cumsum(ending) - ending
    moments = np.empty(2 * len(rows), np.int64)
    owner = np.empty(2 * len(rows), np.int32)
    moments[place], owner[place] = slices.start_ns[rows], rows
    while len(rows):
        open_ = ending > 0
        rows, place, ending = rows[open_], place[open_] + 1, ending[open_] - 1
        moments[place] = slices.start_ns[rows] + slices.effective_ns[rows]
        rows = slices.parent[rows].astype(np.int64)
        owner[place] = rows
    return moments, owner


def coverage_of(slices: Slices) -> Coverage:
    """The coverage of all lanes, without slices whose time is not trusted."""
    lanes = int(slices.lane[-1]) + 1 if len(slices) else 0
    return stack([row for lane in range(lanes) for row in _lane_coverage(slices, lane)])


def _lane_coverage(slices: Slices, lane: int) -> list[Row]:
    rows = lane_rows(slices, lane)
    shown = np.arange(rows.start, rows.stop)[slices.trusted[rows]]
    depth = slices.depth[shown]
    deepest = int(depth.max(initial=-1))
    found = []
    if deepest > 0:
        starts, ends, owner = innermost(slices, rows)
        found.append(cover(lane, INNERMOST, starts, ends, slices.activity[owner]))
    for level in range(min(deepest + 1, MAX_DEPTHS)):
        at = shown[depth == level]
        starts = slices.start_ns[at]
        ends = starts + slices.effective_ns[at]
        found.append(cover(lane, level, starts, ends, slices.activity[at]))
    return found
