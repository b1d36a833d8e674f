"""The records of an event list as typed structs: only wanted fields ever become objects.

Times stay numbers where a double holds them exactly; `PRECISE` keeps their text instead. All
phase letters of the format are declared, so an unknown one is a damaged record.
"""

from functools import reduce
from operator import or_
from typing import Annotated, Any, Final, Generic, TypeVar

import msgspec
from msgspec import Raw, Struct, field

Number = int | float | str | None
Scalar = int | float | str | bool | None
Time = TypeVar("Time")

ABSENT: Final = Raw(b"")
MISSING: Final = -1
"""A number that is not in the file, where 0 would be one."""
_UNKNOWN: Final[Any] = 0
"""Time of a record that says none."""


class SliceArgs(Struct, gc=False, frozen=True):
    """Arguments that become columns. User arguments may use any key: no type is certain."""

    external_id: Any = field(name="External id", default=0)
    dims: Raw = field(name="Input Dims", default=ABSENT)
    types: Raw = field(name="Input type", default=ABSENT)
    correlation: Any = 0
    bytes: Any = None
    older_external_id: Any = field(name="external id", default=0)
    finished: Any = None
    operation: Any = field(name="Collective name", default=None)
    dtype: Any = None
    in_elements: Any = field(name="In msg nelems", default=MISSING)
    out_elements: Any = field(name="Out msg nelems", default=MISSING)
    group_size: Any = field(name="Group size", default=MISSING)
    group_name: Any = field(name="Process Group Name", default=None)
    group_description: Any = field(name="Process Group Description", default=None)
    group_ranks: Any = field(name="Process Group Ranks", default=None)
    rank_start: Any = field(name="Global rank start", default=MISSING)
    rank_stride: Any = field(name="Global rank stride", default=MISSING)
    sequence: Any = field(name="Seq", default=MISSING)
    source_rank: Any = field(name="Src Rank", default=MISSING)
    destination_rank: Any = field(name="Dst Rank", default=MISSING)


class AllocatorArgs(Struct, gc=False, frozen=True):
    """Arguments of a `[memory]` instant."""

    bytes: Any = field(name="Bytes", default=0)
    total_allocated: Any = field(name="Total Allocated", default=MISSING)
    total_reserved: Any = field(name="Total Reserved", default=MISSING)
    device_type: Any = field(name="Device Type", default=MISSING)
    device: Any = field(name="Device Id", default=MISSING)
    index: Any = field(name="Ev Idx", default=MISSING)


class LabelArgs(Struct, gc=False, frozen=True):
    """Arguments of metadata records."""

    name: Any = None
    labels: Any = None


NO_SLICE_ARGS: Final = SliceArgs()
NO_ALLOCATOR_ARGS: Final = AllocatorArgs()
NO_LABEL_ARGS: Final = LabelArgs()

Empty = Annotated[list[Any], msgspec.Meta(max_length=0)]
"""Some writers leave an empty list where there are no arguments."""


class Slice(Struct, Generic[Time], tag_field="ph", tag="X", gc=False):
    """A complete event."""

    cat: Scalar = None
    name: Scalar = ""
    pid: Scalar = ""
    tid: Scalar = ""
    ts: Time = _UNKNOWN
    dur: Number = 0
    args: SliceArgs | Empty | None = NO_SLICE_ARGS


class Begin(Slice[Time], Generic[Time], tag_field="ph", tag="B", gc=False):
    """The start of a slice; its end is a record of its own."""


class End(Struct, Generic[Time], tag_field="ph", tag="E", gc=False):
    """Ends the youngest open `Begin` of the thread."""

    pid: Scalar = ""
    tid: Scalar = ""
    ts: Time = _UNKNOWN


class Instant(Struct, Generic[Time], tag_field="ph", tag="i", gc=False):
    """A moment; only those called `[memory]` are kept."""

    name: Scalar = ""
    ts: Time = _UNKNOWN
    args: AllocatorArgs | Empty | None = NO_ALLOCATOR_ARGS


class FlowStart(Struct, tag_field="ph", tag="s", gc=False):
    """The tail of an arrow."""

    id: Scalar = None
    cat: Scalar = None


class FlowEnd(Struct, tag_field="ph", tag="f", gc=False):
    """The head of an arrow; most heads of a Kineto trace have no tail."""

    id: Scalar = None
    cat: Scalar = None


class Label(Struct, tag_field="ph", tag="M", gc=False):
    """A name or a label of a process or a thread."""

    name: Scalar = ""
    pid: Scalar = ""
    tid: Scalar = ""
    args: LabelArgs | Empty | None = NO_LABEL_ARGS


def _ignored(phase: str) -> type[Struct]:
    return msgspec.defstruct(f"Phase_{phase}", (), tag_field="ph", tag=phase, gc=False)


_IGNORED: Final = tuple(map(_ignored, "tICbneSTpFPNODRcVv(),"))

Event = Slice[Any] | Begin[Any] | End[Any] | Instant[Any] | FlowStart | FlowEnd | Label | Struct


def _decoder(time: Any) -> msgspec.json.Decoder[list[Event]]:
    timed = (Slice[time], Begin[time], End[time], Instant[time])
    record = reduce(or_, (*timed, FlowStart, FlowEnd, Label, *_IGNORED))
    return msgspec.json.Decoder(list[record])  # type: ignore[valid-type]


NUMERIC: Final = _decoder(Number)
"""Decodes a list of records with times as numbers."""

PRECISE: Final = _decoder(Raw)
"""Decodes a list of records with times as the text of the file, for doubles cannot hold them."""
