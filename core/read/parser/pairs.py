"""Begin and end records to slices: an end closes the youngest open begin of its thread."""

from collections.abc import Sequence

import numpy as np

from vpstop.read.parser.parts import OPEN_NS, EndColumns, Int64, Kind, SliceColumns, selected


def matched(
    slices: SliceColumns, ends: EndColumns, kinds: Sequence[Kind]
) -> tuple[SliceColumns, int]:
    """The slices, begun ones with their durations, without the begin records that never end.

    Also the number of begin and end records that found no partner.
    """
    begins = np.flatnonzero(slices.duration_ns == OPEN_NS)
    if not len(begins):
        return slices, len(ends.record)
    end_of = _ends_of(selected(slices, begins), ends, kinds)
    closed = end_of >= 0
    duration_ns = slices.duration_ns.copy()
    length_ns = ends.time_ns[end_of[closed]] - slices.start_ns[begins[closed]]
    duration_ns[begins[closed]] = np.maximum(length_ns, 0)
    columns = slices._replace(duration_ns=duration_ns)
    unmatched = len(begins) + len(ends.record) - 2 * int(np.count_nonzero(closed))
    return selected(columns, duration_ns != OPEN_NS), unmatched


def _ends_of(begins: SliceColumns, ends: EndColumns, kinds: Sequence[Kind]) -> Int64:
    """For each begin record the row of its end, -1 without."""
    found = np.full(len(begins.record), -1, np.int64)
    record = np.concatenate([begins.record, ends.record])
    kind = np.concatenate([begins.kind, ends.kind]).tolist()
    open_rows: dict[tuple[str, str], list[int]] = {}
    for row in np.argsort(record, kind="stable").tolist():
        of_thread = kinds[kind[row]]
        stack = open_rows.setdefault((of_thread.process, of_thread.thread), [])
        if row < len(found):
            stack.append(row)
        elif stack:
            found[stack.pop()] = row - len(found)
    return found
