"""The line that tells of traces which appeared after the run was loaded.

It looks from time to time, in a thread, and draws nothing unless there is something new.
"""

from collections.abc import Callable
from typing import Final

from textual.message import Message

from vpstop.read.discover import FoundFile
from vpstop.report.units import plural
from vpstop.tui.text_line import Part, TextLine

LOOK_S: Final = 4
"""A trace is told when it has not grown between two looks."""

Look = Callable[[], tuple[FoundFile, ...]]


class ArrivalsLine(TextLine):
    """`2 new traces: press L to load`; takes no line while there are none."""

    DEFAULT_CSS = "ArrivalsLine { display: none; }"

    class Seen(Message):
        """Other files are new than at the last look."""

        def __init__(self, files: tuple[FoundFile, ...]) -> None:
            super().__init__()
            self.files = files

    def __init__(self, *, key: str = "L", id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._key = key
        self._look: Look | None = None
        self._is_looking = False
        self.files: tuple[FoundFile, ...] = ()
        """What can be loaded."""

    def follow(self, look: Look, every_s: float = LOOK_S) -> None:
        """Looks with `Loader.appeared`, for example, from now on."""
        is_first = self._look is None
        self._look = look
        if is_first:
            self.set_interval(every_s, self.look)

    def look(self) -> None:
        """Looks now, unless the last look is still going on: folders can be far away."""
        if self._look is not None and not self._is_looking:
            self._is_looking = True
            self.run_worker(self._see, thread=True, group="arrivals")

    def take(self) -> tuple[FoundFile, ...]:
        """What can be loaded; the line goes."""
        taken = self.files
        self._tell(())
        return taken

    def on_arrivals_line_seen(self, message: Seen) -> None:
        """Tells of what is new."""
        self._tell(message.files)

    def _see(self) -> None:
        assert self._look is not None
        try:
            files = self._look()
        finally:
            self._is_looking = False
        if files != self.files:
            self.post_message(self.Seen(files))

    def _tell(self, files: tuple[FoundFile, ...]) -> None:
        self.files = files
        self.display = bool(files)
        text = f" {plural(len(files), 'new trace')}: press "
        self.show([Part(text), Part(self._key, "key"), Part(" to load")])
