"""What appears while the screen is open is told once it is whole, and loaded on its own."""

import json
import os
from pathlib import Path

import pytest

from vpstop.read.capture import Capture
from vpstop.read.loader import Loaded, Loader


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "traces"
    write_trace(folder / "rank0.json")
    return folder


def write_trace(path: Path, operators: int = 1) -> None:
    event = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "dur": 5}
    events = [event | {"ts": 10 * number} for number in range(1, operators + 1)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))


def names(loader: Loader) -> list[str]:
    return [file.path.name for file in loader.appeared()]


def load(loader: Loader) -> dict[str, int]:
    """Slices by file name."""
    loaded = [event for event in loader.events() if isinstance(event, Loaded)]
    return {
        event.path.name: len(event.outcome.slices)
        for event in loaded
        if isinstance(event.outcome, Capture)
    }


def test_nothing_new_is_nothing(folder: Path) -> None:
    loader = Loader([folder])
    assert [names(loader) for _ in range(3)] == [[], [], []]


def test_a_trace_is_told_when_it_no_longer_grows(folder: Path) -> None:
    loader = Loader([folder])
    write_trace(folder / "sub/rank10.json", 1)
    write_trace(folder / "sub/rank9.json", 1)
    assert names(loader) == []
    write_trace(folder / "sub/rank10.json", 2)
    assert names(loader) == ["rank9.json"]
    assert names(loader) == ["rank9.json", "rank10.json"]


def test_only_what_appeared_is_loaded_and_then_no_news(folder: Path) -> None:
    loader = Loader([folder])
    write_trace(folder / "rank1.json", 7)
    assert names(loader) == []
    new = loader.appeared()
    assert load(loader.only(new)) == {"rank1.json": 7}
    assert names(loader) == []


def test_a_trace_that_changed_is_news_again(folder: Path) -> None:
    loader = Loader([folder])
    write_trace(folder / "rank0.json", 3)
    assert names(loader) == []
    new = loader.appeared()
    assert load(loader.only(new)) == {"rank0.json": 3}
    os.utime(folder / "rank0.json", ns=(0, 0))
    assert names(loader) == []
    assert names(loader) == ["rank0.json"]


def test_what_is_no_trace_is_no_news(folder: Path) -> None:
    loader = Loader([folder])
    (folder / "train.log").write_text("step 1\n")
    (folder / "notes.json").write_text('{"a": 1}')
    assert [names(loader) for _ in range(3)] == [[], [], []]
    write_trace(folder / "notes.json")
    assert [names(loader) for _ in range(2)] == [[], ["notes.json"]]


def test_a_path_that_was_missing_may_come(tmp_path: Path) -> None:
    loader = Loader([tmp_path / "later"])
    write_trace(tmp_path / "later/rank0.json")
    assert [names(loader) for _ in range(2)] == [[], ["rank0.json"]]


def test_a_folder_that_goes_is_no_error(folder: Path) -> None:
    loader = Loader([folder])
    (folder / "rank0.json").unlink()
    folder.rmdir()
    assert [names(loader) for _ in range(2)] == [[], []]
