"""Files are read in processes that may die, and what was read once is not read again."""

import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from same_captures import assert_same

from vpstop.read import pool
from vpstop.read.cache import Cache
from vpstop.read.capture import Capture, Skipped
from vpstop.read.digest import save_digest
from vpstop.read.loader import Loaded, Loader, Progress

DEADLINE_S = 60

ODD_WORKER = """
import os, signal, subprocess, sys, time
import vpstop.read
from vpstop.read import worker
read_file = vpstop.read.read_file

def odd(path, *, progress, **more):
    if path.name == "hangs.json":
        child = subprocess.Popen(["sleep", "1000"])
        path.with_suffix(".pids").write_text(f"{os.getpid()} {child.pid}")
        progress(1)
        time.sleep(1000)
    if path.name == "killed.json":
        os.kill(os.getpid(), signal.SIGKILL)
    if path.name == "exits.json":
        sys.stderr.write("out of luck\\n")
        os._exit(7)
    if path.name == "raises.json":
        raise ValueError("bad luck")
    print("noise on standard output")
    return read_file(path, progress=progress, **more)

worker.read_file = odd
worker.main()
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return tmp_path / "caches" / "vpstop"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "traces").mkdir()
    return tmp_path / "traces"


@pytest.fixture
def odd_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that fail at files of certain names."""
    monkeypatch.setattr(pool, "COMMAND", (sys.executable, "-c", ODD_WORKER))


def write_trace(path: Path, rank: int = 0, operators: int = 1) -> None:
    """A small trace of so many operators."""
    event = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "dur": 5}
    trace = {
        "schemaVersion": 1,
        "deviceProperties": [],
        "distributedInfo": {"rank": rank, "world_size": 2},
        "baseTimeNanoseconds": 10**18,
        "traceEvents": [event | {"ts": 10 * number} for number in range(operators)],
    }
    path.write_text(json.dumps(trace))


def read(loader: Loader) -> dict[str, Capture | Skipped]:
    """Outcomes by file name, in the order in which they came."""
    loaded = [event for event in loader.events() if isinstance(event, Loaded)]
    outcomes = {event.path.name: event.outcome for event in loaded}
    assert len(outcomes) == len(loaded)
    return outcomes


def slices(outcome: Capture | Skipped) -> int:
    assert isinstance(outcome, Capture)
    return len(outcome.slices)


def reasons(outcome: Capture | Skipped) -> list[tuple[str, str]]:
    return [(warning.kind, warning.example) for warning in outcome.warnings]


def forbid_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(self: pool.Worker) -> None:
        raise AssertionError("a worker was started")

    monkeypatch.setattr(pool.Worker, "__init__", none)


def test_every_file_comes_once(folder: Path) -> None:
    for rank in range(3):
        write_trace(folder / f"rank{rank}.json", rank, operators=rank + 1)
    loader = Loader([folder])
    assert [file.path.name for file in loader.files] == ["rank0.json", "rank1.json", "rank2.json"]
    outcomes = read(loader)
    assert {name: slices(outcome) for name, outcome in outcomes.items()} == {
        "rank0.json": 1,
        "rank1.json": 2,
        "rank2.json": 3,
    }


def test_progress_ends_at_the_size_of_the_file(folder: Path, odd_worker: None) -> None:
    write_trace(folder / "hangs.json")
    events = Loader([folder]).events()
    progress = next(events)
    size = (folder / "hangs.json").stat().st_size
    assert progress == Progress(folder / "hangs.json", 1, size)
    events.close()  # type: ignore[attr-defined]


def test_the_second_time_no_worker_is_needed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_trace(folder / "rank0.json")
    read(Loader([folder]))
    forbid_workers(monkeypatch)
    assert slices(read(Loader([folder]))["rank0.json"]) == 1


def test_a_file_that_changed_is_read_again(folder: Path) -> None:
    write_trace(folder / "rank0.json")
    read(Loader([folder]))
    write_trace(folder / "rank0.json", operators=4)
    assert slices(read(Loader([folder]))["rank0.json"]) == 4


def test_known_files_come_first_then_the_largest(folder: Path) -> None:
    write_trace(folder / "known.json")
    read(Loader([folder]))
    for operators in (2, 30, 10):
        write_trace(folder / f"with{operators}.json", operators=operators)
    outcomes = read(Loader([folder], processes=1))
    assert list(outcomes) == ["known.json", "with30.json", "with10.json", "with2.json"]


def test_without_the_cache_nothing_is_kept(folder: Path, home: Path) -> None:
    write_trace(folder / "rank0.json")
    assert slices(read(Loader([folder], use_cache=False))["rank0.json"]) == 1
    assert not home.exists()


def test_a_damaged_digest_is_made_again_with_a_warning(folder: Path, home: Path) -> None:
    write_trace(folder / "rank0.json")
    expected = read(Loader([folder]))["rank0.json"]
    (digest,) = home.iterdir()
    digest.write_bytes(digest.read_bytes()[:-5])
    again = read(Loader([folder]))["rank0.json"]
    (warning,) = set(again.warnings) - set(expected.warnings)
    assert (warning.kind, warning.file) == ("unreadable", str(digest))
    assert slices(again) == 1
    assert read(Loader([folder]))["rank0.json"].warnings == expected.warnings


def test_a_cache_that_takes_nothing_costs_nothing_else(folder: Path, home: Path) -> None:
    write_trace(folder / "rank0.json")
    read(Loader([folder]))
    (digest,) = home.iterdir()
    digest.unlink()
    digest.mkdir()
    assert slices(read(Loader([folder]))["rank0.json"]) == 1
    assert digest.is_dir()


def test_a_disk_without_room_is_told_for_each_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_trace(folder / "rank0.json")
    monkeypatch.setattr(Cache, "places", lambda self, file: (folder / "no" / "digest",))
    ((kind, reason),) = reasons(read(Loader([folder]))["rank0.json"])
    assert kind == "unreadable"
    assert f"no room for the digest in {folder / 'no'}" in reason


def test_two_sessions_at_once_read_the_same(folder: Path) -> None:
    for rank in range(4):
        write_trace(folder / f"rank{rank}.json", rank, operators=50)
    found: list[dict[str, int]] = []

    def session() -> None:
        outcomes = read(Loader([folder], processes=1))
        found.append({name: slices(outcome) for name, outcome in outcomes.items()})

    sessions = [threading.Thread(target=session) for _ in range(3)]
    for thread in sessions:
        thread.start()
    for thread in sessions:
        thread.join(DEADLINE_S)
    assert [sorted(outcomes.items()) for outcomes in found] == [
        [(f"rank{rank}.json", 50) for rank in range(4)]
    ] * 3


def test_digests_open_like_traces_under_their_own_path(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_trace(folder / "rank0.json")
    outcome = read(Loader([folder]))["rank0.json"]
    save_digest(outcome, folder / "carried.vpstop")
    (folder / "rank0.json").unlink()
    forbid_workers(monkeypatch)
    carried = read(Loader([folder]))["carried.vpstop"]
    assert isinstance(carried, Capture)
    assert carried.facts.path == str(folder / "carried.vpstop")
    assert {warning.file for warning in carried.warnings} <= {carried.facts.path}


def test_a_digest_that_is_none_is_told(folder: Path) -> None:
    (folder / "carried.vpstop").write_text("no digest")
    ((kind, _),) = reasons(read(Loader([folder]))["carried.vpstop"])
    assert kind == "unreadable"


def test_a_missing_path_is_told(folder: Path) -> None:
    ((kind, reason),) = reasons(read(Loader([folder / "missing"]))["missing"])
    assert (kind, reason) == ("unreadable", "No such file or directory")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("killed.json", "the reader was killed, perhaps for lack of memory"),
        ("exits.json", "the reader ended with exit code 7: out of luck"),
        ("raises.json", "ValueError: bad luck"),
    ],
)
@pytest.mark.parametrize("processes", [1, 2])
def test_a_file_that_fails_costs_no_other(
    name: str, expected: str, processes: int, folder: Path, odd_worker: None
) -> None:
    for other in ("a.json", "b.json", "c.json", name):
        write_trace(folder / other)
    outcomes = read(Loader([folder], processes=processes))
    assert reasons(outcomes.pop(name)) == [("unreadable", expected)]
    assert [slices(outcome) for outcome in outcomes.values()] == [1, 1, 1]


def test_a_process_that_cannot_be_started_is_one_warning_a_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_trace(folder / "rank0.json")
    monkeypatch.setattr(pool, "COMMAND", ("/no/such/program",))
    ((kind, reason),) = reasons(read(Loader([folder]))["rank0.json"])
    assert kind == "unreadable"
    assert "no process" in reason


def is_gone(pid: int) -> bool:
    """True when the process ends within the deadline."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    ended, _, _ = select.select([handle], [], [], DEADLINE_S)
    os.close(handle)
    return bool(ended)


def pids_of(folder: Path) -> list[int]:
    """The hanging worker and its child."""
    return [int(pid) for pid in (folder / "hangs.pids").read_text().split()]


def test_cancel_ends_a_blocked_reader_and_its_processes(folder: Path, odd_worker: None) -> None:
    write_trace(folder / "hangs.json")
    loader = Loader([folder])
    is_hanging = threading.Event()

    def follow(events: Iterator[Progress | Loaded]) -> None:
        for _ in events:
            is_hanging.set()

    thread = threading.Thread(target=follow, args=(loader.events(),))
    thread.start()
    assert is_hanging.wait(DEADLINE_S)
    loader.cancel()
    thread.join(DEADLINE_S)
    assert not thread.is_alive()
    assert all(is_gone(pid) for pid in pids_of(folder))


def test_cancel_before_the_start_reads_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_trace(folder / "rank0.json")
    forbid_workers(monkeypatch)
    loader = Loader([folder])
    loader.cancel()
    assert not list(loader.events())


def test_events_that_nobody_wants_any_more_end_the_processes(
    folder: Path, odd_worker: None
) -> None:
    write_trace(folder / "hangs.json")
    events = Loader([folder]).events()
    next(events)
    del events
    assert all(is_gone(pid) for pid in pids_of(folder))


def test_a_worker_does_not_outlive_a_killed_parent(folder: Path) -> None:
    write_trace(folder / "hangs.json")
    parent = f"""
import os, signal, sys
from vpstop.read import pool
from vpstop.read.loader import Loader
pool.COMMAND = (sys.executable, "-c", {ODD_WORKER!r})
next(Loader([{str(folder)!r}]).events())
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", parent], check=False)
    assert done.returncode == -signal.SIGKILL
    assert is_gone(pids_of(folder)[0])


def test_a_thousand_files_of_which_few_are_traces(folder: Path) -> None:
    for number in range(1000):
        path = folder / f"node{number % 7}" / f"notes{number}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text('{"a": 1}')
    write_trace(folder / "node3/rank0.json")
    outcomes = read(Loader([folder]))
    assert len(outcomes) == 1001
    assert [name for name, one in outcomes.items() if isinstance(one, Capture)] == ["rank0.json"]


def test_little_memory_is_one_reader_and_the_same_columns(folder: Path) -> None:
    for rank in range(3):
        write_trace(folder / f"rank{rank}.json", rank, operators=20_000)
    usual = read(Loader([folder], use_cache=False))
    tight = Loader([folder], use_cache=False, processes=3, memory_bytes=1)
    for name, outcome in read(tight).items():
        assert_same(outcome, usual[name])
