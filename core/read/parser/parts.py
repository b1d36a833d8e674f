"""Columns of a part of a file, before they are put together: what parsers hand to `finish`.

Rows refer to slices by their `record`, which grows with the place in the file. So parts that were
read by different processes join without counting rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from vpstop.read.capture import WarningKind

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
Bool = npt.NDArray[np.bool_]

OPEN_NS: Final = -1
"""Duration of a begin record whose end was not seen yet."""

_JOINED_TOGETHER: Final = 64

Columns = TypeVar("Columns", bound=tuple[npt.NDArray[np.generic], ...])


class SliceColumns(NamedTuple):
    """Slices and begin records in file order, times from the zero of the file; 0 is unknown."""

    start_ns: Int64
    duration_ns: Int64
    kind: Int32
    """Row of `Tables.kinds`."""
    correlation: Int64
    external_id: Int64
    shape: Int32
    record: Int64


class EndColumns(NamedTuple):
    """End records, for the begin records among the slices."""

    thread: Int32
    """Row of `Tables.threads`."""
    time_ns: Int64
    record: Int64


class CollectiveColumns(NamedTuple):
    """As `CollectiveRecords`, with the record of the slice."""

    record: Int64
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


class ByteColumns(NamedTuple):
    """Arguments called `bytes`: those of copies and memsets count."""

    record: Int64
    bytes: Int64


class AllocatorColumns(NamedTuple):
    """As `AllocatorRecords`, with times from the zero of the file."""

    time_ns: Int64
    bytes: Int64
    total_allocated: Int64
    total_reserved: Int64
    device_type: Int32
    device: Int32
    event_index: Int64


class FlowColumns(NamedTuple):
    """As `FlowRecords`; `category` is a row of `Tables.flow_categories`."""

    category: Int32
    id: Int64
    is_end: Bool


class Kind(NamedTuple):
    """What many slices have in common. One table of these is shorter than four columns."""

    category: str
    """Empty where the record names none."""
    name: str
    process: str
    thread: str


class Thread(NamedTuple):
    """Ids as text."""

    process: str
    thread: str


class LabelKey(NamedTuple):
    """What a metadata record names: `thread_name` or `process_labels` of these ids."""

    kind: str
    process: str
    thread: str


class LabelText(NamedTuple):
    """The name or label, and its place in the file: the last one of a key counts."""

    place: int
    text: str


@dataclass(frozen=True, slots=True)
class Tables:
    """What the codes in the columns mean."""

    kinds: tuple[Kind, ...]
    threads: tuple[Thread, ...]
    """Of end records."""
    shapes: tuple[tuple[str, str], ...]
    texts: tuple[str, ...]
    flow_categories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Deviation:
    """How often records deviate in one way, and the first that does."""

    kind: WarningKind
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class Part:
    """All columns of a part of a file."""

    slices: SliceColumns
    ends: EndColumns
    collectives: CollectiveColumns
    bytes: ByteColumns
    allocator: AllocatorColumns
    flows: FlowColumns
    tables: Tables
    labels: Mapping[LabelKey, LabelText]
    deviations: tuple[Deviation, ...]


class Batches(Generic[Columns]):
    """Columns that grow by batches.

    Batches are joined early, for many small arrays would leave as much memory again behind them
    that the process cannot give back.
    """

    def __init__(self) -> None:
        self._joined: list[Columns] = []
        self._recent: list[Columns] = []

    def append(self, batch: Columns) -> None:
        """Adds the rows of a batch."""
        self._recent.append(batch)
        if len(self._recent) == _JOINED_TOGETHER:
            self._joined.append(_join(self._recent))

    def columns(self) -> Columns:
        """All rows; nothing is left here."""
        self._joined += self._recent
        self._recent.clear()
        return _join(self._joined)


def _join(batches: list[Columns]) -> Columns:
    """The rows of all batches, column by column: each goes before the next one is made."""
    kind = type(batches[0])
    columns = [list(column) for column in zip(*batches, strict=True)]
    batches.clear()
    return kind(*map(_concatenated, columns))


def _concatenated(column: list[npt.NDArray[np.generic]]) -> npt.NDArray[np.generic]:
    whole = np.concatenate(column)
    column.clear()
    return whole


def selected(columns: Columns, rows: Int64 | Bool) -> Columns:
    """The same columns with only some rows."""
    return type(columns)(*(column[rows] for column in columns))
