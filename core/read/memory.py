"""How much memory there is, and how it is shared out while files are read."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from vpstop.read.cgroups import groups, value

_MEMINFO: Final = Path("/proc/meminfo")
_UNKNOWN_BYTES: Final = 2_000_000_000
"""Taken for what is available where the system does not tell."""
_FILES: Final = (
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
"""Limit, use, and the entry of `memory.stat` for what can be taken back, in either version."""

_OWN_BYTES: Final = 100_000_000
"""Of this process, apart from columns: the screen takes 75 MB."""
_COLUMNS_PART: Final = 8
_READER_BYTES: Final = 50_000_000
_FORK_BYTES: Final = 25_000_000
_READER_PER_TEXT: Final = 0.5
"""A reader's peak beyond `_READER_BYTES`, for a byte of text: measured 0.35 to 0.47 on traces of
100, 300 and 1 000 MB, compressed or not, the digest included."""


class Budget:
    """Shares of the memory that vpstop may take."""

    def __init__(self, total_bytes: int | None = None) -> None:
        """None means half of what is available now."""
        self._total_bytes = total_bytes or available_bytes() // 2

    @property
    def columns_bytes(self) -> int:
        """For columns in memory; what does not fit goes to a file."""
        return self._total_bytes // _COLUMNS_PART

    @property
    def readers_bytes(self) -> int:
        """For all readers that work at the same time; can be negative."""
        return self._total_bytes - self.columns_bytes - _OWN_BYTES


def reader_bytes(text_bytes: int, processes: int = 1) -> int:
    """The peak of the processes that read a text of this length together."""
    forks = (processes - 1) * _FORK_BYTES
    return _READER_BYTES + forks + round(_READER_PER_TEXT * text_bytes)


def available_bytes() -> int:
    """What can be used without swapping, within the limits of the control groups around us."""
    return max(0, min([_of_system(), *allowed_bytes(groups("memory"))]))


def allowed_bytes(folders: Sequence[Path]) -> list[int]:
    """What each control group that has a limit still allows."""
    left = (_left(folder, *files) for folder in folders for files in _FILES)
    return [count for count in left if count is not None]


def _left(folder: Path, limit_file: str, used_file: str, entry: str) -> int | None:
    limit, used = value(folder / limit_file), value(folder / used_file)
    if limit is None or used is None:
        return None
    return limit - used + _entry(folder / "memory.stat", entry, 1)


def _of_system() -> int:
    return _entry(_MEMINFO, "MemAvailable:", 1024) or _UNKNOWN_BYTES


def _entry(file: Path, name: str, unit: int) -> int:
    """A number of a list of names and numbers, 0 where it is not in there."""
    try:
        lines = [line.split() for line in file.read_text().splitlines()]
    except OSError:
        return 0
    return next((int(line[1]) * unit for line in lines if line[:1] == [name]), 0)
