"""The files that are still being read, one a line with a bar; gone when all are done."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from rich.text import Text
from textual.widgets import Static

from vpstop.read.loader import Loaded, Progress
from vpstop.report.units import size
from vpstop.text import clean
from vpstop.tui.theme import KEY_STYLE, QUIET_STYLE

MAX_FILES: Final = 6
"""More files than this are only counted."""

_BAR_WIDTH: Final = 20


class Reading(NamedTuple):
    """How far a file is."""

    done_bytes: int
    total_bytes: int


class LoadingList(Static):
    """Files in progress; those that wait are counted."""

    DEFAULT_CSS = "LoadingList { height: auto; padding: 0 1; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__("looking for traces ...", id=id, markup=False)
        self._waiting: set[Path] = set()
        self._reading: dict[Path, Reading] = {}

    def expect(self, paths: Iterable[Path]) -> None:
        """Files to come."""
        self._waiting = set(paths)
        self._change()

    def follow(self, event: Progress | Loaded) -> None:
        """Takes in what the loader said."""
        self._waiting.discard(event.path)
        if isinstance(event, Progress):
            self._reading[event.path] = Reading(event.done_bytes, event.total_bytes)
        else:
            self._reading.pop(event.path, None)
        self._change()

    def finish(self) -> None:
        """Nothing more will come."""
        self.display = False

    def _change(self) -> None:
        self.update(progress_text(self._reading, len(self._waiting)))


def progress_text(reading: Mapping[Path, Reading], waiting: int) -> Text:
    """A line a file, then how many more there are."""
    shown = list(reading.items())[:MAX_FILES]
    width = max((len(path.name) for path, _ in shown), default=0)
    lines = [_line(path, state, min(width, 40)) for path, state in shown]
    more = len(reading) - len(shown) + waiting
    if more:
        lines.append(Text(f"{more} more to read", QUIET_STYLE))
    return Text("\n").join(lines)


def _line(path: Path, state: Reading, width: int) -> Text:
    share = min(1.0, state.done_bytes / max(1, state.total_bytes))
    bar = "█" * round(share * _BAR_WIDTH)
    name = Text(clean(path.name), no_wrap=True)
    name.truncate(width, overflow="ellipsis", pad=True)
    return Text.assemble(
        name,
        "  ",
        (bar.ljust(_BAR_WIDTH, "░"), KEY_STYLE),
        f" {share:4.0%}  ",
        (f"{size(state.done_bytes)} of {size(state.total_bytes)}", QUIET_STYLE),
    )
