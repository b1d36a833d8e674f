"""The files that may be traces, below the paths a user gave.

Which of them are traces is decided by content, later: here nothing is dropped but hidden folders
and caches.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

from vpstop.read.capture import Skipped, TraceWarning

_CACHES: Final = frozenset({"__pycache__", "node_modules"})
_NUMBER: Final = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A regular file that may be a trace."""

    path: Path
    bytes: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Found:
    """What lies below the given paths, each real file once, in natural order of the names."""

    files: tuple[FoundFile, ...]
    skipped: tuple[Skipped, ...]
    """Paths that cannot be read as a file: missing, without permission, a socket."""


def discover(paths: Iterable[str | Path]) -> Found:
    """Everything to read below `paths`: files as they are, folders with all their sub-folders."""
    files: dict[Path, FoundFile] = {}
    skipped: list[Skipped] = []
    folders: set[tuple[int, int]] = set()
    for given in paths:
        for path in _walk(Path(given), folders, skipped):
            found = _look(path)
            if isinstance(found, Skipped):
                skipped.append(found)
            else:
                files.setdefault(path.resolve(), found)
    ordered = sorted(files.values(), key=lambda file: natural_key(file.path))
    return Found(tuple(ordered), tuple(skipped))


def root_of(paths: Iterable[str | Path]) -> Path:
    """The innermost folder that holds all the given paths; a file counts as its folder."""
    given = [_absolute(path) for path in paths]
    homes = [path if _is_folder(path) else path.parent for path in given]
    return Path(os.path.commonpath(homes)) if homes else Path.cwd()


def relative(path: str | Path, root: Path) -> PurePath:
    """The path below `root`, which tells rank and host; the whole path for one elsewhere."""
    whole = _absolute(path)
    return whole.relative_to(root) if whole.is_relative_to(root) else whole


def _absolute(path: str | Path) -> Path:
    """Without `..`, and with links as they are: their names tell as much as others."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def natural_key(path: str | PurePath) -> tuple[tuple[str | int, ...], ...]:
    """Sorts `rank2` before `rank10`, and a folder's own files by name, whatever the capitals."""
    parts = (_NUMBER.split(part.casefold()) for part in PurePath(path).parts)
    return tuple(tuple(int(t) if i % 2 else t for i, t in enumerate(part)) for part in parts)


def _walk(path: Path, seen: set[tuple[int, int]], skipped: list[Skipped]) -> Iterator[Path]:
    """The non-folders below `path`. A folder that was seen is not entered again, so loops end."""
    pending = [path]
    while pending:
        folder = pending.pop()
        if not _is_folder(folder):
            yield folder
            continue
        try:
            status = folder.stat()
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            inside = list(folder.iterdir())
        except OSError as error:
            skipped.append(_unreadable(folder, error))
            continue
        pending += (entry for entry in inside if not _is_cache(entry))


def _is_cache(entry: Path) -> bool:
    return (entry.name.startswith(".") or entry.name in _CACHES) and _is_folder(entry)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # in a folder that may be listed but not entered
        return False


def _look(path: Path) -> FoundFile | Skipped:
    try:
        status = path.stat()
    except OSError as error:
        return _unreadable(path, error)
    if not stat.S_ISREG(status.st_mode):
        warning = TraceWarning("not_a_trace", str(path), example="not a regular file")
        return Skipped(str(path), "unknown", 0, (warning,))
    return FoundFile(path, status.st_size, status.st_mtime_ns)


def _unreadable(path: Path, error: OSError) -> Skipped:
    warning = TraceWarning("unreadable", str(path), example=error.strerror or str(error))
    return Skipped(str(path), "unknown", 0, (warning,))
