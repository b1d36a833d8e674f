"""Reading with progress on standard error: one line that is rewritten, and only on a terminal."""

import os
import time
from typing import Final, TextIO

from vpstop.read.capture import Capture, Skipped
from vpstop.read.loader import Loaded, Loader, Progress

_BAR_WIDTH: Final = 24
_INTERVAL_S: Final = 0.1
_COLUMNS_UNKNOWN: Final = 80
_CLEAR_LINE: Final = "\r\x1b[K"


def read_all(loader: Loader, stream: TextIO | None) -> list[Capture | Skipped]:
    """Every outcome of `loader`, in the order in which the files were done.

    `stream` is None in a process whose standard error is closed.
    """
    outcomes = []
    line = _ProgressLine(loader, stream)
    try:
        for event in loader.events():
            if isinstance(event, Loaded):
                outcomes.append(event.outcome)
            line.follow(event)
    finally:
        line.clear()
    return outcomes


class _ProgressLine:
    """How far the files are read; nothing at all where lines cannot be rewritten."""

    def __init__(self, loader: Loader, stream: TextIO | None) -> None:
        can_rewrite = stream and stream.isatty() and os.environ.get("TERM") != "dumb"
        self._stream = stream if can_rewrite else None
        self._sizes = {file.path: file.bytes for file in loader.files}
        self._done = dict.fromkeys(self._sizes, 0.0)
        """Read part of each file, 0 to 1."""
        self._drawn_s = 0.0

    def follow(self, event: Progress | Loaded) -> None:
        """Takes in an event, and draws a few times a second."""
        if isinstance(event, Loaded):
            self._done[event.path] = 1
        else:
            self._done[event.path] = event.done_bytes / max(event.total_bytes, 1)
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
            f"reading [{bar}] {share:4.0%}  {files} of {len(self._sizes)} files, "
            f"{done / 1e6:.0f} of {total / 1e6:.0f} MB"
        )

    def _write(self, text: str) -> None:
        if self._stream:
            self._stream.write(text)
            self._stream.flush()
