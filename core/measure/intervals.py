"""Sets of moments as sorted disjoint intervals, in exact int64 nanoseconds."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Half-open intervals, columns of shape (n,): sorted, disjoint, none empty.

    `a | b` is what either covers, `a - b` what only `a` covers.
    """

    start_ns: Int64
    end_ns: Int64

    def __len__(self) -> int:
        return len(self.start_ns)

    def __or__(self, other: "Intervals") -> "Intervals":
        starts = np.concatenate((self.start_ns, other.start_ns))
        return union(starts, np.concatenate((self.end_ns, other.end_ns)))

    def __sub__(self, other: "Intervals") -> "Intervals":
        edges = np.unique(
            np.concatenate((self.start_ns, self.end_ns, other.start_ns, other.end_ns))
        )
        left, right = edges[:-1], edges[1:]
        kept = self.covers(left) & ~other.covers(left)
        return union(left[kept], right[kept])

    @property
    def length_ns(self) -> int:
        """Sum of the lengths."""
        return int((self.end_ns - self.start_ns).sum())

    def covers(self, moments_ns: Int64) -> npt.NDArray[np.bool_]:
        """Which moments lie inside."""
        begun = np.searchsorted(self.start_ns, moments_ns, "right")
        return begun > np.searchsorted(self.end_ns, moments_ns, "right")


def union(start_ns: Int64, end_ns: Int64) -> Intervals:
    """What any of the intervals `[start_ns, end_ns)` covers; they come in any order."""
    rows = np.flatnonzero(end_ns > start_ns)
    rows = rows[np.argsort(start_ns[rows], kind="stable")]
    start, reach = start_ns[rows], np.maximum.accumulate(end_ns[rows])
    is_first = np.ones(len(rows), np.bool_)
    is_first[1:] = start[1:] > reach[:-1]
    first = np.flatnonzero(is_first)
    last = np.append(first[1:], len(rows))[: len(first)] - 1
    return Intervals(start[first], reach[last])
