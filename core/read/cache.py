"""Digests of files that were read before, kept between sessions in the user's cache folder.

A digest is found by the path, size and modification time of its trace and the reader's own sources.
Where that folder cannot be used nothing fails: digests then lie in one that ends with the session.
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

from vpstop import __version__, assets
from vpstop.read.digest import SUFFIX
from vpstop.read.discover import FoundFile

LIMIT_BYTES: Final = 2_000_000_000
"""Size of the cache above which the digests go that were not used for longest."""


class Cache:
    """Where the digests of a session lie; leaving the context removes what is not kept."""

    def __init__(self, *, keep: bool = True, limit_bytes: int = LIMIT_BYTES) -> None:
        """Without `keep` nothing is."""
        self._temporary = tempfile.TemporaryDirectory(prefix="vpstop-", ignore_cleanup_errors=True)
        self._limit_bytes = limit_bytes
        self.scratch = Path(self._temporary.name)
        """For digests that find no room in `folder`."""
        self.folder = (_kept_folder() if keep else None) or self.scratch

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._temporary.cleanup()

    def places(self, file: FoundFile) -> tuple[Path, ...]:
        """Where the digest of this very state of the file may be, best place first."""
        state = repr((str(file.path.resolve()), file.bytes, file.mtime_ns, _reader()))
        name = hashlib.sha256(state.encode()).hexdigest()[:32] + SUFFIX
        return tuple(dict.fromkeys(folder / name for folder in (self.folder, self.scratch)))

    def mark_used(self, digest: Path) -> None:
        """Makes it the last one to be trimmed. One in the scratch folder goes at once."""
        with suppress(OSError):  # gone, or on a file system that became read-only
            if digest.parent == self.scratch:
                digest.unlink()
            else:
                os.utime(digest)

    def trim(self) -> None:
        """Removes the digests that were not used for longest until the others fit."""
        total_bytes = 0
        for digest in sorted(_digests(self.folder), key=lambda kept: kept.used_ns, reverse=True):
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
    sources = [*Path(__file__).parent.glob("*.py"), *Path(assets.__path__[0]).glob("*.txt")]
    content = hashlib.sha256(__version__.encode())
    for source in sorted(sources):
        content.update(source.read_bytes())
    return content.hexdigest()


def _kept_folder() -> Path | None:
    """The user's cache folder, None where it cannot be written."""
    folder = user_cache_path("vpstop")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK | os.X_OK) else None
