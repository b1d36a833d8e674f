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
from vpstop.run import Run, gather
from vpstop.tui.layout import Layout, lay_out

INTERVAL_S: Final = 0.1
"""Progress of a file comes no more often, nor runs that have grown by less than a tenth."""


class Arrived(NamedTuple):
    """The run of all files that are read by now, and its rows in the compact layout."""

    run: Run
    layout: Layout


def reading(loader: Loader) -> Iterator[Progress | Loaded | Arrived]:
    """What the loader says, thinned out, and the run again whenever there are more files.

    The last value is the whole run, also where nothing was found.
    """
    outcomes: list[Capture | Skipped] = []
    told_s: dict[Path, float] = {}
    arrived_s, known = -math.inf, 0
    layout = None
    for event in loader.events():
        now_s = time.monotonic()
        if isinstance(event, Loaded):
            outcomes.append(event.outcome)
            yield event
        elif now_s - told_s.get(event.path, -math.inf) > INTERVAL_S:
            told_s[event.path] = now_s
            yield event
        is_much = len(outcomes) * 10 > known * 11
        if is_much or (len(outcomes) > known and now_s - arrived_s > INTERVAL_S):
            arrived = _gathered(loader, outcomes, layout)
            layout, known, arrived_s = arrived.layout, len(outcomes), time.monotonic()
            yield arrived
    yield _gathered(loader, outcomes, layout)


def _gathered(loader: Loader, outcomes: list[Capture | Skipped], before: Layout | None) -> Arrived:
    run = gather(outcomes, loader.paths, loader.root)
    layout = lay_out(run, before=before)
    for rank in layout.ranks:
        rank.index.prepare()
    return Arrived(run, layout)
