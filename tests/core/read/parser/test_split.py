"""A file that several processes share gives what one process finds."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from same_records import assert_same_records
from written import LAYOUTS, write

from vpstop.read.assemble import assemble
from vpstop.read.damage import Damaged
from vpstop.read.detail import arguments
from vpstop.read.parser.parse import parse
from vpstop.read.parser.split import read_in_shares

pytestmark = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="needs files in memory")

COUNT = 60_000


def event(number: int) -> dict[str, Any]:
    """Every seventh begins a range that the next record of its kind ends; names come and go."""
    start = {"pid": 1, "tid": number % 7, "ts": 1000 + number}
    if number % 7 == 3:
        return {**start, "ph": "BE"[number // 7 % 2], "cat": "cpu_op", "name": "range"}
    if number % 7 == 4:
        label = {"name": f"thread {number // 10_000}"}
        return {**start, "ph": "M", "name": "thread_name", "args": label}
    args = {"External id": number, "Input Dims": [[number % 100]], "Collective name": "send"}
    name = f"op {number // 1000}"
    return {**start, "ph": "X", "cat": "kernel", "name": name, "dur": 1.5, "args": args}


@pytest.fixture(scope="module")
def events() -> list[dict[str, Any]]:
    return [event(number) for number in range(COUNT)]


@pytest.mark.parametrize("processes", [2, 3])
@pytest.mark.parametrize("layout", ["lines", "spaced_line"])
def test_shares_equal_the_whole(
    tmp_path: Path, events: list[dict[str, Any]], layout: str, processes: int
) -> None:
    path = write(tmp_path / "t.json", LAYOUTS[layout](events, {}, {"baseTimeNanoseconds": 10**18}))
    assert path.stat().st_size > 2 * (4 << 20), "more than two blocks"
    alone, shared = parse(path), parse(path, processes)
    assert_same_records(shared, alone)
    assert (np.diff(shared.slices.record) > 0).all()
    made = assemble(shared)
    for row in (0, COUNT // 3, len(made.slices) - 1):
        args = arguments(made, row)
        assert args.get("External id", 0) == made.slices.external_id[row]
    assert shared.warnings == alone.warnings
    assert shared.thread_names["1", "4"] == f"thread {(COUNT - 1) // 10_000}"


def test_metadata_longer_than_a_block(tmp_path: Path, events: list[dict[str, Any]]) -> None:
    records = {"mine": events, "baseTimeNanoseconds": 10**18}
    path = write(tmp_path / "t.json", LAYOUTS["lines"](events[:100], {}, records))
    assert read_in_shares(path, 2, None) is not None
    assert_same_records(parse(path, 2), parse(path))


@pytest.mark.parametrize("place", [0.2, 0.5, 0.8])
def test_damage_in_a_share_costs_what_it_costs_in_the_whole(
    tmp_path: Path, events: list[dict[str, Any]], place: float
) -> None:
    path = write(tmp_path / "t.json", LAYOUTS["lines"](events, {}, {}))
    data = np.fromfile(path, np.uint8)
    data[int(place * len(data))] = 0
    data.tofile(path)
    assert read_in_shares(path, 2, None) is not None
    alone, shared = parse(path), parse(path, 2)
    assert_same_records(shared, alone)
    assert shared.warnings == alone.warnings
    assert {"bad_text", "bad_record"} & {warning.kind for warning in shared.warnings}


def test_damage_in_shares_that_may_begin_inside_a_text_is_left_to_one_process(
    tmp_path: Path, events: list[dict[str, Any]]
) -> None:
    path = write(tmp_path / "t.json", LAYOUTS["spaced_line"](events, {}, {}))
    data = np.fromfile(path, np.uint8)
    data[len(data) // 2] = 0
    data.tofile(path)
    assert read_in_shares(path, 2, None) is None
    assert len(parse(path, 2).slices.start_ns) >= len(parse(path).slices.start_ns)


def test_a_cut_file_is_shared_too(tmp_path: Path, events: list[dict[str, Any]]) -> None:
    path = write(tmp_path / "t.json", LAYOUTS["lines"](events, {}, {}))
    path.write_bytes(path.read_bytes()[: 7 * path.stat().st_size // 8])
    assert read_in_shares(path, 2, None) is not None
    alone, shared = parse(path), parse(path, 2)
    assert_same_records(shared, alone)
    assert shared.warnings == alone.warnings
    assert not shared.facts.complete
    assert "truncated" in {warning.kind for warning in shared.warnings}


def test_no_process_is_left(tmp_path: Path, events: list[dict[str, Any]]) -> None:
    path = write(tmp_path / "t.json", "no trace" * 1_000_000)
    with pytest.raises(Damaged):
        parse(path, 2)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
