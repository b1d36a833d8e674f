"""The records of a batch, sorted by phase, with exact times."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from vpstop.read.parser.events import Begin, End, Event, FlowEnd, FlowStart, Instant, Label, Slice
from vpstop.read.parser.parts import Int64
from vpstop.read.parser.timestamps import nanoseconds

_ALLOCATION: Final = "[memory]"


@dataclass(frozen=True, slots=True)
class Batch:
    """Records by phase, each kind in the order of the file."""

    first_record: int
    slices: Sequence[Slice[Any]]
    """Complete and begin records."""
    begin_rows: Sequence[int]
    """Which of the slices are begin records."""
    slice_records: Int64
    start_ns: Int64
    ends: Sequence[End[Any]]
    end_records: Int64
    end_ns: Int64
    allocations: Sequence[Instant[Any]]
    allocation_ns: Int64
    flow_starts: Sequence[FlowStart]
    flow_ends: Sequence[FlowEnd]
    labels: Sequence[Label]


def by_phase(events: Sequence[Event], record: int) -> Batch:
    """Sorts a batch; its complete, begin and end records are numbered from `record` on.

    Raises `Inexact` where times were decoded as doubles that cannot hold them.
    """
    of: defaultdict[type, list[Any]] = defaultdict(list)
    for event in events:
        of[event.__class__].append(event)
    slices, ends, begin_rows = of[Slice], of[End], []
    slice_records, end_records = record + np.arange(len(slices)), np.zeros(0, np.int64)
    if ends or of[Begin]:
        timed = [event for event in events if isinstance(event, Slice | End)]
        is_end = np.array([isinstance(event, End) for event in timed])
        slices = [event for event in timed if isinstance(event, Slice)]
        begin_rows = [row for row, one in enumerate(slices) if isinstance(one, Begin)]
        slice_records = record + np.flatnonzero(~is_end)
        end_records = record + np.flatnonzero(is_end)
    allocations = [instant for instant in of[Instant] if instant.name == _ALLOCATION]
    return Batch(
        first_record=record,
        slices=slices,
        begin_rows=begin_rows,
        slice_records=slice_records,
        start_ns=nanoseconds([one.ts for one in slices]),
        ends=ends,
        end_records=end_records,
        end_ns=nanoseconds([end.ts for end in ends]),
        allocations=allocations,
        allocation_ns=nanoseconds([instant.ts for instant in allocations]),
        flow_starts=of[FlowStart],
        flow_ends=of[FlowEnd],
        labels=of[Label],
    )
