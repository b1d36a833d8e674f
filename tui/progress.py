"""Reading with progress on standard error: one line that is rewritten, and only on a terminal."""

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Protocol, TextIO, TypeVar

from vpstop.read.capture import Capture, Skipped
from vpstop.read.discover import FoundFile
from vpstop.read.loader import Loaded, Loader, Progress

_BAR_WIDTH: Final = 24
_INTERVAL_S: Final = 0.1
_COLUMNS_UNKNOWN: Final = 80
_CLEAR_LINE: Final = "\r\x1b[K"


class _Followed(Protocol):
    @property
    def path(self) -> Path: ...


Event = TypeVar("Event", bound=_Followed)


def read_all(loader: Loader, stream: TextIO | None) -> list[Capture | Skipped]:
    """Every outcome of `loader`, in the order in which the files were done.

    `stream` is None in a process whose standard error is closed.
    """
    events = followed("reading", loader.files, loader.events(), stream)
    return [event.outcome for event in events if isinstance(event, Loaded)]


def followed(
    verb: str, files: Iterable[FoundFile], events: Iterable[Event], stream: TextIO | None
) -> Iterator[Event]:
    """The events, and a line about them that is gone when they end.

    An event that is no `Progress` says that its file is done with.
    """
    line = _ProgressLine(verb, files, stream)
    try:
        for event in events:
            line.follow(event)
            yield event
    finally:
        line.clear()


class _ProgressLine:
    """How far the files are read; nothing at all where lines cannot be rewritten."""

    def __init__(self, verb: str, files: Iterable[FoundFile], stream: TextIO | None) -> None:
        can_rewrite = stream and stream.isatty() and os.environ.get("TERM") != "dumb"
        self._stream = stream if can_rewrite else None
        self._verb = verb
        self._sizes = {file.path: file.bytes for file in files}
        self._done = dict.fromkeys(self._sizes, 0.0)
        """Read part of each file, 0 to 1."""
        self._drawn_s = 0.0

    def follow(self, event: _Followed) -> None:
        """Takes in an event, and draws a few times a second."""
        if isinstance(event, Progress):
            self._done[event.path] = event.done_bytes / max(event.total_bytes, 1)
        else:
            self._done[event.path] = 1
        now_s = time.monotonic()
        if self._stream and now_s - self._drawn_s > _INTERVAL_S:
            self._drawn_s = now_s
            columns = os.get_terminal_size(self._stream.fileno()).columns or _COLUMNS_UNKNOWN
            self._write(f"{_CLEAR_LINE}{self._text()[: columns - 1]}")

    def clear(self) -> None:
        """Leaves an empty line behind, where one was drawn."""
        if self._drawn_s:
            self._write(_CLEAR_LINE)

    def _text(self) -> str:
        total = sum(self._sizes.values())
        done = sum(size * self._done[path] for path, size in self._sizes.items())
        share = done / max(total, 1)
        bar = ("#" * round(share * _BAR_WIDTH)).ljust(_BAR_WIDTH, ".")
        files = sum(self._done[path] == 1 for path in self._sizes)
        return (
            f"{self._verb} [{bar}] {share:4.0%}  {files} of {len(self._sizes)} files, "
            f"{done / 1e6:.0f} of {total / 1e6:.0f} MB"
        )

    def _write(self, text: str) -> None:
        if self._stream:
            self._stream.write(text)
            self._stream.flush()
