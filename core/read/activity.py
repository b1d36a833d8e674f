"""What a slice does, in the seven classes by which timelines are coloured."""

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np

from vpstop.read.categories import RUNTIME


class Activity(IntEnum):
    """Colour classes of a timeline; the numbers are stored in digests."""

    OTHER = 0
    COMPUTE = 1
    COMMUNICATION = 2
    MEMORY = 3
    HOST = 4
    OPTIMIZER = 5
    SYNC = 6


_BY_CATEGORY: Final = {
    "kernel": Activity.COMPUTE,
    "gpu_memcpy": Activity.MEMORY,
    "gpu_memset": Activity.MEMORY,
    "cuda_sync": Activity.SYNC,
    "xpu_sync": Activity.SYNC,
    "cuda_event": Activity.SYNC,
    "mtia_ccp_events": Activity.COMPUTE,
    "hpu_op": Activity.COMPUTE,
    "overhead": Activity.OTHER,
    "gpu_user_annotation": Activity.OTHER,
    "user_annotation": Activity.OTHER,
}

_HOST_COMMUNICATION: Final = re.compile(
    r"(?:nccl|gloo|mpi|hccl|xccl|ucc):|c10d::|_c10d_functional::|record_param_comms$"
)
_SYNC_CALL: Final = re.compile(r"(?:cuda|hip|cu)\w*Synchronize|(?:cuda|hip)EventQuery")
_LOADER: Final = re.compile(r"enumerate\((?:DataLoader|DataPipe)\)#")


@cache
def communication_pattern() -> re.Pattern[str]:
    """The editable list of communication kernels in `assets/`, as one pattern without case."""
    text = files("vpstop.assets").joinpath("communication_kernels.txt").read_text(encoding="utf-8")
    lines = (line.strip() for line in text.splitlines())
    return re.compile("|".join(line for line in lines if line and not line.startswith("#")), re.I)


def activity_of(category: str, name: str) -> Activity:
    """The activity of a slice of this (current) category and name."""
    if category == "kernel":
        is_communication = communication_pattern().search(name) is not None
        return Activity.COMMUNICATION if is_communication else Activity.COMPUTE
    if category in RUNTIME:
        return Activity.SYNC if _SYNC_CALL.match(name) else Activity.HOST
    if name.startswith("Optimizer."):
        return Activity.OPTIMIZER
    if _HOST_COMMUNICATION.match(name) and category != "gpu_user_annotation":
        return Activity.COMMUNICATION
    if _LOADER.match(name):
        return Activity.SYNC
    return _BY_CATEGORY.get(category, Activity.HOST)


def activities(
    pairs: Sequence[tuple[int, int]], categories: Sequence[str], names: Sequence[str]
) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """`activity_of` for (category code, name code) pairs."""
    found = [activity_of(categories[category], names[name]) for category, name in pairs]
    return np.array(found, np.uint8)
