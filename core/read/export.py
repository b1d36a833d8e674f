"""Makes digests to carry away: small files that are opened like the traces they were made of."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import NamedTuple

from vpstop.read.atomic import replacing, sweep
from vpstop.read.capture import Origin, TraceWarning
from vpstop.read.cores import usable_cores
from vpstop.read.digest import SUFFIX
from vpstop.read.discover import FoundFile, discover, relative, root_of
from vpstop.read.given import NOTHING_GIVEN, Given
from vpstop.read.loader import Progress
from vpstop.read.memory import Budget
from vpstop.read.pool import Advanced, Carry, Failed, Job, Pool, Refused, Report
from vpstop.read.schedule import Schedule
from vpstop.read.text_length import text_bytes


class Written(NamedTuple):
    """A digest is made."""

    path: Path
    digest: Path


class NotWritten(NamedTuple):
    """A file gave no digest."""

    path: Path
    warnings: tuple[TraceWarning, ...]
    is_failure: bool = False
    """Whether it would have given one, had nothing gone wrong here."""


class Exporter:
    """The files below some paths, of which digests are written below a folder.

    A digest lies where its trace lies below their common folder, for folders tell ranks and hosts.
    What is in the folder already is not read; digests elsewhere are copied.
    """

    def __init__(
        self,
        paths: Iterable[str | Path],
        folder: Path,
        *,
        processes: int | None = None,
        memory_bytes: int | None = None,
        given: Given = NOTHING_GIVEN,
    ) -> None:
        """As `Loader`; what is given goes into the digests."""
        opened = [Path(path) for path in paths]
        self._root = root_of(opened)
        self._folder = folder
        found = discover(opened)
        own = folder.resolve()
        self.files = tuple(
            file for file in found.files if not file.path.resolve().is_relative_to(own)
        )
        self._skipped = found.skipped
        self._processes = processes or usable_cores()
        self._budget = Budget(memory_bytes)
        self._given = given

    def events(self) -> Iterator[Progress | Written | NotWritten]:
        """Progress and results as they come; every file comes once as one of the last two."""
        yield from (NotWritten(Path(one.path), one.warnings) for one in self._skipped)
        for folder in {self._target(file).parent for file in self.files}:
            sweep(folder)
        digests = [file for file in self.files if file.path.suffix == SUFFIX]
        yield from map(self._copied, digests)
        sizes = {file.path: file.bytes for file in self.files}
        jobs = [self._job(file) for file in self.files if file not in digests]
        with Pool(self._processes) as pool:
            schedule = Schedule(jobs, pool, self._budget.readers_bytes)
            for report in schedule.reports(Event()):
                yield _event(report, sizes[report.job.path])

    def _target(self, file: FoundFile) -> Path:
        inside = relative(file.path, self._root)
        name = inside.name if inside.suffix == SUFFIX else inside.name + SUFFIX
        target = self._folder / inside.with_name(name)
        with suppress(OSError):  # who writes there will say so
            target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def _job(self, file: FoundFile) -> Job:
        origin = Origin(str(file.path.absolute()), str(self._root))
        carry = Carry(origin, self._given.rank_of(file.path), self._given.host_of(file.path))
        return Job(file.path, (self._target(file),), text_bytes(file), carry=carry)

    def _copied(self, file: FoundFile) -> Written | NotWritten:
        target = self._target(file)
        try:
            with file.path.open("rb") as source, replacing(target) as copy:
                shutil.copyfileobj(source, copy)
        except OSError as error:
            return _failed(file.path, f"{target.parent}: {error.strerror}")
        return Written(file.path, target)


def _event(report: Report, size_bytes: int) -> Progress | Written | NotWritten:
    path = report.job.path
    if isinstance(report, Advanced):
        return Progress(path, report.done_bytes, size_bytes)
    if isinstance(report, Refused):
        return NotWritten(path, report.warnings)
    if isinstance(report, Failed):
        return _failed(path, report.reason)
    return Written(path, report.digest)


def _failed(path: Path, reason: str) -> NotWritten:
    warning = TraceWarning("unreadable", str(path), example=reason)
    return NotWritten(path, (warning,), is_failure=True)
