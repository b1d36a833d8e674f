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


def collect(events: EventList, columns: Columns, blocks: ArgumentBlocks | None = None) -> None:
    """Adds all pieces, and what was found wrong; to `blocks` the arguments of all records.

    From the first piece on that holds inexact times, times are decoded as text.
    """
    for number, piece in enumerate(events.pieces()):
        if number == 0 and not piece.is_damaged:
            note_duplicates(bytes(piece.text), events.findings)
        record = piece.offset << RECORD_BITS
        try:
            columns.add(piece.events, record)
        except Inexact:
            events.decode = PRECISE.decode
            columns.add(events.again(piece), record)
        if blocks is not None:
            blocks.add(lines_of(piece), record)
    columns.note(events.findings)
