"""A run: the captures of all ranks, and which rank and host each belongs to."""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path, PurePath
from typing import Final, Literal

from vpstop.duplicates import copies
from vpstop.jobs import jobs, top_folder
from vpstop.ranks import Claim, Placement, RankSource, claim_of, place
from vpstop.read.archive import without_ending
from vpstop.read.capture import Capture, Skipped, TraceWarning
from vpstop.read.digest import SUFFIX
from vpstop.read.discover import natural_key, relative
from vpstop.read.extent import extent_ns
from vpstop.read.identity import host_in_folders, host_in_name
from vpstop.read.mapped import one_by_one
from vpstop.read.recognise import SIDECARS
from vpstop.text import clean

HostSource = Literal["given", "metadata", "file_name", "folder", "assumed"]

Use = Literal["trace", "sidecar", "skipped"]
"""A sidecar is no trace, but tells about them."""

_GAPS_NAMED: Final = 5
_TEMPORARY: Final = ".tmp"


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
    use: Use
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
    """Every file that was looked at, in natural order."""
    warnings: tuple[TraceWarning, ...]
    name: str = ""
    """The sub-folder of this run, where the folder holds several runs."""
    others: tuple[str, ...] = ()
    """The sub-folders of the other runs of the folder; none of their files is in `files`."""

    @property
    def names(self) -> tuple[str, ...]:
        """The runs of the folder in natural order, this one among them; empty where it is one."""
        found = (self.name, *self.others) if self.others else ()
        return tuple(sorted(found, key=natural_key))

    def overlaps(self, other: "Run") -> bool:
        """Whether a file is in both: one run as it grows, not two of one folder."""
        own = {member.capture.facts.path for member in self.members}
        return any(member.capture.facts.path in own for member in other.members)

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

    @property
    def span_ns(self) -> tuple[int, int] | None:
        """First start and last end of all captures whose times have an origin, as `extent_ns`."""
        captures = one_by_one(m.capture for m in self.members if not m.capture.facts.relative)
        spans = [span for capture in captures if (span := extent_ns(capture)) is not None]
        return (min(s[0] for s in spans), max(s[1] for s in spans)) if spans else None


def gather(
    outcomes: Iterable[Capture | Skipped],
    paths: Iterable[str | Path],
    root: str | Path,
    *,
    name: str | None = None,
) -> Run:
    """The run that these outcomes make, in whatever order they were read.

    `paths` are what the user pointed at, `root` the folder that holds them all: names below it tell
    ranks and hosts. Every outcome is in `Run.files`, whether it is used or not. Where sub-folders
    hold different runs, the one called `name` is given, else the first; see `Run.others`.
    """
    root = Path(root).absolute()
    ordered = sorted(outcomes, key=lambda outcome: natural_key(_name(outcome, root)))
    captures = [o for o in ordered if isinstance(o, Capture) and len(o.slices)]
    found = jobs([_claim(capture, root) for capture in one_by_one(captures)])
    if len(found) <= 1:
        return _run(ordered, found[0].claims if found else [], paths, root)
    chosen = next((job for job in found if job.name == name), found[0])
    others = tuple(job.name for job in found if job is not chosen)
    foreign = {folder for job in found if job is not chosen for folder in job.folders}
    own = [o for o in ordered if top_folder(_name(o, root)) not in foreign]
    return replace(_run(own, chosen.claims, paths, root), name=chosen.name, others=others)


def _claim(capture: Capture, root: Path) -> Claim:
    origin = capture.facts.origin
    original = relative(origin.path, Path(origin.root)) if origin else None
    return claim_of(capture, _name(capture, root), original)


def _run(
    ordered: Sequence[Capture | Skipped],
    claims: Sequence[Claim],
    paths: Iterable[str | Path],
    root: Path,
) -> Run:
    """The run of one job."""
    duplicates = copies(claims)
    placements = place([claim for claim in claims if claim not in duplicates])
    members = _members(placements, root)
    used = {id(member.capture): member for member in members}
    warnings = [
        *chain.from_iterable(_own_warnings(outcome, used.get(id(outcome))) for outcome in ordered),
        *chain.from_iterable(_placement_warnings(*item) for item in placements.items()),
        *(_duplicate(copy, original) for copy, original in duplicates.items()),
    ]
    run = Run(
        tuple(str(path) for path in paths),
        members,
        tuple(_report(outcome, used.get(id(outcome))) for outcome in ordered),
        tuple(warnings),
    )
    return replace(run, warnings=run.warnings + _missing(run))


def _path(outcome: Capture | Skipped) -> str:
    return outcome.path if isinstance(outcome, Skipped) else outcome.facts.path


def _name(outcome: Capture | Skipped, root: Path) -> PurePath:
    """The path below the root; a digest is called as its trace was, an archive is a folder."""
    *folders, name = relative(_path(outcome), root).parts
    return PurePath(*map(without_ending, folders), name.removesuffix(SUFFIX))


def _members(placements: Mapping[Claim, Placement], root: Path) -> tuple[Member, ...]:
    members = []
    captures_seen: dict[int | None, int] = defaultdict(int)
    for claim in sorted(placements, key=lambda claim: claim.span_ns or (0, 0)):
        rank, source, _ = placements[claim]
        host, host_source = _host(claim, root)
        number = captures_seen[rank]
        members.append(Member(claim.capture, rank, source, host, host_source, number))
        captures_seen[rank] += 1
    lowest: dict[str, int] = {}
    for member in members:
        rank = sys.maxsize if member.rank is None else member.rank
        lowest[member.host] = min(rank, lowest.get(member.host, rank))
    return tuple(sorted(members, key=lambda member: (lowest[member.host], *_place(member))))


def _place(member: Member) -> tuple[str, bool, int, int]:
    return member.host, member.rank is None, member.rank or 0, member.number


def _host(claim: Claim, root: Path) -> tuple[str, HostSource]:
    """What the user says, else the metadata, the file name, a folder, else one host for all."""
    facts = claim.capture.facts
    found: tuple[tuple[str, HostSource], ...] = (
        (facts.given_host, "given"),
        (facts.host_name, "metadata"),
        *((host_in_name(name, facts.process), "file_name") for name in claim.names),
        *((host_in_folders(name), "folder") for name in claim.names),
        (without_ending(Path(facts.origin.root if facts.origin else root).name), "assumed"),
    )
    named = ((clean(host), source) for host, source in found)
    return next(((host, source) for host, source in named if host), ("host", "assumed"))


def _report(outcome: Capture | Skipped, member: Member | None) -> FileReport:
    if isinstance(outcome, Skipped):
        use: Use = "sidecar" if outcome.format in SIDECARS else "skipped"
        return FileReport(outcome.path, use, outcome.format, outcome.bytes)
    facts = outcome.facts
    report = FileReport(
        facts.path,
        "skipped",
        facts.format,
        facts.bytes,
        complete=facts.complete,
        slices=len(outcome.slices),
    )
    if member is None:
        return report
    source = None if member.rank is None else member.rank_source
    return replace(report, use="trace", rank=member.rank, rank_source=source, host=member.host)


def _own_warnings(outcome: Capture | Skipped, member: Member | None) -> Iterator[TraceWarning]:
    """What the reader said, and what it could not know."""
    rank = member.rank if member else None
    yield from (replace(warning, rank=rank) for warning in outcome.warnings)
    kinds = {warning.kind for warning in outcome.warnings}
    if isinstance(outcome, Capture) and not len(outcome.slices) and "empty" not in kinds:
        yield TraceWarning("empty", _path(outcome))
    is_temporary = PurePath(_path(outcome)).suffix == _TEMPORARY
    if member and is_temporary and "temp_file" not in kinds:
        yield TraceWarning("temp_file", _path(outcome), rank=rank)


def _placement_warnings(claim: Claim, placement: Placement) -> Iterator[TraceWarning]:
    """How a rank was found, where it was not simply in the file."""
    path = claim.capture.facts.path
    if placement.is_contested:
        said = f"another process claims rank {claim.rank} at the same time"
        yield TraceWarning("rank_conflict", path, example=said, rank=placement.rank)
    if placement.rank is not None and placement.source in ("file_name", "assigned"):
        said = "from the file name" if placement.source == "file_name" else "in the order of names"
        yield TraceWarning("rank_guessed", path, example=said, rank=placement.rank)


def _duplicate(copy: Claim, original: Claim) -> TraceWarning:
    said = f"its slices are in {original.capture.facts.path} too"
    return TraceWarning("duplicate_trace", copy.capture.facts.path, example=said)


def _missing(run: Run) -> tuple[TraceWarning, ...]:
    """The ranks of the job without a capture, as one warning."""
    world_size = run.world_size or 0
    inside = [rank for rank in run.ranks if rank < world_size]
    count = world_size - len(inside)
    if not run.members or count <= 0:
        return ()
    gaps = [
        str(before + 1) if after == before + 2 else f"{before + 1}-{after - 1}"
        for before, after in pairwise([-1, *inside, world_size])
        if after > before + 1
    ]
    listed = ", ".join(gaps[:_GAPS_NAMED]) + (", ..." if len(gaps) > _GAPS_NAMED else "")
    return (TraceWarning("ranks_missing", "", count, f"{listed} of {world_size}"),)
