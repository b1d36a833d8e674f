"""The lanes of a capture: their order, their numbers and what the screen calls them."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from vpstop.read.capture import Capture, Lane
from vpstop.read.categories import LaneKind
from vpstop.read.records import LaneKey

Int32 = npt.NDArray[np.int32]

_KINDS: Final = {kind: place for place, kind in enumerate(LaneKind)}
_NUMBER: Final = re.compile(r"(?<!\d)-?\d{1,18}(?!\d)")
"""Fits 64 bits: what is longer numbers neither a device nor a stream."""
_SYNC_ROW: Final = 1_000_000
"""Since April 2026 synchronisation with stream n has thread id n + 1000000 (section 7)."""
_NO_STREAM: Final = (-1, 4294967295)
_ON_DEVICE: Final = (LaneKind.STREAM, LaneKind.ANNOTATION, LaneKind.SYNC)
_SUFFIX: Final = {LaneKind.ANNOTATION: " ranges", LaneKind.SYNC: " sync"}


def arrange(
    keys: Sequence[LaneKey], lane: Int32, thread_names: Mapping[tuple[str, str], str]
) -> tuple[Int32, tuple[Lane, ...]]:
    """For each of `keys` its place in the order of the screen, and the lanes in that order.

    `lane` is the key of every slice; keys without slices have the place -1 and no lane. Kinds come
    as `LaneKind` has them, then numbers of device and stream; host threads by process, then the
    main thread, then those with most slices first.
    """
    counts = np.bincount(lane, minlength=len(keys)).tolist()
    of_process: Counter[str] = Counter()
    for key, count in zip(keys, counts, strict=True):
        of_process[key.process] += count
    order = sorted(
        (code for code, count in enumerate(counts) if count),
        key=lambda code: _rank(keys[code], counts[code], of_process[keys[code].process]),
    )
    places = np.full(len(keys), -1, np.int32)
    places[order] = np.arange(len(order))
    return places, tuple(_lane(keys[code], thread_names) for code in order)


def _rank(key: LaneKey, count: int, count_of_process: int) -> tuple[object, ...]:
    process, thread = _natural(key.process), _natural(key.thread)
    if key.kind in _ON_DEVICE:
        return _KINDS[key.kind], process, thread
    is_main = key.process == key.thread
    return _KINDS[key.kind], -count_of_process, process, not is_main, -count, thread


def _natural(text: str) -> tuple[int, str]:
    return _number(text) or 0, text


def _number(text: str) -> int | None:
    """The first number in `text`: ids have been text such as `stream 7 user`."""
    found = _NUMBER.search(text)
    return int(found[0]) if found else None


def _lane(key: LaneKey, thread_names: Mapping[tuple[str, str], str]) -> Lane:
    given = thread_names.get((key.process, key.thread), "").strip()
    if key.kind not in _ON_DEVICE:
        return Lane(key.kind, key.process, key.thread, _host_name(key, given))
    stream = _stream(key)
    name = _device_row(stream, given) + _SUFFIX.get(key.kind, "")
    # The array form names no device: `CUDA functions`.
    return Lane(key.kind, key.process, key.thread, name, _number(key.process) or 0, stream)


def _stream(key: LaneKey) -> int | None:
    number = _number(key.thread)
    if number is None or number in _NO_STREAM:
        return None
    is_sync_row = key.kind is LaneKind.SYNC and number >= _SYNC_ROW
    return number - _SYNC_ROW if is_sync_row else number


def _device_row(stream: int | None, given: str) -> str:
    if stream is None:
        return "device"
    # Other accelerators have rows such as `PACKET`, with a meaningless number behind it.
    return f"stream {stream}" if str(stream) in given or not given else given


def _host_name(key: LaneKey, given: str) -> str:
    if key.kind is LaneKind.OVERHEAD:
        return "profiler overhead"
    if given.startswith("thread "):
        return given
    return f"thread {key.thread}" + (f" ({given})" if given else "")


def lanes_of(capture: Capture, kind: LaneKind) -> npt.NDArray[np.bool_]:
    """Which lanes are of this kind."""
    return np.array([lane.kind is kind for lane in capture.lanes], np.bool_)
