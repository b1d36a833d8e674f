"""Digests of files that were read before, kept between sessions in the user's cache folder.

A digest is found by the path, size and modification time of its trace and the reader's sources.
Where that folder cannot be used, digests lie on another disk or in memory until they are opened: a
disk that is full of traces is no reason not to show them.
"""

import hashlib
import os
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from platformdirs import user_cache_path

from vpstop import assets
from vpstop.read.atomic import sweep
from vpstop.read.digest import SUFFIX
from vpstop.read.discover import FoundFile
from vpstop.version import VERSION

LIMIT_BYTES: Final = 2_000_000_000
"""Size of the cache above which the digests go that were not used for longest."""

_MEMORY: Final = "/dev/shm"
_LASTING: Final = Path("/var/tmp")
"""For temporary files that outlast a restart: on a disk even where `/tmp` is memory."""


class Cache:
    """Where the digests of a session lie; leaving the context removes what is not kept."""

    def __init__(self, *, keep: bool = True, limit_bytes: int = LIMIT_BYTES) -> None:
        """Without `keep` nothing is."""
        self._limit_bytes = limit_bytes
        self._scratches = _scratches()
        kept = _kept_folder() if keep else None
        self._kept = [kept] if kept else []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for scratch in self._scratches:
            scratch.cleanup()

    @property
    def disks(self) -> tuple[Path, ...]:
        """Folders for large files of the session, best first: where such files lie is no memory."""
        return (*self._kept, _LASTING, Path(tempfile.gettempdir()))

    def places(self, file: FoundFile) -> tuple[Path, ...]:
        """Where the digest of this very state of the file may be, best place first."""
        state = repr((str(file.path.resolve()), file.bytes, file.mtime_ns, _reader()))
        name = hashlib.sha256(state.encode()).hexdigest()[:32] + SUFFIX
        folders = [*self._kept, *(Path(scratch.name) for scratch in self._scratches)]
        return tuple(folder / name for folder in folders)

    def mark_used(self, digest: Path) -> None:
        """Makes it the last one to be trimmed; one that is not kept goes at once."""
        with suppress(OSError):  # gone, or on a file system that became read-only
            if digest.parent in self._kept:
                os.utime(digest)
            else:
                digest.unlink()

    def trim(self) -> None:
        """Removes what killed sessions left, and the digests unused for longest above the limit."""
        for folder in self._kept:
            sweep(folder)
        digests = [digest for folder in self._kept for digest in _digests(folder)]
        total_bytes = 0
        for digest in sorted(digests, key=lambda digest: digest.used_ns, reverse=True):
            total_bytes += digest.bytes
            if total_bytes > self._limit_bytes:
                with suppress(OSError):  # another session was quicker
                    digest.path.unlink()


class _Kept(NamedTuple):
    path: Path
    used_ns: int
    bytes: int


def _digests(folder: Path) -> list[_Kept]:
    found = []
    for path in folder.glob(f"*{SUFFIX}"):
        with suppress(OSError):
            status = path.stat()
            found.append(_Kept(path, status.st_mtime_ns, status.st_size))
    return found


@cache
def _reader() -> str:
    """A hash of all that decides what a digest of a given trace says."""
    sources = [*Path(__file__).parent.rglob("*.py"), *Path(assets.__path__[0]).glob("*.txt")]
    content = hashlib.sha256(VERSION.encode())
    for source in sorted(sources):
        content.update(source.read_bytes())
    return content.hexdigest()


def _scratches() -> list[tempfile.TemporaryDirectory[str]]:
    """Folders for this session, best first: where temporary files lie, then memory."""
    found = []
    for home in (None, _MEMORY):
        with suppress(OSError):  # there is none, or it is full
            folder = tempfile.TemporaryDirectory(None, "vpstop-", home, ignore_cleanup_errors=True)
            found.append(folder)
    return found


def _kept_folder() -> Path | None:
    """The user's cache folder, None where it cannot be written."""
    folder = user_cache_path("vpstop")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK | os.X_OK) else None
