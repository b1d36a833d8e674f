"""Reads what lies below some paths, in worker processes, and says how far it is.

What a digest is kept of comes first and at once; then the largest files, which take longest.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import NamedTuple

from vpstop.read.arrivals import Arrivals
from vpstop.read.cache import Cache
from vpstop.read.capture import Capture, Skipped, TraceWarning
from vpstop.read.cores import usable_cores
from vpstop.read.damage import Damaged
from vpstop.read.digest import SUFFIX, DigestError, open_digest
from vpstop.read.discover import FoundFile, contents, files_below, root_of
from vpstop.read.given import NOTHING_GIVEN, Given
from vpstop.read.mapped import ColumnStore, give_back
from vpstop.read.memory import Budget
from vpstop.read.pool import Advanced, Failed, Job, Pool, Saved
from vpstop.read.schedule import Schedule
from vpstop.read.source import size_bytes
from vpstop.read.text_length import text_bytes


class Progress(NamedTuple):
    """So much of a file is read."""

    path: Path
    done_bytes: int
    total_bytes: int


class Loaded(NamedTuple):
    """A file is done with, whether it gave a capture or not."""

    path: Path
    outcome: Capture | Skipped


class _Unread(NamedTuple):
    """A file without a digest, and what was wrong with the one it had."""

    file: FoundFile
    warnings: tuple[TraceWarning, ...] = ()


class Loader:
    """The files below some paths, to be read once, and those that appear there later.

    `files` are those that may be traces, in natural order; `root` is the folder that holds them.
    """

    def __init__(
        self,
        paths: Iterable[str | Path],
        *,
        use_cache: bool = True,
        processes: int | None = None,
        memory_bytes: int | None = None,
        given: Given = NOTHING_GIVEN,
        files: Iterable[FoundFile | Skipped] | None = None,
    ) -> None:
        """At most `processes` read at the same time; None means one for each usable core.

        `memory_bytes` bounds them as well, and the columns that are kept in memory; None means half
        of what is available. `given` is what the user says of files. `files` are those to read of
        all below `paths`, where that is known.
        """
        self.paths = tuple(Path(path) for path in paths)
        self.root = root_of(self.paths)
        listed = files_below(self.paths) if files is None else list(files)
        found = contents(listed)
        self.files = found.files
        self._arrivals = Arrivals(self.paths, listed)
        self._skipped = found.skipped
        self._use_cache = use_cache
        self._processes = processes or usable_cores()
        self._memory_bytes = memory_bytes
        self._budget = Budget(memory_bytes)
        self._given = given
        self._cancelled = Event()
        self._pool: Pool | None = None

    def events(self) -> Iterator[Progress | Loaded]:
        """Progress and outcomes as they come; every file comes once as `Loaded`.

        Blocks while there is nothing to say. To be iterated in one thread, once.
        """
        for skipped in self._skipped:
            yield Loaded(Path(skipped.path), skipped)
        with Cache(keep=self._use_cache) as cache, Pool(self._processes) as self._pool:
            digests = _Digests(cache, ColumnStore(self._budget.columns_bytes, cache.disks))
            unread: list[_Unread] = []
            for file in self.files:
                if self._cancelled.is_set():
                    return
                outcome = digests.known(file)
                if isinstance(outcome, _Unread):
                    unread.append(outcome)
                else:
                    yield self._loaded(file.path, outcome)
            if unread:
                yield from self._read(unread, digests, self._pool)
                cache.trim()

    def _read(
        self, unread: list[_Unread], digests: "_Digests", pool: Pool
    ) -> Iterator[Progress | Loaded]:
        entries = {entry.file.path: entry for entry in unread}
        jobs = [digests.job(entry.file) for entry in unread]
        schedule = Schedule(jobs, pool, self._budget.readers_bytes)
        for report in schedule.reports(self._cancelled):
            entry = entries[report.job.path]
            if isinstance(report, Advanced):
                yield Progress(entry.file.path, report.done_bytes, entry.file.bytes)
            elif isinstance(report, Saved | Failed):
                yield self._loaded(entry.file.path, digests.made(report, entry))

    def _loaded(self, path: Path, outcome: Capture | Skipped) -> Loaded:
        """The outcome with what the user says of its file."""
        if isinstance(outcome, Capture):
            outcome = self._given.applied(outcome, path)
        return Loaded(path, outcome)

    def appeared(self) -> tuple[FoundFile, ...]:
        """Traces that were not there, or were different, when this loader was made.

        What may still be written is not told: it must be as it was at the call before. Takes 10 ms
        for 1 000 files. From any thread, one at a time.
        """
        return self._arrivals.look()

    def only(self, files: Iterable[FoundFile]) -> "Loader":
        """Another loader like this one, of such files alone, which are no news from now on.

        What it loads takes the place of what was loaded from the same path.
        """
        taken = list(files)
        self._arrivals.take(taken)
        return Loader(
            self.paths,
            use_cache=self._use_cache,
            processes=self._processes,
            memory_bytes=self._memory_bytes,
            given=self._given,
            files=taken,
        )

    def cancel(self) -> None:
        """Ends `events` within a moment, and the worker processes. From any thread."""
        self._cancelled.set()
        if self._pool is not None:
            self._pool.stop()


class _Digests:
    """Opens what the cache has and what the workers made."""

    def __init__(self, cache: Cache, store: ColumnStore) -> None:
        self._cache = cache
        self._store = store

    def known(self, file: FoundFile) -> Capture | Skipped | _Unread:
        """What a digest says: the file itself where it is one, else the one in the cache."""
        is_digest = file.path.suffix == SUFFIX
        digest = file.path if is_digest else next(iter(self._cache.places(file)), None)
        if digest is None or not digest.exists():
            return _Unread(file)
        try:
            outcome = self._open(digest)
        except DigestError as error:
            if is_digest:
                return _unreadable(file.path, str(error), "digest")
            again = TraceWarning(
                "unreadable", str(digest), example=f"cached digest made again: {error}"
            )
            return _Unread(file, (again,))
        if not is_digest:
            self._cache.mark_used(digest)
        return _found_at(file.path, outcome)

    def job(self, file: FoundFile) -> Job:
        """What makes a worker write the digest of a file."""
        return Job(file.path, self._cache.places(file), text_bytes(file))

    def made(self, report: Saved | Failed, entry: _Unread) -> Capture | Skipped:
        """What came of a file that was read."""
        path = report.job.path
        if isinstance(report, Failed):
            return _unreadable(path, report.reason)
        try:
            outcome = _found_at(path, self._open(report.digest))
        except DigestError as error:
            return _unreadable(path, f"its digest is lost: {error}")
        self._cache.mark_used(report.digest)
        return replace(outcome, warnings=outcome.warnings + entry.warnings)

    def _open(self, digest: Path) -> Capture | Skipped:
        outcome = open_digest(digest, self._store)
        give_back()
        return outcome


def _found_at(path: Path, outcome: Capture | Skipped) -> Capture | Skipped:
    """The outcome under the path of today: a digest may have been made under another one."""
    old = outcome.path if isinstance(outcome, Skipped) else outcome.facts.path
    warnings = tuple(
        replace(warning, file=str(path)) if warning.file == old else warning
        for warning in outcome.warnings
    )
    if isinstance(outcome, Skipped):
        return replace(outcome, path=str(path), warnings=warnings)
    return replace(outcome, facts=replace(outcome.facts, path=str(path)), warnings=warnings)


def _unreadable(path: Path, reason: str, kind: str = "unknown") -> Skipped:
    size = 0
    with suppress(OSError, Damaged):  # gone, or in an archive that is damaged
        size = size_bytes(path)
    return Skipped(str(path), kind, size, (TraceWarning("unreadable", str(path), example=reason),))
