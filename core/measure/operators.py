"""The operator table: what the threads of a capture, or of several, spent their time in.

Row by row the values of `torch.profiler.profile.key_averages()` on the same capture (metrics
section 5).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from vpstop.measure.calls import NONE, Calls, calls_of, nearest, sums_with_callees
from vpstop.measure.device import gpu_work
from vpstop.measure.window import Window, times_within
from vpstop.read.capture import Capture, Slices
from vpstop.read.categories import CODE

Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]

OPERATORS: Final = ("cpu_op", "user_annotation")
"""Categories that launch work in the user's terms; runtime calls and Python frames do not."""


@dataclass(frozen=True, slots=True, eq=False)
class OperatorTable:
    """Columns of shape (rows,), one row for a name and category, sorted by these.

    A call counts in the window in which it starts; times are those parts that lie in the window.
    Total times include what a call contains, and every recursive call adds its own: totals of
    different rows must not be summed. Self times can be: they add up to the time of the threads.
    """

    names: tuple[str, ...]
    categories: tuple[str, ...]
    calls: Int64
    total_ns: Int64
    self_ns: Int64
    """Without the calls of the same thread that a call contains, of any category. Negative where a
    Python frame contains a range of the user and another call that outlasts the range."""
    device_total_ns: Int64
    device_self_ns: Int64
    """Time of the device work that a call launched itself."""

    def __len__(self) -> int:
        return len(self.names)

    @property
    def mean_ns(self) -> npt.NDArray[np.float64]:
        """Total time of a call; 0 where none started in the window."""
        return self.total_ns / np.maximum(self.calls, 1)

    def only(self, categories: Iterable[str]) -> "OperatorTable":
        """The rows of some categories."""
        wanted = frozenset(categories)
        rows = [row for row, category in enumerate(self.categories) if category in wanted]
        return OperatorTable(
            tuple(self.names[row] for row in rows),
            tuple(self.categories[row] for row in rows),
            self.calls[rows],
            self.total_ns[rows],
            self.self_ns[rows],
            self.device_total_ns[rows],
            self.device_self_ns[rows],
        )


def operator_table(capture: Capture, window: Window | None = None) -> OperatorTable:
    """The table of one capture, with all categories of host slices."""
    calls = calls_of(capture)
    start_ns, end_ns = times_within(capture, window)
    duration_ns = end_ns - start_ns
    total_ns = duration_ns[calls.slice]
    device_self_ns = _device_self(capture, calls, duration_ns)
    device_total_ns = sums_with_callees(calls.caller, device_self_ns)
    begun = np.ones(len(calls), np.int64)
    if window is not None:
        begun = window.has(capture.slices.start_ns[calls.slice]).astype(np.int64)
    codes, row = _table_rows(capture, calls)
    is_counted = calls.is_counted

    def summed(values: Int64) -> Int64:
        column = np.zeros(len(codes), np.int64)
        np.add.at(column, row, values)
        return column

    return OperatorTable(
        names=tuple(calls.names[name] for name, _ in codes),
        categories=tuple(capture.categories[category] for _, category in codes),
        calls=summed(begun * is_counted),
        total_ns=summed(total_ns * is_counted),
        self_ns=summed(_without_callees(calls, total_ns)),
        device_total_ns=summed(device_total_ns * is_counted),
        device_self_ns=summed(device_self_ns),
    )


def merged(tables: Iterable[OperatorTable]) -> OperatorTable:
    """One table of several captures; rows of equal name and category are summed."""
    parts = list(tables)
    keys = sorted({key for part in parts for key in zip(part.names, part.categories, strict=True)})
    place = {key: row for row, key in enumerate(keys)}
    rows = [
        np.array([place[key] for key in zip(part.names, part.categories, strict=True)], np.int64)
        for part in parts
    ]

    def summed(columns: Iterable[Int64]) -> Int64:
        column = np.zeros(len(keys), np.int64)
        for row, values in zip(rows, columns, strict=True):
            column[row] += values
        return column

    return OperatorTable(
        names=tuple(name for name, _ in keys),
        categories=tuple(category for _, category in keys),
        calls=summed(part.calls for part in parts),
        total_ns=summed(part.total_ns for part in parts),
        self_ns=summed(part.self_ns for part in parts),
        device_total_ns=summed(part.device_total_ns for part in parts),
        device_self_ns=summed(part.device_self_ns for part in parts),
    )


def launching_call(capture: Capture, calls: Calls, work: Int64) -> Int64:
    """The operator that launched each slice of device work, a row of `calls`, else -1.

    By correlation to the launch call, and from it by External id, else by the operator around it;
    a range of the user launches only what no operator in it does.
    """
    slices = capture.slices
    call_of_slice = np.full(len(slices) + 1, NONE, np.int64)
    call_of_slice[calls.slice] = np.arange(len(calls))
    launch = call_of_slice[slices.launch[work]]
    found = np.full(len(work), NONE, np.int64)
    for category in OPERATORS:
        is_operator: Bool = slices.category[calls.slice] == CODE[category]
        operators = np.flatnonzero(is_operator)
        place = _by_external_id(slices, calls.slice[operators], work)
        named = np.append(operators, NONE)[place]
        around = np.append(nearest(calls.caller, is_operator), NONE)[launch]
        found = np.where(found >= 0, found, np.where(named >= 0, named, around))
    return found


def _by_external_id(slices: Slices, operators: Int64, work: Int64) -> Int64:
    """Which of the operators has the External id of the launch, or of the work itself, else -1.

    Traces of torch 1.12 to 2.2 repeat the correlation there: then the ids say nothing.
    """
    launch = slices.launch[work]
    external = np.where(launch >= 0, slices.external_id[launch], 0)
    external = np.where(external > 0, external, slices.external_id[work])
    is_given = external > 0
    repeated = external[is_given] == slices.correlation[work][is_given]
    if not len(operators) or 2 * np.count_nonzero(repeated) > len(repeated):
        return np.full(len(work), NONE, np.int64)
    ids = slices.external_id[operators]
    order = np.argsort(ids, kind="stable")
    place = order[np.minimum(np.searchsorted(ids[order], external), len(ids) - 1)]
    return np.where(is_given & (ids[place] == external), place, NONE)


def _device_self(capture: Capture, calls: Calls, duration_ns: Int64) -> Int64:
    """Time of the device work that each call launched itself."""
    work = np.flatnonzero(gpu_work(capture))
    call = launching_call(capture, calls, work)
    device_self_ns = np.zeros(len(calls), np.int64)
    np.add.at(device_self_ns, call[call >= 0], duration_ns[work[call >= 0]])
    return device_self_ns


def _without_callees(calls: Calls, total_ns: Int64) -> Int64:
    """Time of each call without the calls that it contains."""
    self_ns = total_ns.copy()
    inner = np.flatnonzero(calls.caller >= 0)
    np.subtract.at(self_ns, calls.caller[inner], total_ns[inner])
    return self_ns


def _table_rows(capture: Capture, calls: Calls) -> tuple[list[tuple[int, int]], Int64]:
    """(name, category) codes of the rows, sorted by their texts, and the row of each call.

    A merged call belongs to the row of the call that it is merged with.
    """
    category = capture.slices.category[calls.slice]
    key = (calls.name * len(capture.categories) + category)[calls.outermost]
    distinct, row = np.unique(key, return_inverse=True)
    codes = [divmod(code, len(capture.categories)) for code in distinct.tolist()]
    texts = [(calls.names[name], capture.categories[category]) for name, category in codes]
    order = sorted(range(len(codes)), key=texts.__getitem__)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return [codes[at] for at in order], place[row]
