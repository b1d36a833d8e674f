"""Traces that appear, or change, below some paths after they were searched."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from vpstop.read.archive import is_archive
from vpstop.read.capture import Skipped
from vpstop.read.damage import Damaged
from vpstop.read.digest import SUFFIX
from vpstop.read.discover import FoundFile, files_below, natural_key
from vpstop.read.recognise import PARSED, sniff


class Arrivals:
    """Knows the files of the search, and looks again whenever it is asked to."""

    def __init__(self, paths: Sequence[Path], found: Iterable[FoundFile | Skipped]) -> None:
        self._paths = paths
        self._known = {file.path: file for file in found if isinstance(file, FoundFile)}
        self._before: dict[Path, FoundFile] = {}
        """What was new at the last look."""

    def look(self) -> tuple[FoundFile, ...]:
        """New and changed traces that are as they were at the last look, so nobody writes them.

        In natural order, until they are taken.
        """
        files = [file for file in files_below(self._paths) if isinstance(file, FoundFile)]
        new = {file.path: file for file in files if self._known.get(file.path) != file}
        whole = [file for file in new.values() if self._before.get(file.path) == file]
        self._before = new
        traces = [file for file in whole if _may_hold_traces(file.path)]
        # What is no trace is looked into once.
        self.take(file for file in whole if file not in traces)
        return tuple(sorted(traces, key=lambda file: natural_key(file.path)))

    def take(self, files: Iterable[FoundFile]) -> None:
        """These are no news any more, unless they change."""
        self._known |= {file.path: file for file in files}


def _may_hold_traces(path: Path) -> bool:
    if is_archive(path) or path.suffix == SUFFIX:
        return True
    try:
        return sniff(path) in PARSED
    except (OSError, Damaged):
        return False
