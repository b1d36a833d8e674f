"""Slices whose time is that of another clock: long before their launch, or days away.

They are kept, but their times are not trusted (trace-format sections 5 and 16, rule 6).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from vpstop.read.capture import Lane
from vpstop.read.categories import LaneKind
from vpstop.read.launches import is_gpu_work

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
UInt8 = npt.NDArray[np.uint8]
Bool = npt.NDArray[np.bool_]

_LONG_BEFORE_NS: Final = 10**9
"""Work that starts so much before its launch was timed by another clock."""
_DAY_NS: Final = 24 * 3600 * 10**9
_GAP_NS: Final = _DAY_NS // 24
_FEW: Final = 0.25
"""Slices far from the others are wrong where they are fewer than this share of those."""


def is_far_away(start_ns: Int64, trusted: Bool) -> Bool:
    """Which trusted slices start a day or more from where nearly all of the others do."""
    far = np.zeros(len(start_ns), np.bool_)
    known_ns = start_ns[trusted]
    if not len(known_ns) or int(known_ns.max()) - int(known_ns.min()) < _DAY_NS:
        return far
    ordered_ns = np.sort(known_ns)
    first = np.flatnonzero(np.diff(ordered_ns, prepend=ordered_ns[0] - _GAP_NS - 1) > _GAP_NS)
    counts = np.diff(first, append=len(ordered_ns))
    home = int(np.argmax(counts))
    low_ns = ordered_ns[first[home]]
    high_ns = ordered_ns[first[home] + counts[home] - 1]
    few = counts < _FEW * counts[home]
    group = np.searchsorted(ordered_ns[first], start_ns, "right") - 1
    away = (start_ns < low_ns - _DAY_NS) | (start_ns > high_ns + _DAY_NS)
    far[trusted & away & few[group]] = True
    return far


def is_long_before_launch(
    start_ns: Int64,
    trusted: Bool,
    category: UInt8,
    lane: Int32,
    launch: Int32,
    lanes: Sequence[Lane],
) -> Bool:
    """Which trusted slices of a device are in a clock that is seconds or more behind the host's.

    Work tells by its launch. Where there is such work, ranges and work without a launch go with it
    that start as long before the first slice of the host.
    """
    rows = np.flatnonzero((launch >= 0) & is_gpu_work(category) & trusted)
    rows = rows[trusted[launch[rows]]]
    early = np.zeros(len(start_ns), np.bool_)
    early[rows] = start_ns[launch[rows]] - start_ns[rows] > _LONG_BEFORE_NS
    if early.any():
        is_host = np.array([one.kind is LaneKind.HOST for one in lanes], np.bool_)[lane]
        first_ns = start_ns[is_host & trusted].min()
        early |= ~is_host & trusted & (start_ns < first_ns - _LONG_BEFORE_NS)
    return early
