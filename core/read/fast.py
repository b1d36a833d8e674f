"""The fast path: the strict parse of a healthy trace file, in pieces, by one or two processes."""

from pathlib import Path

from vpstop.read.columns import Columns
from vpstop.read.cut import EventList, Piece
from vpstop.read.events import NUMERIC, PRECISE
from vpstop.read.facts import metadata
from vpstop.read.finish import records
from vpstop.read.inflate import Progress, chunks
from vpstop.read.records import Records
from vpstop.read.timestamps import Inexact

RECORD_BITS = 20


def parse(path: Path, progress: Progress | None = None) -> Records:
    """Everything in the file; raises `OSError`, and `Damaged` where it is not strictly valid."""
    events = EventList(chunks(path, progress), NUMERIC.decode)
    columns = Columns()
    for piece in events.pieces():
        _take(events, columns, piece)
    return records(path, metadata(events.head, events.tail), columns.part())


def _take(events: EventList, columns: Columns, piece: Piece) -> None:
    """Adds a piece; from the first inexact one on, times are decoded as text."""
    record = piece.offset << RECORD_BITS
    try:
        columns.add(piece.events, record)
    except Inexact:
        events.decode = PRECISE.decode
        columns.add(PRECISE.decode(piece.text), record)
