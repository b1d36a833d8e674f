"""Captures for tests, built from readable code: the words every test shares.

    made = capture(
        op("aten::mm", start=0, duration=10),
        launch("cudaLaunchKernel", start=2, duration=3, correlation=1),
        kernel("gemm", start=5, duration=20, correlation=1),
        rank=0,
    )

Times are nanoseconds after `EPOCH_NS`; `capture(..., epoch_ns=0)` makes them absolute. Everything
goes through `assemble`, so lanes, nesting, launch links and coverage are the real ones. The slices
of a capture are sorted: find one by `row(made, "gemm")`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal

import numpy as np

from vpstop.read.assemble import assemble
from vpstop.read.capture import Capture, Device, Facts, Group, Shape, TraceWarning
from vpstop.read.categories import KNOWN, LaneKind, lane_kind
from vpstop.read.records import (
    AllocatorRecords,
    CollectiveRecords,
    FlowRecords,
    LaneKey,
    Records,
    SliceRecords,
)

EPOCH_NS: Final = 1_700_000_000_000_000_000


@dataclass(frozen=True, slots=True)
class Collective:
    """Communication arguments of a slice, as a file has them; -1 and "" are not in the file."""

    operation: str = "allreduce"
    dtype: str = "Float"
    in_elements: int = -1
    out_elements: int = -1
    group_size: int = -1
    group_name: str = ""
    group_description: str = ""
    group_ranks: str = ""
    rank_start: int = -1
    rank_stride: int = -1
    sequence: int = -1
    source_rank: int = -1
    destination_rank: int = -1


@dataclass(frozen=True, slots=True)
class Slice:
    """One slice to be; made by `slice_` and its short forms."""

    category: str
    name: str
    start: int
    duration: int
    process: str
    thread: str
    correlation: int = 0
    external_id: int = 0
    shape: Shape | None = None
    collective: Collective | None = None
    moved_bytes: int | None = None
    trusted: bool = True
    kind: LaneKind | None = None
    """The lane; None: the one of the category."""


@dataclass(frozen=True, slots=True)
class Memory:
    """One allocator record; totals of -1 are not in the file."""

    time: int
    bytes: int
    total_allocated: int = -1
    total_reserved: int = -1
    device_type: int = 1
    device: int = 0
    index: int | None = None
    """`Ev Idx`; None: the place among the arguments."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A start or an end of a flow."""

    category: str
    id: int
    side: Literal["start", "end"]


Part = Slice | Memory | Flow


def slice_(
    category: str,
    name: str,
    start: int,
    duration: int,
    *,
    thread: int | str = 1,
    process: int | str = 100,
    **more: Any,
) -> Slice:
    """A slice of any category; `more` are fields of `Slice`."""
    return Slice(category, name, start, duration, str(process), str(thread), **more)


def op(name: str, start: int, duration: int, **more: Any) -> Slice:
    """An operator on a host thread."""
    return slice_("cpu_op", name, start, duration, **more)


def annotation(name: str, start: int, duration: int, **more: Any) -> Slice:
    """A user range on a host thread."""
    return slice_("user_annotation", name, start, duration, **more)


def step(number: int, start: int, duration: int, **more: Any) -> Slice:
    """A profiler step."""
    return annotation(f"ProfilerStep#{number}", start, duration, **more)


def frame(name: str, start: int, duration: int, **more: Any) -> Slice:
    """A Python frame."""
    return slice_("python_function", name, start, duration, **more)


def launch(name: str, start: int, duration: int, **more: Any) -> Slice:
    """A runtime call; give it the `correlation` of what it launches."""
    return slice_("cuda_runtime", name, start, duration, **more)


def on_stream(
    category: str,
    name: str,
    start: int,
    duration: int,
    *,
    stream: int | str = 7,
    device: int | str = 0,
    **more: Any,
) -> Slice:
    """A slice of any category on a stream of a device."""
    return slice_(category, name, start, duration, thread=stream, process=device, **more)


def kernel(name: str, start: int, duration: int, **more: Any) -> Slice:
    """A kernel; `stream`, `device`, `correlation` and `collective` say more."""
    return on_stream("kernel", name, start, duration, **more)


def memcpy(name: str, start: int, duration: int, moved_bytes: int = 0, **more: Any) -> Slice:
    """A copy, such as `Memcpy HtoD (Pinned -> Device)`."""
    return on_stream("gpu_memcpy", name, start, duration, moved_bytes=moved_bytes, **more)


def memset(start: int, duration: int, moved_bytes: int = 0, **more: Any) -> Slice:
    """A memset."""
    more |= {"moved_bytes": moved_bytes}
    return on_stream("gpu_memset", "Memset (Device)", start, duration, **more)


def flow(category: str, id_: int) -> tuple[Flow, Flow]:
    """Start and end of a flow."""
    return Flow(category, id_, "start"), Flow(category, id_, "end")


def facts(
    *,
    rank: int | None = 0,
    world_size: int | None = None,
    path: str = "rank0.json",
    host_name: str = "",
    groups: Sequence[Group] = (),
    devices: Sequence[Device] = (),
    **more: Any,
) -> Facts:
    """Facts of a Kineto file; `more` are fields of `Facts`."""
    given: dict[str, Any] = {"format": "kineto", "bytes": 1000, **more}
    return Facts(
        path,
        rank=rank,
        world_size=world_size,
        host_name=host_name,
        groups=tuple(groups),
        devices=tuple(devices),
        **given,
    )


def capture(
    *parts: Part,
    epoch_ns: int = EPOCH_NS,
    thread_names: Mapping[tuple[str, str], str] | None = None,
    warnings: Sequence[TraceWarning] = (),
    **of_facts: Any,
) -> Capture:
    """A capture of these parts; the order of the arguments is the order of the file.

    `of_facts` are arguments of `facts`: `rank`, `world_size`, `host_name`, `path`, ...
    """
    return assemble(
        records(
            *parts,
            epoch_ns=epoch_ns,
            thread_names=thread_names,
            warnings=warnings,
            **of_facts,
        )
    )


def records(
    *parts: Part,
    epoch_ns: int = EPOCH_NS,
    thread_names: Mapping[tuple[str, str], str] | None = None,
    warnings: Sequence[TraceWarning] = (),
    **of_facts: Any,
) -> Records:
    """What a parser would have found, for tests of `assemble` itself."""
    slices = [part for part in parts if isinstance(part, Slice)]
    names, categories, lanes, shapes = _Codes(), _Codes(KNOWN), _Codes(), _Codes()
    flow_categories = _Codes()
    copies = [(row, one.moved_bytes) for row, one in enumerate(slices) if one.moved_bytes]
    columns = SliceRecords(
        start_ns=_int64(epoch_ns + one.start for one in slices),
        duration_ns=_int64(one.duration for one in slices),
        name=_int32(names[one.name] for one in slices),
        category=np.array([categories[one.category] for one in slices], np.uint8),
        lane=_int32(lanes[_lane_key(one)] for one in slices),
        correlation=_int64(one.correlation for one in slices),
        external_id=_int64(one.external_id for one in slices),
        shape=_int32(-1 if one.shape is None else shapes[one.shape] for one in slices),
        trusted=np.array([one.trusted for one in slices], np.bool_),
        record=np.arange(len(slices), dtype=np.int64),
    )
    return Records(
        facts=facts(**of_facts),
        slices=columns,
        names=tuple(names),
        categories=tuple(categories),
        lanes=tuple(lanes),
        shapes=tuple(shapes),
        collectives=_collectives(slices),
        copies_slice=_int32(row for row, _ in copies),
        copies_bytes=_int64(moved for _, moved in copies),
        memory=_memory([part for part in parts if isinstance(part, Memory)], epoch_ns),
        flows=_flows([part for part in parts if isinstance(part, Flow)], flow_categories),
        flow_categories=tuple(flow_categories),
        thread_names=thread_names or {},
        warnings=tuple(warnings),
    )


def rows(made: Capture, name: str) -> list[int]:
    """Rows of the slices of this name, in order."""
    code = made.names.index(name)
    return [int(row) for row in np.flatnonzero(made.slices.name == code)]


def row(made: Capture, name: str) -> int:
    """Row of the only slice of this name."""
    (found,) = rows(made, name)
    return found


class _Codes(dict[Any, int]):
    """Numbers values in the order of their first use."""

    def __init__(self, known: Sequence[Any] = ()) -> None:
        super().__init__((value, code) for code, value in enumerate(known))

    def __missing__(self, value: Any) -> int:
        return self.setdefault(value, len(self))


def _int64(values: Any) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.fromiter(values, np.int64)


def _int32(values: Any) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.fromiter(values, np.int32)


def _lane_key(one: Slice) -> LaneKey:
    return LaneKey(one.kind or lane_kind(one.category), one.process, one.thread)


def _collectives(slices: Sequence[Slice]) -> CollectiveRecords:
    found = [(row, one.collective) for row, one in enumerate(slices) if one.collective]
    texts = _Codes()
    columns: dict[str, Any] = {}
    for field in fields(Collective):
        values = [getattr(collective, field.name) for _, collective in found]
        if field.type is str:
            columns[field.name] = _int32(texts[text] if text else -1 for text in values)
        else:
            columns[field.name] = _int64(values)
    return CollectiveRecords(_int32(row for row, _ in found), texts=tuple(texts), **columns)


def _memory(found: Sequence[Memory], epoch_ns: int) -> AllocatorRecords:
    indices = (place if one.index is None else one.index for place, one in enumerate(found))
    return AllocatorRecords(
        time_ns=_int64(epoch_ns + one.time for one in found),
        bytes=_int64(one.bytes for one in found),
        total_allocated=_int64(one.total_allocated for one in found),
        total_reserved=_int64(one.total_reserved for one in found),
        device_type=_int32(one.device_type for one in found),
        device=_int32(one.device for one in found),
        index=_int64(indices),
    )


def _flows(found: Sequence[Flow], categories: _Codes) -> FlowRecords:
    return FlowRecords(
        category=np.array([categories[one.category] for one in found], np.uint8),
        id=_int64(one.id for one in found),
        is_end=np.array([one.side == "end" for one in found], np.bool_),
    )
