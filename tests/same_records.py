"""Whether two parsers found the same in a file, whatever codes their tables use."""

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from vpstop.read.capture import Facts
from vpstop.read.records import AllocatorRecords, CollectiveRecords, FlowRecords, Records

Column = npt.NDArray[Any]

_CODED: Final = {"name": "names", "category": "categories", "lane": "lanes", "shape": "shapes"}
_TEXTS: Final = ("operation", "dtype", "group_name", "group_description", "group_ranks")


def assert_same_records(found: Records, expected: Records) -> None:
    """Compares every column row by row; places in the file and warnings apart."""
    assert_same_columns(slice_columns(found), slice_columns(expected))
    assert_same_columns(collective_columns(found), collective_columns(expected))
    assert_same_columns(copy_columns(found), copy_columns(expected))
    assert_same_columns(allocator_columns(found.memory), allocator_columns(expected.memory))
    assert_same_columns(flow_columns(found), flow_columns(expected))
    assert found.thread_names == expected.thread_names
    assert found.process_labels == expected.process_labels
    assert said(found.facts) == said(expected.facts)


def assert_same_columns(found: dict[str, Column], expected: dict[str, Column]) -> None:
    assert found.keys() == expected.keys()
    for name, column in found.items():
        np.testing.assert_array_equal(column, expected[name], err_msg=name)


def decoded(codes: Column, table: Sequence[Any]) -> Column:
    """The values behind codes; None for -1."""
    values = np.empty(len(table) + 1, object)
    values[:-1] = [str(value) for value in table]
    column: Column = values[codes]
    return column


def slice_columns(records: Records) -> dict[str, Column]:
    slices = records.slices
    columns = {field.name: getattr(slices, field.name) for field in fields(slices)}
    del columns["record"]
    for name, table in _CODED.items():
        columns[name] = decoded(columns[name], getattr(records, table))
    return columns


def collective_columns(records: Records) -> dict[str, Column]:
    """Sorted by slice: the order of the rows says nothing."""
    collectives = records.collectives
    order = np.argsort(collectives.slice, kind="stable")
    names = [field.name for field in fields(CollectiveRecords) if field.name != "texts"]
    columns = {name: getattr(collectives, name)[order] for name in names}
    return columns | {name: decoded(columns[name], collectives.texts) for name in _TEXTS}


def copy_columns(records: Records) -> dict[str, Column]:
    order = np.argsort(records.copies_slice, kind="stable")
    return {"slice": records.copies_slice[order], "bytes": records.copies_bytes[order]}


def allocator_columns(memory: AllocatorRecords) -> dict[str, Column]:
    """In the order in which they happened."""
    order = np.lexsort((memory.index, memory.time_ns))
    names = [field.name for field in fields(memory) if field.name != "index"]
    return {name: getattr(memory, name)[order] for name in names}


def flow_columns(records: Records) -> dict[str, Column]:
    flows: FlowRecords = records.flows
    order = np.lexsort((flows.is_end, flows.id))
    category = decoded(flows.category, records.flow_categories)
    columns = {"id": flows.id, "is_end": flows.is_end, "category": category}
    return {name: column[order] for name, column in columns.items()}


def said(facts: Facts) -> Facts:
    """Facts that parsers find in the text: not the size and format of the file, and the process
    is worked out later. Fractions are floats."""
    metadata = json.loads(json.dumps(facts.metadata, default=float))
    return replace(facts, bytes=0, format="", process="", metadata=metadata)
