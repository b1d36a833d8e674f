"""Puts the columns of several parts of a file together, as if one builder had collected them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from vpstop.read.capture import WarningKind
from vpstop.read.parser.parts import (
    Columns,
    Deviation,
    Int32,
    LabelKey,
    LabelText,
    Part,
    SliceColumns,
    Tables,
)

_COLLECTIVE_TEXTS: Final = (
    "operation",
    "dtype",
    "group_name",
    "group_description",
    "group_ranks",
)


def merged(parts: Sequence[Part]) -> Part:
    """All rows, those of slices in the order of the file."""
    tables = _tables([part.tables for part in parts])
    parts = [_recoded(part, tables) for part in parts]
    return Part(
        slices=_in_file_order([part.slices for part in parts]),
        ends=_joined([part.ends for part in parts]),
        collectives=_joined([part.collectives for part in parts]),
        bytes=_joined([part.bytes for part in parts]),
        allocator=_joined([part.allocator for part in parts]),
        flows=_joined([part.flows for part in parts]),
        tables=tables,
        labels=_labels(parts),
        deviations=_deviations(parts),
    )


def _tables(tables: Sequence[Tables]) -> Tables:
    """Values in the order in which they are first met."""
    return Tables(
        kinds=_distinct(table.kinds for table in tables),
        threads=_distinct(table.threads for table in tables),
        shapes=_distinct(table.shapes for table in tables),
        texts=_distinct(table.texts for table in tables),
        flow_categories=_distinct(table.flow_categories for table in tables),
    )


def _distinct(tables: Iterable[Sequence[Any]]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(value for table in tables for value in table))


def _recoded(part: Part, tables: Tables) -> Part:
    """The part with rows of `tables` as codes."""
    own = part.tables
    kind_of = _lookup(own.kinds, tables.kinds)
    thread_of = _lookup(own.threads, tables.threads)
    shape_of = _lookup(own.shapes, tables.shapes)
    text_of = _lookup(own.texts, tables.texts)
    flow_category_of = _lookup(own.flow_categories, tables.flow_categories)
    texts = {name: text_of[getattr(part.collectives, name)] for name in _COLLECTIVE_TEXTS}
    return replace(
        part,
        slices=part.slices._replace(
            kind=kind_of[part.slices.kind], shape=shape_of[part.slices.shape]
        ),
        ends=part.ends._replace(thread=thread_of[part.ends.thread]),
        collectives=part.collectives._replace(**texts),
        flows=part.flows._replace(category=flow_category_of[part.flows.category]),
    )


def _lookup(own: Sequence[Any], common: Sequence[Any]) -> Int32:
    """For each row of the own table that of the common one; at the end -1, for -1."""
    row_of = {value: row for row, value in enumerate(common)}
    return np.array([*(row_of[value] for value in own), -1], np.int32)


def _joined(batches: Sequence[Columns]) -> Columns:
    kind = type(batches[0])
    return kind(*(np.concatenate(column) for column in zip(*batches, strict=True)))


def _in_file_order(batches: Sequence[SliceColumns]) -> SliceColumns:
    order = np.argsort(np.concatenate([batch.record for batch in batches]), kind="stable")
    columns = zip(*batches, strict=True)
    return SliceColumns(*(np.concatenate(column)[order] for column in columns))


def _labels(parts: Sequence[Part]) -> dict[LabelKey, LabelText]:
    """The last text of each key."""
    labels: dict[LabelKey, LabelText] = {}
    for part in parts:
        for key, label in part.labels.items():
            labels[key] = max(label, labels.get(key, label))
    return labels


def _deviations(parts: Sequence[Part]) -> tuple[Deviation, ...]:
    sums: dict[WarningKind, Deviation] = {}
    for deviation in (one for part in parts for one in part.deviations):
        known = sums.get(deviation.kind, replace(deviation, count=0))
        sums[deviation.kind] = replace(known, count=known.count + deviation.count)
    return tuple(sums.values())
