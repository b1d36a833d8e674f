"""The arguments of all records of a file as small blocks: what a digest takes along.

A block holds the records of one piece of the event list: zstd over a line of JSON for each
complete, begin and end record. Ids grow from record to record: each stands there as `~` and its
difference to the number behind the same key before it, which takes a quarter of the room.
"""

import re
from collections.abc import Iterable
from typing import Final

import zstandard

_LEVEL: Final = 12
_KEYS: Final = (
    b"External id|external id|correlation|Ev Idx|Sequence number|Record function id|"
    b"Python id|Python parent id|wait_on_cuda_event_record_corr_id"
)
# A bare quote before a colon ends a key, so neither of the two is ever inside a text.
_ID: Final = re.compile(rb'("(?:%s)": ?)(0|[1-9]\d{0,16})(?=[,\s}])' % _KEYS)
_DIFFERENCE: Final = re.compile(rb'("(?:%s)": ?)~(-?\d+)' % _KEYS)


class ArgumentBlocks:
    """Blocks by the number of their first record, collected while a file is read."""

    def __init__(self) -> None:
        self.packed: dict[int, bytes] = {}
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL)

    def add(self, lines: Iterable[bytes], first: int) -> None:
        """Takes the lines of a piece, the first of which has this number."""
        text = b"\n".join([*lines, b""])
        self.packed[first] = self._compressor.compress(_to_differences(text))


def unpacked(block: bytes) -> list[bytes]:
    """The lines of a block; raises `zstandard.ZstdError` for what is none."""
    text = zstandard.ZstdDecompressor().decompress(block)
    return _from_differences(text).split(b"\n")[:-1]


def _to_differences(text: bytes) -> bytes:
    before: dict[bytes, int] = {}

    def difference(found: re.Match[bytes]) -> bytes:
        key, value = found[1], int(found[2])
        step = value - before.get(key, 0)
        before[key] = value
        return b"%s~%d" % (key, step)

    return _ID.sub(difference, text)


def _from_differences(text: bytes) -> bytes:
    before: dict[bytes, int] = {}

    def value(found: re.Match[bytes]) -> bytes:
        key = found[1]
        before[key] = before.get(key, 0) + int(found[2])
        return b"%s%d" % (key, before[key])

    return _DIFFERENCE.sub(value, text)
