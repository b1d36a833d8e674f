"""Files a user asks for: whole or not at all, and never over another without being told to."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

from vpstop.read.atomic import replacing


def write_file(path: Path, data: bytes) -> None:
    """Writes or replaces a file; on failure (`OSError`) what was there before is untouched.

    Something that is not a regular file, as `/dev/stdout` or a pipe, is written to directly.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        target.write_bytes(data)
        return
    with replacing(target) as file:
        file.write(data)


def write_beside(path: Path, data: bytes) -> Path:
    """Writes a new file and gives its path: `path`, or the first free `name-2`, `name-3`, ..."""
    target = next(candidate for candidate in _candidates(path) if _reserve(candidate))
    try:
        write_file(target, data)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return target


def _candidates(path: Path) -> Iterator[Path]:
    yield path
    for number in count(2):
        yield path.with_stem(f"{path.stem}-{number}")


def _reserve(path: Path) -> bool:
    """Whether the name was free; it is taken now."""
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
