"""Busy time per activity along each row of a timeline: a frame costs the same for any trace.

A row is one depth of a lane, or the lane's innermost view (what runs, ignoring what encloses it).
For each row, the busy time of every activity from the row's start up to each bucket edge is kept as
a running sum: the busy time of any span of buckets is the difference of two lines. One level of
sums so does what a pyramid of 2^k buckets does with log2(n) levels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from vpstop.read.activity import Activity

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
UInt8 = npt.NDArray[np.uint8]

INNERMOST = -1
"""Depth of a row that shows the innermost slice at every moment."""

MAX_DEPTHS: Final = 16
"""Deeper slices have no row of their own; the innermost row shows them."""

_SLICES_PER_BUCKET: Final = 8
_MAX_BUCKETS: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Coverage:
    """Rows of all lanes, columns of shape (rows,), sorted by lane, then depth.

    `sums` is (lines, activities), int64 ns. Row r owns the lines `offset[r]:offset[r + 1]`; line k
    of a row is the busy time of each activity between `first_ns[r]` and `first_ns[r] + k *
    bucket_ns[r]`.
    """

    lane: Int32
    depth: Int32
    first_ns: Int64
    bucket_ns: Int64
    offset: Int64
    """Shape (rows + 1,)."""
    sums: Int64

    def __len__(self) -> int:
        return len(self.lane)


class Row(NamedTuple):
    """One row of a `Coverage`; `sums` is (lines, activities)."""

    lane: int
    depth: int
    first_ns: int
    bucket_ns: int
    sums: Int64


def cover(lane: int, depth: int, start_ns: Int64, end_ns: Int64, activity: UInt8) -> Row:
    """Running sums of disjoint intervals in time order, exact at every bucket edge.

    A bucket is a power of two of ns that holds about eight intervals. There must be one at least.
    """
    first_ns = int(start_ns[0])
    span_ns = max(1, int(end_ns[-1]) - first_ns)
    buckets = min(max(1, len(start_ns) // _SLICES_PER_BUCKET), _MAX_BUCKETS)
    shift = (-(-span_ns // buckets) - 1).bit_length()
    lines = ((span_ns - 1) >> shift) + 2
    sums = np.zeros((lines, len(Activity)), np.int64)
    # An empty interval may begin where the last bucket ends.
    bucket = np.minimum((start_ns - first_ns) >> shift, lines - 2)
    np.add.at(sums, (bucket + 1, activity), end_ns - start_ns)
    np.cumsum(sums, axis=0, out=sums)
    # Of the intervals that start before an edge only the last can run beyond it.
    last = np.cumsum(np.bincount(bucket, minlength=lines - 1)) - 1
    edges_ns = first_ns + (np.arange(1, lines) << shift)
    sums[np.arange(1, lines), activity[last]] -= np.maximum(end_ns[last] - edges_ns, 0)
    return Row(lane, depth, first_ns, 1 << shift, sums)


def stack(rows: Sequence[Row]) -> Coverage:
    """All rows as columns; they must come sorted by lane, then depth."""
    lines = np.array([len(row.sums) for row in rows], np.int64)
    empty = np.empty((0, len(Activity)), np.int64)
    return Coverage(
        lane=np.array([row.lane for row in rows], np.int32),
        depth=np.array([row.depth for row in rows], np.int32),
        first_ns=np.array([row.first_ns for row in rows], np.int64),
        bucket_ns=np.array([row.bucket_ns for row in rows], np.int64),
        offset=np.concatenate([np.zeros(1, np.int64), np.cumsum(lines)]),
        sums=np.concatenate([empty, *(row.sums for row in rows)]),
    )


def row_of(coverage: Coverage, lane: int, depth: int = INNERMOST) -> int | None:
    """The row of this lane and depth, None where there is none.

    A lane without nesting has no innermost row of its own: there it is the row of depth 0.
    """
    first, last = np.searchsorted(coverage.lane, np.array([lane, lane + 1], np.int32))
    found = np.flatnonzero(coverage.depth[first:last] == depth)
    if len(found):
        return int(first + found[0])
    return row_of(coverage, lane, 0) if depth == INNERMOST else None


def busy_ns(coverage: Coverage, row: int, edges_ns: Int64) -> Int64:
    """Busy time per activity between neighbouring edges, shape (len(edges) - 1, activities).

    Exact where an edge is one of the row's bucket edges, linear within a bucket. However a window
    is split, the parts sum up to the whole. Edges must not decrease.
    """
    lines = coverage.sums[coverage.offset[row] : coverage.offset[row + 1]]
    bucket_ns = coverage.bucket_ns[row]
    since_ns = np.clip(edges_ns - coverage.first_ns[row], 0, (len(lines) - 1) * bucket_ns)
    line = since_ns // bucket_ns
    share = (since_ns - line * bucket_ns) / bucket_ns
    before, after = lines[line], lines[np.minimum(line + 1, len(lines) - 1)]
    until = before + np.rint((after - before) * share[:, None]).astype(np.int64)
    busy: Int64 = np.diff(until, axis=0)
    return busy
