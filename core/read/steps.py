"""The training steps of a capture, from its markers (metrics section 3)."""

import re
from collections import Counter
from typing import Final, NamedTuple

import numpy as np

from vpstop.read.capture import Capture
from vpstop.read.categories import STEP_MARKER, LaneKind
from vpstop.read.lanes import lanes_of

MARKER: Final = re.compile(rf"{STEP_MARKER}(\d+)")


class Step(NamedTuple):
    """One step: from its marker to the next one, the last to the end of its own marker."""

    number: int
    start_ns: int
    end_ns: int

    @property
    def duration_ns(self) -> int:
        return self.end_ns - self.start_ns


def steps(capture: Capture) -> tuple[Step, ...]:
    """Steps in the order of time, none overlapping; empty without markers.

    The markers are those of the host thread that has most of them.
    """
    numbers = {
        code: int(found[1])
        for code, name in enumerate(capture.names)
        if (found := MARKER.fullmatch(name))
    }
    slices = capture.slices
    rows = np.flatnonzero(np.isin(slices.name, list(numbers)) & slices.trusted)
    rows = rows[lanes_of(capture, LaneKind.HOST)[slices.lane[rows]]]
    if not len(rows):
        return ()
    lane = Counter(slices.lane[rows].tolist()).most_common(1)[0][0]
    rows = rows[slices.lane[rows] == lane]
    starts = slices.start_ns[rows].tolist()
    ends = [*starts[1:], starts[-1] + int(slices.duration_ns[rows[-1]])]
    codes = slices.name[rows].tolist()
    return tuple(
        Step(numbers[code], start, end)
        for code, start, end in zip(codes, starts, ends, strict=True)
        if end > start
    )
