"""Clock domains: the captures that were timed by the same clock."""

from collections import defaultdict
from dataclasses import dataclass

from vpstop.run import Run


@dataclass(frozen=True, slots=True)
class Domain:
    """A clock, and who used it."""

    host: str
    members: tuple[int, ...]
    """Rows of `Run.members`."""
    is_wall_clock: bool
    """False where times count from an unknown moment."""


def domains(run: Run) -> tuple[Domain, ...]:
    """One for each host, in the order of the run; a capture without an origin is one of its own."""
    found: dict[tuple[str, int | None], list[int]] = defaultdict(list)
    for row, member in enumerate(run.members):
        found[member.host, row if member.capture.facts.relative else None].append(row)
    return tuple(
        Domain(host, tuple(rows), is_wall_clock=own is None) for (host, own), rows in found.items()
    )
