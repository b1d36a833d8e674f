"""What a JSON text is, from its first keys or elements."""

import re
from collections.abc import Iterator
from typing import Final, Literal

from vpstop.read.categories import CODE, current_name

JsonKind = Literal[
    "kineto",
    "legacy-autograd",
    "chrome",
    "execution-trace",
    "memory-timeline",
    "memory-snapshot",
    "flight-recorder",
    "viztracer",
    "rocprof",
]

_KEYS: Final[tuple[tuple[frozenset[bytes], JsonKind], ...]] = (
    (frozenset({b"viztracer_metadata"}), "viztracer"),
    (frozenset({b"rocprofiler-sdk-tool"}), "rocprof"),
    (frozenset({b"schemaVersion", b"deviceProperties"}), "kineto"),
    (frozenset({b"schemaVersion", b"traceEvents"}), "kineto"),
    (frozenset({b"baseTimeNanoseconds"}), "kineto"),
    (frozenset({b"traceName"}), "kineto"),
    (frozenset({b"schema", b"nodes"}), "execution-trace"),
    (frozenset({b"entries", b"pg_config"}), "flight-recorder"),
    (frozenset({b"entries", b"nccl_version"}), "flight-recorder"),
    (frozenset({b"entries", b"comm_lib_version"}), "flight-recorder"),
    (frozenset({b"segments", b"device_traces"}), "memory-snapshot"),
)
"""Keys of the outermost object that tell, together, what it is."""

_SCANNED_BYTES: Final = 1 << 22
_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|[{}\[\]]', re.DOTALL)
_COLON: Final = re.compile(rb"\s*:")
_EVENT: Final = re.compile(rb'"ph"\s*:\s*"[A-Za-z]"|"traceEvents"\s*:\s*\[')
_CATEGORY: Final = re.compile(rb'"cat"\s*:\s*"([^"]*)"')
_VIZTRACER: Final = b"fee"
_LEGACY: Final = re.compile(rb'"pid"\s*:\s*"(?:CPU|CUDA) functions"')

_ROWS_OF_FOUR: Final = re.compile(rb"\[\s*\[(?:\s*-?\d+\s*,){3}\s*-?\d+\s*\]\s*[,\]]")
_TIMES_AND_SIZES: Final = re.compile(rb"\[\s*\[[\s\d.,+-]*+(?:\]\s*,\s*\[\s*\[|$)")


def has_events(text: bytes) -> bool:
    """True where there are trace events, even if the text around them is not whole."""
    return _EVENT.search(text) is not None


def object_kind(text: bytes) -> JsonKind | None:
    """The kind of a text that begins with `{`, None while nothing tells."""
    keys: set[bytes] = set()
    for key, end in _outermost_keys(text[:_SCANNED_BYTES]):
        keys.add(key)
        kind = next((kind for needed, kind in _KEYS if needed <= keys), None)
        if kind is None and key == b"traceEvents":
            kind = _events_kind(text[end:])
        if kind is not None:
            return kind
    return "chrome" if has_events(text) else None


def array_kind(text: bytes) -> JsonKind | None:
    """The kind of a text that begins with `[`, None while nothing tells."""
    if _ROWS_OF_FOUR.match(text) or _TIMES_AND_SIZES.match(text):
        return "memory-timeline"
    if not has_events(text):
        return None
    return "legacy-autograd" if _LEGACY.search(text) else _events_kind(text)


def _events_kind(events: bytes) -> JsonKind:
    categories = set(_CATEGORY.findall(events[:_SCANNED_BYTES]))
    if any(current_name(category.decode(errors="replace")) in CODE for category in categories):
        return "kineto"
    return "viztracer" if _VIZTRACER in categories else "chrome"


def _outermost_keys(text: bytes) -> Iterator[tuple[bytes, int]]:
    """Keys of the outermost object, in order, and where each ends."""
    depth = 0
    for token in _TOKEN.finditer(text):
        first = token[0][:1]
        if first in b"{[":
            depth += 1
        elif first in b"}]":
            depth -= 1
        elif depth == 1 and _COLON.match(text, token.end()):
            yield token[0][1:-1], token.end()
