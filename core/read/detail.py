"""The arguments of one slice, fetched when somebody looks at it: they are in no column."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from vpstop.read.capture import Capture
from vpstop.read.damage import Damaged
from vpstop.read.digest import SUFFIX, DigestError, carried_arguments
from vpstop.read.inflate import chunks
from vpstop.read.parser.argument_lines import recovered_lines
from vpstop.read.parser.collect import RECORD_BITS
from vpstop.read.parser.facts import cleaned
from vpstop.read.source import size_bytes

_SHORTEST_BYTES: Final = 1 << 20
"""Longer than a piece: most records are found in the first text."""
_LONGEST_BYTES: Final = 64 << 20


class ArgumentsLost(Exception):
    """Neither a digest nor the trace gives the arguments any more; says why."""


def arguments(capture: Capture, row: int) -> Mapping[str, Any]:
    """The arguments of a slice as JSON has them, texts cleaned.

    From the digest if that has them, else from the trace, which is inflated up to the record: 0.1 s
    for 300 MB. Raises `ArgumentsLost`, and nothing else.
    """
    record = int(capture.slices.record[row])
    try:
        found = json.loads((_line(capture, record) or b"{}").decode(errors="replace"))
    except (OSError, Damaged, DigestError, ValueError, RecursionError) as error:
        raise ArgumentsLost(str(error)) from error
    return cleaned(found) if isinstance(found, dict) else {}


def _line(capture: Capture, record: int) -> bytes:
    facts = capture.facts
    trace = Path(facts.origin.path if facts.origin else facts.path)
    if Path(facts.path).suffix == SUFFIX:
        found = carried_arguments(Path(facts.path), record)
        if found is not None:
            return found
    if size_bytes(trace) != facts.bytes:
        raise Damaged("the file has changed since it was read", 0)
    return _line_of_trace(trace, record)


def _line_of_trace(path: Path, record: int) -> bytes:
    offset, number = record >> RECORD_BITS, record & ((1 << RECORD_BITS) - 1)
    for text in _texts(path, offset):
        # Of a sound stretch these are all lines, of a damaged one those that the parser found.
        lines = recovered_lines(text)
        if number < len(lines):
            return lines[number]
    raise Damaged("the record is not there any more", offset)


def _texts(path: Path, offset: int) -> Iterator[bytes]:
    """The text from `offset` on, longer each time, at last all of it or 64 MB."""
    found, wanted, passed = bytearray(), _SHORTEST_BYTES, 0
    try:
        for chunk in chunks(path):
            found += chunk[max(offset - passed, 0) :]
            passed += len(chunk)
            if len(found) >= wanted:
                yield bytes(found)
                wanted *= 8
            if wanted > _LONGEST_BYTES:
                return
    except Damaged:  # of a file that is cut, what stands before the cut was read
        pass
    yield bytes(found)
