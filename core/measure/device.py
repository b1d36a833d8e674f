"""Where the time of each device goes (metrics section 2)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vpstop.measure.intervals import Intervals, union
from vpstop.measure.window import Window, times_within
from vpstop.read.activity import Activity
from vpstop.read.capture import Capture
from vpstop.read.categories import CODE, GPU_WORK

Bool = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class DeviceTime:
    """Times of one device. Compute, the exposed parts and idle add up to the span exactly."""

    span_ns: int
    busy_ns: int
    compute_ns: int
    communication_ns: int
    copy_ns: int
    exposed_communication_ns: int
    """Communication while nothing computes."""
    exposed_copy_ns: int
    """Copies while nothing computes or communicates."""

    @property
    def idle_ns(self) -> int:
        return self.span_ns - self.busy_ns

    @property
    def overlap_percent(self) -> float | None:
        """Share of the communication behind which the device computes; None without any."""
        if not self.communication_ns:
            return None
        return 100 * (1 - self.exposed_communication_ns / self.communication_ns)


def gpu_work(capture: Capture) -> Bool:
    """Which slices are work of a device whose time can be trusted."""
    codes = [CODE[name] for name in GPU_WORK]
    return np.isin(capture.slices.category, codes) & capture.slices.trusted


def communication_kernels(capture: Capture) -> Bool:
    """Which slices are kernels that communicate: by their arguments, or by their name."""
    is_kernel: Bool = capture.slices.category == CODE["kernel"]
    is_communication: Bool = capture.slices.activity == Activity.COMMUNICATION
    is_communication[capture.collectives.slice] = True
    return is_kernel & is_communication


def device_times(capture: Capture, window: Window | None = None) -> dict[int, DeviceTime]:
    """The times of every device that worked, by device number."""
    lanes = [-1 if lane.device is None else lane.device for lane in capture.lanes]
    device = np.array(lanes, np.int64)[capture.slices.lane]
    work = gpu_work(capture)
    if window is not None:
        start_ns, end_ns = times_within(capture, window)
        work &= end_ns > start_ns
    numbers = np.unique(device[work]).tolist()
    return {number: _device_time(capture, work & (device == number), window) for number in numbers}


def _device_time(capture: Capture, work: Bool, window: Window | None) -> DeviceTime:
    start_ns, end_ns = times_within(capture, window)

    def covered(rows: Bool) -> Intervals:
        return union(start_ns[rows], end_ns[rows])

    is_copy = capture.slices.category == CODE["gpu_memcpy"]
    is_communication = communication_kernels(capture)
    compute = covered(work & ~is_copy & ~is_communication)
    communication = covered(work & is_communication)
    copy = covered(work & is_copy)
    exposed_communication = communication - compute
    exposed_copy = copy - (compute | communication)
    return DeviceTime(
        span_ns=int(end_ns[work].max() - start_ns[work].min()),
        busy_ns=covered(work).length_ns,
        compute_ns=compute.length_ns,
        communication_ns=communication.length_ns,
        copy_ns=copy.length_ns,
        exposed_communication_ns=exposed_communication.length_ns,
        exposed_copy_ns=exposed_copy.length_ns,
    )
