"""Fields of decoded records as columns: one function a kind of record, no state but the tables.

These loops run over every record of a file. What only few records carry is looked up for those.
"""

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np

from vpstop.read.categories import CODE
from vpstop.read.codes import Codes, integers
from vpstop.read.events import (
    ABSENT,
    MISSING,
    NO_ALLOCATOR_ARGS,
    AllocatorArgs,
    End,
    FlowEnd,
    FlowStart,
    Instant,
    SliceArgs,
)
from vpstop.read.parts import (
    AllocatorColumns,
    CollectiveColumns,
    CopyColumns,
    EndColumns,
    FlowColumns,
    Int32,
    Int64,
    UInt8,
)

_COPIES: Final = (CODE["gpu_memcpy"], CODE["gpu_memset"])


def external_ids(args: Sequence[SliceArgs]) -> Int64:
    """Ids under either spelling of their key, at least 0."""
    ids = integers([a.external_id for a in args])
    without = np.flatnonzero(ids == 0)
    ids[without] = integers([args[row].older_external_id for row in without.tolist()])
    return np.maximum(ids, 0)


def shape_codes(args: Sequence[SliceArgs], shapes: Codes) -> Int32:
    """Codes of the input shapes, -1 without."""
    codes = np.full(len(args), -1, np.int32)
    rows = [row for row, a in enumerate(args) if a.dims is not ABSENT]
    if rows:
        codes[rows] = [shapes[bytes(args[row].dims), bytes(args[row].types)] for row in rows]
    return codes


def collective_columns(
    args: Sequence[SliceArgs], records: Int64, texts: Codes
) -> CollectiveColumns:
    """Arguments of the records that name a collective."""
    rows = [row for row, a in enumerate(args) if a.operation is not None]
    carriers = [args[row] for row in rows]

    def text(field: str) -> Int32:
        return _text_codes([getattr(a, field) for a in carriers], texts)

    def number(field: str) -> Int64:
        return integers([getattr(a, field) for a in carriers], MISSING)

    return CollectiveColumns(
        record=records[rows],
        operation=text("operation"),
        dtype=text("dtype"),
        in_elements=number("in_elements"),
        out_elements=number("out_elements"),
        group_size=number("group_size"),
        group_name=text("group_name"),
        group_description=text("group_description"),
        group_ranks=text("group_ranks"),
        rank_start=number("rank_start"),
        rank_stride=number("rank_stride"),
        sequence=number("sequence"),
        source_rank=number("source_rank"),
        destination_rank=number("destination_rank"),
    )


def copy_columns(args: Sequence[SliceArgs], records: Int64, category: UInt8) -> CopyColumns:
    """Bytes of the copies and memsets that say them."""
    copies = np.flatnonzero(np.isin(category, _COPIES)).tolist()
    rows = [row for row in copies if args[row].bytes is not None]
    return CopyColumns(records[rows], integers([args[row].bytes for row in rows]))


def end_columns(ends: Sequence[End[Any]], time_ns: Int64, records: Int64, ids: Codes) -> EndColumns:
    """Ends of begun slices."""
    return EndColumns(
        process=codes_of([end.pid for end in ends], ids),
        thread=codes_of([end.tid for end in ends], ids),
        time_ns=time_ns,
        record=records,
    )


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
        category=np.array([categories[flow.cat] for flow in flows], np.uint8),
        id=integers([flow.id for flow in flows]),
        is_end=is_end,
    )


def codes_of(values: Sequence[Any], codes: Codes) -> Int32:
    """The code of each value."""
    return np.array([codes[value] for value in values], np.int32)


def _text_codes(values: Sequence[Any], texts: Codes) -> Int32:
    """Codes of optional texts; a list that was not written as text is one all the same."""
    keys = [str(value) if isinstance(value, list | dict) else value for value in values]
    return np.array([MISSING if key is None else texts[key] for key in keys], np.int32)


def _small(values: Sequence[Any]) -> Int32:
    limits = np.iinfo(np.int32)
    return np.clip(integers(values, MISSING), limits.min, limits.max).astype(np.int32)
