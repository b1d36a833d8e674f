"""The part of a capture's time that a measurement looks at."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from vpstop.read.capture import Capture
from vpstop.read.categories import LaneKind
from vpstop.read.lanes import lanes_of

Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]


class Window(NamedTuple):
    """The moments from `start_ns` up to, but without, `end_ns`."""

    start_ns: int
    end_ns: int

    def has(self, moments_ns: Int64) -> Bool:
        """Which moments lie inside."""
        return (moments_ns >= self.start_ns) & (moments_ns < self.end_ns)


def times_within(capture: Capture, window: Window | None = None) -> tuple[Int64, Int64]:
    """Start and end of all slices, cut to the window.

    On a stream a slice ends when the next one starts, if it did not end before: a lost end can
    claim seconds. Host slices end where the file says, also past the end of their caller: ranges
    of the user begin inside the Python frame that opens them.
    """
    slices = capture.slices
    is_host = lanes_of(capture, LaneKind.HOST)[slices.lane]
    duration_ns = np.where(is_host, slices.duration_ns, slices.effective_ns)
    start_ns, end_ns = slices.start_ns, slices.start_ns + duration_ns
    if window is None:
        return start_ns, end_ns
    return np.clip(start_ns, *window), np.clip(end_ns, *window)
