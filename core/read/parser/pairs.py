"""Begin and end records to slices: an end closes the youngest open begin of its thread."""

import numpy as np

from vpstop.read.parser.parts import (
    OPEN_NS,
    EndColumns,
    Int64,
    SliceColumns,
    Tables,
    Thread,
    selected,
)


def matched(slices: SliceColumns, ends: EndColumns, tables: Tables) -> tuple[SliceColumns, int]:
    """The slices, begun ones with their durations, without the begin records that never end.

    Also the number of begin and end records that found no partner.
    """
    begins = np.flatnonzero(slices.duration_ns == OPEN_NS)
    if not len(begins):
        return slices, len(ends.record)
    end_of = _ends_of(selected(slices, begins), ends, tables)
    closed = end_of >= 0
    duration_ns = slices.duration_ns.copy()
    length_ns = ends.time_ns[end_of[closed]] - slices.start_ns[begins[closed]]
    duration_ns[begins[closed]] = np.maximum(length_ns, 0)
    columns = slices._replace(duration_ns=duration_ns)
    unmatched = len(begins) + len(ends.record) - 2 * int(np.count_nonzero(closed))
    return selected(columns, duration_ns != OPEN_NS), unmatched


def _ends_of(begins: SliceColumns, ends: EndColumns, tables: Tables) -> Int64:
    """For each begin record the row of its end, -1 without."""
    found = np.full(len(begins.record), -1, np.int64)
    kinds = [tables.kinds[code] for code in begins.kind.tolist()]
    threads = [Thread(kind.process, kind.thread) for kind in kinds]
    threads += [tables.threads[code] for code in ends.thread.tolist()]
    open_rows: dict[Thread, list[int]] = {thread: [] for thread in threads}
    record = np.concatenate([begins.record, ends.record])
    for row in np.argsort(record, kind="stable").tolist():
        stack = open_rows[threads[row]]
        if row < len(found):
            stack.append(row)
        elif stack:
            found[stack.pop()] = row - len(found)
    return found
