"""Everything below the given paths is found once, in natural order; nothing is dropped silently."""

import os
from pathlib import Path

import pytest

from vpstop.read.discover import discover, natural_key, root_of


def make(folder: Path, *names: str) -> None:
    """Files with one byte each."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")


def names_below(folder: Path, *paths: Path) -> list[str]:
    """What `discover` finds, relative to the folder."""
    found = discover(paths or [folder])
    return [file.path.relative_to(folder).as_posix() for file in found.files]


def test_files_come_in_natural_order_of_their_names(tmp_path: Path) -> None:
    make(tmp_path, "rank10.json", "rank2.json", "Rank1.json", "node10/a", "node9/b")
    expected = ["node9/b", "node10/a", "Rank1.json", "rank2.json", "rank10.json"]
    assert names_below(tmp_path) == expected


def test_natural_order_takes_any_name() -> None:
    names = ["", "1", "a", "1a", "a1", "²", "\uff11", "a" * 300, "9" * 255]
    assert sorted(names, key=natural_key)[0] == ""


def test_sizes_are_those_of_the_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    (file,) = discover([tmp_path]).files
    assert file.bytes == 5
    assert file.mtime_ns == (tmp_path / "a").stat().st_mtime_ns


def test_hidden_folders_and_caches_are_not_entered_but_hidden_files_are_told(
    tmp_path: Path,
) -> None:
    make(tmp_path, ".git/config", "__pycache__/a.pyc", ".DS_Store", "a/.cache/b", "a/c")
    assert names_below(tmp_path) == [".DS_Store", "a/c"]


def test_a_hidden_folder_is_entered_when_it_is_asked_for(tmp_path: Path) -> None:
    make(tmp_path, ".traces/a")
    assert names_below(tmp_path, tmp_path / ".traces") == [".traces/a"]


def test_a_thousand_files_in_deep_folders_are_all_found(tmp_path: Path) -> None:
    for group in range(10):
        folder = tmp_path.joinpath(f"node{group}", *["deep"] * 40)
        make(folder, *(f"rank{number}.json" for number in range(100)))
    found = discover([tmp_path])
    assert len(found.files) == 1000
    assert not found.skipped


def test_folders_deeper_than_a_path_may_be_long_are_told_or_found(tmp_path: Path) -> None:
    make(tmp_path, "rank0.json")
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        for _ in range(50):
            Path("d" * 100).mkdir()
            os.chdir("d" * 100)
        Path("rank1.json").write_text("x")
    finally:
        os.chdir(here)
    found = discover([tmp_path])
    assert len(found.files) == 1
    assert len(found.skipped) == 1
    assert found.skipped[0].warnings[0].kind == "unreadable"


def test_links_that_loop_end(tmp_path: Path) -> None:
    make(tmp_path, "a/b/rank0.json")
    (tmp_path / "a/b/up").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    found = discover([tmp_path])
    assert len(found.files) == 1
    assert [Path(skipped.path).name for skipped in found.skipped] == ["self"]


def test_a_linked_folder_is_searched(tmp_path: Path) -> None:
    make(tmp_path, "elsewhere/rank0.json")
    (tmp_path / "given").mkdir()
    (tmp_path / "given/link").symlink_to(tmp_path / "elsewhere")
    assert names_below(tmp_path, tmp_path / "given") == ["given/link/rank0.json"]


def test_a_file_that_is_reached_twice_comes_once(tmp_path: Path) -> None:
    make(tmp_path, "a/rank0.json")
    (tmp_path / "a/same.json").symlink_to(tmp_path / "a/rank0.json")
    paths = [tmp_path, tmp_path / "a", tmp_path / "a/rank0.json", tmp_path / "a/../a/rank0.json"]
    assert len(discover(paths).files) == 1


def test_a_path_that_does_not_exist_is_told(tmp_path: Path) -> None:
    (skipped,) = discover([tmp_path / "missing"]).skipped
    (warning,) = skipped.warnings
    assert (warning.kind, warning.file) == ("unreadable", str(tmp_path / "missing"))
    assert "No such file" in warning.example


def test_a_pipe_is_told_and_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    found = discover([tmp_path])
    assert not found.files
    assert [skipped.warnings[0].kind for skipped in found.skipped] == ["not_a_trace"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_without_permission_is_told(tmp_path: Path) -> None:
    make(tmp_path, "closed/rank0.json")
    (tmp_path / "closed").chmod(0)
    try:
        (skipped,) = discover([tmp_path]).skipped
    finally:
        (tmp_path / "closed").chmod(0o700)
    assert "Permission denied" in skipped.warnings[0].example


def test_root_is_the_folder_that_holds_all(tmp_path: Path) -> None:
    make(tmp_path, "a/x/rank0.json", "a/y/rank1.json")
    assert root_of([tmp_path / "a"]) == tmp_path / "a"
    assert root_of([tmp_path / "a/x/rank0.json"]) == tmp_path / "a/x"
    assert root_of([tmp_path / "a/x", tmp_path / "a/y/rank1.json"]) == tmp_path / "a"
    assert root_of([]) == Path.cwd()
