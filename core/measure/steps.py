"""Which steps medians are taken over (metrics section 3)."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from vpstop.read.steps import Step

STALL: Final = 3
"""A last step of more than this many medians was stalled by the export of the trace."""


def typical_steps(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps that medians are taken over.

    The first of a window warms up, and the last one is left out when the export stalled it. Fewer
    than 3 steps are one sample: all of them count.
    """
    if len(steps) < 3:
        return tuple(steps)
    inner, last = steps[1:-1], steps[-1]
    if last.duration_ns > STALL * _median_ns(inner):
        return tuple(inner)
    return (*inner, last)


def step_ns(steps: Sequence[Step]) -> int | None:
    """Median duration of the typical steps; None without steps."""
    return _median_ns(typical_steps(steps)) if steps else None


def _median_ns(steps: Sequence[Step]) -> int:
    return int(np.median([step.duration_ns for step in steps]))
