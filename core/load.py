"""Opens traces in one call, for programs; the screen follows a `Loader` instead."""

from collections.abc import Iterable
from pathlib import Path

from vpstop.read.loader import Loaded, Loader
from vpstop.run import Run, gather


def load(
    paths: str | Path | Iterable[str | Path],
    *,
    use_cache: bool = True,
    processes: int | None = None,
) -> Run:
    """The run that lies below a folder, or below several paths; blocks until all is read.

    At most `processes` read at the same time; None means one for each usable core. Bad input never
    raises: what could not be read, and why, is in `Run.files` and `Run.warnings`.
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    loader = Loader(given, use_cache=use_cache, processes=processes)
    outcomes = [event.outcome for event in loader.events() if isinstance(event, Loaded)]
    return gather(outcomes, given, loader.root)
