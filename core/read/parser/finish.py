"""The columns of a whole file to `Records`: absolute times, matched begins and ends, rows."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from vpstop.read.capture import Shape, TraceWarning
from vpstop.read.categories import CODE
from vpstop.read.parser.facts import KINETO_KEYS, Observed, Pairs, base_ns, facts
from vpstop.read.parser.kinds import LEGACY_CATEGORIES, fit_byte, split_kinds
from vpstop.read.parser.pairs import matched
from vpstop.read.parser.parts import (
    ByteColumns,
    CollectiveColumns,
    Deviation,
    Int32,
    Int64,
    Kind,
    Part,
    SliceColumns,
    selected,
)
from vpstop.read.records import (
    AllocatorRecords,
    CollectiveRecords,
    FlowRecords,
    Records,
    SliceRecords,
    UInt8,
)

ABSOLUTE_NS: Final = 10**18
"""Times without a base that are larger (2001) count from 1970; smaller ones have no origin."""

_COPIES: Final = (CODE["gpu_memcpy"], CODE["gpu_memset"])


def records(path: Path, pairs: Pairs, part: Part, *, complete: bool = True) -> Records:
    """Everything found in a file whose top-level keys are `pairs`; whether it had its end."""
    kinds = split_kinds(part.tables.kinds)
    slices, unmatched = matched(part.slices, part.ends, part.tables)
    base = base_ns(pairs)
    is_relative = base == 0 and not bool((slices.start_ns >= ABSOLUTE_NS).any())
    category = kinds.category[slices.kind]
    copies_slice, copies_bytes = _copies(part.bytes, slices.record, category)
    flow_codes, flow_categories = fit_byte(part.tables.flow_categories)
    return Records(
        facts=facts(
            path, pairs, Observed(_format(pairs, part.tables.kinds), is_relative, complete)
        ),
        slices=SliceRecords(
            start_ns=slices.start_ns + base,
            duration_ns=slices.duration_ns,
            name=kinds.name[slices.kind],
            category=category,
            lane=kinds.lane[slices.kind],
            correlation=slices.correlation,
            external_id=slices.external_id,
            shape=slices.shape,
            trusted=slices.start_ns > 0,
            record=slices.record,
        ),
        names=kinds.names,
        categories=kinds.categories,
        lanes=kinds.lanes,
        shapes=tuple(Shape(dims, types) for dims, types in part.tables.shapes),
        collectives=_collectives(part.collectives, slices.record, part.tables.texts),
        copies_slice=copies_slice,
        copies_bytes=copies_bytes,
        memory=AllocatorRecords(part.allocator.time_ns + base, *part.allocator[1:]),
        flows=FlowRecords(flow_codes[part.flows.category], part.flows.id, part.flows.is_end),
        flow_categories=flow_categories,
        thread_names={
            (key.process, key.thread): label.text
            for key, label in part.labels.items()
            if key.kind == "thread_name"
        },
        process_labels={
            key.process: label.text
            for key, label in part.labels.items()
            if key.kind == "process_labels"
        },
        warnings=tuple(
            TraceWarning(one.kind, str(path), one.count, one.example)
            for one in _deviations(part, unmatched, slices, is_relative)
        ),
    )


def _format(pairs: Pairs, kinds: Sequence[Kind]) -> str:
    """Kineto by its keys or categories, the autograd profiler before it by its processes."""
    if any(key in KINETO_KEYS for key, _ in pairs) or any(one.category in CODE for one in kinds):
        return "kineto"
    is_legacy = any(one.process in LEGACY_CATEGORIES for one in kinds)
    return "legacy-autograd" if is_legacy else "chrome"


def _rows(wanted: Int64, record: Int64) -> tuple[Int32, Int64]:
    """Rows of the slices with the wanted records, and which of the wanted these are."""
    rows = np.searchsorted(record, wanted)
    found = np.flatnonzero(np.append(record, -1)[rows] == wanted)
    return rows[found].astype(np.int32), found


def _copies(columns: ByteColumns, record: Int64, category: UInt8) -> tuple[Int32, Int64]:
    """Slices and bytes of the copies and memsets among the records that say bytes."""
    rows, found = _rows(columns.record, record)
    is_copy = np.isin(category[rows], _COPIES)
    return rows[is_copy], columns.bytes[found[is_copy]]


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


def _deviations(
    part: Part, unmatched: int, slices: SliceColumns, is_relative: bool
) -> Iterator[Deviation]:
    """What deviates in the file, seen record by record and as a whole."""
    yield from part.deviations
    if unmatched:
        yield Deviation("bad_record", unmatched, "a begin or an end without the other")
    without_time = slices.kind[slices.start_ns <= 0]
    if len(without_time):
        example = part.tables.kinds[without_time[0]].name
        yield Deviation("bad_time", len(without_time), example)
    if is_relative and len(slices.kind):
        yield Deviation("time_base_unknown", 1, "")
