"""The clocks of a run: per host its offset, its bounds, and in words how far to trust it."""

from dataclasses import dataclass
from math import hypot
from typing import Literal

import numpy as np
import numpy.typing as npt

from vpstop.clock.matches import Matches
from vpstop.clock.time_map import TimeMap

Int64 = npt.NDArray[np.int64]

Method = Literal["same_clock", "given", "probe", "collectives", "wall_clock", "steps", "none"]
"""What the offset comes from; `wall_clock` also where collectives did not refute it."""

WallClock = Literal["kept", "refuted", "unverified"]

Confidence = Literal["exact", "high", "medium", "low", "none"]


@dataclass(frozen=True, slots=True)
class HostClock:
    """The clock of one host against the reference, in the terms of the report (design: clocks)."""

    host: str
    members: tuple[int, ...]
    """Rows of `Run.members`; captures without an origin of time have clocks of their own."""
    offset_ns: int
    """This clock minus the reference clock, at `Clocks.at_ns`."""
    drift_ppm: float
    """How much faster this clock runs than the reference; 0 where it was not estimated."""
    expected_ns: int | None
    """The error of the offset that 95 % of such estimates keep; None where nothing tells."""
    low_ns: int | None
    """With `high_ns` the interval that causality guarantees; None where it is open."""
    high_ns: int | None
    causality_slack_ns: int
    """By how much time stamps violate causality, whatever the offset; 0 in good traces."""
    method: Method
    events: int
    """Matched parts on this host that the estimate rests on."""
    unmatched: int
    ambiguous: int
    timezone_hours: float | None
    """Whole quarters of an hour by which the clock is off; None where it is not."""
    wall_clock: WallClock
    confidence: Confidence


@dataclass(frozen=True, slots=True, eq=False)
class Clocks:
    """All clocks of a run; hosts in the order of the run."""

    reference: str
    """Host whose clock is common time."""
    at_ns: int
    """Common time at which offsets hold: the middle of the run."""
    hosts: tuple[HostClock, ...]
    host_of: tuple[int, ...]
    """For each of `Run.members` its row of `hosts`."""
    device_shift_ns: tuple[int, ...]
    """For each of `Run.members` what its device times were moved by; 0 where clocks agree."""
    matches: Matches
    pair_low_ns: npt.NDArray[np.float64]
    """(h, h): the least that causality allows for offset i minus offset j, -inf where open."""

    def map(self, member: int) -> TimeMap:
        """The clock of a member's host."""
        clock = self.hosts[self.host_of[member]]
        return TimeMap(clock.offset_ns, clock.drift_ppm, self.at_ns)

    def error_ns(self, member: int, other: int) -> int | None:
        """Expected error (95 %) of the difference of two aligned times; None where nothing tells.

        0 on one host. Errors of two hosts are independent; half of the guaranteed interval bounds
        what they add up to.
        """
        one, two = self.host_of[member], self.host_of[other]
        if one == two:
            return 0
        error_ns, other_ns = self.hosts[one].expected_ns, self.hosts[two].expected_ns
        if error_ns is None or other_ns is None:
            return None
        half_ns = float(-(self.pair_low_ns[one, two] + self.pair_low_ns[two, one]) / 2)
        return round(min(hypot(error_ns, other_ns), max(half_ns, 0.0)))
