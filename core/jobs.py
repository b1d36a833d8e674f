"""Which captures one job recorded: sub-folders that contradict each other hold different runs.

A folder a node, a folder an iteration and a folder a run look alike by name. What tells them apart
is the processes: one job has one process for a rank, and one world size.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import PurePath
from typing import Final

from vpstop.ranks import Claim

LARGEST_CLOCK_FAULT_NS: Final = 26 * 3600 * 10**9
"""Time zones differ by at most so much: what lies further apart was not recorded at one time."""


@dataclass(slots=True)
class Job:
    """Sub-folders of one job (`""` is the opened folder itself), and what they hold."""

    folders: list[str] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The first of its folders."""
        return self.folders[0]


def top_folder(path: PurePath) -> str:
    """The first part of a relative path, empty for a file without a folder."""
    return path.parts[0] if len(path.parts) > 1 else ""


def jobs(claims: Sequence[Claim]) -> list[Job]:
    """Jobs by their first claim; each folder joins the first job that it does not contradict."""
    folders: dict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        folders[top_folder(claim.path)].append(claim)
    found: list[Job] = []
    for folder, inside in folders.items():
        job = next((job for job in found if not _contradict(job.claims, inside)), None)
        if job is None:
            job = Job()
            found.append(job)
        job.folders.append(folder)
        job.claims.extend(inside)
    return found


def _contradict(claims: Sequence[Claim], others: Sequence[Claim]) -> bool:
    """True where world sizes differ, or days lie between, or all shared ranks are other processes.

    At the same time they are no second run but ranks that count from 0 on every host.
    """
    sizes, other_sizes = _world_sizes(claims), _world_sizes(others)
    if sizes and other_sizes and sizes.isdisjoint(other_sizes):
        return True
    if _gap_ns(claims, others) > LARGEST_CLOCK_FAULT_NS:
        return True
    by_rank, other_by_rank = _by_rank(claims), _by_rank(others)
    shared = by_rank.keys() & other_by_rank.keys()
    pairs = [pair for rank in shared for pair in product(by_rank[rank], other_by_rank[rank])]
    return bool(pairs) and not any(_may_be_one(*pair) for pair in pairs)


def _gap_ns(claims: Sequence[Claim], others: Sequence[Claim]) -> int:
    """Time from the last end of one to the first start of the other; negative if they overlap."""
    spans, other_spans = _spans(claims), _spans(others)
    if not spans or not other_spans:
        return 0
    begin = max(min(start for start, _ in spans), min(start for start, _ in other_spans))
    end = min(max(end for _, end in spans), max(end for _, end in other_spans))
    return begin - end


def _spans(claims: Sequence[Claim]) -> list[tuple[int, int]]:
    """Windows that have an origin."""
    absolute = (claim for claim in claims if not claim.capture.facts.relative)
    return [claim.span_ns for claim in absolute if claim.span_ns is not None]


def _may_be_one(claim: Claim, other: Claim) -> bool:
    """True where two claims of a rank do not show that there were two runs."""
    facts, other_facts = claim.capture.facts, other.capture.facts
    is_one_process = facts.process == other_facts.process
    return claim.overlaps(other) or (is_one_process and facts.host_name == other_facts.host_name)


def _world_sizes(claims: Sequence[Claim]) -> set[int]:
    sizes = (claim.capture.facts.world_size for claim in claims)
    return {size for size in sizes if size is not None}


def _by_rank(claims: Sequence[Claim]) -> dict[int, list[Claim]]:
    found: dict[int, list[Claim]] = defaultdict(list)
    for claim in claims:
        if claim.rank is not None:
            found[claim.rank].append(claim)
    return found
