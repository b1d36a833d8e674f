"""Categories of slices: current Kineto names, older spellings, and the lane each belongs on.

trace-format section 8. Unknown categories keep their own name and are treated as host work.
"""

from enum import StrEnum
from typing import Final


class LaneKind(StrEnum):
    """What a lane stands for; also the order in which the lanes of a rank are shown."""

    STREAM = "stream"
    """Work on a stream or queue of a device."""
    ANNOTATION = "annotation"
    """User ranges projected onto a stream: not work, never part of busy time."""
    SYNC = "sync"
    """Synchronisation records of a device row, timed by the host."""
    HOST = "host"
    """A host thread."""
    OVERHEAD = "overhead"
    """The profiler's own work."""


KNOWN: Final = (
    "cpu_op",
    "user_annotation",
    "gpu_user_annotation",
    "kernel",
    "gpu_memcpy",
    "gpu_memset",
    "cuda_runtime",
    "cuda_driver",
    "cuda_sync",
    "cuda_event",
    "python_function",
    "overhead",
    "mtia_runtime",
    "mtia_ccp_events",
    "mtia_insight",
    "hpu_op",
    "xpu_runtime",
    "xpu_driver",
    "xpu_sync",
    "privateuse1_runtime",
    "privateuse1_driver",
)
"""The head of every category table: a code below `len(KNOWN)` means the same in all captures."""

CODE: Final = {name: code for code, name in enumerate(KNOWN)}

_OLDER: Final = {
    "operator": "cpu_op",
    "user": "gpu_user_annotation",
    "runtime": "cuda_runtime",
    "python": "python_function",
    "memcpy": "gpu_memcpy",
    "memset": "gpu_memset",
}

GPU_WORK: Final = frozenset({"kernel", "gpu_memcpy", "gpu_memset"})
"""metrics section 1: what counts as work of a device."""

RUNTIME: Final = frozenset(name for name in KNOWN if name.endswith(("_runtime", "_driver")))
"""Calls of a host thread into a device library; the ones that launch work share its correlation."""

BOOKKEEPING: Final = "Trace"
"""The profiler's own span: never a slice, never part of an extent."""

STEP_MARKER: Final = "ProfilerStep#"
"""How the name of a step's range begins; the number of the step follows."""

_LANES: Final = {
    **dict.fromkeys((*GPU_WORK, "mtia_ccp_events", "mtia_insight", "hpu_op"), LaneKind.STREAM),
    "gpu_user_annotation": LaneKind.ANNOTATION,
    **dict.fromkeys(("cuda_sync", "cuda_event", "xpu_sync"), LaneKind.SYNC),
    "overhead": LaneKind.OVERHEAD,
}


def current_name(category: str) -> str:
    """Today's name of a category, whatever its age and capitals; unknown ones as they are."""
    lower = category.lower()
    name = _OLDER.get(lower, lower)
    return name if name in CODE else category


def lane_kind(category: str) -> LaneKind:
    """The kind of lane that slices of this (current) category lie on."""
    return _LANES.get(category, LaneKind.HOST)
