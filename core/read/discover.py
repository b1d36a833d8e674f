"""The files that may be traces, below the paths a user gave, archives being folders.

Which of them are traces is decided by content, later: here nothing is dropped but hidden folders
and caches.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path, PurePath
from typing import Final

from vpstop.read.archive import is_archive, members, split_path
from vpstop.read.capture import Skipped, TraceWarning
from vpstop.read.damage import Damaged
from vpstop.read.recognise import PARSED, sniff
from vpstop.read.source import size_bytes

_CACHES: Final = frozenset({"__pycache__", "node_modules", "__MACOSX"})
_NUMBER: Final = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A regular file that may be a trace."""

    path: Path
    bytes: int
    mtime_ns: int
    """That of the archive for what is in one."""


@dataclass(frozen=True, slots=True)
class Found:
    """What lies below the given paths, each real file once, in natural order of the names."""

    files: tuple[FoundFile, ...]
    skipped: tuple[Skipped, ...]
    """Paths that cannot be read as a file: missing, without permission, a socket."""


def discover(paths: Iterable[str | Path]) -> Found:
    """Everything to read below `paths`: files as they are, folders with all their sub-folders."""
    return contents(files_below(paths))


def contents(found: Iterable[FoundFile | Skipped]) -> Found:
    """What is in these files, those that are no archive being their own content."""
    files: dict[Path, FoundFile] = {}
    skipped: list[Skipped] = []
    for outside in found:
        for one in [outside] if isinstance(outside, Skipped) else _inside(outside):
            if isinstance(one, Skipped):
                skipped.append(one)
            else:
                files.setdefault(one.path.resolve(), one)
    ordered = sorted(files.values(), key=lambda file: natural_key(file.path))
    return Found(tuple(ordered), tuple(skipped))


def files_below(paths: Iterable[str | Path]) -> list[FoundFile | Skipped]:
    """The files below `paths` as they lie on the disk, archives unopened: a matter of moments.

    A file may come more than once, by links or because it was given twice.
    """
    folders: set[tuple[int, int]] = set()
    walked = chain.from_iterable(_walk(Path(given), folders) for given in paths)
    return [_look(path) if isinstance(path, Path) else path for path in walked]


def root_of(paths: Iterable[str | Path]) -> Path:
    """The innermost folder that holds all the given paths; a file counts as its folder."""
    given = [_absolute(path) for path in paths]
    homes = [path if _is_folder(path) or is_archive(path) else path.parent for path in given]
    return Path(os.path.commonpath(homes)) if homes else Path.cwd()


def relative(path: str | Path, root: Path) -> PurePath:
    """The path below `root`, which tells rank and host; the whole path for one elsewhere.

    An archive that could not be opened is itself the root; then it is the name.
    """
    whole = _absolute(path)
    if whole == root:
        return PurePath(whole.name)
    return whole.relative_to(root) if whole.is_relative_to(root) else whole


def _absolute(path: str | Path) -> Path:
    """Without `..`, and with links as they are: their names tell as much as others."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def natural_key(path: str | PurePath) -> tuple[tuple[str | int, ...], ...]:
    """Sorts `rank2` before `rank10`, and a folder's own files by name, whatever the capitals."""
    parts = (_NUMBER.split(part.casefold()) for part in PurePath(path).parts)
    return tuple(tuple(int(t) if i % 2 else t for i, t in enumerate(part)) for part in parts)


def _walk(path: Path, seen: set[tuple[int, int]]) -> Iterator[Path | Skipped]:
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
            yield _unreadable(folder, error)
            continue
        pending += (entry for entry in inside if not _is_cache(entry))


def _is_cache(entry: Path) -> bool:
    return _is_cache_name(entry.name) and _is_folder(entry)


def _is_cache_name(folder: str) -> bool:
    return folder.startswith(".") or folder in _CACHES


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # in a folder that may be listed but not entered
        return False


def _look(path: Path) -> FoundFile | Skipped:
    """The file; of one that is in an archive the size and time of that."""
    try:
        place = split_path(path)
        status = place[0].stat() if place else path.stat()
    except OSError as error:
        return _unreadable(path, error)
    if not stat.S_ISREG(status.st_mode):
        warning = TraceWarning("not_a_trace", str(path), example="not a regular file")
        return Skipped(str(path), "unknown", 0, (warning,))
    return FoundFile(path, status.st_size, status.st_mtime_ns)


def _inside(file: FoundFile) -> list[FoundFile | Skipped]:
    try:
        if split_path(file.path):
            return [replace(file, bytes=size_bytes(file.path))]
        if is_archive(file.path):
            return list(_members(file))
    except OSError as error:
        return [_unreadable(file.path, error)]
    except Damaged as damage:
        # The name may lie; a damaged archive with traces in it is no trace.
        if sniff(file.path) not in PARSED:
            return [_unreadable(file.path, damage)]
    return [file]


def _members(archive: FoundFile) -> Iterator[FoundFile]:
    for member in members(archive.path):
        folders = PurePath(member.name).parts[:-1]
        if not any(map(_is_cache_name, folders)):
            yield FoundFile(archive.path / member.name, member.bytes, archive.mtime_ns)


def _unreadable(path: Path, error: OSError | Damaged) -> Skipped:
    reason = error.strerror if isinstance(error, OSError) else error.what
    warning = TraceWarning("unreadable", str(path), example=reason or str(error))
    return Skipped(str(path), "unknown", 0, (warning,))
