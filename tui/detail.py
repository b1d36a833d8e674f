"""The sheet with everything about one slice; its arguments come from the file a moment later."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from rich.text import Text
from textual.message import Message

from vpstop.read.detail import ArgumentsLost, arguments
from vpstop.text import clean
from vpstop.tui.facts import Fact, name_of, slice_facts
from vpstop.tui.labels import short_name
from vpstop.tui.sheet import Sheet
from vpstop.tui.theme import HEADING_STYLE, KEY_STYLE
from vpstop.tui.track import Rank


class DetailSheet(Sheet):
    """Facts of a slice, then its arguments as the file has them."""

    class Fetched(Message):
        """The arguments are there, or the reason why not."""

        def __init__(self, found: Mapping[str, Any] | str) -> None:
            super().__init__()
            self.found = found

    def __init__(self, rank: Rank, row: int, origin_ns: int) -> None:
        self._rank = rank
        self._row = row
        self._facts = slice_facts(rank, row, origin_ns)
        super().__init__(
            short_name(name_of(rank.member.capture, row)),
            detail_text(self._facts, "reading the file ..."),
        )

    def on_mount(self) -> None:
        """Reads in a thread: a trace on a slow disk takes its time."""
        self.run_worker(self._fetch, thread=True)

    def on_detail_sheet_fetched(self, message: Fetched) -> None:
        """Shows what came."""
        self.show_text(detail_text(self._facts, message.found))

    def _fetch(self) -> None:
        try:
            found = arguments(self._rank.member.capture, self._row)
        except ArgumentsLost as error:
            self.post_message(self.Fetched(f"cannot be read: {error}"))
        else:
            self.post_message(self.Fetched(found))


def detail_text(facts: Sequence[Fact], found: Mapping[str, Any] | str) -> Text:
    """Facts, and the arguments under their own heading."""
    given = {} if isinstance(found, str) else found
    width = max(len(label) for label in (*(fact.label for fact in facts), *given))
    lines = [_line(fact.label, fact.value, width) for fact in facts]
    lines += [Text(), Text("arguments in the file", HEADING_STYLE)]
    if isinstance(found, str):
        lines.append(Text(found))
    elif not found:
        lines.append(Text("none"))
    lines += [_line(clean(label), _value_text(value), width) for label, value in given.items()]
    return Text("\n").join(lines)


def _line(label: str, value: str, width: int) -> Text:
    return Text.assemble((label.ljust(width), KEY_STYLE), "  ", value)


def _value_text(value: Any) -> str:
    return clean(value if isinstance(value, str) else orjson.dumps(value).decode())
