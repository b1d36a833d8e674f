"""Opens traces in one call, for programs; the screen follows a `Loader` instead."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from vpstop.read.given import Given, GivenHost, GivenRank
from vpstop.read.loader import Loaded, Loader
from vpstop.run import Run, gather


def load(
    paths: str | Path | Iterable[str | Path],
    *,
    use_cache: bool = True,
    processes: int | None = None,
    memory_bytes: int | None = None,
    ranks: Mapping[str, int] | None = None,
    hosts: Mapping[str, str] | None = None,
) -> Run:
    """The run that lies below a folder, or below several paths; blocks until all is read.

    At most `processes` read at the same time, None means one for each usable core; they and the
    columns take at most `memory_bytes`, None means half of what is available. `ranks` and `hosts`
    overrule what files say: by name, end of the path, or glob; `ValueError` where one fits no file.
    Bad input never raises: what could not be read, and why, is in `Run.files` and `Run.warnings`.
    """
    opened = [paths] if isinstance(paths, str | Path) else list(paths)
    given = Given(
        [GivenRank(*pair) for pair in (ranks or {}).items()],
        [GivenHost(*pair) for pair in (hosts or {}).items()],
    )
    loader = Loader(
        opened, use_cache=use_cache, processes=processes, memory_bytes=memory_bytes, given=given
    )
    if unmatched := given.unmatched(file.path for file in loader.files):
        raise ValueError(f"no file fits {', '.join(unmatched)}")
    outcomes = [event.outcome for event in loader.events() if isinstance(event, Loaded)]
    return gather(outcomes, opened, loader.root)
