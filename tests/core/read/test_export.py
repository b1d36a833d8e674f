"""Digests that were carried away are opened like the traces they were made of."""

import gzip
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from vpstop.load import load
from vpstop.read.capture import Capture
from vpstop.read.detail import arguments
from vpstop.read.digest import open_digest
from vpstop.read.export import Exporter, NotWritten, Written
from vpstop.read.given import Given, GivenHost, GivenRank
from vpstop.run import Run


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))


def write_trace(path: Path, *, at: int = 0, **more: Any) -> None:
    """A trace of some operators with arguments; `more` are its top-level keys."""
    event = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "dur": 5}
    events = [event | {"ts": at + 10 * n, "args": {"External id": n}} for n in range(20)]
    trace = {"schemaVersion": 1, "baseTimeNanoseconds": 10**18, "traceEvents": events, **more}
    path.parent.mkdir(parents=True, exist_ok=True)
    data = json.dumps(trace).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """Two nodes as folders, one rank without a folder, two windows of a rank, other files."""
    root = tmp_path / "traces"
    write_trace(root / "fra1/rank0.json.gz")
    write_trace(root / "fra1/rank1.json", distributedInfo={"rank": 1, "world_size": 4})
    write_trace(root / "sin1/rank2.100.json", at=0)
    write_trace(root / "sin1/rank2.200.json", at=5000)
    write_trace(root / "x.json", host_name="tyo1")
    (root / "README.md").write_text("five traces\n")
    (root / "broken.json").write_text('{"traceEvents": nothing')
    return root


def export(*paths: Path, to: Path, **more: Any) -> list[Written | NotWritten]:
    events = Exporter(paths, to, **more).events()
    return [event for event in events if isinstance(event, Written | NotWritten)]


def identities(run: Run) -> list[tuple[Any, ...]]:
    return [
        (m.rank, m.rank_source, m.host, m.host_source, m.number, len(m.capture.slices))
        for m in run.members
    ]


def test_a_carried_run_is_the_run(traces: Path, tmp_path: Path) -> None:
    export(traces, to=tmp_path / "small")
    run, carried = load(traces), load(tmp_path / "small")
    assert identities(carried) == identities(run)
    assert (carried.world_size, carried.span_ns) == (run.world_size, run.span_ns)
    shutil.rmtree(traces)
    for member in carried.members:
        capture = member.capture
        assert Path(capture.facts.path).is_relative_to(tmp_path / "small")
        found = [arguments(capture, row) for row in range(20)]
        assert found == [{"External id": n} for n in range(20)]


def test_a_digest_lies_where_its_trace_lay(traces: Path, tmp_path: Path) -> None:
    results = export(traces, to=tmp_path / "small")
    written = {one.path: one.digest for one in results if isinstance(one, Written)}
    assert written[traces / "fra1/rank0.json.gz"] == tmp_path / "small/fra1/rank0.json.gz.vpstop"
    found = sorted(path.name for path in (tmp_path / "small").rglob("*") if path.is_file())
    assert found == sorted(digest.name for digest in written.values())
    assert len(found) == 5


def test_what_gives_no_digest_is_told(traces: Path, tmp_path: Path) -> None:
    results = export(traces, traces / "missing", to=tmp_path / "small")
    lacking = {one.path.name: one for one in results if isinstance(one, NotWritten)}
    assert set(lacking) == {"README.md", "broken.json", "missing"}
    assert [warning.kind for warning in lacking["README.md"].warnings] == ["not_a_trace"]
    assert [warning.kind for warning in lacking["broken.json"].warnings] == ["unreadable"]
    assert not any(one.is_failure for one in lacking.values())


def test_the_host_that_was_assumed_stays(tmp_path: Path) -> None:
    write_trace(tmp_path / "job7/rank0.json")
    export(tmp_path / "job7", to=tmp_path / "small")
    (member,) = load(tmp_path / "small").members
    assert (member.host, member.host_source) == ("job7", "assumed")


def test_new_folders_tell_hosts_and_so_do_old_ones(traces: Path, tmp_path: Path) -> None:
    export(traces / "fra1", to=tmp_path / "all/node-a")
    write_trace(tmp_path / "other/traces/rank5.json", at=3)
    export(tmp_path / "other/traces", to=tmp_path / "all/node-b")
    assert load(tmp_path / "all").hosts == ("node-a", "node-b")
    export(traces, to=tmp_path / "small")
    (tmp_path / "flat").mkdir()
    for digest in (tmp_path / "small").rglob("rank*.vpstop"):
        digest.rename(tmp_path / "flat" / digest.name)
    assert load(tmp_path / "flat").hosts == ("fra1", "sin1")


def test_what_the_user_says_is_carried_and_can_be_changed(traces: Path, tmp_path: Path) -> None:
    given = Given([GivenRank("x.json", 9)], [GivenHost("x.json", "iad1")])
    export(traces / "x.json", to=tmp_path / "small", given=given)
    (member,) = load(tmp_path / "small").members
    assert (member.rank, member.rank_source, member.host) == (9, "given", "iad1")
    (member,) = load(tmp_path / "small", ranks={"x.json": 3}).members
    assert (member.rank, member.host) == (3, "iad1")


def test_digests_are_copied_but_never_those_that_are_there(traces: Path, tmp_path: Path) -> None:
    export(traces, to=traces / "small")
    again = export(traces, to=traces / "small")
    assert len([one for one in again if isinstance(one, Written)]) == 5
    export(traces / "small", to=tmp_path / "copies")
    assert identities(load(tmp_path / "copies")) == identities(load(traces / "small"))
    assert not list((traces / "small").rglob("small"))


def test_nothing_is_written_outside_of_the_folder(
    traces: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(traces / "fra1")
    results = export(Path("rank1.json"), Path("../sin1"), to=tmp_path / "small")
    digests = [one.digest.resolve() for one in results if isinstance(one, Written)]
    assert len(digests) == 3
    assert all(digest.is_relative_to(tmp_path / "small") for digest in digests)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_that_cannot_be_written(traces: Path, tmp_path: Path) -> None:
    (tmp_path / "small").mkdir(mode=0o500)
    results = export(traces / "x.json", to=tmp_path / "small")
    assert [isinstance(one, NotWritten) and one.is_failure for one in results] == [True]


def test_a_file_where_the_folder_should_be(traces: Path, tmp_path: Path) -> None:
    (tmp_path / "small").write_text("a file")
    (result,) = export(traces / "x.json", to=tmp_path / "small")
    assert isinstance(result, NotWritten)
    assert result.is_failure


def test_the_facts_of_a_digest_say_where_it_comes_from(traces: Path, tmp_path: Path) -> None:
    export(traces, to=tmp_path / "small")
    found = open_digest(tmp_path / "small/sin1/rank2.100.json.vpstop")
    assert isinstance(found, Capture)
    assert found.facts.origin is not None
    assert found.facts.origin.path == str(traces / "sin1/rank2.100.json")
    assert found.facts.origin.root == str(traces)
