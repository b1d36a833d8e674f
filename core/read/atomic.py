"""Files that appear whole or not at all.

A writer that is killed, or whose disk is full, leaves the file as it was and at most a part file
beside it, for `sweep` to remove. POSIX: a lock tells the dead writers from the busy ones.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final
from uuid import uuid4

_PREFIX: Final = ".vpstop-"
_SUFFIX: Final = ".part"


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of `path` when the block ends without an exception.

    Raises `OSError` when the folder cannot be written or the disk is full; `path` stays as it was.
    """
    part = path.with_name(f"{_PREFIX}{uuid4().hex}{_SUFFIX}")
    try:
        with part.open("xb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
            file.flush()
            os.fsync(file.fileno())
            part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def sweep(folder: Path) -> None:
    """Removes the part files of writers that are gone: nobody holds their lock."""
    for part in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        with suppress(OSError), part.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            part.unlink()
