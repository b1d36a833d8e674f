"""Which captures one job recorded: sub-folders that contradict each other hold different runs.

A folder a node, a folder an iteration and a folder a run look alike by name. What tells them apart
is the processes: one job has one process for a rank, and one world size.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import PurePath

from vpstop.ranks import Claim


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
    """True where world sizes differ, or other processes have every shared rank at other times.

    At the same time they are no second run but ranks that count from 0 on every host.
    """
    sizes, other_sizes = _world_sizes(claims), _world_sizes(others)
    if sizes and other_sizes and sizes.isdisjoint(other_sizes):
        return True
    by_rank, other_by_rank = _by_rank(claims), _by_rank(others)
    shared = by_rank.keys() & other_by_rank.keys()
    pairs = [pair for rank in shared for pair in product(by_rank[rank], other_by_rank[rank])]
    return bool(pairs) and not any(_may_be_one(*pair) for pair in pairs)


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
