"""The pieces of an event list to columns."""

from typing import Final

from vpstop.read.arguments import ArgumentBlocks
from vpstop.read.parser.argument_lines import lines_of
from vpstop.read.parser.columns import Columns
from vpstop.read.parser.cut import EventList
from vpstop.read.parser.duplicates import note_duplicates
from vpstop.read.parser.events import PRECISE
from vpstop.read.parser.timestamps import Inexact

RECORD_BITS: Final = 20
"""A record number is the place of its piece in the text, then its number within the piece."""

_LOOKED_AT_BYTES: Final = 256 << 10
"""So much text is searched for keys that stand twice in a record."""


def collect(events: EventList, columns: Columns, blocks: ArgumentBlocks | None = None) -> None:
    """Adds all pieces, and what was found wrong; to `blocks` the arguments of all records.

    From the first piece on that holds inexact times, times are decoded as text.
    """
    looked_at_bytes = 0
    for piece in events.pieces():
        if looked_at_bytes < _LOOKED_AT_BYTES and not piece.is_damaged:
            note_duplicates(bytes(piece.text), events.findings)
            looked_at_bytes += len(piece.text)
        record = piece.offset << RECORD_BITS
        try:
            columns.add(piece.events, record)
        except Inexact:
            events.decode = PRECISE.decode
            columns.add(events.again(piece), record)
        if blocks is not None:
            blocks.add(lines_of(piece), record)
    columns.note(events.findings)
