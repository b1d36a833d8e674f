"""The report as markdown: what an engineer pastes into a pull request or an incident."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path, PurePath
from typing import Final

from vpstop.measure.names import cut_in_the_middle
from vpstop.measure.steps import step_ns
from vpstop.measure.summary import MemberSummary, RunSummary, summarize
from vpstop.read.capture import INFO_KINDS, TraceWarning
from vpstop.report.sections import (
    between,
    communication,
    communication_share,
    device_name,
    device_shares,
    devices,
    kernels,
    operators,
    steps,
)
from vpstop.report.tables import code, table, text
from vpstop.report.units import count, duration, moment, percent, plural, ranges, size
from vpstop.run import Run

FILES_NAMED: Final = 3
"""More files than this with one warning are counted, not listed."""

EXAMPLE_WIDTH: Final = 60

FOUND_IN: Final = {
    "metadata": "metadata",
    "file_name": "file name",
    "folder": "folder name",
    "assigned": "assigned in name order",
    "assumed": "assumed, no file tells",
    "given": "given by the user",
}

DEFINITIONS: Final = """\
- *Busy* is the time in which at least one kernel, copy or memset runs on a device; *idle* is the
  rest from the first to the last of them. Communication is *exposed* while nothing computes, a copy
  while nothing computes or communicates: compute, both exposed parts and idle add up to the span.
- On one stream a kernel ends at the latest when the next one starts. User ranges on streams and
  synchronisation records are not work.
- A step runs from its marker to the next one. Medians leave out the first step, and the last one if
  it took more than three medians; fewer than three steps are one sample.
- Operators are counted as `torch.profiler` does in `key_averages()`. *Self* is without the calls
  inside, *total* with them; totals of nested operators must not be added. *Device* times are those
  of the work that an operator launched; work without a launch in the file belongs to no operator.
- The duration of a communication contains the wait for the slowest rank.
- Times of different nodes stand as their clocks tell them; nothing here compares clocks."""


def markdown(run: Run) -> str:
    """The report of a run; the same for the same files in any order."""
    return write(summarize(run))


def write(summary: RunSummary) -> str:
    """The report of numbers that are already there."""
    sections = {
        "Run": _run(summary),
        "Nodes": _nodes(summary),
        "Device time": devices(summary),
        "Steps": steps(summary),
        "Communication": communication(summary),
        "Top operators": operators(summary.operators),
        "Top kernels": kernels(summary.kernels),
        "Files without slices": _other_files(summary.run),
        "Warnings": _warnings(summary.run),
        "Definitions and limits": DEFINITIONS.splitlines(),
    }
    lines = _head(summary)
    for title, section in sections.items():
        if section:
            lines += ["", f"## {title}", "", *section]
    return "\n".join(lines) + "\n"


def _head(summary: RunSummary) -> list[str]:
    """Title, what was run, and the numbers to look at first."""
    run = summary.run
    name = run.name or (Path(run.paths[0]).absolute().name if run.paths else "")
    kinds = Counter(device_name(one, device) for one in summary.members for device in one.devices)
    what = [f"{plural(len(run.ranks), 'rank')} on {plural(len(run.hosts), 'node')}"]
    what += [f"{number} x {kind}" for kind, number in sorted(kinds.items())]
    title = f"# vpstop report: {text(name)}" if name else "# vpstop report"
    highlights = [f"- {line}" for line in _highlights(summary)]
    return [title, "", f"{', '.join(what)}.", *([""] if highlights else []), *highlights]


def _highlights(summary: RunSummary) -> list[str]:
    lines = []
    times = [ns for one in summary.members if (ns := step_ns(one.steps)) is not None]
    if times:
        shown = sorted(times)
        said = between([duration(ns) for ns in shown])
        lines.append(f"**Step:** {said}{', by rank' if shown[0] < shown[-1] else ''}")
    worked = [time for one in summary.members for time in one.devices.values()]
    if worked:
        lines.append(f"**Devices:** {device_shares(worked)}")
    shares = [share for one in summary.members if (share := communication_share(one))]
    if shares:
        times_in_flight = between([percent(share) for share in sorted(shares)])
        lines.append(f"**Communication:** in flight {times_in_flight} of the time of a rank")
    damaged = {one.file for one in summary.run.warnings if one.kind not in INFO_KINDS}
    if damaged:
        files = plural(len(damaged), "file")
        lines.append(f"**Input:** {files} not quite as written by a healthy job, see the warnings")
    return lines


def _run(summary: RunSummary) -> list[str]:
    run, span_ns = summary.run, summary.run.span_ns
    traces = [file for file in run.files if file.use == "trace"]
    steps = sorted({step.number for one in summary.members for step in one.steps})
    rows = [
        ("path", ", ".join(code(path) for path in run.paths)),
        ("traces", f"{count(len(traces))}, {size(sum(file.bytes for file in traces))} on disk"),
        ("ranks", _ranks(run)),
        ("steps", ranges(steps) or "no markers: the whole window counts as one step"),
        ("slices", count(sum(len(member.capture.slices) for member in run.members))),
    ]
    if span_ns is not None:
        length = duration(span_ns[1] - span_ns[0])
        rows.append(("recorded", f"{moment(span_ns[0])} to {moment(span_ns[1])}, {length}"))
    if run.others:
        others = ", ".join(code(other) for other in run.others)
        rows.append(("other runs in the folder, not in this report", others))
    return [f"- {what}: {value}" for what, value in rows]


def _ranks(run: Run) -> str:
    shown = ranges(run.ranks) or "none"
    if run.world_size is None:
        return shown
    return f"{shown} of {count(run.world_size)}"


def _nodes(summary: RunSummary) -> list[str]:
    rows = []
    for host, group in groupby(summary.members, lambda one: one.member.host):
        members = list(group)
        rows.append(
            (
                code(host),
                _ranks_of(members),
                _devices_of(members),
                count(len({one.member.capture.facts.path for one in members})),
                _sources(one.member.host_source for one in members),
                _sources(one.member.rank_source for one in members),
            )
        )
    return table(
        ("node", "ranks", "devices that worked", ">files", "node from", "ranks from"), rows
    )


def _ranks_of(members: list[MemberSummary]) -> str:
    ranks = sorted({one.member.rank for one in members if one.member.rank is not None})
    others = len([one for one in members if one.member.rank is None])
    parts = [ranges(ranks)] if ranks else []
    if others:
        parts.append(f"{plural(others, 'process', 'processes')} without rank")
    return ", ".join(parts)


def _devices_of(members: list[MemberSummary]) -> str:
    numbers: dict[str, set[int]] = defaultdict(set)
    for one in members:
        for number in one.devices:
            numbers[device_name(one, number)].add(number)
    found = sorted(numbers.items(), key=lambda item: min(item[1]))
    return "; ".join(f"{ranges(sorted(used))}: {name}" for name, used in found) or "none"


def _sources(found: Iterable[str]) -> str:
    return ", ".join(FOUND_IN[source] for source in sorted(set(found)))


def _other_files(run: Run) -> list[str]:
    """Files that gave nothing to show; what is wrong with them is among the warnings."""
    rows = [
        (code(file_name(run, file.path)), file.format or "unknown", size(file.bytes))
        for file in run.files
        if file.use == "skipped"
    ]
    return table(("file", "format", ">size"), rows) if rows else []


def _warnings(run: Run) -> list[str]:
    """One row a kind, damage first."""
    if not run.warnings:
        return ["None."]
    kinds: dict[str, list[TraceWarning]] = defaultdict(list)
    for warning in sorted(run.warnings, key=lambda one: (one.kind in INFO_KINDS, one.kind)):
        kinds[warning.kind].append(warning)
    rows = [
        (
            code(kind),
            "information" if kind in INFO_KINDS else "damage",
            _files(run, found),
            count(sum(one.count for one in found)),
            code(cut_in_the_middle(min(found, key=_by_file).example, EXAMPLE_WIDTH)),
        )
        for kind, found in kinds.items()
    ]
    return table(("warning", "means", "files", ">count", "example"), rows)


def _by_file(warning: TraceWarning) -> tuple[str, str]:
    return warning.file, warning.example


def _files(run: Run, found: list[TraceWarning]) -> str:
    names = sorted({file_name(run, one.file) for one in found if one.file})
    if len(names) > FILES_NAMED:
        return f"{len(names)} files, first {code(names[0])}"
    return ", ".join(code(name) for name in names) or "the whole run"


def file_name(run: Run, path: str) -> str:
    """A file as the reader of a report knows it: below the folder that was opened."""
    for folder in run.paths:
        if PurePath(path).is_relative_to(folder) and path != folder:
            return PurePath(path).relative_to(folder).as_posix()
    return PurePath(path).name
