"""The sections of the markdown report that show measurements."""

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Final

import numpy as np

from vpstop.measure.device import DeviceTime
from vpstop.measure.kernels import KernelTable
from vpstop.measure.names import cut_in_the_middle, short_kernel_name
from vpstop.measure.operators import OPERATORS, OperatorTable
from vpstop.measure.steps import step_ns, typical_steps
from vpstop.measure.summary import MemberSummary, RunSummary
from vpstop.read.categories import RUNTIME
from vpstop.report.tables import code, table, text
from vpstop.report.units import count, duration, percent, plural, ranges, size

TOP: Final = 20
"""Rows of the tables of operators, kernels and operations."""

RANKS_SHOWN: Final = 64
"""Rows of the tables by rank."""

NAME_WIDTH: Final = 96
FILE_WIDTH: Final = 40

NONE: Final = "-"

WHO: Final = ("rank", "node")
"""First columns of the tables by rank."""

KINDS: Final = {"cpu_op": "operator", "user_annotation": "range"}


def devices(summary: RunSummary) -> list[str]:
    """Metrics section 2, one row a device."""
    worked = [(one, device) for one in summary.members for device in one.devices]
    if not worked:
        return []
    rows = [(*who(one), str(device), *_device_cells(one.devices[device])) for one, device in worked]
    headers = [*WHO, "device", ">span", ">compute", ">exposed communication", ">exposed copy"]
    headers += [">idle", ">busy", ">communication", ">hidden", ">copy"]
    times = [one.devices[device] for one, device in worked]
    whose = "The device" if len(times) == 1 else f"All {len(times)} devices together"
    return [f"{whose}: {device_shares(times)}.", "", *limited(headers, rows)]


def device_name(one: MemberSummary, number: int) -> str:
    """Name of a device, also of one that has none."""
    return text(one.device_name(number)) or "unknown device"


def device_shares(times: Sequence[DeviceTime]) -> str:
    """Where the time of these devices goes, as one sentence; the shares add up to 100 %."""
    span_ns = sum(time.span_ns for time in times) or 1
    parts = {
        "compute": sum(time.compute_ns for time in times),
        "exposed communication": sum(time.exposed_communication_ns for time in times),
        "exposed copies": sum(time.exposed_copy_ns for time in times),
        "idle": sum(time.idle_ns for time in times),
    }
    return ", ".join(f"{percent(ns / span_ns)} {name}" for name, ns in parts.items())


def _device_cells(time: DeviceTime) -> tuple[str, ...]:
    def part(ns: int) -> str:
        return f"{duration(ns)} ({percent(ns / time.span_ns)})" if ns else NONE

    overlap = time.overlap_percent
    return (
        duration(time.span_ns),
        part(time.compute_ns),
        part(time.exposed_communication_ns),
        part(time.exposed_copy_ns),
        part(time.idle_ns),
        part(time.busy_ns),
        part(time.communication_ns),
        NONE if overlap is None else percent(overlap / 100),
        part(time.copy_ns),
    )


def steps(summary: RunSummary) -> list[str]:
    """Step times of each rank."""
    rows = []
    for one in summary.members:
        median_ns = step_ns(one.steps)
        if median_ns is None:
            continue
        times = [step.duration_ns for step in one.steps]
        rows.append(
            (
                *who(one),
                ranges(sorted(step.number for step in one.steps)),
                duration(median_ns),
                count(len(typical_steps(one.steps))),
                duration(min(times)),
                duration(max(times)),
            )
        )
    if not rows:
        return ["No step markers: the whole window counts as one step."]
    headers = [*WHO, "steps", ">median", ">steps in it", ">shortest", ">longest"]
    return limited(headers, rows)


def communication(summary: RunSummary) -> list[str]:
    """What is known without looking at several ranks at once."""
    if not summary.traffic:
        return ["No communication was recorded."]
    rows = [
        (
            "not in the files" if one.operation == "unknown" else code(one.operation),
            NONE if one.message_bytes < 0 else size(one.message_bytes),
            count(one.calls),
            duration(one.total_ns),
            duration(one.mean_ns),
            duration(one.shortest_ns),
            duration(one.longest_ns),
        )
        for one in summary.traffic[:TOP]
    ]
    headers = ("operation", ">message", ">calls", ">total", ">mean", ">shortest", ">longest")
    lines = table(headers, rows)
    hosts = [
        (*who(one), duration(one.communication_ns), percent(share))
        for one in summary.members
        if (share := communication_share(one)) is not None
    ]
    if hosts:
        by_rank = limited([*WHO, ">in flight", ">of the window"], hosts)
        lines += ["", "On ranks without device work:", "", *by_rank]
    return lines


def communication_share(one: MemberSummary) -> float | None:
    """Part of a rank's window with communication in flight; None where devices work, or none is."""
    if one.devices or not one.communication_ns or one.span_ns is None:
        return None
    return one.communication_ns / (one.span_ns[1] - one.span_ns[0])


def operators(table_of_all: OperatorTable) -> list[str]:
    """The operators and ranges of most self time, all ranks together: the rows of the screen."""
    found = table_of_all.only(OPERATORS)
    if not len(found):
        return ["No operators were recorded."]
    whole_ns = max(int(found.self_ns.sum()), 1)
    with_device = bool(found.device_total_ns.any())
    rows = []
    for row in _largest(found.self_ns):
        cells = [
            code(cut_in_the_middle(found.names[row], NAME_WIDTH)),
            _kind(found.categories[row]),
            count(int(found.calls[row])),
            duration(int(found.self_ns[row])),
            percent(int(found.self_ns[row]) / whole_ns),
            duration(int(found.total_ns[row])),
            duration(float(found.mean_ns[row])),
        ]
        device = (found.device_self_ns[row], found.device_total_ns[row])
        rows.append([*cells, *(duration(int(ns)) if ns else NONE for ns in device if with_device)])
    headers = ["operator", "kind", ">calls", ">self", ">of all self", ">total", ">mean"]
    headers += [">device self", ">device total"] if with_device else []
    return [_of_all(len(rows), len(found), "self time"), "", *table(headers, rows)]


def kernels(found: KernelTable) -> list[str]:
    """The kernels of most time, all ranks together."""
    if not len(found):
        return []
    rows = [
        (
            code(short_kernel_name(found.names[row], NAME_WIDTH)),
            "communication" if found.is_communication[row] else "compute",
            count(int(found.calls[row])),
            duration(int(found.total_ns[row])),
            percent(float(found.share[row])),
            duration(float(found.mean_ns[row])),
            duration(int(found.p50_ns[row])),
            duration(int(found.p99_ns[row])),
        )
        for row in _largest(found.total_ns)
    ]
    headers = ("kernel", "kind", ">calls", ">total", ">of all work", ">mean", ">p50", ">p99")
    return [_of_all(len(rows), len(found), "time"), "", *table(headers, rows)]


def who(one: MemberSummary) -> tuple[str, str]:
    """Cells of `WHO`: a process that is no rank is known by its file, captures by a number."""
    member = one.member
    name = str(member.rank)
    if member.rank is None:
        name = code(cut_in_the_middle(PurePath(member.capture.facts.path).name, FILE_WIDTH))
    return f"{name} (capture {member.number})" if member.number else name, code(member.host)


def between(texts: Sequence[str]) -> str:
    """The first and the last of sorted values as text, or the one that they all are."""
    return texts[0] if texts[0] == texts[-1] else f"{texts[0]} to {texts[-1]}"


def limited(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table by rank, and how much of a large job it leaves out."""
    lines = table(headers, rows[:RANKS_SHOWN])
    if len(rows) > RANKS_SHOWN:
        more = plural(len(rows) - RANKS_SHOWN, "more row")
        lines += ["", f"{more}: `vpstop report --format json` has all."]
    return lines


def _kind(category: str) -> str:
    """What a category of the operator table is called."""
    if category in RUNTIME:
        return "runtime call"
    return KINDS.get(category) or text(category)


def _largest(values: Iterable[int]) -> list[int]:
    """Rows of the largest values, equal ones in the order of the table."""
    return [int(row) for row in np.argsort(-np.asarray(values), kind="stable")[:TOP]]


def _of_all(shown: int, known: int, key: str) -> str:
    if shown == known:
        return f"All {plural(known, 'row')}, by {key}, all ranks together."
    return f"The {shown} of {count(known)} rows with most {key}, all ranks together."
