"""How many processor cores this process may use."""

import os
from collections.abc import Sequence
from math import ceil
from pathlib import Path

from vpstop.read.cgroups import groups, value


def usable_cores() -> int:
    """Cores of the affinity mask, at most what the control groups around us allow; at least 1."""
    mask = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min([mask or 1, *allowed_cores(groups("cpu"))]))


def allowed_cores(folders: Sequence[Path]) -> list[int]:
    """What each control group that has a limit allows, rounded up to cores."""
    limits = (_limit(folder) for folder in folders)
    return [ceil(quota_us / period_us) for quota_us, period_us in limits if quota_us > 0]


def _limit(folder: Path) -> tuple[int, int]:
    """Quota and period in microseconds; without a limit the quota is not positive."""
    try:
        quota, period = (folder / "cpu.max").read_text().split()
        return int(quota), int(period)
    except (OSError, ValueError):  # of version 1, or "max"
        quota_us = value(folder / "cpu.cfs_quota_us")
        return quota_us or 0, value(folder / "cpu.cfs_period_us") or 1
