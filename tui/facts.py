"""What is known of one slice, in words: for the status line and for the detail sheet."""

from typing import NamedTuple

import numpy as np

from vpstop.read.capture import Capture
from vpstop.read.communication import OPERATIONS, Communication
from vpstop.read.segments import lane_rows
from vpstop.report.units import duration, size
from vpstop.tui.moves import launched_by
from vpstop.tui.track import Rank


class Fact(NamedTuple):
    """A line of the detail sheet."""

    label: str
    value: str


def name_of(capture: Capture, row: int) -> str:
    """The name of a slice."""
    return capture.names[int(capture.slices.name[row])]


def duration_text(capture: Capture, row: int) -> str:
    """`1.234 ms, self 0.2 ms`; self time only where something runs inside the slice."""
    total_ns = int(capture.slices.duration_ns[row])
    own_ns = self_ns(capture, row)
    text = duration(total_ns)
    return text if own_ns == total_ns else f"{text}, self {duration(own_ns)}"


def self_ns(capture: Capture, row: int) -> int:
    """Time of a slice in which nothing inside it runs."""
    slices = capture.slices
    lane = lane_rows(slices, int(slices.lane[row]))
    end_ns = slices.start_ns[row] + slices.effective_ns[row]
    last = lane.start + int(np.searchsorted(slices.start_ns[lane], end_ns))
    inside = slice(row + 1, max(last, row + 1))
    children = slices.parent[inside] == row
    return int(slices.effective_ns[row] - slices.effective_ns[inside][children].sum())


def traffic_text(rank: Rank, row: int) -> str:
    """`all_reduce of 25.2 MiB Float, 8 ranks` or `25.2 MiB`; empty where nothing was moved."""
    copies = rank.member.capture.copies
    copied = np.flatnonzero(copies.slice == row)
    if len(copied):
        return size(int(copies.bytes[copied[0]]))
    found = rank.index.communication
    places = np.flatnonzero(found.slice == row)
    return _collective_text(found, int(places[0])) if len(places) else ""


def _collective_text(found: Communication, place: int) -> str:
    operation = OPERATIONS[found.operation[place]]
    text = "" if operation == "unknown" else operation
    in_bytes, dtype = int(found.in_bytes[place]), int(found.dtype[place])
    if in_bytes >= 0:
        text += f" of {size(in_bytes)}"
    if dtype >= 0 and found.dtypes[dtype]:
        text += f" {found.dtypes[dtype]}"
    group = found.groups[found.group[place]] if found.group[place] >= 0 else None
    if group and group.size:
        text += f", {group.size} ranks"
    return text.lstrip(" ,").removeprefix("of ")


def slice_facts(rank: Rank, row: int, origin_ns: int) -> list[Fact]:
    """All that the columns of a capture tell of a slice; `origin_ns` is the start of the run."""
    capture = rank.member.capture
    slices, lane = capture.slices, capture.lanes[capture.slices.lane[row]]
    start_ns = rank.interval(row).start_ns
    facts = [
        Fact("name", name_of(capture, row)),
        Fact("category", capture.categories[slices.category[row]]),
        Fact("rank", f"{rank.label} on {rank.member.host}"),
        Fact("lane", f"{lane.name}, process {lane.process}"),
        Fact("start", f"{duration(start_ns - origin_ns)} after the start of the run"),
        Fact("begins at", f"{int(slices.start_ns[row])} ns"),
        Fact("duration", duration_text(capture, row)),
        Fact("cut to", _cut_text(capture, row)),
        Fact("inside", _caller_text(capture, row)),
        Fact("moved", traffic_text(rank, row)),
        Fact("launched by", _launch_text(rank, row)),
        Fact("launched", _launched_text(capture, row)),
        Fact("correlation", str(slices.correlation[row] or "")),
        Fact("external id", str(slices.external_id[row] or "")),
        Fact("input shapes", _shape_text(capture, row)),
    ]
    return [fact for fact in facts if fact.value]


def _cut_text(capture: Capture, row: int) -> str:
    """Where a slice claims more time than its lane has for it."""
    effective_ns = int(capture.slices.effective_ns[row])
    is_cut = effective_ns < int(capture.slices.duration_ns[row])
    return f"{duration(effective_ns)}, where the next one starts or its caller ends" * is_cut


def _caller_text(capture: Capture, row: int) -> str:
    names = []
    while (row := int(capture.slices.parent[row])) >= 0:
        names.append(name_of(capture, row))
    return " < ".join(names)


def _launch_text(rank: Rank, row: int) -> str:
    launch = int(rank.member.capture.slices.launch[row])
    if launch < 0:
        return ""
    before_ns = rank.interval(row).start_ns - rank.interval(launch).start_ns
    return f"{name_of(rank.member.capture, launch)}, {duration(before_ns)} before"


def _launched_text(capture: Capture, row: int) -> str:
    rows = launched_by(capture.slices, row)
    if not len(rows):
        return ""
    busy_ns = int(capture.slices.effective_ns[rows].sum())
    return f"{len(rows)} on the device, together {duration(busy_ns)}"


def _shape_text(capture: Capture, row: int) -> str:
    place = int(capture.slices.shape[row])
    return "" if place < 0 else f"{capture.shapes[place].dims} {capture.shapes[place].types}"
