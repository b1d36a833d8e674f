"""What a parser found in a file, in file order: the form that all parsers hand to `assemble`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from vpstop.read.capture import Facts, Shape, TraceWarning
from vpstop.read.categories import LaneKind

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
UInt8 = npt.NDArray[np.uint8]
Bool = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LaneKey:
    """Identity of a lane: kind and the process and thread ids as text."""

    kind: LaneKind
    process: str
    thread: str


@dataclass(frozen=True, slots=True)
class SliceRecords:
    """Complete events and matched begin/end pairs, columns of shape (n,), file order.

    Times are absolute where the file has an origin. Ids are 0 where there is none; `shape` is -1.
    """

    start_ns: Int64
    duration_ns: Int64
    name: Int32
    category: UInt8
    lane: Int32
    """Row of `Records.lanes`."""
    correlation: Int64
    external_id: Int64
    shape: Int32
    trusted: Bool
    record: Int64


@dataclass(frozen=True, slots=True)
class CollectiveRecords:
    """As `Collectives`, with `slice` a row of `SliceRecords`, in any order."""

    slice: Int32
    operation: Int32
    dtype: Int32
    in_elements: Int64
    out_elements: Int64
    group_size: Int64
    group_name: Int32
    group_description: Int32
    group_ranks: Int32
    rank_start: Int64
    rank_stride: Int64
    sequence: Int64
    source_rank: Int64
    destination_rank: Int64
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AllocatorRecords:
    """`[memory]` records in any order; `index` is `Ev Idx`, or the place in the file."""

    time_ns: Int64
    bytes: Int64
    total_allocated: Int64
    total_reserved: Int64
    device_type: Int32
    device: Int32
    index: Int64


@dataclass(frozen=True, slots=True)
class FlowRecords:
    """Starts and ends of flows; `category` is a row of `Records.flow_categories`."""

    category: UInt8
    id: Int64
    is_end: Bool


@dataclass(frozen=True, slots=True)
class Records:
    """Everything a parser found in one file. Names are already cleaned of control characters."""

    facts: Facts
    slices: SliceRecords
    names: tuple[str, ...]
    categories: tuple[str, ...]
    """Begins with `categories.KNOWN`."""
    lanes: tuple[LaneKey, ...]
    shapes: tuple[Shape, ...]
    collectives: CollectiveRecords
    copies_slice: Int32
    copies_bytes: Int64
    memory: AllocatorRecords
    flows: FlowRecords
    flow_categories: tuple[str, ...]
    thread_names: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """(process, thread) to the name in the metadata."""
    process_labels: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[TraceWarning, ...] = ()
