"""What one process recorded in one window, as columns: the value that every later room works on.

A `Capture` never changes after it was made. Rows of all slice columns are sorted by lane, then
start, then longest first, so an enclosing slice stands before what it encloses.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from vpstop.read.categories import LaneKind
from vpstop.read.coverage import Coverage

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
UInt8 = npt.NDArray[np.uint8]
Bool = npt.NDArray[np.bool_]

WarningKind = Literal[
    "rank_guessed",
    "ranks_missing",
    "no_steps",
    "no_collective_info",
    "not_a_trace",
    "time_base_unknown",
    "unlinked_gpu",
    "empty",
    "unreadable",
    "truncated",
    "temp_file",
    "trailing_data",
    "damaged_metadata",
    "bad_text",
    "bad_number",
    "bad_record",
    "duplicate_key",
    "rank_conflict",
    "bad_time",
    "bad_duration",
    "unfinished",
    "overlapping_slices",
    "clock_domain",
    "clock_skew",
    "duplicate_trace",
    "bad_nodes",
]

INFO_KINDS: frozenset[WarningKind] = frozenset(
    {
        "rank_guessed",
        "ranks_missing",
        "no_steps",
        "no_collective_info",
        "not_a_trace",
        "time_base_unknown",
        "unlinked_gpu",
    }
)
"""Kinds that say what is missing; all others say that something is damaged."""


@dataclass(frozen=True, slots=True)
class TraceWarning:
    """A deviation, counted: bad input is data, not an exception."""

    kind: WarningKind
    file: str
    count: int = 1
    example: str = ""
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Lane:
    """A row of slices: a host thread, or a stream of a device."""

    kind: LaneKind
    process: str
    """Process id as the file says it; the device number for a stream."""
    thread: str
    """Thread id as the file says it; the stream number for a stream."""
    name: str
    """What the screen calls it: `stream 7`, `thread 4021 (python)`."""
    device: int | None = None
    stream: int | None = None


@dataclass(frozen=True, slots=True)
class Slices:
    """Slice columns, each of shape (n,).

    `start_ns` counts from 1970, or from the trace's own zero where `Facts.relative` says so.
    `duration_ns` is what the file says, at least 0. `effective_ns` is that duration cut at the end
    of the enclosing slice, and on a stream at the start of the next slice (trace-format 16, rules 8
    and 9); where nothing had to be cut it is the same array object.
    """

    start_ns: Int64
    duration_ns: Int64
    effective_ns: Int64
    name: Int32
    """Row of `Capture.names`."""
    category: UInt8
    """Row of `Capture.categories`."""
    activity: UInt8
    """`Activity` of the slice: what a timeline colours it by."""
    lane: Int32
    """Row of `Capture.lanes`."""
    depth: Int32
    """Number of slices of the same lane that enclose this one."""
    parent: Int32
    """Row of the nearest enclosing slice of the lane, -1 at the outside."""
    launch: Int32
    """On a device: row of the host call that launched this slice, else -1."""
    correlation: Int64
    """0 where there is none; negative values of the file become 0."""
    external_id: Int64
    """0 where there is none."""
    shape: Int32
    """Row of `Capture.shapes`, -1 where no input shapes were recorded."""
    trusted: Bool
    """False where the time is zero or absurd: shown, but no part of extents and busy time."""
    record: Int64
    """Place of the record in the file, to fetch arguments that are not columns: `read.detail`."""

    def __len__(self) -> int:
        return len(self.start_ns)

    @property
    def end_ns(self) -> Int64:
        """Start plus effective duration."""
        return self.start_ns + self.effective_ns


@dataclass(frozen=True, slots=True)
class Shape:
    """Input shapes of an operator call, as the file writes them."""

    dims: str
    types: str


@dataclass(frozen=True, slots=True)
class Collectives:
    """Arguments of communication records, columns of shape (m,), sorted by `slice`.

    Text columns are rows of `texts`; -1 means "not in the file", in numbers as well.
    """

    slice: Int32
    """Row of the slice that carries the arguments: a kernel or a `record_param_comms` call."""
    operation: Int32
    dtype: Int32
    in_elements: Int64
    out_elements: Int64
    group_size: Int64
    group_name: Int32
    group_description: Int32
    group_ranks: Int32
    """The rank list as text, possibly shortened with "..." (trace-format section 11)."""
    rank_start: Int64
    rank_stride: Int64
    sequence: Int64
    source_rank: Int64
    destination_rank: Int64
    texts: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.slice)


@dataclass(frozen=True, slots=True)
class Copies:
    """Bytes moved by copies and memsets, columns of shape (m,), sorted by `slice`."""

    slice: Int32
    bytes: Int64

    def __len__(self) -> int:
        return len(self.slice)


@dataclass(frozen=True, slots=True)
class MemoryRecords:
    """Allocator records, columns of shape (m,), sorted by time, then `Ev Idx`."""

    time_ns: Int64
    bytes: Int64
    """Negative for a free."""
    total_allocated: Int64
    """-1 where the file gives no totals."""
    total_reserved: Int64
    device_type: Int32
    """0 CPU, 1 CUDA, 6 HIP, 12 XPU, 20 PrivateUse1."""
    device: Int32
    """-1 for the CPU."""

    def __len__(self) -> int:
        return len(self.time_ns)


@dataclass(frozen=True, slots=True)
class Device:
    """One entry of `deviceProperties`. Everything but the number may be missing."""

    id: int
    name: str = ""
    total_memory: int | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Group:
    """A process group as `distributedInfo.pg_config` describes it."""

    name: str
    description: str = ""
    ranks: tuple[int, ...] = ()
    size: int | None = None
    backend: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a trace was when a digest of it was made to be carried away."""

    path: str
    root: str
    """The folder that was opened: names below it tell ranks and hosts."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a file says about itself."""

    path: str
    format: str
    bytes: int
    """Size of the file as it lies on the disk."""
    complete: bool = True
    """False when the file ended before its end."""
    rank: int | None = None
    """From the metadata only; the rank of a file name is the run's business."""
    world_size: int | None = None
    backend: str = ""
    groups: tuple[Group, ...] = ()
    host_name: str = ""
    process: str = ""
    """Id of the process that recorded, the one with most host slices."""
    devices: tuple[Device, ...] = ()
    base_ns: int = 0
    """`baseTimeNanoseconds`, already part of every time of the capture."""
    relative: bool = False
    """True when the times have no known origin."""
    trace_id: str = ""
    options: frozenset[str] = frozenset()
    """Profiler options that were on: `record_shapes`, `profile_memory`, `with_stack`, ..."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """All other top-level keys, as read from JSON."""
    given_rank: int | None = None
    """What the user says, whatever file and name say."""
    given_host: str = ""
    """As `given_rank`."""
    origin: Origin | None = None
    """For a digest that was carried away, which is then what `path` names."""


@dataclass(frozen=True, slots=True)
class Capture:
    """One process, one window."""

    facts: Facts
    names: tuple[str, ...]
    categories: tuple[str, ...]
    """Begins with `categories.KNOWN`; categories that only this file has follow."""
    lanes: tuple[Lane, ...]
    slices: Slices
    shapes: tuple[Shape, ...]
    collectives: Collectives
    copies: Copies
    memory: MemoryRecords
    coverage: Coverage
    flow_pairs: Mapping[str, int]
    """Start/end pairs of flow records per category; old names of `ac2g` count as `ac2g`."""
    warnings: tuple[TraceWarning, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that gave no capture, and what it is."""

    path: str
    format: str
    bytes: int
    warnings: tuple[TraceWarning, ...]
