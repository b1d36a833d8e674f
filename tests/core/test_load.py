"""One call opens whatever lies in a folder."""

import gzip
import json
import random
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from same_captures import assert_same

import vpstop
from vpstop.read.capture import Capture
from vpstop.read.digest import open_digest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))


def trace(rank: int) -> bytes:
    """A trace of one operator."""
    event = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 5, "dur": 2}
    whole = {
        "schemaVersion": 1,
        "deviceProperties": [],
        "distributedInfo": {"rank": rank, "world_size": 2},
        "host_name": "node-a",
        "baseTimeNanoseconds": 10**18,
        "traceEvents": [event],
    }
    return json.dumps(whole).encode()


def test_opens_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    (folder / "rank0.json").write_bytes(trace(0))
    (folder / "rank1.json.gz").write_bytes(gzip.compress(trace(1)))
    (folder / "README").write_text("traces of run 7\n")
    run = vpstop.open(folder)
    assert run.paths == (str(folder),)
    assert (run.ranks, run.hosts, run.world_size) == ((0, 1), ("node-a",), 2)
    assert [Path(report.path).name for report in run.files] == [
        "rank0.json",
        "rank1.json.gz",
        "README",
    ]
    assert [report.use for report in run.files] == ["trace", "trace", "skipped"]
    assert run.span_ns == (10**18 + 5000, 10**18 + 7000)


def test_what_is_said_of_nodes_is_no_strange_file(tmp_path: Path) -> None:
    (tmp_path / "rank0.json").write_bytes(trace(0))
    (tmp_path / "nodes.toml").write_text("[hosts.node-a]\n")
    run = vpstop.open(tmp_path)
    (nodes,) = [report for report in run.files if report.path.endswith("nodes.toml")]
    assert (nodes.use, nodes.format) == ("sidecar", "nodes")
    assert "not_a_trace" not in {warning.kind for warning in run.warnings}


def test_the_bound_of_memory_changes_no_number(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    for rank in (0, 1):
        (folder / f"rank{rank}.json").write_bytes(trace(rank))
    usual, tight = vpstop.open(folder), vpstop.open(folder, memory_bytes=1)
    for one, other in zip(tight.members, usual.members, strict=True):
        assert_same(one.capture, other.capture)


def test_the_caller_may_know_better(tmp_path: Path) -> None:
    for rank in (0, 1):
        (tmp_path / f"rank{rank}.json").write_bytes(trace(rank))
    run = vpstop.open(tmp_path, ranks={"rank0.json": 5}, hosts={"*": "sin1"})
    assert (run.ranks, run.hosts) == ((1, 5), ("sin1",))
    assert {report.rank_source for report in run.files} == {"metadata", "given"}
    with pytest.raises(ValueError, match="no file fits rank2"):
        vpstop.open(tmp_path, ranks={"rank2.json": 5})


def test_opens_single_files_and_several_paths(tmp_path: Path) -> None:
    for rank in (0, 1):
        (tmp_path / f"rank{rank}.json").write_bytes(trace(rank))
    assert vpstop.open(str(tmp_path / "rank1.json")).ranks == (1,)
    assert vpstop.open([tmp_path / "rank0.json", tmp_path / "rank1.json"]).ranks == (0, 1)


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    run = vpstop.open(tmp_path / "missing")
    assert not run.members
    assert [warning.kind for warning in run.warnings] == ["unreadable"]


@pytest.mark.slow
def test_after_a_kill_at_any_moment_the_next_open_is_right(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    for rank in range(6):
        (folder / f"rank{rank}.json").write_bytes(trace(rank))
    code = f"import vpstop; vpstop.open({str(folder)!r})"
    cached = tmp_path / "caches" / "vpstop"
    chance = random.Random(1)
    for _ in range(20):
        with subprocess.Popen([sys.executable, "-c", code]) as session:
            with suppress(subprocess.TimeoutExpired):
                session.wait(chance.uniform(0.1, 0.8))
            session.kill()
        assert all(isinstance(open_digest(path), Capture) for path in cached.glob("*.vpstop"))
        run = vpstop.open(folder)
        assert run.ranks == tuple(range(6))
        assert not [warning for warning in run.warnings if warning.kind == "unreadable"]
        shutil.rmtree(cached)


def test_two_sessions_at_once_are_both_right(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    for rank in range(6):
        (folder / f"rank{rank}.json").write_bytes(trace(rank))
    code = f"import vpstop; print(vpstop.open({str(folder)!r}).ranks)"
    command = [sys.executable, "-c", code]
    sessions = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [one.communicate()[0] for one in sessions] == ["(0, 1, 2, 3, 4, 5)\n"] * 3
    digests = list((tmp_path / "caches" / "vpstop").iterdir())
    assert len(digests) == 6
    assert all(isinstance(open_digest(path), Capture) for path in digests)


def test_other_names_are_not_in_the_package() -> None:
    with pytest.raises(AttributeError, match="close"):
        vpstop.close  # noqa: B018
