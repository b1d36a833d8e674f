"""The control groups around this process: what a container or a scheduler allows it."""

from pathlib import Path
from typing import Final

OWN: Final = Path("/proc/self/cgroup")
ROOT: Final = Path("/sys/fs/cgroup")


def groups(controller: str, *, own: Path = OWN, root: Path = ROOT) -> list[Path]:
    """Folders that may hold limits of a controller (`cpu`, `memory`), of version 1 or 2.

    For each hierarchy from our group up to the root; inside a container only the root may exist.
    """
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        # A system with both versions mounts the second one aside.
        tops = [root / controllers, root / controller] if controllers else [root, root / "unified"]
        for top in dict.fromkeys(tops):
            group = top / path.lstrip("/")
            found += [folder for folder in (group, *group.parents) if folder.is_relative_to(top)]
    return found


def value(file: Path) -> int | None:
    """The number in a file; None where there is none, or no limit."""
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return None
