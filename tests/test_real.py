"""Real traces: every number of every `expected.json`, exactly.

The folder (`--traces`) holds one sub-folder a set, each with traces and an `expected.json` that
gives the numbers of each file by its name. `top_operators` there are inclusive times of `cpu_op`:
every call of a name adds its duration, also a call inside one of the same name, which the operator
table merges (as `torch.profiler` does) when it is the only child. `top_kernels` are durations as
recorded.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from conftest import FOLDERS, folder
from vpstop.measure.device import device_times
from vpstop.measure.kernels import kernel_table
from vpstop.read import read_file
from vpstop.read.capture import Capture
from vpstop.read.extent import extent_ns
from vpstop.read.steps import steps
from vpstop.report.as_json import device_json
from vpstop.text import clean


@dataclass(frozen=True)
class Recorded:
    """A trace of a set and the numbers that are known of it."""

    capture: Capture
    expected: dict[str, Any]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each file of each set; a skipped one where the folder is absent or empty."""
    root = folder(metafunc.config, "--traces")
    files = [
        (path.parent / name, expected)
        for path in sorted(root.glob("*/expected.json"))
        for name, expected in sorted(json.loads(path.read_text()).items())
    ]
    names = [f"{path.parent.name}/{path.name}" for path, _ in files]
    if not files:
        reason = f"no {FOLDERS['--traces'][1]} in {root}: give --traces DIR"
        absent = pytest.param(None, marks=pytest.mark.skip(reason=reason))
        metafunc.parametrize("recorded", [absent], indirect=True)
    else:
        metafunc.parametrize("recorded", files, ids=names, indirect=True, scope="module")


@pytest.fixture(scope="module")
def recorded(request: pytest.FixtureRequest) -> Recorded:
    path, expected = request.param
    capture = read_file(path)
    assert isinstance(capture, Capture), capture.warnings
    return Recorded(capture, expected)


def test_rank_of_the_metadata(recorded: Recorded) -> None:
    assert recorded.capture.facts.rank == recorded.expected["rank"]


def test_slices_of_each_category(recorded: Recorded) -> None:
    capture = recorded.capture
    counts = np.bincount(capture.slices.category, minlength=len(capture.categories)).tolist()
    found = {name: count for name, count in zip(capture.categories, counts, strict=True) if count}
    assert found == recorded.expected["slices"]


def test_span(recorded: Recorded) -> None:
    span_ns = extent_ns(recorded.capture)
    assert span_ns is not None
    assert list(span_ns) == recorded.expected["span_ns"]


def test_steps(recorded: Recorded) -> None:
    numbers = sorted(step.number for step in steps(recorded.capture))
    assert numbers == recorded.expected["steps"]


def test_device_times(recorded: Recorded) -> None:
    times = device_times(recorded.capture)
    found = {str(device): device_json(time) for device, time in times.items()}
    assert found == recorded.expected["devices"]


def test_top_kernels(recorded: Recorded) -> None:
    table = kernel_table([recorded.capture])
    rows = zip(table.names, table.calls.tolist(), table.recorded_ns.tolist(), strict=True)
    assert_top({name: (calls, ns) for name, calls, ns in rows}, recorded.expected["top_kernels"])


def test_top_operators(recorded: Recorded) -> None:
    capture = recorded.capture
    rows = np.flatnonzero(capture.slices.category == capture.categories.index("cpu_op"))
    totals: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    durations = capture.slices.duration_ns[rows].tolist()
    for code, duration_ns in zip(capture.slices.name[rows].tolist(), durations, strict=True):
        calls, ns = totals[capture.names[code]]
        totals[capture.names[code]] = (calls + 1, ns + duration_ns)
    assert_top(totals, recorded.expected["top_operators"])


def assert_top(found: dict[str, tuple[int, int]], expected: Iterable[dict[str, Any]]) -> None:
    """The rows of largest time are the expected ones; which of equal ones are listed is open."""
    wanted = {clean(row["name"]): (row["count"], row["total_ns"]) for row in expected}
    assert {name: found.get(name) for name in wanted} == wanted
    largest = sorted((ns for _, ns in found.values()), reverse=True)
    assert largest[: len(wanted)] == sorted((ns for _, ns in wanted.values()), reverse=True)
