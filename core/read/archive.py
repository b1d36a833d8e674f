"""Traces in `.zip` and `.tar` files, read where they are: nothing is ever written to disk.

A member has the path `runs.zip/node1/rank0.json`, as if the archive were a folder.
"""

import os
import tarfile
import zipfile
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from errno import ENOENT
from functools import partial
from pathlib import Path, PurePath, PurePosixPath
from typing import IO, BinaryIO, Final, Literal, NamedTuple, cast

from vpstop.read.capture import WarningKind
from vpstop.read.compression import GZIP_MAGIC, ZSTD_MAGIC, Read, decompressed
from vpstop.read.damage import Damaged

ENDINGS: Final = (".tar.gz", ".tar.zst", ".tgz", ".tar", ".zip")
_ZIP_MAGIC: Final = b"PK\x03\x04"
_BLOCK_BYTES: Final = 1 << 20
_READ_BYTES: Final = 1 << 14


class Member(NamedTuple):
    """A file in an archive."""

    name: str
    """Relative, without `..`."""
    bytes: int
    stored_bytes: int
    """What it takes on the disk, at most."""


class Opened(NamedTuple):
    """A file that is being read, wherever it lies."""

    read: Read
    """Gives at most so many bytes, none at the end. Raises `OSError` and `Damaged`."""
    bytes: int
    stored_bytes: int
    """What it takes on the disk, at most."""


def is_archive(path: PurePath) -> bool:
    """Whether the name is that of an archive."""
    return path.name.casefold().endswith(ENDINGS)


def without_ending(name: str) -> str:
    """The name of an archive without what says that it is one; other names as they are."""
    folded = name.casefold()
    ending = next((ending for ending in ENDINGS if folded.endswith(ending)), "")
    return name[: len(name) - len(ending)] or name


def split_path(path: Path) -> tuple[Path, str] | None:
    """The archive on the disk and the member in it, None for any other path."""
    for parent in path.parents:
        if is_archive(parent) and parent.is_file():
            return parent, path.relative_to(parent).as_posix()
    return None


def members(archive: Path) -> list[Member]:
    """The files in an archive, of a damaged one those before the damage, each name once.

    Raises `OSError`, and `Damaged` where none is found.
    """
    found: dict[str, Member] = {}
    try:
        for entry in _entries(archive):
            found.setdefault(entry.member.name, entry.member)
    except Damaged:
        if not found:
            raise
    if not found:
        raise Damaged("an archive without files", 0)
    return list(found.values())


@contextmanager
def opened_member(archive: Path, name: str) -> Iterator[Opened]:
    """Raises `OSError` where there is no such member, and `Damaged` where it cannot be reached."""
    with closing(_entries(archive)) as entries:
        entry = next((entry for entry in entries if entry.member.name == name), None)
        if entry is None:
            raise FileNotFoundError(ENOENT, "No such file in the archive", f"{archive}/{name}")
        with _errors_as_damage(), entry.open() as file:
            yield Opened(_guarded(file), entry.member.bytes, entry.member.stored_bytes)


class _Entry(NamedTuple):
    """A member that can be opened until the next one is asked for."""

    member: Member
    open: Callable[[], IO[bytes]]


def _entries(archive: Path) -> Generator[_Entry]:
    with _errors_as_damage(), archive.open("rb") as file:
        magic = file.read(len(_ZIP_MAGIC))
        file.seek(0)
        yield from _zip_entries(file) if magic == _ZIP_MAGIC else _tar_entries(file, magic)


def _zip_entries(file: BinaryIO) -> Iterator[_Entry]:
    with zipfile.ZipFile(file) as container:
        for info in container.infolist():
            if not info.is_dir():
                member = Member(_safe(info.filename), info.file_size, info.compress_size)
                yield _Entry(member, partial(container.open, info))


def _tar_entries(file: BinaryIO, magic: bytes) -> Iterator[_Entry]:
    archive_bytes = os.fstat(file.fileno()).st_size
    is_packed = magic.startswith((GZIP_MAGIC, ZSTD_MAGIC))
    stream = _Stream(decompressed(file.read, archive_bytes)) if is_packed else file
    mode: Literal["r|", "r:"] = "r|" if is_packed else "r:"
    with tarfile.open(fileobj=cast(BinaryIO, stream), mode=mode, bufsize=_BLOCK_BYTES) as container:
        for info in container:
            if info.isreg():
                member = Member(_safe(info.name), info.size, min(info.size, archive_bytes))
                yield _Entry(member, partial(_extracted, container, info))


def _extracted(container: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    file = container.extractfile(info)
    assert file is not None, "only regular files are listed"
    return file


class _Stream:
    """Chunks as what `tarfile` calls a file: it reads from the front to the end."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = b""
        self._damage: Damaged | None = None

    def read(self, size: int) -> bytes:
        """Raises `Damaged` only when what stands before the damage was read."""
        if self._damage is not None:
            raise self._damage
        parts, length = [self._rest], len(self._rest)
        try:
            while length < size and (chunk := next(self._chunks, b"")):
                parts.append(chunk)
                length += len(chunk)
        except Damaged as damage:
            self._damage = damage
        text = b"".join(parts)
        self._rest = text[size:]
        return text[:size]


def _guarded(file: IO[bytes]) -> Read:
    """Reads little at a time: where a checksum is wrong, zipfile drops what it has just read."""

    def read(size: int) -> bytes:
        with _errors_as_damage("truncated"):
            return file.read(min(size, _READ_BYTES))

    return read


@contextmanager
def _errors_as_damage(kind: WarningKind = "unreadable") -> Iterator[None]:
    try:
        yield
    except (OSError, Damaged):
        raise
    except Exception as error:
        # A damaged or encrypted archive fails anywhere in zipfile, tarfile, zlib or struct.
        raise Damaged(f"archive: {error or type(error).__name__}", 0, kind) from error


def _safe(name: str) -> str:
    """A member's name as a path below the archive."""
    return "/".join(part for part in PurePosixPath(name).parts if part not in ("/", "..")) or "-"
