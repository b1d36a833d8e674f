"""Decoded records to columns, batch by batch, from whichever parser decoded them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, cast

import numpy as np

from vpstop.read import gather
from vpstop.read.batch import Batch, by_phase
from vpstop.read.capture import WarningKind
from vpstop.read.codes import integers, text_of
from vpstop.read.events import NO_LABEL_ARGS, NO_SLICE_ARGS, Begin, Event, Label, Slice, SliceArgs
from vpstop.read.parts import (
    OPEN_NS,
    AllocatorColumns,
    CollectiveColumns,
    CopyColumns,
    Deviation,
    EndColumns,
    FlowColumns,
    Int64,
    LabelRow,
    Part,
    SliceColumns,
    joined,
)
from vpstop.read.tables import BOOKKEEPING_CODE, CodeTables
from vpstop.read.timestamps import durations

_LABELS: Final = {"thread_name": "name", "process_labels": "labels"}
_UNFINISHED: Final = (False, "false")


class Columns:
    """Collects the records of a file, or of a part of it."""

    def __init__(self) -> None:
        self._tables = CodeTables()
        self._slices: list[SliceColumns] = []
        self._ends: list[EndColumns] = []
        self._collectives: list[CollectiveColumns] = []
        self._copies: list[CopyColumns] = []
        self._allocator: list[AllocatorColumns] = []
        self._flows: list[FlowColumns] = []
        self._labels: dict[LabelRow, None] = {}
        self._deviations: dict[WarningKind, Deviation] = {}
        self.add([], 0)  # gives every column its type

    def add(self, events: Sequence[Event], record: int) -> None:
        """Takes the records of a batch. Batches come in the order of the file.

        `record` is the number of the first complete, begin or end record; the others of the
        batch count on from there. Raises `Inexact`, before anything is taken, where times were
        decoded as doubles that cannot hold them.
        """
        batch = by_phase(events, record)
        tables = self._tables
        self._add_slices(batch)
        self._ends.append(
            gather.end_columns(batch.ends, batch.end_ns, batch.end_records, tables.ids)
        )
        self._allocator.append(
            gather.allocator_columns(batch.allocations, batch.allocation_ns, record)
        )
        self._flows.append(
            gather.flow_columns(batch.flow_starts, batch.flow_ends, tables.flow_categories)
        )
        self._add_labels(batch.labels)

    def note(self, kind: WarningKind, count: int, example: str) -> None:
        """Counts a deviation; the first example stays."""
        known = self._deviations.get(kind, Deviation(kind, 0, example))
        self._deviations[kind] = replace(known, count=known.count + count)

    def part(self) -> Part:
        """Everything collected; the builder is empty afterwards."""
        return Part(
            slices=joined(self._slices),
            ends=joined(self._ends),
            collectives=joined(self._collectives),
            copies=joined(self._copies),
            allocator=joined(self._allocator),
            flows=joined(self._flows),
            tables=self._tables.frozen(),
            labels=tuple(self._labels),
            deviations=tuple(self._deviations.values()),
        )

    def _add_slices(self, batch: Batch) -> None:
        slices, start_ns, records = batch.slices, batch.start_ns, batch.slice_records
        tables = self._tables
        category = np.array([tables.categories[one.cat] for one in slices], np.uint8)
        if (category == BOOKKEEPING_CODE).any():
            kept = np.flatnonzero(category != BOOKKEEPING_CODE)
            slices = [slices[row] for row in kept.tolist()]
            category, start_ns, records = category[kept], start_ns[kept], records[kept]
        args = cast(Sequence[SliceArgs], [one.args or NO_SLICE_ARGS for one in slices])
        self._slices.append(
            SliceColumns(
                start_ns=start_ns,
                duration_ns=self._durations(slices),
                name=gather.codes_of([one.name for one in slices], tables.names),
                category=category,
                process=gather.codes_of([one.pid for one in slices], tables.ids),
                thread=gather.codes_of([one.tid for one in slices], tables.ids),
                correlation=np.maximum(integers([a.correlation for a in args]), 0),
                external_id=gather.external_ids(args),
                shape=gather.shape_codes(args, tables.shapes),
                record=records,
            )
        )
        self._collectives.append(gather.collective_columns(args, records, tables.texts))
        self._copies.append(gather.copy_columns(args, records, category))
        self._note_unfinished(slices, args)

    def _durations(self, slices: Sequence[Slice[Any]]) -> Int64:
        duration_ns, is_bad = durations([one.dur for one in slices])
        if is_bad.any():
            first = slices[int(np.argmax(is_bad))]
            self.note("bad_duration", int(np.count_nonzero(is_bad)), text_of(first.name))
        for row, one in enumerate(slices):
            if one.__class__ is Begin:
                duration_ns[row] = OPEN_NS
        return duration_ns

    def _note_unfinished(self, slices: Sequence[Slice[Any]], args: Sequence[SliceArgs]) -> None:
        rows = [row for row, a in enumerate(args) if a.finished is not None]
        open_rows = [row for row in rows if args[row].finished in _UNFINISHED]
        if open_rows:
            self.note("unfinished", len(open_rows), text_of(slices[open_rows[0]].name))

    def _add_labels(self, labels: Sequence[Label]) -> None:
        for label in labels:
            key = _LABELS.get(text_of(label.name))
            if key is not None:
                text = text_of(getattr(label.args or NO_LABEL_ARGS, key))
                row = LabelRow(text_of(label.name), text_of(label.pid), text_of(label.tid), text)
                self._labels[row] = None
