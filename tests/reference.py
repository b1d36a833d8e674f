"""The slow reader: `json` and `Decimal`, one event at a time, for valid trace files only.

It shares no code with the fast reader, so that equal columns mean something.
"""

import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import numpy as np

from vpstop.read.assemble import assemble
from vpstop.read.capture import Capture, Device, Facts, Group, Shape
from vpstop.read.categories import BOOKKEEPING, KNOWN, LaneKind, current_name, lane_kind
from vpstop.read.records import (
    AllocatorRecords,
    CollectiveRecords,
    FlowRecords,
    LaneKey,
    Records,
    SliceRecords,
)
from vpstop.text import clean

Event = dict[str, Any]

ABSOLUTE_FROM_US: Final = 10**15
"""Times without a base that are at least this count from 1970 (trace-format section 5)."""

OPTIONS: Final = frozenset(
    {"record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules"}
)
OWN_KEYS: Final = OPTIONS | {
    "traceEvents",
    "deviceProperties",
    "distributedInfo",
    "baseTimeNanoseconds",
    "host_name",
    "trace_id",
}
ARROWS: Final = {
    "async": "ac2g",
    "async_cpu_to_gpu": "ac2g",
    "async_gpu": "ac2g",
    "forward_backward": "fwdbwd",
}
LEGACY: Final = {"CPU functions": "cpu_op", "CUDA functions": "kernel"}
COLLECTIVE_NUMBERS: Final = {
    "in_elements": "In msg nelems",
    "out_elements": "Out msg nelems",
    "group_size": "Group size",
    "rank_start": "Global rank start",
    "rank_stride": "Global rank stride",
    "sequence": "Seq",
    "source_rank": "Src Rank",
    "destination_rank": "Dst Rank",
}
COLLECTIVE_TEXTS: Final = {
    "operation": "Collective name",
    "dtype": "dtype",
    "group_name": "Process Group Name",
    "group_description": "Process Group Description",
    "group_ranks": "Process Group Ranks",
}


class Codes(dict[Any, int]):
    """Gives every new key the next number."""

    def __missing__(self, key: Any) -> int:
        self[key] = len(self)
        return self[key]


def reference_capture(path: Path) -> Capture:
    """The capture of a valid trace file, read slowly."""
    return assemble(reference_records(path))


def reference_records(path: Path) -> Records:
    """What a parser has to find in a valid trace file."""
    top = load_json(path)
    if isinstance(top, list):
        top = {"traceEvents": top}
    events = [event for event in top["traceEvents"] if isinstance(event, dict) and "ph" in event]
    base_ns = int(top.get("baseTimeNanoseconds", 0))
    slices = list(slice_events(events))
    names, lanes, shapes = Codes(), Codes(), Codes()
    categories = Codes({name: code for code, name in enumerate(KNOWN)})
    flows, flow_categories = flow_records(events)
    columns = slice_records(slices, base_ns, names, categories, lanes, shapes)
    copies = [(row, e["args"]["bytes"]) for row, (_, e) in enumerate(slices) if is_copy(e)]
    return Records(
        facts=facts_of(path, top, slices, base_ns),
        slices=columns,
        names=tuple(names),
        categories=tuple(categories),
        lanes=tuple(lanes),
        shapes=tuple(shapes),
        collectives=collective_records(slices),
        copies_slice=np.array([row for row, _ in copies], np.int32),
        copies_bytes=np.array([number(count) for _, count in copies], np.int64),
        memory=allocator_records(events, base_ns),
        flows=flows,
        flow_categories=flow_categories,
        thread_names=thread_names(events),
        process_labels=process_labels(events),
    )


def load_json(path: Path) -> Any:
    """The whole document, with `Decimal` for every number that has a fraction."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return json.loads(data, parse_float=Decimal)


def number(value: Any, missing: int = 0) -> int:
    """An integer written as number, decimal or hexadecimal text; wrapped ones are negative."""
    if value is None or value == "":
        return missing
    hexadecimal = isinstance(value, str) and "x" in value
    count = int(value, 0) if hexadecimal else int(Decimal(value))
    return count - 2**64 if count >= 2**63 else count


def nanoseconds(us: Any) -> int:
    """Exact, to the nearest nanosecond."""
    return int((Decimal(us) * 1000).to_integral_value())


def category_of(event: Event) -> str:
    """Today's category; array-form traces have none and say it by the process."""
    return current_name(event.get("cat") or LEGACY.get(str(event.get("pid")), ""))


def slice_events(events: Iterable[Event]) -> Iterator[tuple[int, Event]]:
    """(place in the file, complete event); a begin and its end become one, at the begin."""
    found: list[tuple[int, Event]] = []
    begun: dict[tuple[Any, Any], list[tuple[int, Event]]] = defaultdict(list)
    for place, event in enumerate(events):
        thread = (event.get("pid"), event.get("tid"))
        if event["ph"] == "X" and event.get("cat") != BOOKKEEPING:
            found.append((place, event))
        elif event["ph"] == "B":
            begun[thread].append((place, event))
        elif event["ph"] == "E" and begun[thread]:
            start, begin = begun[thread].pop()
            found.append((start, begin | {"dur": Decimal(event["ts"]) - Decimal(begin["ts"])}))
    yield from sorted(found, key=lambda item: item[0])


def args_of(event: Event) -> Mapping[str, Any]:
    args = event.get("args")
    return args if isinstance(args, dict) else {}


def is_copy(event: Event) -> bool:
    return category_of(event) in {"gpu_memcpy", "gpu_memset"} and "bytes" in args_of(event)


def slice_records(
    slices: list[tuple[int, Event]],
    base_ns: int,
    names: Codes,
    categories: Codes,
    lanes: Codes,
    shapes: Codes,
) -> SliceRecords:
    """The slice columns, in file order; fills the four tables of codes."""
    events = [event for _, event in slices]
    args = [args_of(event) for event in events]
    external = [a.get("External id", a.get("external id")) for a in args]
    correlations = [number(a.get("correlation")) for a in args]
    return SliceRecords(
        start_ns=np.array([nanoseconds(e["ts"]) + base_ns for e in events], np.int64),
        duration_ns=np.array([max(0, nanoseconds(e.get("dur", 0))) for e in events], np.int64),
        name=np.array([names[clean(str(e.get("name", "")))] for e in events], np.int32),
        category=np.array([categories[category_of(e)] for e in events], np.uint8),
        lane=np.array([lanes[lane_of(e)] for e in events], np.int32),
        correlation=np.array([max(0, value) for value in correlations], np.int64),
        external_id=np.array([max(0, number(value)) for value in external], np.int64),
        shape=np.array([shape_code(a, shapes) for a in args], np.int32),
        trusted=np.array([Decimal(e["ts"]) > 0 for e in events], np.bool_),
        record=np.array([place for place, _ in slices], np.int64),
    )


def lane_of(event: Event) -> LaneKey:
    """The lane of a slice; `stream 7 annotations` of 2021 is stream 7."""
    kind = lane_kind(category_of(event))
    thread = str(event.get("tid", ""))
    if kind is not LaneKind.HOST and (stream := re.match(r"stream (\d+)", thread)):
        thread = stream[1]
    return LaneKey(kind, clean(str(event.get("pid", ""))), clean(thread))


def shape_code(args: Mapping[str, Any], shapes: Codes) -> int:
    """Row of the shape table, -1 without recorded shapes."""
    if "Input Dims" not in args:
        return -1
    dims, types = args["Input Dims"], args.get("Input type", "")
    return shapes[Shape(json.dumps(dims), json.dumps(types) if types else "")]


def collective_records(slices: list[tuple[int, Event]]) -> CollectiveRecords:
    """Arguments of the kernels and calls that name a collective."""
    rows = [row for row, (_, event) in enumerate(slices) if "Collective name" in args_of(event)]
    args = [args_of(slices[row][1]) for row in rows]
    texts = Codes()
    numbers = {
        field: np.array([number(a.get(key), missing=-1) for a in args], np.int64)
        for field, key in COLLECTIVE_NUMBERS.items()
    }
    codes = {
        field: np.array([texts[clean(str(a[key]))] if key in a else -1 for a in args], np.int32)
        for field, key in COLLECTIVE_TEXTS.items()
    }
    return CollectiveRecords(
        slice=np.array(rows, np.int32),
        in_elements=numbers["in_elements"],
        out_elements=numbers["out_elements"],
        group_size=numbers["group_size"],
        rank_start=numbers["rank_start"],
        rank_stride=numbers["rank_stride"],
        sequence=numbers["sequence"],
        source_rank=numbers["source_rank"],
        destination_rank=numbers["destination_rank"],
        operation=codes["operation"],
        dtype=codes["dtype"],
        group_name=codes["group_name"],
        group_description=codes["group_description"],
        group_ranks=codes["group_ranks"],
        texts=tuple(texts),
    )


def allocator_records(events: list[Event], base_ns: int) -> AllocatorRecords:
    """All `[memory]` instants."""
    places = [p for p, e in enumerate(events) if e["ph"] == "i" and e.get("name") == "[memory]"]
    args = [args_of(events[place]) for place in places]

    def column(key: str, missing: int = -1) -> list[int]:
        return [number(a.get(key), missing) for a in args]

    index = [number(a.get("Ev Idx"), p) for p, a in zip(places, args, strict=True)]
    return AllocatorRecords(
        time_ns=np.array([nanoseconds(events[p]["ts"]) + base_ns for p in places], np.int64),
        bytes=np.array(column("Bytes", missing=0), np.int64),
        total_allocated=np.array(column("Total Allocated"), np.int64),
        total_reserved=np.array(column("Total Reserved"), np.int64),
        device_type=np.array(column("Device Type"), np.int32),
        device=np.array(column("Device Id"), np.int32),
        index=np.array(index, np.int64),
    )


def flow_records(events: Iterable[Event]) -> tuple[FlowRecords, tuple[str, ...]]:
    """Starts and ends of flows, and the table of their categories."""
    flows = [event for event in events if event["ph"] in ("s", "f")]
    categories = Codes()
    kinds = [ARROWS.get(flow.get("cat", ""), flow.get("cat", "")) for flow in flows]
    records = FlowRecords(
        category=np.array([categories[kind] for kind in kinds], np.uint8),
        id=np.array([number(flow.get("id")) for flow in flows], np.int64),
        is_end=np.array([flow["ph"] == "f" for flow in flows], np.bool_),
    )
    return records, tuple(categories)


def thread_names(events: Iterable[Event]) -> dict[tuple[str, str], str]:
    return {
        (str(e["pid"]), str(e["tid"])): clean(str(args_of(e)["name"]))
        for e in events
        if e["ph"] == "M" and e.get("name") == "thread_name"
    }


def process_labels(events: Iterable[Event]) -> dict[str, str]:
    return {
        str(e["pid"]): clean(str(args_of(e)["labels"]))
        for e in events
        if e["ph"] == "M" and e.get("name") == "process_labels"
    }


def facts_of(path: Path, top: Event, slices: list[tuple[int, Event]], base_ns: int) -> Facts:
    """What the top-level keys say."""
    info = top.get("distributedInfo", {})
    hosts = Counter(
        str(event["pid"]) for _, event in slices if lane_kind(category_of(event)) is LaneKind.HOST
    )
    times = [event["ts"] for _, event in slices]
    absolute = base_ns > 0 or any(time >= ABSOLUTE_FROM_US for time in times)
    return Facts(
        path=str(path),
        format="kineto" if "schemaVersion" in top or base_ns else "legacy-autograd",
        bytes=path.stat().st_size,
        rank=info.get("rank"),
        world_size=info.get("world_size"),
        backend=str(info.get("backend", "")),
        groups=tuple(group_of(entry) for entry in info.get("pg_config", ())),
        host_name=str(top.get("host_name", "")),
        process=hosts.most_common(1)[0][0] if hosts else "",
        devices=tuple(device_of(entry) for entry in top.get("deviceProperties", ())),
        base_ns=base_ns,
        relative=not absolute,
        trace_id=str(top.get("trace_id", "")),
        options=frozenset(key for key in OPTIONS if top.get(key)),
        metadata={key: value for key, value in top.items() if key not in OWN_KEYS},
    )


def group_of(entry: Event) -> Group:
    ranks = entry.get("ranks", [])
    listed = json.loads(ranks) if isinstance(ranks, str) and "..." not in ranks else ranks
    return Group(
        name=str(entry.get("pg_name", "")),
        description=str(entry.get("pg_desc", "")),
        ranks=tuple(listed) if isinstance(listed, list) else (),
        size=entry.get("pg_size"),
        backend=str(entry.get("backend_config", "")),
    )


def device_of(entry: Event) -> Device:
    return Device(
        id=int(entry["id"]),
        name=str(entry.get("name", "")),
        total_memory=entry.get("totalGlobalMem"),
        properties=entry,
    )
