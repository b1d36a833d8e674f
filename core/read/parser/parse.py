"""A trace file to `Records`: the pieces of its event list, and what stands around it.

The strict parser reads each piece; where it fails, and only there, what can be read is recovered.
"""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from vpstop.read.arguments import ArgumentBlocks
from vpstop.read.damage import Damaged
from vpstop.read.findings import Findings, note_bad_text
from vpstop.read.inflate import Progress, chunks
from vpstop.read.parser import split
from vpstop.read.parser.collect import collect
from vpstop.read.parser.columns import Columns
from vpstop.read.parser.cut import EventList
from vpstop.read.parser.duplicates import note_duplicates
from vpstop.read.parser.events import NUMERIC
from vpstop.read.parser.facts import ARRAY_HEAD, Pairs, metadata
from vpstop.read.parser.finish import records
from vpstop.read.parser.parts import Deviation, Part
from vpstop.read.records import Records
from vpstop.read.salvage import salvage
from vpstop.read.source import size_bytes

SPLIT_BYTES: Final = 2 << 20
"""Smaller files are not split: they are read in less than 0.2 s, compressed or not."""


def parse(
    path: Path,
    processes: int = 1,
    progress: Progress | None = None,
    blocks: ArgumentBlocks | None = None,
) -> Records:
    """Everything in the file; raises `OSError`, and `Damaged` where it holds no event list.

    Where `processes` is more than one, that many forks of this process share a large file. `blocks`
    take the arguments of all records, from one process only.
    """
    if processes > 1 and split.AVAILABLE and size_bytes(path) >= SPLIT_BYTES:
        whole = split.read_in_shares(path, processes, progress)
        if whole is not None:
            around = Around.read(whole.head, whole.tail, whole.closed)
            return around.records(path, whole.part, whole.complete)
    events = EventList(chunks(path, progress), NUMERIC.decode)
    columns = Columns()
    collect(events, columns, blocks)
    around = Around.read(events.head, events.tail, events.closed)
    return around.records(path, columns.part(), events.complete)


class Around(NamedTuple):
    """The top-level keys around an event list, and what was wrong with them."""

    pairs: Pairs
    findings: Findings

    @classmethod
    def read(cls, head: bytes, tail: bytes, closed: bool) -> "Around":
        """Strictly if that can be, else what can be read; the tail counts where the list ended."""
        findings = Findings()
        tail = tail if closed else b""
        if head == ARRAY_HEAD:
            if tail.strip():
                findings.note("trailing_data", tail, 0, len(tail))
            return cls((), findings)
        if closed:
            with suppress(Damaged):  # what can be read of it follows
                pairs = metadata(head, tail)
                note_bad_text(head, findings)
                note_bad_text(tail, findings)
                note_duplicates(head + b"]" + tail, findings)
                return cls(pairs, findings)
        return cls(_salvaged(head, findings) + _salvaged(tail, findings), findings)

    def records(self, path: Path, part: Part, complete: bool) -> Records:
        """The records of the file whose events are in `part`."""
        deviations = (
            Deviation(kind, found.count, found.example) for kind, found in self.findings.items()
        )
        part = replace(part, deviations=(*part.deviations, *deviations))
        return records(path, self.pairs, part, complete=complete)


def _salvaged(text: bytes, findings: Findings) -> list[tuple[str, Any]]:
    """What can be read of the text before or behind the events."""
    found = salvage(text)
    if found.damaged:
        findings.note("damaged_metadata", text, 0, len(text))
    if found.trailing:
        findings.note("trailing_data", text, 0, len(text))
    else:
        note_bad_text(text, findings)
    return found.pairs
