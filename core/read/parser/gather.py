"""Fields of decoded records as columns: one function a kind of record, no state but the tables.

These loops run over every record of a file. What only few records carry is looked up for those.
"""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from vpstop.read.parser.codes import Codes, integers
from vpstop.read.parser.events import (
    ABSENT,
    MISSING,
    NO_ALLOCATOR_ARGS,
    AllocatorArgs,
    End,
    FlowEnd,
    FlowStart,
    Instant,
    Slice,
    SliceArgs,
)
from vpstop.read.parser.parts import (
    AllocatorColumns,
    ByteColumns,
    CollectiveColumns,
    EndColumns,
    FlowColumns,
    Int32,
    Int64,
)


def external_ids(args: Sequence[SliceArgs]) -> Int64:
    """Ids under either spelling of their key, at least 0."""
    ids = integers([a.external_id for a in args])
    without = np.flatnonzero(ids == 0)
    ids[without] = integers([args[row].older_external_id for row in without.tolist()])
    return np.maximum(ids, 0)


def rows_with_more(args: Sequence[SliceArgs]) -> list[int]:
    """Rows of the records that carry one of the arguments which most records lack."""
    return [
        row
        for row, a in enumerate(args)
        if a.dims is not ABSENT
        or a.bytes is not None
        or a.operation is not None
        or a.finished is not None
    ]


def shape_codes(args: Sequence[SliceArgs], candidates: Sequence[int], shapes: Codes) -> Int32:
    """Codes of the input shapes, -1 without."""
    codes = np.full(len(args), MISSING, np.int32)
    rows = [row for row in candidates if args[row].dims is not ABSENT]
    codes[rows] = [shapes[bytes(args[row].dims), bytes(args[row].types)] for row in rows]
    return codes


def byte_columns(
    args: Sequence[SliceArgs], candidates: Sequence[int], records: Int64
) -> ByteColumns:
    """Arguments called `bytes`."""
    rows = [row for row in candidates if args[row].bytes is not None]
    return ByteColumns(records[rows], integers([args[row].bytes for row in rows]))


def collective_columns(
    args: Sequence[SliceArgs], candidates: Sequence[int], records: Int64, texts: Codes
) -> CollectiveColumns:
    """Arguments of the records that name a collective."""
    rows = [row for row in candidates if args[row].operation is not None]
    carriers = [args[row] for row in rows]
    return CollectiveColumns(
        record=records[rows],
        operation=_texts(carriers, "operation", texts),
        dtype=_texts(carriers, "dtype", texts),
        in_elements=_numbers(carriers, "in_elements"),
        out_elements=_numbers(carriers, "out_elements"),
        group_size=_numbers(carriers, "group_size"),
        group_name=_texts(carriers, "group_name", texts),
        group_description=_texts(carriers, "group_description", texts),
        group_ranks=_texts(carriers, "group_ranks", texts),
        rank_start=_numbers(carriers, "rank_start"),
        rank_stride=_numbers(carriers, "rank_stride"),
        sequence=_numbers(carriers, "sequence"),
        source_rank=_numbers(carriers, "source_rank"),
        destination_rank=_numbers(carriers, "destination_rank"),
    )


def _numbers(args: Sequence[SliceArgs], field: str) -> Int64:
    return integers([getattr(a, field) for a in args], MISSING)


def _texts(args: Sequence[SliceArgs], field: str, texts: Codes) -> Int32:
    """Codes of optional texts; a list that was not written as text is one all the same."""
    values = [getattr(a, field) for a in args]
    keys = [str(value) if isinstance(value, list | dict) else value for value in values]
    return np.array([MISSING if key is None else texts[key] for key in keys], np.int32)


def slice_kinds(slices: Sequence[Slice[Any]], kinds: Codes) -> Int32:
    """Codes of what slices have in common: one look-up is half as long as four."""
    codes = [kinds[one.cat, one.name, one.pid, one.tid] for one in slices]
    return np.fromiter(codes, np.int32, len(codes))


def end_columns(
    ends: Sequence[End[Any]], time_ns: Int64, records: Int64, threads: Codes
) -> EndColumns:
    """Ends of begun slices."""
    codes = [threads[end.pid, end.tid] for end in ends]
    return EndColumns(np.array(codes, np.int32), time_ns, records)


def allocator_columns(
    instants: Sequence[Instant[Any]], time_ns: Int64, place: int
) -> AllocatorColumns:
    """The allocator's records; without an `Ev Idx` the place orders them."""
    args = cast(Sequence[AllocatorArgs], [one.args or NO_ALLOCATOR_ARGS for one in instants])
    index = integers([a.index for a in args], MISSING)
    return AllocatorColumns(
        time_ns=time_ns,
        bytes=integers([a.bytes for a in args]),
        total_allocated=integers([a.total_allocated for a in args], MISSING),
        total_reserved=integers([a.total_reserved for a in args], MISSING),
        device_type=_small([a.device_type for a in args]),
        device=_small([a.device for a in args]),
        event_index=np.where(index < 0, place + np.arange(len(args)), index),
    )


def flow_columns(
    starts: Sequence[FlowStart], ends: Sequence[FlowEnd], categories: Codes
) -> FlowColumns:
    """Starts and ends of arrows."""
    flows: list[FlowStart | FlowEnd] = [*starts, *ends]
    is_end = np.zeros(len(flows), np.bool_)
    is_end[len(starts) :] = True
    return FlowColumns(
        category=np.array([categories[flow.cat] for flow in flows], np.int32),
        id=integers([flow.id for flow in flows]),
        is_end=is_end,
    )


def _small(values: Sequence[Any]) -> Int32:
    limits = np.iinfo(np.int32)
    return np.clip(integers(values, MISSING), limits.min, limits.max).astype(np.int32)
