"""What the user says of files, which overrules what they and their names say of themselves."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from vpstop.read.capture import Capture
from vpstop.read.digest import SUFFIX


class GivenRank(NamedTuple):
    """These files are of this rank."""

    files: str
    """A name, the end of a path, or a glob of either."""
    rank: int


class GivenHost(NamedTuple):
    """These files are of this host."""

    files: str
    """As in `GivenRank`."""
    host: str


@dataclass(frozen=True, slots=True)
class Given:
    """Where several fit a file, the last one counts."""

    ranks: Sequence[GivenRank] = ()
    hosts: Sequence[GivenHost] = ()

    def unmatched(self, paths: Iterable[Path]) -> tuple[str, ...]:
        """What is said of files that are not there, each once."""
        named = [_names(path) for path in paths]
        said = dict.fromkeys(files for files, _ in (*self.ranks, *self.hosts))
        return tuple(files for files in said if not any(_fits(files, one) for one in named))

    def applied(self, capture: Capture, path: Path) -> Capture:
        """The capture of a file with what is said of that file."""
        rank, host = self.rank_of(path), self.host_of(path)
        if rank is None and not host:
            return capture
        facts = capture.facts
        rank = facts.given_rank if rank is None else rank
        facts = replace(facts, given_rank=rank, given_host=host or facts.given_host)
        return replace(capture, facts=facts)

    def rank_of(self, path: Path) -> int | None:
        """The rank that is said of a file."""
        names = _names(path)
        return next((one.rank for one in reversed(self.ranks) if _fits(one.files, names)), None)

    def host_of(self, path: Path) -> str:
        """The host that is said of a file, empty where nothing is."""
        names = _names(path)
        return next((one.host for one in reversed(self.hosts) if _fits(one.files, names)), "")


NOTHING_GIVEN: Final = Given()


def _names(path: Path) -> tuple[PurePath, ...]:
    """The absolute path; a digest may also be called as its trace was."""
    whole = path.absolute()
    return (whole, whole.with_suffix("")) if whole.suffix == SUFFIX else (whole,)


def _fits(files: str, names: Iterable[PurePath]) -> bool:
    parts = PurePath(files).parts
    if not parts:
        return False
    # Brackets are part of some names: what is there as it is written needs no glob.
    return any(name.parts[-len(parts) :] == parts or name.match(files) for name in names)
