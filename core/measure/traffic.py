"""Time in communication, by operation and size of the message.

Every duration contains the wait for the slowest rank, and several operations can be in flight at
once: only `covered_ns` may be compared with the time of a rank.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from vpstop.measure.intervals import union
from vpstop.measure.window import times_within
from vpstop.read.capture import Capture
from vpstop.read.communication import OPERATIONS, communication, communication_rows
from vpstop.read.mapped import one_by_one


class Traffic(NamedTuple):
    """All operations of one kind and size."""

    operation: str
    message_bytes: int
    """Input of one rank, -1 where the files do not tell."""
    calls: int
    """On all ranks: one collective of n ranks counts n times."""
    total_ns: int
    shortest_ns: int
    longest_ns: int

    @property
    def mean_ns(self) -> float:
        return self.total_ns / self.calls


def traffic(captures: Iterable[Capture]) -> tuple[Traffic, ...]:
    """One row for each operation and message size, the longest total first."""
    found: dict[tuple[str, int], list[int]] = defaultdict(list)
    for capture in one_by_one(captures):
        table = communication(capture)
        start_ns, end_ns = times_within(capture)
        durations = (end_ns - start_ns)[table.slice].tolist()
        operations = [OPERATIONS[code] for code in table.operation]
        keys = zip(operations, table.in_bytes.tolist(), strict=True)
        for key, duration_ns in zip(keys, durations, strict=True):
            found[key].append(duration_ns)
    rows = [
        Traffic(*key, len(times), sum(times), min(times), max(times))
        for key, times in found.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.total_ns, row.operation, row.message_bytes)))


def covered_ns(capture: Capture) -> int:
    """Time during which at least one communication of the capture is in flight."""
    start_ns, end_ns = times_within(capture)
    rows = communication_rows(capture)
    rows = rows[np.flatnonzero(capture.slices.trusted[rows])]
    return union(start_ns[rows], end_ns[rows]).length_ns
