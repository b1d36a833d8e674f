"""The fast path: the strict parse of a healthy trace file, in pieces, by one or more processes."""

from pathlib import Path
from typing import Final

from vpstop.read.inflate import Progress, chunks
from vpstop.read.parser import split
from vpstop.read.parser.collect import collect
from vpstop.read.parser.columns import Columns
from vpstop.read.parser.cut import EventList
from vpstop.read.parser.events import NUMERIC
from vpstop.read.parser.facts import metadata
from vpstop.read.parser.finish import records
from vpstop.read.records import Records

SPLIT_BYTES: Final = 2 << 20
"""Smaller files are not split: they are read in less than 0.2 s, compressed or not."""


def parse(path: Path, processes: int = 1, progress: Progress | None = None) -> Records:
    """Everything in the file; raises `OSError`, and `Damaged` where it is not strictly valid.

    Where `processes` is more than one, that many forks of this process share a large file.
    """
    if processes > 1 and split.AVAILABLE and path.stat().st_size >= SPLIT_BYTES:
        whole = split.read_in_shares(path, processes, progress)
        if whole is not None:
            return records(path, metadata(whole.head, whole.tail), whole.part)
    events = EventList(chunks(path, progress), NUMERIC.decode)
    columns = Columns()
    collect(events, columns)
    return records(path, metadata(events.head, events.tail), columns.part())
