"""Files that a user asks for appear whole, and never over another one unasked."""

import os
import threading
from pathlib import Path

import pytest

from vpstop.tui.output import write_beside, write_file


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.md"
    path.write_text("old and longer")
    write_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.md"
    path.write_text("old")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        write_file(path, b"new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.md", tmp_path / "link.md"
    link.symlink_to(real)
    write_file(link, b"text")
    assert link.is_symlink()
    assert real.read_bytes() == b"text"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe, received = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    write_file(pipe, b"text")
    reader.join()
    assert received == [b"text"]
    assert pipe.is_fifo()


def test_others_may_read_what_a_new_file_says(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_file(tmp_path / "run.md", b"text")
    finally:
        os.umask(before)
    assert (tmp_path / "run.md").stat().st_mode & 0o777 == 0o644


def test_a_taken_name_is_not_taken_again(tmp_path: Path) -> None:
    wanted = tmp_path / "findings.md"
    assert [write_beside(wanted, text).name for text in (b"1", b"2", b"3")] == [
        "findings.md",
        "findings-2.md",
        "findings-3.md",
    ]
    assert wanted.read_bytes() == b"1"


def test_a_name_that_could_not_be_used_is_free_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        write_beside(tmp_path / "findings.md", b"text")
    assert not list(tmp_path.iterdir())
