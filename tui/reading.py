"""What happens while files are read: progress, and the run as far as it is there.

Made in the thread that waits for the loader, so that the screen need not: gathering a run and
measuring what its rows need takes longer than a frame.
"""

import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from vpstop.read.capture import Capture, Skipped
from vpstop.read.loader import Loaded, Loader, Progress
from vpstop.read.mapped import one_by_one
from vpstop.run import Run, gather
from vpstop.tui.layout import Layout, lay_out

INTERVAL_S: Final = 0.1
"""Progress of a file comes no more often, nor runs that have grown by less than a tenth."""


class Arrived(NamedTuple):
    """The run of all files that are read by now, and its rows in the compact layout."""

    run: Run
    layout: Layout


class Reading:
    """What was read of the files of a loader, and which of their runs is looked at."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        self._outcomes: dict[str, Capture | Skipped] = {}
        self._layout: Layout | None = None
        self.name: str | None = None
        """The run to look at, where the folder holds several; None for the first."""

    def news(self, loader: Loader | None = None) -> Iterator[Progress | Loaded | Arrived]:
        """What the loader says, thinned out, and the run again whenever there are more files.

        The last value is the whole run, also where nothing was found. Another loader brings files
        that have appeared since; they take the place of what was read from the same path.
        """
        told_s: dict[Path, float] = {}
        arrived_s, known = -math.inf, 0
        for event in (loader or self._loader).events():
            now_s = time.monotonic()
            if isinstance(event, Loaded):
                self._outcomes[str(event.path)] = event.outcome
                yield event
            elif now_s - told_s.get(event.path, -math.inf) > INTERVAL_S:
                told_s[event.path] = now_s
                yield event
            read = len(self._outcomes)
            if read * 10 > known * 11 or (read > known and now_s - arrived_s > INTERVAL_S):
                yield self.arrived()
                known, arrived_s = read, time.monotonic()
        yield self.arrived()

    def arrived(self) -> Arrived:
        """The run as far as it is read."""
        loader, outcomes = self._loader, tuple(self._outcomes.values())
        run = gather(outcomes, loader.paths, loader.root, name=self.name)
        self._layout = lay_out(run, before=self._layout)
        for rank in one_by_one(self._layout.ranks):
            rank.index.prepare()
        return Arrived(run, self._layout)
