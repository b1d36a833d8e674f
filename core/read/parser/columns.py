"""Decoded records to columns, batch by batch, from whichever parser decoded them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, cast

import numpy as np

from vpstop.read.capture import WarningKind
from vpstop.read.categories import BOOKKEEPING
from vpstop.read.findings import Findings
from vpstop.read.parser import gather
from vpstop.read.parser.batch import Batch, by_phase
from vpstop.read.parser.codes import integers, text_of
from vpstop.read.parser.events import (
    NO_LABEL_ARGS,
    NO_SLICE_ARGS,
    Event,
    Slice,
    SliceArgs,
)
from vpstop.read.parser.parts import (
    OPEN_NS,
    AllocatorColumns,
    Batches,
    Bool,
    ByteColumns,
    CollectiveColumns,
    Deviation,
    EndColumns,
    FlowColumns,
    Int32,
    Int64,
    LabelKey,
    LabelText,
    Part,
    SliceColumns,
    selected,
)
from vpstop.read.parser.tables import NO_SLICE, CodeTables
from vpstop.read.parser.timestamps import durations, without_number

_LABELS: Final = {"thread_name": "name", "process_labels": "labels"}
_UNFINISHED: Final = (False, "false")


class Columns:
    """Collects the records of a file, or of a part of it."""

    def __init__(self) -> None:
        self._tables = CodeTables()
        self._slices: Batches[SliceColumns] = Batches()
        self._ends: Batches[EndColumns] = Batches()
        self._collectives: Batches[CollectiveColumns] = Batches()
        self._bytes: Batches[ByteColumns] = Batches()
        self._allocator: Batches[AllocatorColumns] = Batches()
        self._flows: Batches[FlowColumns] = Batches()
        self._labels: dict[LabelKey, LabelText] = {}
        self._deviations: dict[WarningKind, Deviation] = {}
        # Nothing gives every column its type.
        nothing = by_phase([], 0)
        self._add_slices(nothing)
        self._add_ends(nothing)
        self._add_allocations(nothing)
        self._add_flows(nothing)

    def add(self, events: Sequence[Event], record: int) -> None:
        """Takes the records of a batch. Batches come in the order of the file.

        `record` is the number of the first complete, begin or end record; the others of the
        batch count on from there. Raises `Inexact`, before anything is taken, where times were
        decoded as doubles that cannot hold them.
        """
        batch = by_phase(events, record)
        self._add_slices(batch)
        if batch.ends:
            self._add_ends(batch)
        if batch.allocations:
            self._add_allocations(batch)
        if batch.flow_starts or batch.flow_ends:
            self._add_flows(batch)
        self._add_labels(batch)

    def note(self, findings: Findings) -> None:
        """Counts what was wrong with the text."""
        for kind, finding in findings.items():
            example = f"byte {finding.offset:,} of the text: {finding.example}"
            self._count(kind, finding.count, example)

    def part(self) -> Part:
        """Everything collected; the builder is empty afterwards."""
        slices = self._slices.columns()
        self._note_repaired_names(slices.kind)
        return Part(
            slices=slices,
            ends=self._ends.columns(),
            collectives=self._collectives.columns(),
            bytes=self._bytes.columns(),
            allocator=self._allocator.columns(),
            flows=self._flows.columns(),
            tables=self._tables.frozen(),
            labels=self._labels,
            deviations=tuple(self._deviations.values()),
        )

    def _note_repaired_names(self, kind: Int32) -> None:
        repaired = self._tables.kinds.repaired - {NO_SLICE}
        if repaired:
            named = [kind.name for kind in self._tables.kinds.table]
            count = int(np.count_nonzero(np.isin(kind, list(repaired))))
            self._count("bad_text", count, named[min(repaired)])

    def _add_slices(self, batch: Batch) -> None:
        slices, tables = batch.slices, self._tables
        args = cast(Sequence[SliceArgs], [one.args or NO_SLICE_ARGS for one in slices])
        rows = gather.rows_with_more(args)
        columns = SliceColumns(
            start_ns=batch.start_ns,
            duration_ns=self._durations(batch),
            kind=gather.slice_kinds(slices, tables.kinds),
            correlation=np.maximum(integers([a.correlation for a in args]), 0),
            external_id=gather.external_ids(args),
            shape=gather.shape_codes(args, rows, tables.shapes),
            record=batch.slice_records,
        )
        is_slice = columns.kind != NO_SLICE
        self._slices.append(columns if is_slice.all() else selected(columns, is_slice))
        if rows or not slices:
            records = batch.slice_records
            self._collectives.append(gather.collective_columns(args, rows, records, tables.texts))
            self._bytes.append(gather.byte_columns(args, rows, records))
            self._note("unfinished", [slices[r] for r in rows if args[r].finished in _UNFINISHED])

    def _add_ends(self, batch: Batch) -> None:
        threads = self._tables.threads
        columns = gather.end_columns(batch.ends, batch.end_ns, batch.end_records, threads)
        self._ends.append(columns)

    def _add_allocations(self, batch: Batch) -> None:
        place = batch.first_record
        columns = gather.allocator_columns(batch.allocations, batch.allocation_ns, place)
        self._allocator.append(columns)

    def _add_flows(self, batch: Batch) -> None:
        categories = self._tables.flow_categories
        columns = gather.flow_columns(batch.flow_starts, batch.flow_ends, categories)
        self._flows.append(columns)

    def _durations(self, batch: Batch) -> Int64:
        duration_ns, is_bad, is_no_number = durations([one.dur for one in batch.slices])
        if (batch.start_ns == 0).any():
            is_no_number |= without_number([one.ts for one in batch.slices], batch.start_ns)
        self._note_rows("bad_duration", batch, is_bad)
        self._note_rows("bad_number", batch, is_no_number)
        duration_ns[batch.begin_rows] = OPEN_NS
        return duration_ns

    def _note_rows(self, kind: WarningKind, batch: Batch, which: Bool) -> None:
        if which.any():
            self._note(kind, [batch.slices[row] for row in np.flatnonzero(which).tolist()])

    def _note(self, kind: WarningKind, slices: Sequence[Slice[Any]]) -> None:
        """Counts slices that deviate; the profiler's own span is none."""
        names = [text_of(one.name) for one in slices if one.cat != BOOKKEEPING]
        if names:
            self._count(kind, len(names), names[0])

    def _count(self, kind: WarningKind, count: int, example: str) -> None:
        known = self._deviations.get(kind, Deviation(kind, 0, example))
        self._deviations[kind] = replace(known, count=known.count + count)

    def _add_labels(self, batch: Batch) -> None:
        for label in batch.labels:
            kind = text_of(label.name)
            argument = _LABELS.get(kind)
            value = argument and getattr(label.args or NO_LABEL_ARGS, argument)
            if value is not None:
                key = LabelKey(kind, text_of(label.pid), text_of(label.tid))
                self._labels[key] = LabelText(batch.first_record, text_of(value))
