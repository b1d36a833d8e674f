"""What stands before and after the event list, as `Facts`."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from vpstop.read.capture import Device, Facts, Group, WarningKind
from vpstop.read.damage import Damaged
from vpstop.read.parser.codes import integer, text_of
from vpstop.read.source import size_bytes
from vpstop.text import clean

Pairs = Sequence[tuple[str, Any]]

EVENTS_KEY: Final = "traceEvents"
ARRAY_HEAD: Final = b"["
"""What stands before the events of the array form, which has no metadata."""
OPTIONS: Final = frozenset(
    {"record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules"}
)
_OWN_KEYS: Final = OPTIONS | {
    EVENTS_KEY,
    "deviceProperties",
    "distributedInfo",
    "baseTimeNanoseconds",
    "host_name",
    "trace_id",
}
KINETO_KEYS: Final = ("schemaVersion", "deviceProperties", "traceName", "baseTimeNanoseconds")


_OFF: Final = (None, False, 0, "0", "")
_NO_NUMBER: Final = -(1 << 62)


class Observed(NamedTuple):
    """What only the events tell of a file."""

    format: str
    relative: bool
    complete: bool


def top_level(text: bytes) -> Pairs:
    """Keys and values of the outermost object, twice where a key is there twice.

    Raises `ValueError` where the text is no JSON object.
    """
    outermost: Pairs = ()

    def keep(pairs: Pairs) -> dict[str, Any]:
        nonlocal outermost
        outermost = pairs
        return dict(pairs)

    try:
        value = json.loads(text.decode("utf-8-sig", errors="replace"), object_pairs_hook=keep)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("no object")
    return outermost


def is_open_list(head: bytes) -> bool:
    """Whether the text up to here is an object whose event list has just begun."""
    try:
        pairs = top_level(head + b"]}")
    except ValueError:
        return False
    return bool(pairs) and pairs[-1] == (EVENTS_KEY, [])


def kind_without_events(text: bytes) -> WarningKind | None:
    """What to call a sound JSON object that has no event list; None for any other text."""
    try:
        keys = {key for key, _ in top_level(text)}
    except ValueError:
        return None
    return "not_a_trace" if keys.isdisjoint({EVENTS_KEY, *KINETO_KEYS}) else "empty"


def metadata(head: bytes, tail: bytes) -> Pairs:
    """The top-level keys around an event list; raises `Damaged` where they are not valid."""
    try:
        return () if head == ARRAY_HEAD else top_level(head + b"]" + tail)
    except ValueError as error:
        raise Damaged(f"metadata: {error}", len(head)) from error


def base_ns(pairs: Pairs) -> int:
    """`baseTimeNanoseconds`, 0 without a sensible one."""
    base = integer(dict(pairs).get("baseTimeNanoseconds"), 0)
    return base if 0 < base < 1 << 62 else 0


def facts(path: Path, pairs: Pairs, observed: Observed) -> Facts:
    """What a file says about itself, with what its events show."""
    top = dict(pairs)
    info = _distributed_info(pairs)
    return Facts(
        path=str(path),
        format=observed.format,
        bytes=size_bytes(path),
        rank=_optional(info.get("rank")),
        world_size=_optional(info.get("world_size")),
        backend=text_of(info.get("backend")),
        groups=tuple(_group(entry) for entry in _objects(info.get("pg_config"))),
        host_name=text_of(top.get("host_name")),
        devices=tuple(_devices(top.get("deviceProperties"))),
        base_ns=base_ns(pairs),
        relative=observed.relative,
        complete=observed.complete,
        trace_id=text_of(top.get("trace_id")),
        options=frozenset(key for key in OPTIONS if top.get(key) not in _OFF),
        metadata=cleaned({key: value for key, value in pairs if key not in _OWN_KEYS}),
    )


def _distributed_info(pairs: Pairs) -> Mapping[str, Any]:
    """The object can be there twice: what the one with groups says wins."""
    found = [value for key, value in pairs if key == "distributedInfo" and isinstance(value, dict)]
    merged: dict[str, Any] = {}
    for info in sorted(found, key=lambda info: bool(info.get("pg_config"))):
        merged |= info
    return merged


def _group(entry: Mapping[str, Any]) -> Group:
    return Group(
        name=text_of(entry.get("pg_name")),
        description=text_of(entry.get("pg_desc")),
        ranks=_ranks(entry.get("ranks")),
        size=_optional(entry.get("pg_size")),
        backend=text_of(entry.get("backend_config")),
    )


def _ranks(value: Any) -> tuple[int, ...]:
    """Members of a list or of its text; none where the text was shortened."""
    if isinstance(value, str):
        words = re.findall(r"[^\[\],\s]+", value)
        value = [] if "..." in words else words
    ranks = [_optional(rank) for rank in value] if isinstance(value, list) else []
    return tuple(rank for rank in ranks if rank is not None)


def _devices(value: Any) -> Iterator[Device]:
    for entry in _objects(value):
        number = _optional(entry.get("id"))
        if number is not None:
            yield Device(
                id=number,
                name=text_of(entry.get("name")),
                total_memory=_optional(entry.get("totalGlobalMem")),
                properties=cleaned(entry),
            )


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _optional(value: Any) -> int | None:
    number = integer(value, _NO_NUMBER)
    return None if number == _NO_NUMBER else number


def cleaned(value: Any) -> Any:
    """A JSON value with all its texts, and keys, fit for a terminal."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): cleaned(item) for key, item in value.items()}
    return value
