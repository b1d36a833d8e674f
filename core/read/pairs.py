"""Begin and end records to slices: an end closes the youngest open begin of its thread."""

import numpy as np

from vpstop.read.parts import OPEN_NS, EndColumns, Int64, SliceColumns, selected


def matched(slices: SliceColumns, ends: EndColumns) -> tuple[SliceColumns, int]:
    """The slices, begun ones with their durations, without the begin records that never end.

    Also the number of begin and end records that found no partner.
    """
    begins = np.flatnonzero(slices.duration_ns == OPEN_NS)
    if not len(begins):
        return slices, len(ends.record)
    closed_at = _ends_of(slices, begins, ends)
    duration_ns = slices.duration_ns.copy()
    duration_ns[begins] = np.where(closed_at < 0, OPEN_NS, 0)
    closed = closed_at >= 0
    length_ns = ends.time_ns[closed_at[closed]] - slices.start_ns[begins[closed]]
    duration_ns[begins[closed]] = np.maximum(length_ns, 0)
    kept = duration_ns != OPEN_NS
    columns = slices._replace(duration_ns=duration_ns)
    unmatched = len(begins) + len(ends.record) - 2 * int(np.count_nonzero(closed))
    return selected(columns, kept), unmatched


def _ends_of(slices: SliceColumns, begins: Int64, ends: EndColumns) -> Int64:
    """For each begin record the row of its end, -1 without."""
    found = np.full(len(begins), -1, np.int64)
    record = np.concatenate([slices.record[begins], ends.record])
    thread = np.concatenate([slices.thread[begins], ends.thread])
    process = np.concatenate([slices.process[begins], ends.process])
    stacks: dict[tuple[int, int], list[int]] = {}
    for row in np.argsort(record, kind="stable").tolist():
        stack = stacks.setdefault((int(process[row]), int(thread[row])), [])
        if row < len(begins):
            stack.append(row)
        elif stack:
            found[stack.pop()] = row - len(begins)
    return found
