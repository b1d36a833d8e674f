"""The bytes of a file, whether it lies in a folder or in an archive."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vpstop.read.archive import Opened, opened_member, split_path


@contextmanager
def opened(path: Path) -> Iterator[Opened]:
    """The file, to be read once from its beginning.

    Raises `OSError`, and `Damaged` where it is in an archive that is.
    """
    try:
        file = path.open("rb")
    except NotADirectoryError:
        place = split_path(path)
        if place is None:
            raise
        with opened_member(*place) as member:
            yield member
        return
    with file:
        size = os.fstat(file.fileno()).st_size
        yield Opened(file.read, size, size)


def size_bytes(path: Path) -> int:
    """How long a file is as it lies there. Raises as `opened`."""
    try:
        return path.stat().st_size
    except NotADirectoryError:
        with opened(path) as file:
            return file.bytes
