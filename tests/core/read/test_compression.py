"""Plain, gzip and zstd bytes give their text, bounded, and all that stands before damage."""

import gzip
import random
from collections.abc import Callable
from io import BytesIO

import pytest
import zstandard

from vpstop.read.compression import CHUNK_BYTES, decompressed
from vpstop.read.damage import Damaged

TEXT = b"".join(b"%d\n" % number for number in range(300_000))
NOISE = random.Random(1).randbytes(300_000)

Compress = Callable[[bytes], bytes]
FORMATS = pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])


def text_of(data: bytes, stored_bytes: int | None = None) -> bytes:
    chunks = decompressed(BytesIO(data).read, stored_bytes or len(data))
    found = list(chunks)
    assert all(0 < len(chunk) <= CHUNK_BYTES for chunk in found)
    return b"".join(found)


def kept_before_damage(data: bytes) -> tuple[bytes, Damaged]:
    found = bytearray()
    with pytest.raises(Damaged) as caught:
        for chunk in decompressed(BytesIO(data).read, len(data)):
            found += chunk
    return bytes(found), caught.value


def test_plain() -> None:
    assert text_of(TEXT) == TEXT


@FORMATS
def test_several_members_and_padding(compress: Compress) -> None:
    data = compress(TEXT[:1000]) + compress(b"") + compress(TEXT[1000:]) + bytes(512)
    assert text_of(data) == TEXT


@FORMATS
def test_what_compresses_well_comes_in_bounded_chunks(compress: Compress) -> None:
    text = bytes(50 * CHUNK_BYTES + 1)
    assert text_of(compress(text)) == text


def test_a_frame_without_its_length() -> None:
    compressor = zstandard.ZstdCompressor(write_content_size=False, write_checksum=True)
    assert text_of(compressor.compress(TEXT)) == TEXT


@pytest.mark.parametrize("data", [b"", b"\x1f", b"\x28\xb5"])
def test_next_to_nothing(data: bytes) -> None:
    assert text_of(data) == data


@FORMATS
def test_what_stands_before_a_cut_is_not_lost(compress: Compress) -> None:
    found, damage = kept_before_damage(compress(NOISE)[:200_000])
    # A block of zstd is 128 KB.
    assert len(found) > (190_000 if compress is gzip.compress else 130_000)
    assert NOISE.startswith(found)
    assert "cut" in damage.what
    assert (damage.kind, damage.offset) == ("truncated", len(found))


@FORMATS
def test_broken_and_trailing_data(compress: Compress) -> None:
    found, damage = kept_before_damage(compress(TEXT) + b"left over")
    assert (found, damage.kind) == (TEXT, "trailing_data")
    data, half = compress(TEXT), len(compress(TEXT)) // 2
    _, damage = kept_before_damage(data[:half] + bytes(1000) + data[half + 1000 :])
    assert damage.kind == "truncated"


def test_a_window_that_takes_too_much_memory_is_refused() -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=28, write_content_size=False)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    data = compressor.compress(TEXT) + compressor.flush()
    found, damage = kept_before_damage(data)
    assert not found
    assert "memory" in damage.what


@FORMATS
def test_a_bomb_stops_at_its_bound(compress: Compress) -> None:
    bomb = b"".join(compress(bytes(1 << 24)) for _ in range(5))
    found, damage = kept_before_damage(bomb)
    assert len(found) == 64 << 20
    assert damage.kind == "truncated"
    assert "100 times" in damage.what


def test_what_takes_more_room_may_be_longer() -> None:
    data = b"".join(gzip.compress(bytes(1 << 24)) for _ in range(5))
    assert len(text_of(data, 1 << 20)) == 5 << 24
