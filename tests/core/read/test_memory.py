"""What may be used is found in control groups of both versions, and shared out."""

from pathlib import Path

import pytest

from vpstop.read import memory
from vpstop.read.cgroups import groups, value
from vpstop.read.cores import allowed_cores, usable_cores
from vpstop.read.memory import Budget, allowed_bytes, available_bytes, reader_bytes


def written(folder: Path, **files: str) -> Path:
    """A control group; `__` in a name stands for a dot."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def test_groups_of_both_versions_up_to_the_root(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_text("5:cpu,cpuacct:/a\n4:memory:/job/7\n0::/user.slice\n")
    root = tmp_path / "cgroup"
    assert groups("memory", own=own, root=root) == [
        root / "memory/job/7",
        root / "memory/job",
        root / "memory",
        root / "user.slice",
        root,
        root / "unified/user.slice",
        root / "unified",
    ]
    assert root / "cpu,cpuacct/a" in groups("cpu", own=own, root=root)
    assert root / "cpu/a" in groups("cpu", own=own, root=root)


def test_without_control_groups_there_is_no_limit(tmp_path: Path) -> None:
    assert groups("memory", own=tmp_path / "missing") == []
    assert allowed_bytes([tmp_path]) == []
    assert allowed_cores([tmp_path]) == []


def test_numbers_in_files(tmp_path: Path) -> None:
    written(tmp_path, number="12\n", word="max\n")
    assert [value(tmp_path / name) for name in ("number", "word", "missing")] == [12, None, None]


def test_what_the_second_version_allows(tmp_path: Path) -> None:
    stat = "anon 5\ninactive_file 100\n"
    inner = written(tmp_path / "a", memory__max="max", memory__current="900", memory__stat=stat)
    outer = written(tmp_path, memory__max="1000", memory__current="700", memory__stat=stat)
    assert allowed_bytes([inner, outer]) == [400]


def test_what_the_first_version_allows(tmp_path: Path) -> None:
    group = written(
        tmp_path,
        memory__limit_in_bytes="5000",
        memory__usage_in_bytes="3000",
        memory__stat="inactive_file 1\ntotal_inactive_file 500\n",
    )
    assert allowed_bytes([group]) == [2500]


def test_cores_of_both_versions(tmp_path: Path) -> None:
    second = written(tmp_path / "2", cpu__max="150000 100000\n")
    free = written(tmp_path / "free", cpu__max="max 100000\n")
    first = written(tmp_path / "1", cpu__cfs_quota_us="50000", cpu__cfs_period_us="100000")
    unlimited = written(tmp_path / "0", cpu__cfs_quota_us="-1", cpu__cfs_period_us="100000")
    assert allowed_cores([second, free, first, unlimited]) == [2, 1]
    assert usable_cores() >= 1


def test_a_group_that_is_full_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert available_bytes() > 0
    group = written(tmp_path, memory__max="10", memory__current="20")
    monkeypatch.setattr(memory, "groups", lambda _: [group])
    assert available_bytes() == 0


def test_a_system_that_does_not_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "missing")
    monkeypatch.setattr(memory, "groups", lambda _: [])
    assert available_bytes() == 2_000_000_000


def test_two_large_files_fit_into_600_megabytes() -> None:
    readers_bytes = Budget(600_000_000).readers_bytes
    assert 2 * reader_bytes(300_000_000) <= readers_bytes < 3 * reader_bytes(300_000_000)
    assert reader_bytes(300_000_000) < reader_bytes(300_000_000, 2) < 2 * reader_bytes(300_000_000)


def test_by_default_half_of_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 1600)
    assert Budget().columns_bytes == 100
