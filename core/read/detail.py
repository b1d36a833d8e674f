"""The arguments of one slice, fetched from its trace when somebody looks at it."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from vpstop.read.damage import Damaged
from vpstop.read.inflate import chunks
from vpstop.read.parser.collect import RECORD_BITS
from vpstop.read.parser.facts import cleaned

_NUMBERED: Final = frozenset("XBE")
"""Phases of the records that have a number."""

_SHORTEST_BYTES: Final = 1 << 20
"""Longer than a piece: most records are found in the first text."""
_LONGEST_BYTES: Final = 64 << 20
_GAP: Final = re.compile(r"[\s,]*")


def arguments(path: str | Path, record: int) -> Mapping[str, Any]:
    """The arguments as JSON has them, texts cleaned; `record` is that of `Slices`.

    Inflates the file up to the record: 0.1 s for 300 MB. Raises `OSError`, and `Damaged` where the
    file is no longer the one that was read.
    """
    offset, number = record >> RECORD_BITS, record & ((1 << RECORD_BITS) - 1)
    for text in _texts(Path(path), offset):
        event = _numbered(text, number)
        if event is not None:
            args = event.get("args")
            return cleaned(args) if isinstance(args, dict) else {}
    raise Damaged("the record is not there any more", offset)


def _texts(path: Path, offset: int) -> Iterator[str]:
    """The text from `offset` on, longer each time, at last all of it or 64 MB."""
    found, wanted = bytearray(), _SHORTEST_BYTES
    passed = 0
    for chunk in chunks(path):
        found += chunk[max(offset - passed, 0) :]
        passed += len(chunk)
        if len(found) >= wanted:
            yield found.decode(errors="replace")
            wanted *= 8
        if wanted > _LONGEST_BYTES:
            return
    yield found.decode(errors="replace")


def _numbered(text: str, number: int) -> Mapping[str, Any] | None:
    """The complete, begin or end record with this number; None if the text is too short."""
    decode = json.JSONDecoder().raw_decode
    place = 0
    while True:
        gap = _GAP.match(text, place)
        try:
            event, place = decode(text, gap.end() if gap else place)
        except (ValueError, RecursionError):
            return None
        if isinstance(event, dict) and event.get("ph") in _NUMBERED:
            if number == 0:
                return event
            number -= 1
