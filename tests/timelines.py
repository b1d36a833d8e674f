"""Runs, layouts and a loader for tests of the screen."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

from build import capture, kernel, launch, op, step
from vpstop.read.capture import Capture, Skipped
from vpstop.read.discover import FoundFile
from vpstop.read.loader import Loaded, Loader, Progress
from vpstop.run import Member, Run
from vpstop.tui.layout import Layout, lay_out
from vpstop.tui.track import Track

MS = 1_000_000


def member(made: Capture, host: str = "node0", rank: int | None = None) -> Member:
    """A capture as part of a run; its rank is the one of its metadata."""
    return Member(made, made.facts.rank if rank is None else rank, "metadata", host, "metadata")


def run_of(*members: Member) -> Run:
    """A run of these members, as if they had been found in one folder."""
    return Run(("traces",), members, (), ())


def layout_of(*captures: Capture, nested: bool = False) -> Layout:
    """All captures as ranks of one node."""
    return lay_out(run_of(*map(member, captures)), nested=nested)


def track(layout: Layout, label: str) -> Track:
    """The row of this label, as `r0 s7`."""
    (found,) = (one for one in layout.tracks if one.label == label)
    return found


def rank_capture(rank: int, *, late: int = 0, name: str = "", **more: Any) -> Capture:
    """Two steps of 10 ms on thread 1, each with one launch, a gemm and an allreduce.

    thread 1   step#5 0..10 ms [aten::mm 1..3 ms [cudaLaunchKernel 2..3 ms]]   step#6 10..20 ms
    stream 7   gemm 3..7 ms    gemm 13..17 ms
    stream 20  ncclAllReduce 7..9 ms   17..19 ms
    """
    parts = []
    for number, begin in ((5, late), (6, late + 10 * MS)):
        correlation = number * 10
        parts += [
            step(number, begin, 10 * MS),
            op("aten::mm", begin + MS, 2 * MS),
            launch("cudaLaunchKernel", begin + 2 * MS, MS, correlation=correlation),
            kernel("gemm", begin + 3 * MS, 4 * MS, correlation=correlation),
            kernel("ncclKernel_AllReduce_RING_LL_Sum_float", begin + 7 * MS, 2 * MS, stream=20),
        ]
    path = f"traces/{name}" if name else f"rank{rank}.json"
    return capture(*parts, rank=rank, path=path, **more)


def two_nodes() -> Run:
    """Four ranks on two nodes, each with two streams and a thread."""
    return run_of(
        *(member(rank_capture(rank, world_size=4), f"node{rank // 2}") for rank in range(4))
    )


class CannedLoader(Loader):
    """Gives outcomes without reading; before the last one it waits until `release` is called."""

    def __init__(self, outcomes: Iterable[Capture | Skipped], *, waits: bool = False) -> None:
        self.outcomes = list(outcomes)
        self.paths = (Path("traces"),)
        self.root = Path("traces")
        self.files = tuple(FoundFile(path_of(one), 2000, 0) for one in self.outcomes)
        self.was_cancelled = False
        self.late: list[Capture | Skipped] = []
        """What appears after the rest was read."""
        self.before_last = Event()
        """Set when only the last outcome is missing."""
        self._released = Event()
        if not waits:
            self._released.set()

    def open(self, paths: Iterable[str | Path], *, use_cache: bool = True) -> Loader:
        """Stands for the class in the app."""
        return self

    def events(self) -> Iterator[Progress | Loaded]:
        """All outcomes, in their order."""
        for place, outcome in enumerate(self.outcomes):
            yield Progress(path_of(outcome), 1000, 2000)
            if place == len(self.outcomes) - 1:
                self.before_last.set()
                self._released.wait()
            if self.was_cancelled:
                return
            yield Loaded(path_of(outcome), outcome)

    def appeared(self) -> tuple[FoundFile, ...]:
        """The files of `late`."""
        return tuple(FoundFile(path_of(one), 2000, 0) for one in self.late)

    def only(self, files: Iterable[FoundFile]) -> Loader:
        """Gives what is late."""
        taken, self.late = self.late, []
        return CannedLoader(taken)

    @property
    def is_released(self) -> bool:
        """True when nothing holds the last outcome back."""
        return self._released.is_set()

    def release(self) -> None:
        """Lets the last outcome come."""
        self._released.set()

    def cancel(self) -> None:
        """Ends `events`."""
        self.was_cancelled = True
        self._released.set()


def path_of(outcome: Capture | Skipped) -> Path:
    """Where an outcome comes from."""
    return Path(outcome.path if isinstance(outcome, Skipped) else outcome.facts.path)
