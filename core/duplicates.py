"""Files that hold what another file holds: `x.json` beside `x.json.gz`, a fragment, a leftover."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from vpstop.ranks import Claim
from vpstop.read.capture import Int64, Slices


def copies(claims: Sequence[Claim]) -> dict[Claim, Claim]:
    """Each claim whose slices are all in another capture, and that other one, which is kept."""
    by_process: dict[Hashable, list[Claim]] = defaultdict(list)
    for claim in sorted(claims, key=_worth, reverse=True):
        facts = claim.capture.facts
        said = (facts.given_rank, facts.rank)
        by_process[facts.process, facts.host_name, *said].append(claim)
    found = _leftovers(claims)
    for group in by_process.values():
        kept: list[Claim] = []
        for claim in group:
            original = next((other for other in kept if _is_copy(claim, other)), None)
            if claim in found:
                continue
            if original is None:
                kept.append(claim)
            else:
                found[claim] = original
    return found


def _worth(claim: Claim) -> tuple[bool, int]:
    return claim.capture.facts.complete, len(claim.capture.slices)


def _leftovers(claims: Iterable[Claim]) -> dict[Claim, Claim]:
    """What a writer had of a file before it died, where the file was written all the same."""
    by_path = {claim.path: claim for claim in claims}
    finals = (
        (claim, by_path.get(claim.path.with_suffix("")))
        for claim in claims
        if claim.path.suffix == ".tmp"
    )
    return {claim: final for claim, final in finals if final is not None and claim.overlaps(final)}


def _is_copy(claim: Claim, other: Claim) -> bool:
    if not claim.overlaps(other):
        return False
    id_, other_id = claim.capture.facts.trace_id, other.capture.facts.trace_id
    if id_ and id_ == other_id and claim.span_ns == other.span_ns:
        return True
    part, whole = _times(claim.capture.slices), _times(other.capture.slices)
    if len(part) >= len(whole):
        return np.array_equal(part, whole)
    return bool(np.isin(part, whole).all())


def _times(slices: Slices) -> Int64:
    """One number for the start and duration of each slice."""
    return slices.start_ns * np.int64(1_000_003) + slices.duration_ns
