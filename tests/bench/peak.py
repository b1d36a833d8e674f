"""Peak memory of a process and all that it starts, without counting shared pages twice.

The proportional set size of each process is read every few milliseconds; a page that n processes
share counts 1/n in each. Files in memory (memfd, shared memory) count whole, mapped or not.
"""

import threading
import time
from pathlib import Path
from typing import Final, Self

import psutil

_EVERY_S: Final = 0.004


class PeakMemory:
    """Samples while the context lasts; `bytes` is the largest sum seen."""

    def __init__(self, pid: int) -> None:
        self.bytes = 0
        self._process = psutil.Process(pid)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._in_files_before = _bytes_in_memory_files()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._done.is_set():
            in_files = max(0, _bytes_in_memory_files() - self._in_files_before)
            self.bytes = max(self.bytes, in_files + sum(map(_own_bytes, self._family())))
            time.sleep(_EVERY_S)

    def _family(self) -> list[int]:
        try:
            children = self._process.children(recursive=True)
        except psutil.NoSuchProcess:
            return []
        return [self._process.pid, *(child.pid for child in children)]


def _own_bytes(pid: int) -> int:
    """Proportional set size without files in memory."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:  # it has ended
        return 0
    sizes = dict(line.split()[:2] for line in text.splitlines()[1:])
    return 1024 * (int(sizes["Pss:"]) - int(sizes.get("Pss_Shmem:", 0)))


def _bytes_in_memory_files() -> int:
    """Of the whole machine."""
    text = Path("/proc/meminfo").read_text()
    return next(1024 * int(line.split()[1]) for line in text.splitlines() if "Shmem:" in line)
