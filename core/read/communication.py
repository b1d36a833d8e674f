"""The communication of one capture: each kernel or span with its operation, group and bytes.

On a rank with device work these are the communication kernels; on a CPU-only rank the spans
`gloo:*`, `nccl:*`, `mpi:*` ... of the host (metrics section 1). Nothing here looks at other ranks.
"""

import math
import re
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
import orjson

from vpstop.read.activity import Activity
from vpstop.read.capture import Capture, Group, Int32, Int64, Shape, UInt8
from vpstop.read.categories import CODE, GPU_WORK

Column = TypeVar("Column", Int32, Int64)

UNKNOWN: Final = -1

OPERATIONS: Final = (
    "unknown",
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "broadcast",
    "reduce",
    "all_to_all",
    "gather",
    "scatter",
    "send",
    "recv",
    "barrier",
)

_BY_WORDS: Final = {
    "allreduce": "all_reduce",
    "allgather": "all_gather",
    "reducescatter": "reduce_scatter",
    "alltoall": "all_to_all",
    "broadcast": "broadcast",
    "reduce": "reduce",
    "gather": "gather",
    "scatter": "scatter",
    "send": "send",
    "recv": "recv",
    "barrier": "barrier",
}
# Longest first: "allreduce" must win over "reduce".
_WORDS: Final = sorted(_BY_WORDS, key=len, reverse=True)

_SPAN: Final = re.compile(r"(?:nccl|gloo|mpi|hccl|xccl|ucc):(\w+)(?: (\d+)->(\d+))?")
_SEND_OR_RECEIVE_KERNEL: Final = re.compile("sendrecv", re.I)

ELEMENT_BYTES: Final = {
    "float": 4,
    "double": 8,
    "half": 2,
    "bfloat16": 2,
    "long": 8,
    "long int": 8,
    "int": 4,
    "short": 2,
    "char": 1,
    "signed char": 1,
    "byte": 1,
    "unsigned char": 1,
    "bool": 1,
    "complexfloat": 8,
    "complexdouble": 16,
    "float8_e4m3fn": 1,
    "float8_e4m3fnuz": 1,
    "float8_e5m2": 1,
    "float8_e5m2fnuz": 1,
    "float8_e8m0fnu": 1,
    "uint16": 2,
    "uint32": 4,
    "uint64": 8,
}
"""Bytes of an element by the dtype names of traces, lower case, without `c10::`."""


@dataclass(frozen=True, slots=True)
class Communication:
    """Columns of shape (n,), ordered by start. Numbers are -1 and texts empty where not known."""

    slice: Int32
    """Row of the capture's slices."""
    operation: UInt8
    """Row of `OPERATIONS`."""
    group: Int32
    """Row of `groups`."""
    groups: tuple[Group, ...]
    dtype: Int32
    """Row of `dtypes`."""
    dtypes: tuple[str, ...]
    in_elements: Int64
    out_elements: Int64
    in_bytes: Int64
    """Input elements times the size of the dtype."""
    out_bytes: Int64
    sequence: Int64
    peer: Int64
    """The other rank of a send or recv."""

    def __len__(self) -> int:
        return len(self.slice)


def operation_of(text: str) -> str:
    """The operation that a collective's, a span's or a kernel's name stands for, or `unknown`."""
    if _SEND_OR_RECEIVE_KERNEL.search(text):
        return "unknown"
    folded = text.lower().replace("_", "")
    return next((_BY_WORDS[word] for word in _WORDS if word in folded), "unknown")


def element_bytes(dtype: str) -> int:
    """Size of one element, -1 for a dtype we do not know."""
    return ELEMENT_BYTES.get(dtype.lower().removeprefix("c10::"), UNKNOWN)


def communication_rows(capture: Capture) -> Int32:
    """Rows of the slices that communicate, by start."""
    slices = capture.slices
    work = np.isin(slices.category, [CODE[name] for name in GPU_WORK])
    if work.any():
        chosen = slices.activity == Activity.COMMUNICATION
        chosen[capture.collectives.slice] = True
        chosen &= slices.category == CODE["kernel"]
    else:
        is_span = np.array([_SPAN.match(name) is not None for name in capture.names], bool)
        chosen = is_span[slices.name] if len(is_span) else np.zeros(len(slices), bool)
    rows = np.flatnonzero(chosen)
    return rows[np.argsort(slices.start_ns[rows], kind="stable")].astype(np.int32)


def communication(capture: Capture) -> Communication:
    """All communication of a capture: what arguments say, else what names and shapes tell."""
    rows = communication_rows(capture)
    place = _argument_rows(capture, rows)
    arguments = capture.collectives
    operation = _operations(capture, rows, place)
    groups, group = _groups(capture, place)
    dtypes, dtype, in_elements = _messages(capture, rows, place)
    out_elements = _pick(arguments.out_elements, place)
    size = np.array([*map(element_bytes, dtypes), UNKNOWN], np.int64)[dtype]
    return Communication(
        slice=rows,
        operation=operation,
        group=group,
        groups=groups,
        dtype=dtype,
        dtypes=dtypes,
        in_elements=in_elements,
        out_elements=out_elements,
        in_bytes=_product(in_elements, size),
        out_bytes=_product(out_elements, size),
        sequence=_pick(arguments.sequence, place),
        peer=_peers(capture, rows, place, operation),
    )


def _argument_rows(capture: Capture, rows: Int32) -> Int64:
    """Row of `capture.collectives` that belongs to each slice, -1 without arguments."""
    owners = capture.collectives.slice
    if not len(owners):
        return np.full(len(rows), UNKNOWN, np.int64)
    place = np.minimum(np.searchsorted(owners, rows), len(owners) - 1)
    return np.where(owners[place] == rows, place, UNKNOWN)


def _pick(column: Column, place: Int64) -> Column:
    """`column` at `place`, -1 where there is no place."""
    if not len(column):
        return np.full(len(place), UNKNOWN, column.dtype)
    return np.where(place >= 0, column[place], column.dtype.type(UNKNOWN))


def _product(elements: Int64, size: Int64) -> Int64:
    return np.where((elements >= 0) & (size >= 0), elements * size, UNKNOWN)


def _operations(capture: Capture, rows: Int32, place: Int64) -> UInt8:
    """Operation codes: from `Collective name`, else from the name of the slice."""
    said = [OPERATIONS.index(operation_of(text)) for text in capture.collectives.texts]
    by_text = np.array([*said, 0], np.uint8)
    name = capture.slices.name[rows]
    by_name = np.zeros(len(capture.names) + 1, np.uint8)
    for code in np.unique(name):
        by_name[code] = OPERATIONS.index(operation_of(capture.names[code]))
    from_arguments = by_text[_pick(capture.collectives.operation, place)]
    return np.where(from_arguments > 0, from_arguments, by_name[name])


def _messages(capture: Capture, rows: Int32, place: Int64) -> tuple[tuple[str, ...], Int32, Int64]:
    """Table of dtypes, its code and the number of input elements of each row.

    Spans of host backends carry no collective arguments; their input shape says the same.
    """
    dtypes = list(capture.collectives.texts)
    dtype = _pick(capture.collectives.dtype, place)
    elements = _pick(capture.collectives.in_elements, place)
    shape = capture.slices.shape[rows]
    for code in np.unique(shape[(elements < 0) & (shape >= 0)]):
        count, type_name = _first_input(capture.shapes[code])
        chosen = (shape == code) & (elements < 0)
        elements[chosen] = count
        dtype[chosen] = len(dtypes)
        dtypes.append(type_name)
    return tuple(dtypes), dtype, elements


def _first_input(shape: Shape) -> tuple[int, str]:
    """Elements (-1 if unreadable) and dtype of the first input."""
    try:
        dims, types = orjson.loads(shape.dims), orjson.loads(shape.types)
        return math.prod(int(size) for size in dims[0]), str(types[0])
    except (ValueError, TypeError, IndexError):
        return UNKNOWN, ""


def _groups(capture: Capture, place: Int64) -> tuple[tuple[Group, ...], Int32]:
    """Distinct groups, and the code of each row (-1 where the file names none)."""
    arguments = capture.collectives
    columns = (
        arguments.group_name,
        arguments.group_description,
        arguments.group_ranks,
        arguments.group_size,
        arguments.rank_start,
        arguments.rank_stride,
    )
    keys = np.stack([_pick(column.astype(np.int64), place) for column in columns], axis=1)
    distinct, code = np.unique(keys, axis=0, return_inverse=True)
    texts = (*arguments.texts, "")
    groups = tuple(_group(capture, texts, *map(int, key)) for key in distinct)
    is_known = np.array([group.name != "" or bool(group.ranks) for group in groups], bool)
    group: Int32 = code.reshape(-1).astype(np.int32)
    group[~is_known[group]] = UNKNOWN
    return groups, group


def _group(
    capture: Capture,
    texts: tuple[str, ...],
    name: int,
    description: int,
    ranks: int,
    size: int,
    start: int,
    stride: int,
) -> Group:
    """The group of one combination of arguments; the configured one has the full list of ranks."""
    found = next((g for g in capture.facts.groups if g.name and g.name == texts[name]), None)
    members = found.ranks if found else ()
    if not members:
        members = _listed_ranks(texts[ranks])
    if not members and start >= 0 and size > 0:
        members = tuple(range(start, start + size * max(stride, 1), max(stride, 1)))
    known_size = len(members) or (size if size > 0 else None)
    return Group(texts[name], texts[description], members, known_size)


def _listed_ranks(text: str) -> tuple[int, ...]:
    """Ranks of a text like `[0, 1]`; nothing when it is shortened with "..." or unreadable."""
    try:
        ranks = orjson.loads(text)
    except orjson.JSONDecodeError:
        return ()
    if not isinstance(ranks, list):
        return ()
    return tuple(rank for rank in ranks if isinstance(rank, int))


def _peers(capture: Capture, rows: Int32, place: Int64, operation: UInt8) -> Int64:
    """Destination of a send, source of a recv; from the arguments, else from `nccl:send 0->1`."""
    is_send = operation == OPERATIONS.index("send")
    is_receive = operation == OPERATIONS.index("recv")
    peer = np.full(len(rows), UNKNOWN, np.int64)
    peer[is_send] = _pick(capture.collectives.destination_rank, place)[is_send]
    peer[is_receive] = _pick(capture.collectives.source_rank, place)[is_receive]
    name = capture.slices.name[rows]
    for code in np.unique(name[(peer < 0) & (is_send | is_receive)]):
        match = _SPAN.match(capture.names[code])
        if match and match[2]:
            peer[(name == code) & (peer < 0) & is_send] = int(match[3])
            peer[(name == code) & (peer < 0) & is_receive] = int(match[2])
    return peer
