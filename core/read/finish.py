"""The columns of a whole file to `Records`: absolute times, lanes, matched begins and ends."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from vpstop.read.capture import Shape, TraceWarning
from vpstop.read.categories import CODE, LaneKind, lane_kind
from vpstop.read.facts import KINETO_KEYS, Observed, Pairs, base_ns, facts
from vpstop.read.pairs import matched
from vpstop.read.parts import (
    Bool,
    CollectiveColumns,
    Int32,
    Int64,
    Part,
    SliceColumns,
    Tables,
    UInt8,
    selected,
)
from vpstop.read.records import (
    AllocatorRecords,
    CollectiveRecords,
    FlowRecords,
    LaneKey,
    Records,
    SliceRecords,
)
from vpstop.read.tables import NO_CATEGORY

ABSOLUTE_NS: Final = 10**18
"""Times without a base that are larger (2001) count from 1970; smaller ones have no origin."""

_LEGACY: Final = {"CPU functions": "cpu_op", "CUDA functions": "kernel"}
_STREAM: Final = re.compile(r"stream (\d+)")


def records(path: Path, pairs: Pairs, part: Part) -> Records:
    """Everything found in a file whose top-level keys are `pairs`."""
    tables = part.tables
    slices, unmatched = matched(part.slices, part.ends)
    category, categories = _with_legacy(slices, tables)
    lane, lanes = _lanes(slices, category, categories, tables.ids)
    base = base_ns(pairs)
    relative = base == 0 and not (slices.start_ns >= ABSOLUTE_NS).any()
    observed = Observed(
        format=_format(pairs, categories, tables.ids),
        relative=bool(relative),
    )
    trusted = slices.start_ns > 0
    copies, copied = _rows(part.copies.record, slices.record)
    return Records(
        facts=facts(path, pairs, observed),
        slices=SliceRecords(
            start_ns=slices.start_ns + base,
            duration_ns=slices.duration_ns,
            name=slices.name,
            category=category,
            lane=lane,
            correlation=slices.correlation,
            external_id=slices.external_id,
            shape=slices.shape,
            trusted=trusted,
            record=slices.record,
        ),
        names=tables.names,
        categories=categories,
        lanes=lanes,
        shapes=tuple(Shape(dims, types) for dims, types in tables.shapes),
        collectives=_collectives(part.collectives, slices.record, tables.texts),
        copies_slice=copies,
        copies_bytes=part.copies.bytes[copied],
        memory=AllocatorRecords(part.allocator.time_ns + base, *part.allocator[1:]),
        flows=FlowRecords(*part.flows),
        flow_categories=tables.flow_categories,
        thread_names={
            (label.process, label.thread): label.text
            for label in part.labels
            if label.kind == "thread_name"
        },
        process_labels={
            label.process: label.text for label in part.labels if label.kind == "process_labels"
        },
        warnings=tuple(_warnings(path, part, unmatched, trusted, bool(relative))),
    )


def _with_legacy(slices: SliceColumns, tables: Tables) -> tuple[UInt8, tuple[str, ...]]:
    """Category codes; array-form traces name none and tell it by the process."""
    category, categories = slices.category, list(tables.categories)
    nameless = np.flatnonzero(category == NO_CATEGORY)
    if not len(nameless):
        return category, tables.categories
    if "" not in categories:
        categories.append("")
    by_process = [
        CODE[_LEGACY[name]] if name in _LEGACY else len(categories) - 1 for name in tables.ids
    ]
    category = category.copy()
    category[nameless] = np.array(by_process, np.uint8)[slices.process[nameless]]
    return category, tuple(categories)


def _lanes(
    slices: SliceColumns, category: UInt8, categories: Sequence[str], ids: Sequence[str]
) -> tuple[Int32, tuple[LaneKey, ...]]:
    """The lane of each slice, and the lanes."""
    kinds = tuple(LaneKind)
    kind_of = np.array([kinds.index(lane_kind(name)) for name in categories], np.int64)
    place = (kind_of[category] * len(ids) + slices.process) * len(ids) + slices.thread
    places, lane = np.unique(place, return_inverse=True)
    rows: dict[LaneKey, int] = {}
    row_of: list[int] = []
    for code in places.tolist():
        rest, thread = divmod(code, len(ids))
        kind, process = divmod(rest, len(ids))
        key = LaneKey(kinds[kind], ids[process], _thread(kinds[kind], ids[thread]))
        row_of.append(rows.setdefault(key, len(rows)))
    return np.array(row_of, np.int32)[lane], tuple(rows)


def _thread(kind: LaneKind, thread: str) -> str:
    """Until August 2021 streams were called `stream 7`, `stream 7 annotations`."""
    stream = _STREAM.match(thread) if kind is not LaneKind.HOST else None
    return stream[1] if stream else thread


def _format(pairs: Pairs, categories: Sequence[str], ids: Sequence[str]) -> str:
    """Kineto by its keys or categories (trace-format section 15)."""
    if any(key in KINETO_KEYS for key, _ in pairs):
        return "kineto"
    return "legacy-autograd" if any(name in _LEGACY for name in ids) else "kineto"


def _rows(wanted: Int64, record: Int64) -> tuple[Int32, Int64]:
    """Rows of the slices with these records, and which of them there are."""
    rows = np.searchsorted(record, wanted)
    found = (
        np.flatnonzero(record[np.minimum(rows, len(record) - 1)] == wanted)
        if len(record)
        else rows[:0]
    )
    return rows[found].astype(np.int32), found


def _collectives(
    columns: CollectiveColumns, record: Int64, texts: tuple[str, ...]
) -> CollectiveRecords:
    rows, found = _rows(columns.record, record)
    kept = selected(columns, found)
    return CollectiveRecords(
        slice=rows,
        operation=kept.operation,
        dtype=kept.dtype,
        in_elements=kept.in_elements,
        out_elements=kept.out_elements,
        group_size=kept.group_size,
        group_name=kept.group_name,
        group_description=kept.group_description,
        group_ranks=kept.group_ranks,
        rank_start=kept.rank_start,
        rank_stride=kept.rank_stride,
        sequence=kept.sequence,
        source_rank=kept.source_rank,
        destination_rank=kept.destination_rank,
        texts=texts,
    )


def _warnings(
    path: Path, part: Part, unmatched: int, trusted: Bool, relative: bool
) -> Iterator[TraceWarning]:
    file = str(path)
    for deviation in part.deviations:
        yield TraceWarning(deviation.kind, file, deviation.count, deviation.example)
    if unmatched:
        yield TraceWarning("bad_record", file, unmatched, "a begin or an end without the other")
    if not trusted.all():
        yield TraceWarning("bad_time", file, int(np.count_nonzero(~trusted)))
    if relative:
        yield TraceWarning("time_base_unknown", file)
