"""Which rank of the job each capture belongs to (trace-format section 16, rules 4 and 5).

Several captures of a process are one rank's. Two processes that claim a rank at the same time are
not: then names decide, and what they leave open is assigned.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, count, product
from pathlib import PurePath
from typing import Literal, NamedTuple

from vpstop.read.capture import Capture
from vpstop.read.categories import LaneKind
from vpstop.read.extent import extent_ns
from vpstop.read.identity import is_front_end, rank_in_name, series_of

RankSource = Literal["given", "metadata", "file_name", "assigned"]


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """A capture and what it and its name say about its rank."""

    capture: Capture
    path: PurePath
    """Relative to the folder that the user opened."""
    original: PurePath | None
    """What the path was when a digest was made of the file, to be carried away."""
    name_rank: int | None
    span_ns: tuple[int, int] | None

    @property
    def names(self) -> tuple[PurePath, ...]:
        """The path, and the one from which it was carried away."""
        return (self.path,) if self.original is None else (self.path, self.original)

    @property
    def rank(self) -> int | None:
        """What the user says, else the file, else its name."""
        facts = self.capture.facts
        said = (facts.given_rank, facts.rank, self.name_rank)
        return next((rank for rank in said if rank is not None), None)

    @property
    def source(self) -> RankSource:
        """Where `rank` comes from."""
        if self.is_given:
            return "given"
        return "file_name" if self.capture.facts.rank is None else "metadata"

    @property
    def is_given(self) -> bool:
        """True where the user says it: that is not contested."""
        return self.capture.facts.given_rank is not None

    def overlaps(self, other: "Claim") -> bool:
        """True where both were recorded at the same time, or nothing excludes it."""
        if self.span_ns is None or other.span_ns is None:
            return False
        if self.capture.facts.relative or other.capture.facts.relative:
            return True
        return self.span_ns[0] < other.span_ns[1] and other.span_ns[0] < self.span_ns[1]


class Placement(NamedTuple):
    """The rank of a capture and how it was found; None for a process that is no rank."""

    rank: int | None
    source: RankSource
    is_contested: bool = False
    """True where another process claimed the rank at the same time."""


def claim_of(capture: Capture, path: PurePath, original: PurePath | None = None) -> Claim:
    """The claim of the capture that was read from `path`, or carried there from `original`."""
    names = (path,) if original is None else (path, original)
    ranks = (rank_in_name(name, capture.facts.process) for name in names)
    name_rank = next((rank for rank in ranks if rank is not None), None)
    return Claim(capture, path, original, name_rank, extent_ns(capture))


def place(claims: Sequence[Claim]) -> dict[Claim, Placement]:
    """The rank of every claim; ranks are assigned in the order of the claims."""
    ranks = _Ranks(claims)
    for process in ranks.processes:
        claim = process[0]
        if claim.is_given or (claim.rank is not None and claim.rank not in ranks.contested):
            ranks.settle(process, claim.rank, claim.source)
    for process in sorted(ranks.open, key=lambda process: process[0].name_rank is None):
        ranks.follow_name(process)
    for process in ranks.open:
        ranks.assign(process)
    return ranks.placements


_Process = list[Claim]


class _Ranks:
    """The ranks of a job while they are being given away."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self.processes = _processes(claims)
        self.contested = _contested(self.processes)
        self.placements: dict[Claim, Placement] = {}
        self._holders: dict[int, list[_Process]] = defaultdict(list)
        sizes = [claim.capture.facts.world_size for claim in claims]
        self._world_size = max((size for size in sizes if size is not None), default=None)

    @property
    def open(self) -> list[_Process]:
        """Processes without a placement."""
        return [process for process in self.processes if process[0] not in self.placements]

    def settle(self, process: _Process, rank: int | None, source: RankSource) -> None:
        """Gives a rank to all captures of a process."""
        is_contested = source != "given" and process[0].rank in self.contested
        placement = Placement(rank, source, is_contested)
        self.placements.update(dict.fromkeys(process, placement))
        if rank is not None:
            self._holders[rank].append(process)

    def follow_name(self, process: _Process) -> None:
        """Of two that claim one rank, each takes that of its name, or the claimed one if free."""
        claim = process[0]
        wishes: tuple[tuple[int | None, RankSource], ...] = (
            (claim.name_rank, "file_name"),
            (claim.rank, claim.source),
        )
        for rank, source in wishes:
            if rank is not None and not any(map(partial(_overlap, process), self._holders[rank])):
                self.settle(process, rank, source)
                return

    def assign(self, process: _Process) -> None:
        """The lowest rank that nobody holds, or none for a process that is not one of the job."""
        rank = next(rank for rank in count() if not self._holders.get(rank))
        self.settle(process, None if self._is_outside(process[0], rank) else rank, "assigned")

    def _is_outside(self, claim: Claim, next_rank: int) -> bool:
        """A front end, or a process without device work when all ranks of the job are known."""
        if claim.rank is not None or _has_device_work(claim.capture):
            return False
        is_surplus = self._world_size is not None and next_rank >= self._world_size
        return is_surplus or is_front_end(claim.path)


def _processes(claims: Sequence[Claim]) -> list[_Process]:
    """Claims of one process together: same process, host and devices, and the same claim.

    Without a claim nothing but a series of names tells that a process is the same as another.
    """
    processes: dict[Hashable, _Process] = defaultdict(list)
    for claim in claims:
        facts = claim.capture.facts
        devices = tuple((device.id, device.name) for device in facts.devices)
        series = series_of(claim.path) if claim.rank is None else ""
        said = (facts.given_rank, facts.rank, claim.name_rank)
        key = (facts.process, facts.host_name, devices, *said, series)
        processes[key].append(claim)
    return list(processes.values())


def _contested(processes: Sequence[_Process]) -> frozenset[int]:
    """Ranks that two processes claim at the same time."""
    claimants: dict[int, list[_Process]] = defaultdict(list)
    for process in processes:
        if process[0].rank is not None:
            claimants[process[0].rank].append(process)
    return frozenset(
        rank
        for rank, rivals in claimants.items()
        if any(_overlap(a, b) for a, b in combinations(rivals, 2))
    )


def _overlap(a: _Process, b: _Process) -> bool:
    return any(one.overlaps(other) for one, other in product(a, b))


def _has_device_work(capture: Capture) -> bool:
    return any(lane.kind is LaneKind.STREAM for lane in capture.lanes)
