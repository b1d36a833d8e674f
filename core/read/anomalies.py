"""What only the finished capture reveals: impossible durations, missing launches and markers."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from vpstop.read.activity import Activity
from vpstop.read.capture import Capture, Slices, TraceWarning, WarningKind
from vpstop.read.categories import CODE, STEP_MARKER, LaneKind
from vpstop.read.frames import is_frame, is_range
from vpstop.read.launches import early_work, is_gpu_work
from vpstop.read.membership import occurs

Bool = npt.NDArray[np.bool_]
Int64 = npt.NDArray[np.int64]

_ROUNDING_NS: Final = 1_000
"""Old writers round starts and durations to microseconds, each on its own."""

_EARLY_NS: Final = 10_000
"""Clocks of devices are converted by a fixed offset: a few microseconds mean nothing."""

_OVERRUN_NS: Final = 10_000
_OVERRUN_SHARE: Final = 0.5
"""Kernels of one stream may overlap a little (programmatic dependent launch, clocks of ROCm)."""


def anomalies(capture: Capture) -> tuple[TraceWarning, ...]:
    """Warnings about the finished capture, one a kind, with the name of the first slice."""
    if not len(capture.slices):
        return (TraceWarning("empty", capture.facts.path),)
    counted = tuple(
        TraceWarning(kind, capture.facts.path, len(rows), _name(capture, rows[0]))
        for kind, rows in _anomalies(capture)
        if len(rows)
    )
    return counted if _has_steps(capture) else (*counted, _without_steps(capture))


def _has_steps(capture: Capture) -> bool:
    return any(name.startswith(STEP_MARKER) for name in capture.names)


def _without_steps(capture: Capture) -> TraceWarning:
    said = "no step markers: the whole window counts as one step"
    return TraceWarning("no_steps", capture.facts.path, example=said)


def _name(capture: Capture, row: int) -> str:
    return capture.names[int(capture.slices.name[row])]


def _anomalies(capture: Capture) -> Iterator[tuple[WarningKind, Int64]]:
    """Kinds and the rows they are about."""
    slices = capture.slices
    cut = np.flatnonzero(slices.duration_ns - slices.effective_ns > _ROUNDING_NS)
    kinds = np.array([lane.kind for lane in capture.lanes])[slices.lane[cut]]
    yield "bad_duration", _overruns(slices, cut[kinds == LaneKind.STREAM])
    crossing = _crossing(slices, cut[kinds == LaneKind.HOST])
    leaves = _leaves_range(slices, crossing)
    is_c_call = np.array([_name(capture, row).startswith("<") for row in crossing], np.bool_)
    unfinished = _ends_at_stop(slices, crossing) & (is_c_call | ~leaves)
    yield "unfinished", crossing[unfinished]
    by_nature = leaves | _is_transfer(slices, crossing)
    yield "overlapping_slices", crossing[~unfinished & ~by_nature]
    early, early_ns = early_work(capture)
    yield "clock_domain", early[early_ns > _EARLY_NS]
    yield "unlinked_gpu", _unlinked(slices)
    yield "no_collective_info", _without_arguments(capture)


def _without_arguments(capture: Capture) -> Int64:
    """Communication kernels of which the file tells neither size nor type nor group."""
    slices = capture.slices
    is_communication = slices.activity == Activity.COMMUNICATION
    is_communication &= slices.category == CODE["kernel"]
    is_communication[capture.collectives.slice] = False
    return np.flatnonzero(is_communication)


def _unlinked(slices: Slices) -> Int64:
    """Work of a device with neither a launch nor an operator of its External id."""
    work = np.flatnonzero((slices.launch < 0) & is_gpu_work(slices.category))
    causes = slices.external_id[is_range(slices.category) & (slices.external_id > 0)]
    return work[~occurs(slices.external_id[work], causes)]


def _overruns(slices: Slices, rows: Int64) -> Int64:
    """Those of `rows` that run over the next slice of their stream by most of their duration."""
    duration_ns = slices.duration_ns[rows]
    over_ns = duration_ns - slices.effective_ns[rows]
    return rows[(over_ns > _OVERRUN_NS) & (over_ns > duration_ns * _OVERRUN_SHARE)]


def _crossing(slices: Slices, rows: Int64) -> Int64:
    """Those of `rows` that outlive the slice around them, going by what the file says."""
    rows = rows[slices.parent[rows] >= 0]
    around = slices.parent[rows]
    end_ns = slices.start_ns[rows] + slices.duration_ns[rows]
    return rows[end_ns > slices.start_ns[around] + slices.duration_ns[around] + _ROUNDING_NS]


def _leaves_range(slices: Slices, rows: Int64) -> Bool:
    """Whether a slice is a Python frame inside a range: that of its `__exit__` runs on."""
    around = slices.category[slices.parent[rows]]
    return is_frame(slices.category[rows]) & is_range(around)


def _is_transfer(slices: Slices, rows: Int64) -> Bool:
    """Whether a slice is a range such as `gloo:send`.

    Such a range ends with the transfer, long after the call that began it has returned.
    """
    is_annotation = slices.category[rows] == CODE["user_annotation"]
    is_transfer: Bool = is_annotation & (slices.activity[rows] == Activity.COMMUNICATION)
    return is_transfer


def _ends_at_stop(slices: Slices, rows: Int64) -> Bool:
    """Whether a slice is a Python frame that ends when its thread does: nobody saw it return."""
    if not len(rows):
        return np.empty(0, np.bool_)
    end_ns = np.where(slices.trusted, slices.start_ns + slices.duration_ns, 0)
    first = np.flatnonzero(np.diff(slices.lane, prepend=-1))
    last_ns = np.repeat(np.maximum.reduceat(end_ns, first), np.diff(first, append=len(end_ns)))
    at_stop: Bool = is_frame(slices.category[rows]) & (end_ns[rows] == last_ns[rows])
    return at_stop
