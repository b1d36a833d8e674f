"""From what a parser found to a capture: sorted, nested, linked and summed up.

Captures are large: columns are sorted one after the other, each freeing its unsorted form, so that
no more than one of them exists twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from vpstop.read.activity import activities
from vpstop.read.anomalies import anomalies
from vpstop.read.capture import Capture, Collectives, Copies, Facts, Lane, MemoryRecords, Slices
from vpstop.read.categories import LaneKind
from vpstop.read.frames import is_frame, outlives_entry
from vpstop.read.lanes import arrange
from vpstop.read.launches import launches
from vpstop.read.nesting import nest
from vpstop.read.records import (
    AllocatorRecords,
    CollectiveRecords,
    FlowRecords,
    Records,
    SliceRecords,
)
from vpstop.read.segments import coverage_of

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
UInt8 = npt.NDArray[np.uint8]

_CURRENT_FLOW: Final = {
    "async": "ac2g",
    "async_cpu_to_gpu": "ac2g",
    "cpu_to_cuda": "ac2g",
    "forward_backward": "fwdbwd",
}
"""Today's names of flow categories (trace-format section 6)."""


_NO_SLICES: Final = SliceRecords(
    start_ns=np.empty(0, np.int64),
    duration_ns=np.empty(0, np.int64),
    name=np.empty(0, np.int32),
    category=np.empty(0, np.uint8),
    lane=np.empty(0, np.int32),
    correlation=np.empty(0, np.int64),
    external_id=np.empty(0, np.int64),
    shape=np.empty(0, np.int32),
    trusted=np.empty(0, np.bool_),
    record=np.empty(0, np.int64),
)


def assemble(records: Records) -> Capture:
    """The capture of a file; unsorted columns go when the caller keeps no reference to them."""
    places, lanes = arrange(records.lanes, records.slices.lane, records.thread_names)
    rest = replace(records, slices=_NO_SLICES)
    columns = {field.name: getattr(records.slices, field.name) for field in fields(SliceRecords)}
    del records
    columns["lane"] = places[columns["lane"]]
    order = slice_order(columns["lane"], columns["start_ns"], columns["duration_ns"])
    for name in columns:
        columns[name] = columns[name][order]
    row_of_record = np.empty(len(order), np.int32)
    row_of_record[order] = np.arange(len(order), dtype=np.int32)
    del order
    slices = _slices(columns, lanes, rest)
    capture = Capture(
        facts=_with_process(rest.facts, slices, lanes),
        names=rest.names,
        categories=rest.categories,
        lanes=lanes,
        slices=slices,
        shapes=rest.shapes,
        collectives=_collectives(rest.collectives, row_of_record),
        copies=_copies(rest.copies_slice, rest.copies_bytes, row_of_record),
        memory=_memory(rest.memory),
        coverage=coverage_of(slices),
        flow_pairs=_flow_pairs(rest.flows, rest.flow_categories),
        warnings=rest.warnings,
    )
    return replace(capture, warnings=(*rest.warnings, *anomalies(capture)))


def slice_order(lane: Int32, start_ns: Int64, duration_ns: Int64) -> Int64:
    """The order by lane, then start, then longest first; what is equal keeps its order."""
    order = np.argsort(start_ns, kind="stable")
    # Lanes are few: as 16 bits they are sorted by radix, ten times as fast.
    narrow = np.uint16 if lane.max(initial=0) < 1 << 16 else np.int32
    order = order[np.argsort(lane[order].astype(narrow), kind="stable")]
    same = (np.diff(lane[order]) == 0) & (np.diff(start_ns[order]) == 0)
    tied = np.zeros(len(order), np.bool_)
    tied[:-1] |= same
    tied[1:] |= same
    rows = order[tied]
    order[tied] = rows[np.lexsort((-duration_ns[rows], start_ns[rows], lane[rows]))]
    return order


def _slices(columns: Mapping[str, Any], lanes: Sequence[Lane], records: Records) -> Slices:
    start_ns, duration_ns, lane = columns["start_ns"], columns["duration_ns"], columns["lane"]
    category, name = columns["category"], columns["name"]
    nesting = nest(
        start_ns,
        duration_ns,
        lane,
        is_stream=np.array([one.kind is LaneKind.STREAM for one in lanes], np.bool_),
        trusted=columns["trusted"],
        is_frame=is_frame(category),
        outlives=outlives_entry(
            start_ns, start_ns + duration_ns, lane, category, name, records.names
        ),
    )
    return Slices(
        **columns,
        activity=_activity(category, name, records.categories, records.names),
        effective_ns=nesting.effective_ns,
        depth=nesting.depth,
        parent=nesting.parent,
        launch=launches(start_ns, category, lane, columns["correlation"], lanes),
    )


def _activity(
    category: UInt8, name: Int32, categories: Sequence[str], names: Sequence[str]
) -> UInt8:
    """Activities of slices, worked out once for each pair of category and name."""
    pair = category.astype(np.int64) * len(names) + name
    by_pair = np.zeros(len(categories) * len(names), np.uint8)
    by_pair[pair] = 1
    pairs = np.flatnonzero(by_pair)
    codes = [divmod(code, len(names)) for code in pairs.tolist()]
    by_pair[pairs] = activities(codes, categories, names)
    column: UInt8 = by_pair[pair]
    return column


def _with_process(facts: Facts, slices: Slices, lanes: tuple[Lane, ...]) -> Facts:
    """`facts`, with the process that has most slices on host threads if they name none."""
    counts = np.bincount(slices.lane, minlength=len(lanes))
    by_process: dict[str, int] = {}
    for lane, count in zip(lanes, counts.tolist(), strict=True):
        if lane.kind is LaneKind.HOST:
            by_process[lane.process] = by_process.get(lane.process, 0) + count
    if facts.process or not by_process:
        return facts
    return replace(facts, process=max(by_process, key=by_process.__getitem__))


def _collectives(records: CollectiveRecords, row_of_record: Int32) -> Collectives:
    rows = row_of_record[records.slice]
    order = np.argsort(rows, kind="stable")
    columns = {
        field.name: getattr(records, field.name)[order]
        for field in fields(records)
        if field.name not in ("slice", "texts")
    }
    return Collectives(slice=rows[order], texts=records.texts, **columns)


def _copies(record: Int32, moved_bytes: Int64, row_of_record: Int32) -> Copies:
    rows = row_of_record[record]
    order = np.argsort(rows, kind="stable")
    return Copies(rows[order], moved_bytes[order])


def _memory(records: AllocatorRecords) -> MemoryRecords:
    order = np.lexsort((records.index, records.time_ns))
    columns = {field.name: getattr(records, field.name)[order] for field in fields(MemoryRecords)}
    return MemoryRecords(**columns)


def _flow_pairs(flows: FlowRecords, categories: Sequence[str]) -> Mapping[str, int]:
    """Number of ids per category that have both a start and an end."""
    current = [_CURRENT_FLOW.get(name, name) for name in categories]
    pairs = {}
    for name in dict.fromkeys(current):
        codes = [code for code, one in enumerate(current) if one == name]
        chosen = np.isin(flows.category, codes)
        starts, ends = flows.id[chosen & ~flows.is_end], flows.id[chosen & flows.is_end]
        pairs[name] = len(np.intersect1d(starts, ends))
    return {name: count for name, count in pairs.items() if count}
