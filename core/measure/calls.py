"""The calls of a capture's threads as the operator table counts them.

The rules are those of `torch.profiler`'s `key_averages()`: every slice of a thread is a call, a few
names of the profiler's own making are looked through, a call contains what begins and ends within
it, and a call whose only child has the same name is one call with it (`_remove_dup_nodes`).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from vpstop.read.capture import Capture
from vpstop.read.categories import STEP_MARKER, LaneKind
from vpstop.read.lanes import lanes_of

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]

NONE: Final = -1

LOOKED_THROUGH: Final = frozenset(
    {
        "profiler::_record_function_enter",
        "profiler::_record_function_enter_new",
        "profiler::_record_function_exit",
        "aten::is_leaf",
        "aten::output_nr",
        "aten::_version",
    }
)
"""`torch.autograd.profiler_util._filter_name`: no rows, and no part of what encloses them."""

STEP_ROW: Final = "ProfilerStep*"


@dataclass(frozen=True, slots=True, eq=False)
class Calls:
    """The calls of all threads, columns of shape (n,) sorted by thread, start, longest first."""

    slice: Int64
    """Row of the capture's slices."""
    name: Int64
    """Row of `names`."""
    names: tuple[str, ...]
    """Names of the capture, with one for all step markers."""
    caller: Int64
    """The call that contains this one, -1 at the outside."""
    outermost: Int64
    """The call that this one is merged with: itself for most."""

    def __len__(self) -> int:
        return len(self.slice)

    @property
    def is_counted(self) -> Bool:
        """Calls that were not merged into the one around them."""
        is_counted: Bool = self.outermost == np.arange(len(self))
        return is_counted


def calls_of(capture: Capture) -> Calls:
    """The calls of all threads of a capture."""
    slices = capture.slices
    names, code = _row_names(capture.names)
    looked_through = np.array([name in LOOKED_THROUGH for name in names], np.bool_)
    is_call = slices.trusted & lanes_of(capture, LaneKind.HOST)[slices.lane]
    rows = np.flatnonzero(is_call)
    name = code[slices.name[rows]]
    rows, name = rows[~looked_through[name]], name[~looked_through[name]]
    start_ns = slices.start_ns[rows]
    caller = containing(start_ns, start_ns + slices.duration_ns[rows], slices.lane[rows])
    return Calls(rows, name, names, caller, _outermost(caller, name))


def containing(start_ns: Int64, end_ns: Int64, lane: Int32) -> Int64:
    """For each interval the nearest one before it that contains it, else -1.

    Rows are sorted by lane, start, longest first. An interval that outlasts the one in which it
    starts is not contained by it. Every row climbs from the row before it along the containers
    found so far, all rows at once: rounds are few, and each row is climbed over once.
    """
    found = np.arange(len(start_ns)) - 1
    found[1:][lane[1:] != lane[:-1]] = NONE
    open_rows = np.flatnonzero(found >= 0)
    while len(open_rows):
        candidate = found[open_rows]
        until = end_ns[candidate]
        fails = (until < end_ns[open_rows]) | (until <= start_ns[open_rows])
        open_rows, candidate = open_rows[fails], candidate[fails]
        found[open_rows] = found[candidate]
        open_rows = open_rows[found[open_rows] >= 0]
    return found


def nearest(hop: Int64, wanted: Bool) -> Int64:
    """For each row the first wanted one on the way `hop[row]`, `hop[hop[row]]`, ..., else -1.

    Every round doubles the length of the ways that have not arrived.
    """
    hop = hop.copy()
    while True:
        travelling = np.flatnonzero(hop >= 0)
        travelling = travelling[~wanted[hop[travelling]]]
        if not len(travelling):
            return hop
        hop[travelling] = hop[hop[travelling]]


def sums_with_callees(caller: Int64, own: Int64) -> Int64:
    """Sum of `own` over each call and all calls that it contains."""
    total = own.copy()
    carrying = np.flatnonzero(own)
    amount, at = own[carrying], caller[carrying]
    while len(at):
        at, amount = at[at >= 0], amount[at >= 0]
        np.add.at(total, at, amount)
        at = caller[at]
    return total


def _row_names(names: tuple[str, ...]) -> tuple[tuple[str, ...], Int64]:
    """Table of row names, and the row of each name."""
    rows: dict[str, int] = {}
    code = [
        rows.setdefault(STEP_ROW if name.startswith(STEP_MARKER) else name, len(rows))
        for name in names
    ]
    return tuple(rows), np.array(code, np.int64)


def _outermost(caller: Int64, name: Int64) -> Int64:
    """For each call the outermost one of the chain of only children with its name."""
    rows = np.flatnonzero(caller >= 0)
    children = np.bincount(caller[rows], minlength=len(caller))
    rows = rows[(children[caller[rows]] == 1) & (name[rows] == name[caller[rows]])]
    is_merged = np.zeros(len(caller), np.bool_)
    is_merged[rows] = True
    outermost = np.arange(len(caller))
    outermost[rows] = nearest(caller, ~is_merged)[rows]
    return outermost
