"""Aligns the clocks of a run (alignment section 4)."""

import numpy as np

from vpstop.clock.clocks import Clocks, HostClock
from vpstop.clock.domains import Domain, domains
from vpstop.clock.matches import no_matches
from vpstop.run import Run


def align(run: Run) -> Clocks:
    """The clocks of a run, each as its host tells it: one host is exact, others are unverified."""
    found = domains(run)
    span_ns = run.span_ns or (0, 0)
    hosts = len(found)
    return Clocks(
        reference=found[0].host if found else "",
        at_ns=(span_ns[0] + span_ns[1]) // 2,
        hosts=tuple(_as_told(domain, is_reference=not row) for row, domain in enumerate(found)),
        host_of=_host_of(found, len(run.members)),
        device_shift_ns=(0,) * len(run.members),
        matches=no_matches(len(run.members)),
        pair_low_ns=np.where(np.eye(hosts, dtype=bool), 0.0, -np.inf),
    )


def _host_of(found: tuple[Domain, ...], members: int) -> tuple[int, ...]:
    row_of = {member: row for row, domain in enumerate(found) for member in domain.members}
    return tuple(row_of[member] for member in range(members))


def _as_told(domain: Domain, *, is_reference: bool) -> HostClock:
    return HostClock(
        host=domain.host,
        members=domain.members,
        offset_ns=0,
        drift_ppm=0.0,
        expected_ns=0 if is_reference else None,
        low_ns=0 if is_reference else None,
        high_ns=0 if is_reference else None,
        causality_slack_ns=0,
        method="same_clock" if is_reference else "wall_clock" if domain.is_wall_clock else "none",
        events=0,
        unmatched=0,
        ambiguous=0,
        timezone_hours=None,
        wall_clock="kept" if is_reference else "unverified",
        confidence="exact" if is_reference else "none",
    )
