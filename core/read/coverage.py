"""Busy time per activity along each row of a timeline: a frame costs the same for any trace.

A row is one depth of a lane, or the lane's innermost view (what runs, ignoring what encloses it).
For each row, the busy time of every activity from the row's start up to each bucket edge is kept as
a running sum: the busy time of any span of buckets is the difference of two lines. One level of
sums so does what a pyramid of 2^k buckets does with log2(n) levels.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]

INNERMOST = -1
"""Depth of a row that shows the innermost slice at every moment."""


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
