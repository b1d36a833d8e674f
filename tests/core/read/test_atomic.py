"""A file appears whole or not at all, whatever happens to its writer."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from vpstop.read.atomic import replacing, sweep

KILLED = """
import os, signal, sys
from pathlib import Path
from vpstop.read.atomic import replacing
with replacing(Path(sys.argv[1])) as file:
    file.write(b"half of")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_takes_the_place_of_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_killed_writer_leaves_the_old_file_and_a_part_to_sweep(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 2
    sweep(tmp_path)
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="space"), replacing(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_at_once_leave_the_whole_file_of_the_last(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with replacing(path) as first:
        first.write(b"first, in two")
        with replacing(path) as second:
            second.write(b"second")
            sweep(tmp_path)
        assert path.read_bytes() == b"second"
        first.write(b" parts")
    assert path.read_bytes() == b"first, in two parts"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "missing" / "a"):
        pass
