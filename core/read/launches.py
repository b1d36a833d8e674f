"""Which host call launched which work of a device (trace-format section 10)."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from vpstop.read.capture import Capture, Lane
from vpstop.read.categories import CODE, GPU_WORK, RUNTIME, LaneKind
from vpstop.read.membership import occurs

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
UInt8 = npt.NDArray[np.uint8]
Bool = npt.NDArray[np.bool_]

_IS_RUNTIME = np.isin(np.arange(256), [CODE[name] for name in RUNTIME])
_IS_WORK = np.isin(np.arange(256), [CODE[name] for name in GPU_WORK])


def is_gpu_work(category: UInt8) -> Bool:
    """True for the categories that are work of a device (metrics section 1)."""
    return _IS_WORK[category]


def launches(
    start_ns: Int64, category: UInt8, lane: Int32, correlation: Int64, lanes: Sequence[Lane]
) -> Int32:
    """For each slice of a device the row of the host call with its correlation, else -1.

    Of several calls a runtime or driver call comes first, then the latest that starts before the
    work does, then the first. A graph launch is the call of all kernels of its replay.
    """
    is_host = np.array([one.kind is LaneKind.HOST for one in lanes], np.bool_)
    is_device = np.array([one.kind in (LaneKind.STREAM, LaneKind.SYNC) for one in lanes], np.bool_)
    launch = np.full(len(start_ns), -1, np.int32)
    if not len(start_ns):
        return launch
    calls = _calls(start_ns, category, is_host[lane], correlation)
    work = np.flatnonzero((correlation > 0) & is_device[lane])
    ids = correlation[calls]
    first = np.searchsorted(ids, correlation[work])
    last = np.searchsorted(ids, correlation[work], "right") - 1
    linked = first <= last
    launch[work[linked]] = calls[first[linked]]
    several = first < last
    chosen = _latest_before(start_ns, calls, work[several], first[several], last[several])
    launch[work[several]] = chosen
    return launch


def _calls(start_ns: Int64, category: UInt8, is_host: Bool, correlation: Int64) -> Int64:
    """Rows of the calls that can be a launch, sorted by correlation, then start."""
    calls = np.flatnonzero((correlation > 0) & is_host)
    is_runtime = _IS_RUNTIME[category[calls]]
    known = occurs(correlation[calls], correlation[calls[is_runtime]])
    calls = calls[is_runtime | ~known]
    return calls[np.lexsort((start_ns[calls], correlation[calls]))]


def _latest_before(start_ns: Int64, calls: Int64, work: Int64, first: Int64, last: Int64) -> Int64:
    """Of `calls[first:last + 1]` the last that starts before the work does, else the first."""
    low, high = first.copy(), last.copy()
    while np.any(low < high):
        middle = (low + high + 1) // 2
        before = start_ns[calls[middle]] <= start_ns[work]
        low = np.where(before, middle, low)
        high = np.where(before, high, np.maximum(middle - 1, low))
    return calls[low]


def early_work(capture: Capture) -> tuple[Int64, Int64]:
    """Rows of the work that starts before its own launch, as the file says it, and by how much."""
    slices = capture.slices
    has_time = slices.start_ns > capture.facts.base_ns
    rows = np.flatnonzero((slices.launch >= 0) & is_gpu_work(slices.category) & has_time)
    rows = rows[has_time[slices.launch[rows]]]
    early_ns = slices.start_ns[slices.launch[rows]] - slices.start_ns[rows]
    return rows[early_ns > 0], early_ns[early_ns > 0]


def launch_inversion_ns(capture: Capture) -> int:
    """Largest time by which work of a device starts before its own launch call, 0 if none does."""
    _, early_ns = early_work(capture)
    return int(early_ns.max(initial=0))
