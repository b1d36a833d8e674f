"""Digests give back what was saved, or say that they cannot; nothing in between."""

import json
import random
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from same_captures import assert_same, is_same

from build import Collective, Memory, capture, facts, flow, kernel, launch, memcpy, op, step
from vpstop.read import digest
from vpstop.read.capture import Capture, Device, Group, Shape, Skipped, TraceWarning
from vpstop.read.digest import DigestError, open_digest, save_digest
from vpstop.read.mapped import ColumnStore

SKIPPED = Skipped("notes.json", "json", 22, (TraceWarning("not_a_trace", "notes.json"),))


def training() -> Capture:
    """A capture with something in every table."""
    return capture(
        step(3, 0, 1000),
        op("aten::mm", 10, 200, shape=Shape("[[2, 3], [3, 4]]", "['float', 'float']")),
        op("aten::add", 150, 100),
        launch("cudaLaunchKernel", 20, 5, correlation=7),
        kernel("gemm", 300, 50, correlation=7, external_id=5),
        kernel("ncclDevKernel_AllReduce", 340, 80, collective=Collective(in_elements=64)),
        memcpy("Memcpy HtoD", 500, 30, moved_bytes=4096),
        Memory(5, 512, 512, 1024),
        Memory(9, -512, 0, 1024),
        *flow("ac2g", 7),
        warnings=[TraceWarning("bad_number", "rank0.json", 3, "nan")],
        rank=2,
        world_size=8,
        groups=[Group("0", "default_pg", (0, 1), 2, "nccl")],
        devices=[Device(0, "H100", 80 << 30, {"numSms": 132, "other": [1, 2.5, None]})],
        options=frozenset({"record_shapes"}),
        metadata={"run": {"tag": "a", "big": 2**70}, "list": [1, "two"]},
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rank0.json.vpstop"


@pytest.mark.parametrize("outcome", [training(), capture(), SKIPPED], ids=["full", "empty", "none"])
def test_comes_back_equal(outcome: Capture | Skipped, path: Path) -> None:
    save_digest(outcome, path)
    assert_same(open_digest(path), outcome)


def test_durations_without_a_cut_stay_one_array(path: Path) -> None:
    save_digest(capture(op("aten::mm", 0, 10), op("aten::add", 20, 10)), path)
    found = open_digest(path)
    assert isinstance(found, Capture)
    assert found.slices.effective_ns is found.slices.duration_ns


def test_columns_in_a_file_are_the_same(path: Path, tmp_path: Path) -> None:
    made = capture(*(op("aten::mm", 20 * number, 10) for number in range(20_000)))
    save_digest(made, path)
    assert_same(open_digest(path, ColumnStore(0, [tmp_path])), made)
    assert_same(open_digest(path, ColumnStore(1 << 30, [tmp_path])), made)


def test_equal_captures_are_equal_bytes(tmp_path: Path) -> None:
    save_digest(training(), tmp_path / "a")
    save_digest(training(), tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_half_a_surrogate_pair_in_the_metadata_is_dropped(path: Path) -> None:
    save_digest(capture(op("aten::mm", 0, 1), metadata={"tag\udc80": ["x\ud800y", 1]}), path)
    found = open_digest(path)
    assert isinstance(found, Capture)
    assert found.facts.metadata == {"tag": ["xy", 1]}


def read_without_vpstop(path: Path) -> dict[str, Any]:
    """The lines that the module's docstring gives to everybody."""
    with zipfile.ZipFile(path) as file:
        head, columns = json.loads(file.read("head.json")), {}
        for name, how in head["columns"].items():
            if how["form"] == "constant":
                columns[name] = np.full(how["shape"], how["value"], how["dtype"])
            elif how["form"] == "same":
                columns[name] = columns[how["other"]]
            else:
                planes = np.frombuffer(zstandard.decompress(file.read(name)), np.uint8)
                size = np.dtype(how["stored"]).itemsize
                rows = planes.reshape(size, -1).T.copy().view(how["stored"]).reshape(how["shape"])
                if how["form"] == "steps":
                    rows = rows.cumsum(axis=0, dtype=how["dtype"])
                elif how["form"] == "less":
                    rows = columns[how["other"]] - rows
                columns[name] = rows.astype(how["dtype"])
    return columns


def test_a_few_lines_read_a_digest_without_vpstop(path: Path) -> None:
    made = training()
    save_digest(made, path)
    columns = read_without_vpstop(path)
    for table in ("slices", "collectives", "copies", "memory", "coverage"):
        for name, column in columns.items():
            if name.startswith(table):
                assert np.array_equal(column, getattr(getattr(made, table), name.split(".")[1]))
    assert len(columns) > 40


def test_the_documented_lines_are_these_lines() -> None:
    ours = [line.strip() for line in Path(__file__).read_text().splitlines()]
    documented = [line.strip() for line in (digest.__doc__ or "").splitlines()]
    documented = documented[documented.index("with zipfile.ZipFile(path) as file:") :]
    documented = documented[: documented.index("")]
    assert "\n".join(documented) in "\n".join(ours)


def outcome_of(path: Path) -> Capture | Skipped | None:
    """What a digest says, None where it is refused in the documented way."""
    try:
        return open_digest(path)
    except DigestError:
        return None


def test_a_digest_that_was_cut_anywhere_is_refused(path: Path) -> None:
    save_digest(training(), path)
    whole = path.read_bytes()
    for end in range(0, len(whole), 7):
        path.write_bytes(whole[:end])
        assert outcome_of(path) is None, end


def test_a_digest_with_a_flipped_bit_is_refused_or_equal(path: Path) -> None:
    made = training()
    save_digest(made, path)
    whole = path.read_bytes()
    chance = random.Random(1)
    for _ in range(1500):
        damaged = bytearray(whole)
        place = chance.randrange(len(whole))
        damaged[place] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        found = outcome_of(path)
        assert found is None or is_same(found, made), place


@given(st.binary(max_size=200))
def test_any_other_file_is_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "foreign"
    path.write_bytes(data)
    assert outcome_of(path) is None


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    assert outcome_of(tmp_path) is None
    assert outcome_of(tmp_path / "missing") is None


def rewrite_head(path: Path, **changes: object) -> None:
    """Replaces fields of the head, with a checksum that fits."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    head = json.loads(members["head.json"]) | changes
    with zipfile.ZipFile(path, "w") as file:
        for name, data in (members | {"head.json": json.dumps(head).encode()}).items():
            file.writestr(name, data)


@pytest.mark.parametrize(
    "changes",
    [
        {"format": 99},
        {"written_by": 5},
        {"capture": None},
        {"columns": {}},
        {"columns": {"slices.name": {"dtype": "<f8", "shape": [3], "form": "constant"}}},
    ],
)
def test_a_head_that_does_not_fit_is_refused(path: Path, changes: dict[str, object]) -> None:
    save_digest(training(), path)
    rewrite_head(path, **changes)
    assert outcome_of(path) is None


def test_references_to_rows_that_do_not_exist_are_refused(path: Path) -> None:
    made = training()
    save_digest(replace(made, names=made.names[:-1]), path)
    assert outcome_of(path) is None


def test_columns_of_unequal_length_are_refused(path: Path) -> None:
    made = training()
    save_digest(replace(made, slices=replace(made.slices, depth=made.slices.depth[1:])), path)
    assert outcome_of(path) is None


def test_facts_hold_what_the_head_says(path: Path) -> None:
    made = replace(capture(op("aten::mm", 0, 1)), facts=facts(path="x", rank=None, relative=True))
    save_digest(made, path)
    with zipfile.ZipFile(path) as file:
        said = json.loads(file.read("head.json"))["capture"]["facts"]
    assert (said["path"], said["rank"], said["relative"]) == ("x", None, True)
