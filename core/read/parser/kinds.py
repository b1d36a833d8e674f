"""The parts of each kind of slice, as codes of tables: name, category, lane."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from vpstop.read.categories import KNOWN, LaneKind, lane_kind
from vpstop.read.parser.parts import Int32, Kind
from vpstop.read.records import LaneKey, UInt8

LEGACY_CATEGORIES: Final = {"CPU functions": "cpu_op", "CUDA functions": "kernel"}
"""Array-form traces name no categories: the process tells."""

OTHER: Final = "(other)"
"""Stands for what comes after the first 255 values of a table whose codes are bytes."""

_LAST_CODE: Final = 255
_STREAM: Final = re.compile(r"stream (\d+)")


class SplitKinds(NamedTuple):
    """Codes by kind, and what they mean."""

    name: Int32
    category: UInt8
    lane: Int32
    names: tuple[str, ...]
    categories: tuple[str, ...]
    """Begins with `categories.KNOWN`."""
    lanes: tuple[LaneKey, ...]


def split_kinds(kinds: Sequence[Kind]) -> SplitKinds:
    """The codes of all kinds, in their order."""
    names: dict[str, int] = {}
    lanes: dict[LaneKey, int] = {}
    categories = {name: code for code, name in enumerate(KNOWN)}
    category, name, lane = [], [], []
    for kind in kinds:
        of_kind = _category(kind)
        category.append(categories.setdefault(of_kind, len(categories)))
        name.append(names.setdefault(kind.name, len(names)))
        lane.append(lanes.setdefault(_lane(of_kind, kind), len(lanes)))
    codes, table = fit_byte(tuple(categories))
    return SplitKinds(
        name=np.array(name, np.int32),
        category=codes[category],
        lane=np.array(lane, np.int32),
        names=tuple(names),
        categories=table,
        lanes=tuple(lanes),
    )


def fit_byte(table: Sequence[str]) -> tuple[UInt8, tuple[str, ...]]:
    """For each row of a table a code of one byte, and the table that these are codes of."""
    codes = np.minimum(np.arange(len(table)), _LAST_CODE).astype(np.uint8)
    if len(table) <= _LAST_CODE:
        return codes, tuple(table)
    return codes, (*table[:_LAST_CODE], OTHER)


def _category(kind: Kind) -> str:
    return kind.category or LEGACY_CATEGORIES.get(kind.process, "")


def _lane(category: str, kind: Kind) -> LaneKey:
    """Until August 2021 streams were called `stream 7`, `stream 7 annotations`."""
    on = lane_kind(category)
    stream = _STREAM.match(kind.thread) if on is not LaneKind.HOST else None
    return LaneKey(on, kind.process, stream[1] if stream else kind.thread)
