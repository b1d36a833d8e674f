"""Which file is read when, and by how many processes, as far as cores and memory go."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from threading import Event
from typing import Final

from vpstop.read.memory import reader_bytes
from vpstop.read.pool import Failed, Job, Pool, Report

WORTH_SPLITTING_BYTES: Final = 30_000_000
"""Shorter texts are read before a second process has begun to help."""


class Schedule:
    """Jobs that wait for a pool: the longest first, for it takes longest.

    At least one job is always at work, however little memory there is.
    """

    def __init__(self, jobs: Iterable[Job], pool: Pool, memory_bytes: int) -> None:
        """`memory_bytes` is for all readers together."""
        self._waiting = sorted(jobs, key=lambda job: job.text_bytes)
        self._pool = pool
        self._memory_bytes = memory_bytes

    def reports(self, is_cancelled: Event) -> Iterator[Report]:
        """What the readers say, until all jobs are done; blocks while they say nothing."""
        while (self._waiting or self._pool.jobs) and not is_cancelled.is_set():
            while job := self._next():
                try:
                    self._pool.submit(job)
                except OSError as error:
                    yield Failed(job, f"no process: {error}")
            for report in self._pool.wait() if self._pool.jobs else ():
                if is_cancelled.is_set():
                    return
                yield report

    def _next(self) -> Job | None:
        """The longest waiting job that there is room for, with its share of the processes."""
        running = self._pool.jobs
        room_bytes = self._memory_bytes - sum(
            reader_bytes(job.text_bytes, job.processes) for job in running
        )
        for place in reversed(range(len(self._waiting) if self._pool.room > 0 else 0)):
            job = self._waiting[place]
            if not running or reader_bytes(job.text_bytes) <= room_bytes:
                del self._waiting[place]
                return replace(job, processes=self._share(job, room_bytes))
        return None

    def _share(self, job: Job, room_bytes: int) -> int:
        """Over how many processes to split a file, so that no core is idle."""
        if job.text_bytes < WORTH_SPLITTING_BYTES or job.carry:
            return 1
        files = 1 + len(self._waiting) + len(self._pool.jobs)
        wanted = min(self._pool.room, self._pool.size // files)
        while wanted > 1 and reader_bytes(job.text_bytes, wanted) > room_bytes:
            wanted -= 1
        return max(1, wanted)
