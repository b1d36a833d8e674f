"""The time that a capture covers."""

import numpy as np

from vpstop.read.capture import Capture
from vpstop.read.categories import LaneKind


def extent_ns(capture: Capture) -> tuple[int, int] | None:
    """First start and last end of the slices whose time is trusted; None without any.

    The profiler's own work is no part of it. Host slices end where the file says, those of a device
    at the latest where the next one of their stream starts.
    """
    slices = capture.slices
    overhead = _lanes(capture, LaneKind.OVERHEAD)[slices.lane]
    rows = np.flatnonzero(slices.trusted & ~overhead)
    if not len(rows):
        return None
    host = _lanes(capture, LaneKind.HOST)[slices.lane]
    end_ns = slices.start_ns + np.where(host, slices.duration_ns, slices.effective_ns)
    return int(slices.start_ns[rows].min()), int(end_ns[rows].max())


def _lanes(capture: Capture, kind: LaneKind) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    return np.array([lane.kind is kind for lane in capture.lanes], np.bool_)
