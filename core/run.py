"""A run: the captures of all ranks, and which rank and host each belongs to."""

from dataclasses import dataclass
from typing import Literal

from vpstop.read.capture import Capture, TraceWarning

RankSource = Literal["metadata", "file_name", "assigned"]
HostSource = Literal["metadata", "file_name", "folder", "assumed"]


@dataclass(frozen=True, slots=True)
class Member:
    """A capture and its place in the run."""

    capture: Capture
    rank: int | None
    """None: shown, but not a rank of the job."""
    rank_source: RankSource
    host: str
    host_source: HostSource
    number: int = 0
    """0 for the first capture of a rank, 1 for the next window, ..."""


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file of the folder."""

    path: str
    use: Literal["trace", "sidecar", "skipped"]
    format: str
    bytes: int
    rank: int | None = None
    rank_source: RankSource | None = None
    host: str | None = None
    complete: bool = True
    slices: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """Members are sorted by host, rank and number; hosts by their lowest rank."""

    paths: tuple[str, ...]
    members: tuple[Member, ...]
    files: tuple[FileReport, ...]
    warnings: tuple[TraceWarning, ...]

    @property
    def hosts(self) -> tuple[str, ...]:
        """Host names in the order of the members."""
        return tuple(dict.fromkeys(member.host for member in self.members))

    @property
    def ranks(self) -> tuple[int, ...]:
        """Ranks that have a capture, sorted."""
        return tuple(sorted({m.rank for m in self.members if m.rank is not None}))

    @property
    def world_size(self) -> int | None:
        """The largest world size that a file claims."""
        sizes = [m.capture.facts.world_size for m in self.members]
        return max((size for size in sizes if size is not None), default=None)
