"""The adapter between `expect.json` of the input cases and vpstop: every key and every check kind.

`tests/cases/README.md` defines them. A key or a kind that is not known here fails the case.
"""

import ast
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

import vpstop
from vpstop.load import load
from vpstop.measure.device import device_times
from vpstop.read.capture import INFO_KINDS, Bool, Capture, Group, TraceWarning
from vpstop.read.categories import CODE, GPU_WORK, LaneKind
from vpstop.read.communication import OPERATIONS, Communication, communication
from vpstop.read.detail import arguments
from vpstop.read.extent import extent_ns
from vpstop.read.launches import launch_inversion_ns
from vpstop.read.steps import steps
from vpstop.run import Member, Run
from vpstop.text import clean

Json = dict[str, Any]

SCHEMA: Final = 1
DEVICE_TYPES: Final = {"cpu": 0, "cuda": 1}
# A record made unusable by a damaged string may be called either.
EITHER: Final = {"bad_text": {"bad_text", "bad_record"}, "bad_record": {"bad_text", "bad_record"}}


@dataclass(frozen=True, slots=True)
class Case:
    """One case: what is expected, and what vpstop made of it."""

    folder: Path
    expect: Json
    run: Run

    @property
    def root(self) -> Path:
        """The folder or file that was loaded."""
        return Path(self.folder / self.expect["load"]).resolve()

    def members(self, rank: int | str) -> list[Member]:
        """All captures of a rank, by number."""
        return [member for member in self.run.members if member.rank == int(rank)]

    def captures(self, rank: int | str) -> list[Capture]:
        """As `members`, without their place in the run."""
        return [member.capture for member in self.members(rank)]

    def relative(self, path: str) -> str:
        """A path as the case writes it."""
        return Path(path).resolve().relative_to(self.root).as_posix() if path else ""


def open_case(folder: Path) -> Case:
    """Loads the input of a case."""
    expect = json.loads((folder / "expect.json").read_text(encoding="utf-8"))
    return Case(folder, expect, load([folder / expect["load"]], use_cache=False))


def verify(case: Case) -> None:
    """Fails with the first expectation that does not hold."""
    unknown = case.expect.keys() - KEYS.keys()
    assert not unknown, f"keys without a check: {sorted(unknown)}"
    for key, expected in case.expect.items():
        KEYS[key](case, expected)


def ignored(case: Case, expected: object) -> None:
    """Keys that say something to the reader of the case only."""


def schema(case: Case, expected: int) -> None:
    assert expected == SCHEMA


def result(case: Case, expected: str) -> None:
    damaged = [w for w in case.run.warnings if w.kind not in INFO_KINDS]
    if expected == "no_trace":
        assert not case.run.members
        assert case.run.warnings, "nothing says why there is nothing to show"
        return
    assert case.run.members
    assert bool(damaged) == (expected == "warned"), damaged


def ranks(case: Case, expected: list[int]) -> None:
    assert list(case.run.ranks) == expected


def world_size(case: Case, expected: int | None) -> None:
    assert case.run.world_size == expected


def file_reports(case: Case, expected: dict[str, Json]) -> None:
    found = {case.relative(report.path): report for report in case.run.files}
    for name, wanted in expected.items():
        assert name in found, f"{name} is not reported"
        for key, value in wanted.items():
            assert getattr(found[name], key) == value, f"{name}: {key}"


def events(case: Case, expected: dict[str, Json]) -> None:
    for rank, wanted in expected.items():
        counts = slice_counts(case.captures(rank))
        for category, number in wanted.items():
            low, high = bounds(number)
            assert low <= counts[category] <= high, (rank, category, counts)


def bounds(number: int | Json) -> tuple[int, int]:
    """A count is a number or a range."""
    return (number, number) if isinstance(number, int) else (number["min"], number["max"])


def slice_counts(captures: list[Capture]) -> Counter[str]:
    """Slices per category, `*` for all."""
    counts: Counter[str] = Counter()
    for capture in captures:
        numbers = np.bincount(capture.slices.category, minlength=len(capture.categories))
        counts.update(dict(zip(capture.categories, map(int, numbers), strict=True)))
        counts["*"] += len(capture.slices)
    return counts


def instants(case: Case, expected: dict[str, Json]) -> None:
    for rank, wanted in expected.items():
        assert wanted.keys() == {"memory"}
        assert sum(len(c.memory) for c in case.captures(rank)) == wanted["memory"]


def span_ns(case: Case, expected: dict[str, list[int]]) -> None:
    for rank, wanted in expected.items():
        spans = [extent_ns(member.capture) for member in case.members(rank)]
        known = [span for span in spans if span is not None]
        assert [min(s[0] for s in known), max(s[1] for s in known)] == wanted, rank


def time_base(case: Case, expected: dict[str, str]) -> None:
    for rank, wanted in expected.items():
        assert wanted == "relative"
        assert all(capture.facts.relative for capture in case.captures(rank))


def warnings(case: Case, expected: list[Json]) -> None:
    for wanted in expected:
        matching = [w for w in case.run.warnings if matches(case, w, wanted)]
        total = sum(w.count for w in matching)
        assert total >= wanted.get("min_count", 1), (wanted, case.run.warnings)
        assert total == wanted.get("count", total), (wanted, matching)


def matches(case: Case, warning: TraceWarning, wanted: Json) -> bool:
    """Whether a warning is of the kind, file and rank wanted."""
    unknown = wanted.keys() - {"kind", "file", "rank", "count", "min_count"}
    assert not unknown, unknown
    if warning.kind not in EITHER.get(wanted["kind"], {wanted["kind"]}):
        return False
    if "file" in wanted and case.relative(warning.file) != wanted["file"]:
        return False
    return "rank" not in wanted or warning.rank == wanted["rank"]


def no_warnings(case: Case, expected: list[str]) -> None:
    allowed = [wanted["kind"] for wanted in case.expect.get("warnings", [])]
    for warning in case.run.warnings:
        is_forbidden = warning.kind in expected or "*" in expected
        assert not is_forbidden or warning.kind in allowed, warning


def values(case: Case, expected: list[Json]) -> None:
    for check in expected:
        assert check["check"] in CHECKS, f"no such check: {check['check']}"
        CHECKS[check["check"]](case, check)


KEYS: Final[dict[str, Callable[[Case, Any], None]]] = {
    "schema": schema,
    "title": ignored,
    "sources": ignored,
    "load": ignored,
    "result": result,
    "ranks": ranks,
    "world_size": world_size,
    "files": file_reports,
    "events": events,
    "instants": instants,
    "span_ns": span_ns,
    "time_base": time_base,
    "warnings": warnings,
    "no_warnings": no_warnings,
    "values": values,
}


def picked(case: Case, rank: int, pick: Json) -> tuple[Capture, int]:
    """The slice that a pick means, as its capture and row."""
    found = [
        (int(capture.slices.start_ns[row]), int(capture.slices.record[row]), number, int(row))
        for number, capture in enumerate(case.captures(rank))
        for row in np.flatnonzero(picked_rows(capture, pick))
    ]
    assert found, f"no slice {pick}"
    _, _, number, row = sorted(found)[pick.get("index", 0)]
    return case.captures(rank)[number], row


def picked_rows(capture: Capture, pick: Json) -> Bool:
    """Rows of the category and name of a pick."""
    unknown = pick.keys() - {
        "check",
        "rank",
        "category",
        "name",
        "name_contains",
        "index",
        "expect",
    }
    assert not unknown, unknown
    is_name = [
        pick.get("name", name) == name and pick.get("name_contains", "") in name
        for name in capture.names
    ]
    is_category = [category == pick["category"] for category in capture.categories]
    slices = capture.slices
    chosen: Bool = np.array(is_name)[slices.name] & np.array(is_category)[slices.category]
    return chosen


def check_slice(case: Case, check: Json) -> None:
    capture, row = picked(case, check["rank"], check)
    slices, lane = capture.slices, capture.lanes[capture.slices.lane[row]]
    for key, wanted in check["expect"].items():
        match key:
            case "start_ns" | "duration_ns":
                assert int(getattr(slices, key)[row]) == wanted, key
            case "effective_duration_ns":
                assert int(slices.effective_ns[row]) == wanted
            case "device" | "stream":
                assert getattr(lane, key) == wanted, key
            case "time_trusted":
                assert bool(slices.trusted[row]) == wanted
            case "lane":
                kind = "host" if lane.kind is LaneKind.HOST else "gpu"
                assert kind == wanted
            case "parent":
                assert capture.names[slices.name[slices.parent[row]]] == wanted
            case "args":
                check_arguments(capture, row, wanted)
            case _:
                raise AssertionError(f"no such expectation: {key}")


def check_arguments(capture: Capture, row: int, wanted: Json) -> None:
    found = arguments(capture, row)
    for key, value in wanted.items():
        assert found.get(key) == value, key


def check_link(case: Case, check: Json) -> None:
    capture, row = picked(case, check["rank"], check["gpu"])
    launch = int(capture.slices.launch[row])
    if check["launch"] is None:
        assert launch < 0
        return
    assert launch >= 0, "not linked"
    assert capture.names[capture.slices.name[launch]] == check["launch"]["name"]
    assert int(capture.slices.correlation[launch]) == check["launch"]["correlation"]


def check_flow_pairs(case: Case, check: Json) -> None:
    pairs: Counter[str] = Counter()
    for capture in case.captures(check["rank"]):
        pairs.update(capture.flow_pairs)
    category = check["category"]
    assert (pairs.total() if category == "*" else pairs[category]) == check["count"]


def check_steps(case: Case, check: Json) -> None:
    numbers = {step.number for c in case.captures(check["rank"]) for step in steps(c)}
    assert sorted(numbers) == check["numbers"]


def check_captures(case: Case, check: Json) -> None:
    assert len(case.members(check["rank"])) == check["count"]


def check_busy(case: Case, check: Json) -> None:
    times = [device_times(capture) for capture in case.captures(check["rank"])]
    busy = sum(found[check["device"]].busy_ns for found in times if check["device"] in found)
    assert busy == check["value"]


def check_kernel_total(case: Case, check: Json) -> None:
    pick = {"category": "kernel", "name": check["name"]}
    total = 0
    for capture in case.captures(check["rank"]):
        total += int(capture.slices.effective_ns[picked_rows(capture, pick)].sum())
    assert total == check["value"]


def communications(case: Case, rank: int) -> Iterator[tuple[Capture, Communication, int]]:
    """Each communication of a rank by start: capture, table, row of the table."""
    for capture in case.captures(rank):
        table = communication(capture)
        for row in range(len(table)):
            yield capture, table, row


def check_collective(case: Case, check: Json) -> None:
    capture, table, row = list(communications(case, check["rank"]))[check["index"]]
    group = table.groups[table.group[row]] if table.group[row] >= 0 else Group("")
    dtype = table.dtypes[table.dtype[row]] if table.dtype[row] >= 0 else None
    found = {
        "op": OPERATIONS[table.operation[row]],
        "group": group.name or None,
        "group_size": group.size,
        "group_ranks": list(group.ranks) or None,
        "in_elems": known(table.in_elements[row]),
        "out_elems": known(table.out_elements[row]),
        "dtype": dtype,
        "in_bytes": known(table.in_bytes[row]),
        "seq": known(table.sequence[row]),
        "peer": known(table.peer[row]),
        "duration_ns": int(capture.slices.duration_ns[table.slice[row]]),
    }
    for key, wanted in check["expect"].items():
        assert found[key] == wanted, key


def known(number: np.int64) -> int | None:
    """-1 in a column means "not known"."""
    return None if number < 0 else int(number)


def check_offset(case: Case, check: Json) -> None:
    ends = [collective_ends(case, check[side]) for side in ("from", "to")]
    shared = ends[0].keys() & ends[1].keys()
    assert shared, "no collective in common"
    offset = float(np.median([ends[1][key] - ends[0][key] for key in shared]))
    assert abs(offset - check["value"]) <= check["tolerance_ns"], offset


def collective_ends(case: Case, rank: int) -> dict[tuple[str, int], int]:
    """End of each collective of a rank by group and sequence number."""
    return {
        (table.groups[table.group[row]].name, int(table.sequence[row])): int(
            capture.slices.end_ns[table.slice[row]]
        )
        for capture, table, row in communications(case, rank)
        if table.group[row] >= 0 and table.sequence[row] >= 0
    }


def check_memory_peak(case: Case, check: Json) -> None:
    assert check["device_type"] in DEVICE_TYPES
    memory = case.captures(check["rank"])[0].memory
    chosen = of_device(case, check)
    assert int(memory.total_allocated[chosen].max()) == check["allocated"]
    assert int(memory.total_reserved[chosen].max()) == check["reserved"]


def of_device(case: Case, check: Json) -> Bool:
    """Memory records of the rank's first capture that belong to the device of a check."""
    memory = case.captures(check["rank"])[0].memory
    is_type = memory.device_type == DEVICE_TYPES[check["device_type"]]
    return np.asarray(is_type & (memory.device == check["device"]))


def check_memory_series(case: Case, check: Json) -> None:
    memory = case.captures(check["rank"])[0].memory
    chosen = of_device(case, check)
    assert int(chosen.sum()) == check["points"]
    assert bool((np.diff(memory.time_ns[chosen]) >= 0).all()) == check["sorted"]
    assert int(memory.total_allocated[chosen][-1]) == check["last_allocated"]


def check_gpus_used(case: Case, check: Json) -> None:
    used = set()
    for capture in case.captures(check["rank"]):
        is_work = np.isin(capture.slices.category, [CODE[name] for name in GPU_WORK])
        used |= {capture.lanes[lane].device for lane in np.unique(capture.slices.lane[is_work])}
    assert sorted(device for device in used if device is not None) == check["devices"]


def check_device(case: Case, check: Json) -> None:
    facts = case.captures(check["rank"])[0].facts
    device = next(d for d in facts.devices if d.id == check["device"])
    for key, wanted in check.items():
        match key:
            case "name":
                assert device.name == wanted
            case "sms":
                assert device.properties.get("numSms") == wanted
            case "check" | "rank" | "device":
                pass
            case _:
                raise AssertionError(f"no such expectation: {key}")


def check_host(case: Case, check: Json) -> None:
    assert {member.host for member in case.members(check["rank"])} == {check["name"]}


def check_never_unpickled(case: Case, check: Json) -> None:
    package = Path(vpstop.__file__).parent
    for path in [*package.rglob("*.py"), *(package.parent / "tui").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (imported(node) & {"pickle", "shelve", "marshal", "dill"}), path
            if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                assert isinstance(node.value, ast.Constant) and node.value.value is False, path


def imported(node: ast.AST) -> set[str]:
    """Top-level names of the modules that an import statement names."""
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    return {(node.module or "").split(".")[0]} if isinstance(node, ast.ImportFrom) else set()


def check_no_control_characters(case: Case, check: Json) -> None:
    for member in case.run.members:
        lanes = [lane.name for lane in member.capture.lanes]
        for text in (*member.capture.names, *member.capture.categories, *lanes, member.host):
            assert clean(text) == text and "\x1b" not in text, repr(text)
    for warning in case.run.warnings:
        assert "\x1b" not in warning.example, repr(warning.example)


def check_distinct_files(case: Case, check: Json) -> None:
    paths: dict[int | None, set[str]] = {}
    for member in case.run.members:
        paths.setdefault(member.rank, set()).add(member.capture.facts.path)
    files = [path for found in paths.values() for path in found]
    assert len(files) == len(set(files))


def check_launch_inversion(case: Case, check: Json) -> None:
    found = [launch_inversion_ns(capture) for capture in case.captures(check["rank"])]
    assert max(found) == check["value"]


CHECKS: Final[dict[str, Callable[[Case, Json], None]]] = {
    "slice": check_slice,
    "link": check_link,
    "flow_pairs": check_flow_pairs,
    "steps": check_steps,
    "captures": check_captures,
    "busy_ns": check_busy,
    "kernel_total_ns": check_kernel_total,
    "collective": check_collective,
    "offset_ns": check_offset,
    "memory_peak": check_memory_peak,
    "memory_series": check_memory_series,
    "gpus_used": check_gpus_used,
    "device": check_device,
    "host": check_host,
    "never_unpickled": check_never_unpickled,
    "no_control_characters_on_screen": check_no_control_characters,
    "distinct_files_per_rank": check_distinct_files,
    "max_launch_inversion_ns": check_launch_inversion,
}
