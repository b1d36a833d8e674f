"""How many processor cores this process may use."""

import os
from math import ceil
from pathlib import Path
from typing import Final

_CGROUPS: Final = Path("/sys/fs/cgroup")


def usable_cores() -> int:
    """Cores of the affinity mask, at most what the control groups around us allow; at least 1."""
    mask = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min([mask or 1, *_quotas()]))


def _quotas() -> list[int]:
    """What each control group (version 2) from ours up to the root allows, rounded up to cores."""
    try:
        own = Path("/proc/self/cgroup").read_text().rpartition("0::/")[2].strip()
    except OSError:
        return []
    groups = [_CGROUPS / own, *(_CGROUPS / own).parents]
    quotas = (_quota(group / "cpu.max") for group in groups if group.is_relative_to(_CGROUPS))
    return [quota for quota in quotas if quota is not None]


def _quota(file: Path) -> int | None:
    try:
        quota_us, period_us = file.read_text().split()
    except (OSError, ValueError):
        return None
    return None if quota_us == "max" else ceil(int(quota_us) / int(period_us))
