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
from vpstop.read.capture import (
    Capture,
    Collectives,
    Copies,
    Facts,
    Lane,
    MemoryRecords,
    Slices,
    TraceWarning,
)
from vpstop.read.categories import LaneKind
from vpstop.read.clocks import is_far_away, is_long_before_launch
from vpstop.read.frames import is_frame, outlives_entry
from vpstop.read.lanes import arrange
from vpstop.read.launches import launches
from vpstop.read.nesting import nest
from vpstop.read.records import (
    AllocatorRecords,
    CollectiveRecords,
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

_LAST_NS: Final = 1 << 62
"""In the year 2116; no time is later."""


def assemble(records: Records) -> Capture:
    """The capture of a file; unsorted columns go when the caller keeps no reference to them."""
    places, lanes = arrange(records.lanes, records.slices.lane, records.thread_names)
    memory, flow_pairs = _memory(records.memory), _flow_pairs(records)
    facts, names, categories = records.facts, records.names, records.categories
    shapes, warnings, collectives = records.shapes, records.warnings, records.collectives
    copies_slice, copies_bytes = records.copies_slice, records.copies_bytes
    columns = {field.name: getattr(records.slices, field.name) for field in fields(SliceRecords)}
    del records
    columns["lane"] = places[columns["lane"]]
    absurd = _distrust(columns, facts.path)
    row_of_record = _sort(columns)
    slices = _slices(columns, lanes, names, categories)
    capture = Capture(
        facts=_with_process(facts, slices, lanes),
        names=names,
        categories=categories,
        lanes=lanes,
        slices=slices,
        shapes=shapes,
        collectives=_collectives(collectives, row_of_record),
        copies=_copies(copies_slice, copies_bytes, row_of_record),
        memory=memory,
        coverage=coverage_of(slices),
        flow_pairs=flow_pairs,
        warnings=(*warnings, *absurd),
    )
    return replace(capture, warnings=(*capture.warnings, *anomalies(capture)))


def _distrust(columns: dict[str, Any], path: str) -> list[TraceWarning]:
    """Takes the trust from times that sums of int64 could not hold, and from those days away."""
    start_ns, trusted = columns["start_ns"], columns["trusted"]
    fits = (start_ns >= 0) & (start_ns <= _LAST_NS)
    fits &= columns["duration_ns"] <= _LAST_NS - np.clip(start_ns, 0, _LAST_NS)
    fits &= ~is_far_away(start_ns, trusted & fits)
    columns["trusted"] = trusted & fits
    count = int(np.count_nonzero(trusted & ~fits))
    return [TraceWarning("bad_time", path, count)] if count else []


def _sort(columns: dict[str, Any]) -> Int32:
    """Sorts the columns one after the other; for each record its new row."""
    order = slice_order(columns["lane"], columns["start_ns"], columns["duration_ns"])
    for name in columns:
        columns[name] = columns[name][order]
    row_of_record = np.empty(len(order), np.int32)
    row_of_record[order] = np.arange(len(order), dtype=np.int32)
    return row_of_record


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


def _slices(
    columns: Mapping[str, Any],
    lanes: Sequence[Lane],
    names: Sequence[str],
    categories: Sequence[str],
) -> Slices:
    start_ns, duration_ns, lane = columns["start_ns"], columns["duration_ns"], columns["lane"]
    category, name = columns["category"], columns["name"]
    launch = launches(start_ns, category, lane, columns["correlation"], lanes)
    early = is_long_before_launch(start_ns, columns["trusted"], category, lane, launch, lanes)
    trusted = columns["trusted"] & ~early
    nesting = nest(
        start_ns,
        duration_ns,
        lane,
        is_stream=np.array([one.kind is LaneKind.STREAM for one in lanes], np.bool_),
        trusted=trusted,
        is_frame=is_frame(category),
        outlives=outlives_entry(start_ns, start_ns + duration_ns, lane, category, name, names),
    )
    return Slices(
        **{**columns, "trusted": trusted},
        activity=_activity(category, name, categories, names),
        effective_ns=nesting.effective_ns,
        depth=nesting.depth,
        parent=nesting.parent,
        launch=launch,
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


def _flow_pairs(records: Records) -> dict[str, int]:
    """Number of ids per category that have both a start and an end."""
    flows = records.flows
    current = [_CURRENT_FLOW.get(name, name) for name in records.flow_categories]
    pairs = {}
    for name in dict.fromkeys(current):
        codes = [code for code, one in enumerate(current) if one == name]
        chosen = np.isin(flows.category, codes)
        starts = _distinct(flows.id[chosen & ~flows.is_end])
        ends = _distinct(flows.id[chosen & flows.is_end])
        pairs[name] = len(np.intersect1d(starts, ends, assume_unique=True))
    return {name: count for name, count in pairs.items() if count}


def _distinct(ids: Int64) -> Int64:
    """Sorted, each once; `np.unique` hashes, which takes ten times as long for so many."""
    ordered = np.sort(ids)
    return ordered[np.append(True, np.diff(ordered) > 0)] if len(ids) else ordered
