"""The arguments of records as texts, for those who keep them or look one up."""

import re
from typing import Final

import msgspec

from vpstop.read.parser.cut import Piece
from vpstop.read.resync import recover, texts

_NUMBERED: Final = frozenset("XBE")
_LINE_BREAK: Final = re.compile(rb"\s*\n\s*")


class _Record(msgspec.Struct, gc=False):
    ph: str = ""
    args: msgspec.Raw = msgspec.Raw(b"")


_RECORDS: Final = msgspec.json.Decoder(list[_Record])


def argument_lines(records: bytes | memoryview) -> list[bytes]:
    """The arguments of the complete, begin and end records of a list, each on one line of JSON.

    Empty where there are none. Those are the records that have a number (`Slices.record`).
    """
    found = (bytes(one.args) for one in _RECORDS.decode(records) if one.ph in _NUMBERED)
    return [_LINE_BREAK.sub(b" ", args) for args in found]


def recovered_lines(stretch: bytes) -> list[bytes]:
    """As `argument_lines`, for the records that `recover` finds in a stretch of the event list."""
    return argument_lines(b"[" + b",".join(recover(stretch, texts).records) + b"]")


def lines_of(piece: Piece) -> list[bytes]:
    """The lines of a piece, whose events have the same numbers."""
    if piece.is_damaged:
        return recovered_lines(bytes(piece.text[1:-1]))
    return argument_lines(piece.text)
