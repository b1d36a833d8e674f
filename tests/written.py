"""Trace files as different writers lay them out: the same events, other text."""

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

Event = dict[str, Any]
Layout = Callable[[Sequence[Any], Mapping[str, Any], Mapping[str, Any]], str]
"""Makes the text from the events and the keys before and after them."""

EVENTS_KEY: Final = "traceEvents"


def kineto(events: Sequence[Any], before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """As the C++ writer: two blanks, several lines an event."""
    texts = [",\n    ".join(json.dumps(event).split(", ", 1)) for event in events]
    return _around(",\n  ".join(texts), before, after, between=",\n  ", first="\n  ")


def lines(events: Sequence[Any], before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """As the Python exporter: an event a line."""
    return _around(",\n".join(map(json.dumps, events)), before, after, between=",\n", first="\n")


def single_line(events: Sequence[Any], before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """As a general library without blanks: cuts look like what texts and nested lists hold."""
    return json.dumps({**before, EVENTS_KEY: events, **after}, separators=(",", ":"))


def spaced_line(events: Sequence[Any], before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """As a general library with its usual blanks."""
    return json.dumps({**before, EVENTS_KEY: events, **after})


def indented(events: Sequence[Any], before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """As a general library with an indent of 2."""
    return json.dumps({**before, EVENTS_KEY: events, **after}, indent=2)


def with_tabs(events: Sequence[Any], before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Indented by tabs, with texts that are not ASCII as they are."""
    return json.dumps({**before, EVENTS_KEY: events, **after}, indent="\t", ensure_ascii=False)


LAYOUTS: Final[Mapping[str, Layout]] = {
    layout.__name__: layout
    for layout in (kineto, lines, single_line, spaced_line, indented, with_tabs)
}


def array(events: Sequence[Any]) -> str:
    """The array form: no metadata."""
    return json.dumps(events)


def write(path: Path, text: str, compressed: bool = False) -> Path:
    """Writes the text; gzip in two members, with padding behind them."""
    data = text.encode()
    if compressed:
        half = len(data) // 2
        data = gzip.compress(data[:half], 1) + gzip.compress(data[half:], 9) + bytes(100)
    path.write_bytes(data)
    return path


def _around(
    events: str, before: Mapping[str, Any], after: Mapping[str, Any], between: str, first: str
) -> str:
    head = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in before.items()]
    tail = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in after.items()]
    listed = f'"{EVENTS_KEY}": [{first}{events}{first}]' if events else f'"{EVENTS_KEY}": [{first}]'
    return "{" + first + between.join([*head, listed, *tail]) + "\n}\n"
