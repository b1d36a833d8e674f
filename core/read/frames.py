"""Python frames, and the ranges that begin inside one of them and outlive it.

`record_function` begins its range inside the frame of its own `__enter__`, and ends it inside that
of `__exit__`. Taken as nesting, every range of a trace with stacks would last some microseconds.
"""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from vpstop.read.categories import CODE

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
UInt8 = npt.NDArray[np.uint8]
Bool = npt.NDArray[np.bool_]

_ENTRY: Final = re.compile("_record_function_enter|__enter__")


def is_frame(category: UInt8) -> Bool:
    """Whether a slice is a Python frame."""
    frame: Bool = category == CODE["python_function"]
    return frame


def is_range(category: UInt8) -> Bool:
    """Whether a slice can be a range that `record_function` opened."""
    opened: Bool = (category == CODE["user_annotation"]) | (category == CODE["cpu_op"])
    return opened


def outlives_entry(
    start_ns: Int64, end_ns: Int64, lane: Int32, category: UInt8, name: Int32, names: Sequence[str]
) -> Bool:
    """Whether a slice is a range that begins in the frame that enters it and ends after it.

    Slices are sorted by (lane, start, -duration).
    """
    outlives = np.zeros(len(start_ns), np.bool_)
    enters = np.array([_ENTRY.search(text) is not None for text in names], np.bool_)
    entries = np.flatnonzero(is_frame(category))
    entries = entries[enters[name[entries]]]
    ranges = np.flatnonzero(is_range(category))
    if len(entries) and len(ranges):
        entry = entries[np.maximum(np.searchsorted(entries, ranges) - 1, 0)]
        runs = (lane[entry] == lane[ranges]) & (start_ns[entry] <= start_ns[ranges])
        runs &= start_ns[ranges] < end_ns[entry]
        outlives[ranges] = runs & (end_ns[entry] < end_ns[ranges])
    return outlives
