"""The same communication on all its ranks, as columns.

One row is one rank's part of a collective, or one end of a message from rank to rank.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
UInt8 = npt.NDArray[np.uint8]
Bool = npt.NDArray[np.bool_]

EVIDENCE: Final = (
    "communicator",
    "sequence",
    "step",
    "order",
    "wall_clock",
    "fingerprint",
    "probe",
)
"""What tells that parts belong together, best first; the name of a probe carries its number."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Columns of shape (n,) over parts, sorted by collective, then member; (c,) over collectives.

    Causality: no part that is a `sink` ends before any `source` part of its collective starts. In
    an all-reduce all parts are both; in a broadcast only the root is a source; a receive is the
    sink of its send.
    """

    first: Int64
    """(c + 1,): the parts of collective i are the rows `first[i]:first[i + 1]`."""
    member: Int32
    """(n,): row of `Run.members`."""
    slice: Int32
    """(n,): row of that capture's slices."""
    start_ns: Int64
    """(n,): in the clock of the member's host, work of a device already shifted to it."""
    end_ns: Int64
    source: Bool
    sink: Bool
    operation: UInt8
    """(c,): row of `communication.OPERATIONS`; `send` for a message from rank to rank."""
    evidence: UInt8
    """(c,): row of `EVIDENCE`."""
    step: Int64
    """(c,): number of the profiler step, -1 where there are no markers."""
    message_bytes: Int64
    """(c,): full message (metrics section 6), -1 where the files do not tell."""
    dtype: Int32
    """(c,): row of `dtypes`."""
    dtypes: tuple[str, ...]
    group: Int32
    """(c,): row of `groups`."""
    groups: tuple[tuple[int, ...], ...]
    """Ranks of each group that communicates, sorted."""
    is_ring: Bool
    """(c,): True where the algorithm is known to be a ring (NCCL kernel names, gloo)."""
    unmatched: Int64
    """(m,) over `Run.members`: communication whose counterparts were not found."""
    ambiguous: Int64
    """(m,) over `Run.members`: communication that fits several counterparts equally well."""

    def __len__(self) -> int:
        return len(self.operation)

    @property
    def collective(self) -> Int32:
        """(n,): the collective of each part."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.first))


def no_matches(members: int) -> Matches:
    """Nothing matched in a run of so many members."""
    return Matches(
        first=np.zeros(1, np.int64),
        member=np.empty(0, np.int32),
        slice=np.empty(0, np.int32),
        start_ns=np.empty(0, np.int64),
        end_ns=np.empty(0, np.int64),
        source=np.empty(0, np.bool_),
        sink=np.empty(0, np.bool_),
        operation=np.empty(0, np.uint8),
        evidence=np.empty(0, np.uint8),
        step=np.empty(0, np.int64),
        message_bytes=np.empty(0, np.int64),
        dtype=np.empty(0, np.int32),
        dtypes=(),
        group=np.empty(0, np.int32),
        groups=(),
        is_ring=np.empty(0, np.bool_),
        unmatched=np.zeros(members, np.int64),
        ambiguous=np.zeros(members, np.int64),
    )
