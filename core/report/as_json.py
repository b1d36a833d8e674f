"""The report as JSON: a public interface, to which later versions only add."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

import orjson

from vpstop.measure.device import DeviceTime
from vpstop.measure.kernels import kernel_table
from vpstop.measure.operators import merged
from vpstop.measure.steps import step_ns
from vpstop.measure.summary import MemberSummary, RunSummary, summarize
from vpstop.read.capture import TraceWarning
from vpstop.run import FileReport, Run

VERSION: Final = "1"

Json = dict[str, Any]


def report_json(run: Run) -> bytes:
    """The report of a run as indented JSON, ending in a newline."""
    values = report_values(run)
    try:
        return orjson.dumps(values, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # names of files need not be UTF-8: their bytes become escapes
        return f"{json.dumps(values, indent=2)}\n".encode()


def report_values(run: Run) -> Json:
    """The report of a run as plain values."""
    summary = summarize(run)
    ranks = _by_rank(summary.members)
    return {
        "version": VERSION,
        "run": _run(summary),
        "files": [_file(file) for file in run.files],
        "warnings": [_warning(warning) for warning in run.warnings],
        "ranks": [_rank(member) for member in summary.members],
        "operators": [row for rank in ranks for row in _operators(rank)],
        "kernels": [row for rank in ranks for row in _kernels(rank)],
    }


def device_json(time: DeviceTime) -> Json:
    """The nine values of a device."""
    overlap = time.overlap_percent
    return {
        "span_ns": time.span_ns,
        "busy_ns": time.busy_ns,
        "idle_ns": time.idle_ns,
        "compute_ns": time.compute_ns,
        "communication_ns": time.communication_ns,
        "copy_ns": time.copy_ns,
        "exposed_communication_ns": time.exposed_communication_ns,
        "exposed_copy_ns": time.exposed_copy_ns,
        "overlap_percent": None if overlap is None else round(overlap, 4),
    }


def _run(summary: RunSummary) -> Json:
    run = summary.run
    numbers = {step.number for member in summary.members for step in member.steps}
    return {
        "paths": list(run.paths),
        "name": run.name,
        "other_runs": list(run.others),
        "ranks": list(run.ranks),
        "hosts": list(run.hosts),
        "world_size": run.world_size,
        "steps": sorted(numbers),
        "span_ns": run.span_ns and list(run.span_ns),
    }


def _file(file: FileReport) -> Json:
    return {
        "path": file.path,
        "use": file.use,
        "format": file.format,
        "rank": file.rank,
        "rank_source": file.rank_source,
        "host": file.host,
        "complete": file.complete,
        "bytes": file.bytes,
        "slices": file.slices,
    }


def _warning(warning: TraceWarning) -> Json:
    return {
        "kind": warning.kind,
        "file": warning.file,
        "rank": warning.rank,
        "count": warning.count,
        "example": warning.example,
    }


def _rank(summary: MemberSummary) -> Json:
    member = summary.member
    names = dict.fromkeys(summary.device_name(number) for number in summary.devices)
    return {
        "rank": member.rank,
        "capture": member.number,
        "host": member.host,
        "file": member.capture.facts.path,
        "device_name": ", ".join(filter(None, names)) or None,
        "slices": summary.slices,
        "span_ns": summary.span_ns and list(summary.span_ns),
        "steps": [step.number for step in summary.steps],
        "devices": {str(number): device_json(time) for number, time in summary.devices.items()},
        "step_ns": step_ns(summary.steps),
    }


def _by_rank(members: Iterable[MemberSummary]) -> list[list[MemberSummary]]:
    """The captures of each rank together; those of no rank by file."""
    found: dict[int | str, list[MemberSummary]] = defaultdict(list)
    for one in members:
        rank = one.member.rank
        found[one.member.capture.facts.path if rank is None else rank].append(one)
    return list(found.values())


def _operators(captures: Sequence[MemberSummary]) -> list[Json]:
    """One row for each name and category of a rank."""
    table = merged(one.operators for one in captures)
    columns = {
        "name": table.names,
        "category": table.categories,
        "calls": table.calls.tolist(),
        "total_ns": table.total_ns.tolist(),
        "self_ns": table.self_ns.tolist(),
        "device_total_ns": table.device_total_ns.tolist(),
        "device_self_ns": table.device_self_ns.tolist(),
    }
    return _rows(captures[0].member.rank, columns)


def _kernels(captures: Sequence[MemberSummary]) -> list[Json]:
    """One row for each kernel name of a rank."""
    table = kernel_table([one.member.capture for one in captures])
    columns = {
        "name": table.names,
        "calls": table.calls.tolist(),
        "total_ns": table.total_ns.tolist(),
        "recorded_ns": table.recorded_ns.tolist(),
        "p50_ns": table.p50_ns.tolist(),
        "p99_ns": table.p99_ns.tolist(),
        "share": table.share.tolist(),
        "communication": table.is_communication.tolist(),
    }
    return _rows(captures[0].member.rank, columns)


def _rows(rank: int | None, columns: Json) -> list[Json]:
    keys = ("rank", *columns)
    return [
        dict(zip(keys, (rank, *row), strict=True)) for row in zip(*columns.values(), strict=True)
    ]
