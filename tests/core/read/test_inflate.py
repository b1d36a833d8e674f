"""The text of a file, and how far it is consumed."""

import gzip
import random
import zipfile
from pathlib import Path

import pytest
import zstandard

from vpstop.read.inflate import chunks

NOISE = random.Random(1).randbytes(3_000_000)


@pytest.mark.parametrize("compress", [bytes, gzip.compress, zstandard.compress])
@pytest.mark.parametrize("is_in_archive", [False, True])
def test_progress_ends_with_the_size_of_the_file(
    compress: type[bytes], is_in_archive: bool, tmp_path: Path
) -> None:
    path, data = tmp_path / "a.json", compress(NOISE)
    if is_in_archive:
        path = tmp_path / "runs.zip/a.json"
        with zipfile.ZipFile(path.parent, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.json", data)
    else:
        path.write_bytes(data)
    reports: list[int] = []
    assert b"".join(chunks(path, reports.append)) == NOISE
    assert reports == sorted(reports)
    assert reports[-1] == len(data)
    assert 10 < len(reports) <= 201


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        next(chunks(tmp_path / "a.json"))
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        next(chunks(tmp_path / "file/a.json"))
