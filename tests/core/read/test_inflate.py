"""The text of plain and compressed files, whatever their names say."""

import gzip
import random
from pathlib import Path

import pytest

from vpstop.read.damage import Damaged
from vpstop.read.inflate import CHUNK_BYTES, chunks

TEXT = b"".join(b"%d\n" % number for number in range(300_000))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace.json"


def text_of(path: Path) -> bytes:
    found = list(chunks(path))
    assert all(0 < len(chunk) <= CHUNK_BYTES for chunk in found)
    return b"".join(found)


def test_plain(path: Path) -> None:
    path.write_bytes(TEXT)
    assert text_of(path) == TEXT


def test_gzip_with_several_members_and_padding(path: Path) -> None:
    path.write_bytes(
        gzip.compress(TEXT[:1000]) + gzip.compress(b"") + gzip.compress(TEXT[1000:]) + bytes(512)
    )
    assert text_of(path) == TEXT


def test_what_compresses_a_thousand_times(path: Path) -> None:
    path.write_bytes(gzip.compress(bytes(50 * CHUNK_BYTES + 1)))
    assert text_of(path) == bytes(50 * CHUNK_BYTES + 1)


@pytest.mark.parametrize("data", [b"", b"\x1f"])
def test_next_to_nothing(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert text_of(path) == data


def test_what_stands_before_a_cut_is_not_lost(path: Path) -> None:
    incompressible = random.Random(1).randbytes(300_000)
    path.write_bytes(gzip.compress(incompressible)[:200_000])
    found = bytearray()
    with pytest.raises(Damaged, match="cut"):
        for chunk in chunks(path):
            found += chunk
    assert len(found) > 190_000
    assert incompressible.startswith(found)


def test_broken_and_trailing_data(path: Path) -> None:
    path.write_bytes(gzip.compress(TEXT) + b"left over")
    with pytest.raises(Damaged, match="gzip"):
        text_of(path)


def test_progress_ends_with_the_size_of_the_file(path: Path) -> None:
    path.write_bytes(gzip.compress(random.Random(1).randbytes(3_000_000)))
    reports: list[int] = []
    assert len(b"".join(chunks(path, reports.append))) == 3_000_000
    assert reports == sorted(reports)
    assert reports[-1] == path.stat().st_size
    assert 10 < len(reports) <= 201
