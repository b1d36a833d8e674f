"""What a process found in its share of a trace, through a file to the process that asked."""

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

import msgspec
import numpy as np
import numpy.typing as npt

from vpstop.read.parser.parts import (
    AllocatorColumns,
    ByteColumns,
    CollectiveColumns,
    Deviation,
    EndColumns,
    FlowColumns,
    LabelKey,
    LabelText,
    Part,
    SliceColumns,
    Tables,
)

_ALIGNMENT: Final = 8


@dataclass(frozen=True, slots=True)
class Share:
    """The columns of every n-th block, and how far the parser came."""

    part: Part
    head: bytes
    tail: bytes
    """Text behind the event list, where `closed`."""
    closed: bool
    """Whether the list ends in one of the blocks."""
    complete: bool
    """Whether the file was there to its end, as far as this share knows."""
    last_block: int
    """The last block that has a piece which parses; -1 without."""
    failed_block: int | None
    """The block with a piece that does not parse."""


class _Header(msgspec.Struct, array_like=True):
    columns: list[tuple[str, int]]
    """Type and number of rows of every column."""
    head: bytes
    tail: bytes
    closed: bool
    complete: bool
    last_block: int
    failed_block: int | None
    tables: Tables
    labels: list[tuple[LabelKey, LabelText]]
    deviations: tuple[Deviation, ...]


def save(share: Share, file: BinaryIO) -> None:
    """Writes a share."""
    part = share.part
    columns = list(_columns(part))
    header = msgspec.msgpack.encode(
        _Header(
            columns=[(column.dtype.str, len(column)) for column in columns],
            head=share.head,
            tail=share.tail,
            closed=share.closed,
            complete=share.complete,
            last_block=share.last_block,
            failed_block=share.failed_block,
            tables=part.tables,
            labels=list(part.labels.items()),
            deviations=part.deviations,
        )
    )
    _write(file, len(header).to_bytes(_ALIGNMENT, "little"))
    _write(file, header)
    for column in columns:
        _write(file, np.ascontiguousarray(column).data)


def _write(file: BinaryIO, data: bytes | memoryview) -> None:
    """Writes and fills up: columns begin at multiples of their item size."""
    length = memoryview(data).nbytes
    file.write(data)
    file.write(bytes(-length % _ALIGNMENT))


def load(descriptor: int) -> Share:
    """The share in a file; its columns stay in the file and cannot be written."""
    text = mmap.mmap(descriptor, 0, prot=mmap.PROT_READ)
    length = int.from_bytes(text[:_ALIGNMENT], "little")
    header = msgspec.msgpack.decode(text[_ALIGNMENT : _ALIGNMENT + length], type=_Header)
    columns = iter(_mapped(text, header.columns, _ALIGNMENT + length + -length % _ALIGNMENT))
    part = Part(
        slices=SliceColumns(*(next(columns) for _ in SliceColumns._fields)),
        ends=EndColumns(*(next(columns) for _ in EndColumns._fields)),
        collectives=CollectiveColumns(*(next(columns) for _ in CollectiveColumns._fields)),
        bytes=ByteColumns(*(next(columns) for _ in ByteColumns._fields)),
        allocator=AllocatorColumns(*(next(columns) for _ in AllocatorColumns._fields)),
        flows=FlowColumns(*(next(columns) for _ in FlowColumns._fields)),
        tables=header.tables,
        labels=dict(header.labels),
        deviations=header.deviations,
    )
    return Share(
        part=part,
        head=header.head,
        tail=header.tail,
        closed=header.closed,
        complete=header.complete,
        last_block=header.last_block,
        failed_block=header.failed_block,
    )


def _columns(part: Part) -> Iterator[npt.NDArray[np.generic]]:
    """All columns, in the order in which `load` takes them."""
    for group in (
        part.slices,
        part.ends,
        part.collectives,
        part.bytes,
        part.allocator,
        part.flows,
    ):
        yield from group


def _mapped(
    text: mmap.mmap, columns: list[tuple[str, int]], offset: int
) -> Iterator[npt.NDArray[Any]]:
    for kind, length in columns:
        column = np.frombuffer(text, kind, length, offset)
        yield column
        offset += column.nbytes + -column.nbytes % _ALIGNMENT
