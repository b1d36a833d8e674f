"""The length of a text is known before it is inflated, nearly."""

import gzip
import random
from pathlib import Path

import pytest

from vpstop.read.discover import FoundFile
from vpstop.read.text_length import text_bytes

TEXT = b"".join(b"%d\n" % (number // 9) for number in range(100_000))
NOISE = random.Random(1).randbytes(10_000)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (TEXT, len(TEXT)),
        (gzip.compress(TEXT), len(TEXT)),
        (gzip.compress(NOISE), 16 * len(gzip.compress(NOISE))),
        (2 * gzip.compress(b"x"), 2 * 16 * len(gzip.compress(b"x"))),
        (b"", 0),
        (b"\x1f\x8b", 32),
    ],
    ids=["plain", "gzip", "incompressible", "members", "empty", "cut"],
)
def test_length_of_a_text(data: bytes, expected: int, tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(data)
    assert text_bytes(FoundFile(path, len(data), 0)) == expected


def test_of_a_file_that_is_gone(tmp_path: Path) -> None:
    assert text_bytes(FoundFile(tmp_path / "t", 10, 0)) == 160
