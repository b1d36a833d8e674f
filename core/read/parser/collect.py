"""The pieces of an event list to columns."""

from typing import Final

from vpstop.read.parser.columns import Columns
from vpstop.read.parser.cut import EventList
from vpstop.read.parser.events import PRECISE
from vpstop.read.parser.timestamps import Inexact

RECORD_BITS: Final = 20
"""A record number is the place of its piece in the text, then its number within the piece."""


def collect(events: EventList, columns: Columns) -> None:
    """Adds all pieces, and what was found wrong.

    From the first piece on that holds inexact times, times are decoded as text.
    """
    for piece in events.pieces():
        record = piece.offset << RECORD_BITS
        try:
            columns.add(piece.events, record)
        except Inexact:
            events.decode = PRECISE.decode
            columns.add(events.again(piece), record)
    columns.note(events.findings)
