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
    bounds = np.searchsorted(slices.lane, np.arange(len(capture.lanes) + 1))
    firsts_ns, lasts_ns = [], []
    for lane, first, last in zip(capture.lanes, bounds[:-1], bounds[1:], strict=True):
        if lane.kind is LaneKind.OVERHEAD:
            continue
        trusted = slices.trusted[first:last]
        duration = slices.duration_ns if lane.kind is LaneKind.HOST else slices.effective_ns
        start_ns, duration_ns = slices.start_ns[first:last], duration[first:last]
        if not trusted.all():
            start_ns, duration_ns = start_ns[trusted], duration_ns[trusted]
        if len(start_ns):
            firsts_ns.append(int(start_ns[0]))
            lasts_ns.append(int((start_ns + duration_ns).max()))
    return (min(firsts_ns), max(lasts_ns)) if firsts_ns else None
