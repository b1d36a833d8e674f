"""What was found wrong in a damaged text: how often, and where first."""

from dataclasses import dataclass, replace
from typing import Final

from vpstop.read.capture import WarningKind
from vpstop.text import clean

_EXAMPLE_CHARACTERS: Final = 80
_EXAMPLE_BYTES: Final = 4 * _EXAMPLE_CHARACTERS


@dataclass(frozen=True, slots=True)
class Finding:
    """One way in which a text deviates."""

    count: int
    offset: int
    """Place of the first in the text, in bytes; near it where the text was repaired before it."""
    example: str
    """The text at that place, short and fit for a terminal."""


class Findings(dict[WarningKind, Finding]):
    """Findings of a text by kind."""

    def note(self, kind: WarningKind, text: bytes, start: int, end: int, count: int = 1) -> None:
        """Counts what is wrong with `text[start:end]`; the first of a kind becomes its example."""
        known = self.get(kind)
        if known is None:
            example = text[start : min(end, start + _EXAMPLE_BYTES)]
            self[kind] = Finding(count, start, _example(example))
        else:
            self[kind] = replace(known, count=known.count + count)

    def take(self, found: "Findings", offset: int) -> None:
        """Adds the findings of a part of the text that begins at `offset`."""
        for kind, other in found.items():
            known = self.get(kind) or replace(other, count=0, offset=offset + other.offset)
            self[kind] = replace(known, count=known.count + other.count)


def note_bad_text(text: bytes, findings: Findings) -> None:
    """Counts a text that is not UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        start, end = text.rfind(b'"', 0, error.start) + 1, text.find(b'"', error.end)
        findings.note("bad_text", text, start, end if end > 0 else len(text))


def _example(text: bytes) -> str:
    """The beginning of a text, on one line."""
    words = text.decode(errors="replace").split()
    return clean(" ".join(words))[:_EXAMPLE_CHARACTERS]
