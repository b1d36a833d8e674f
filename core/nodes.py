"""What the user says of hosts and the links between them, in `nodes.toml` or with options.

    [hosts.tyo1]
    region = "ap-northeast-1"
    price_per_hour = 0.526
    offset = "+0s"              # known clock offset, taken as given
    [links."fra1-tyo1"]
    rtt_ms = 230
    gbps = 0.2

All of it is optional. A value that makes no sense costs that value and gives a warning.
"""

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

from vpstop.offsets import parse_offset
from vpstop.read.capture import TraceWarning
from vpstop.read.recognise import NODES_FILE
from vpstop.regions import least_delay_ns, places
from vpstop.text import clean

_MOST: Final = 1e9
"""No price, round trip (ms) or bandwidth is larger."""


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What is said of a host."""

    region: str = ""
    price_per_hour: float | None = None
    """In whatever money the user counts."""
    offset_ns: int | None = None
    """This clock minus the true time."""

    def under(self, newer: "HostFacts") -> "HostFacts":
        """Both together; where both say something, `newer` counts."""
        price, offset_ns = newer.price_per_hour, newer.offset_ns
        return HostFacts(
            newer.region or self.region,
            self.price_per_hour if price is None else price,
            self.offset_ns if offset_ns is None else offset_ns,
        )


@dataclass(frozen=True, slots=True)
class LinkFacts:
    """What is said of the way between two hosts, the same in both directions."""

    rtt_ns: int | None = None
    gbps: float | None = None
    """Gbit/s."""

    def under(self, newer: "LinkFacts") -> "LinkFacts":
        """Both together; where both say something, `newer` counts."""
        return LinkFacts(
            self.rtt_ns if newer.rtt_ns is None else newer.rtt_ns,
            self.gbps if newer.gbps is None else newer.gbps,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """All that is said, and what of it could not be understood."""

    hosts: Mapping[str, HostFacts] = field(default_factory=dict)
    links: Mapping[frozenset[str], LinkFacts] = field(default_factory=dict)
    """By the two hosts."""
    warnings: tuple[TraceWarning, ...] = ()

    def host(self, name: str) -> HostFacts:
        """What is said of a host, maybe nothing."""
        return self.hosts.get(name, _NOTHING)

    def link(self, host: str, other: str) -> LinkFacts:
        """What is said of the way between two hosts, maybe nothing."""
        return self.links.get(frozenset((host, other)), _NO_LINK)

    def least_delay_ns(self, host: str, other: str) -> int:
        """What light in vacuum needs between the regions of two hosts, 0 where one is not given.

        A lower bound of the delay of any message, whatever the network (alignment section 4,
        step 5).
        """
        here, there = places(self.host(host).region), places(self.host(other).region)
        return min((least_delay_ns(one, two) for one in here for two in there), default=0)

    def under(self, newer: "Nodes") -> "Nodes":
        """Both together; where both say something, `newer` counts."""
        hosts, links = dict(self.hosts), dict(self.links)
        for name, facts in newer.hosts.items():
            hosts[name] = self.host(name).under(facts)
        for ends, link in newer.links.items():
            links[ends] = self.links.get(ends, _NO_LINK).under(link)
        return Nodes(hosts, links, self.warnings + newer.warnings)

    def unknown(self, hosts: Collection[str]) -> tuple[str, ...]:
        """The names that are none of these hosts, each once."""
        said = dict.fromkeys((*self.hosts, *chain.from_iterable(map(sorted, self.links))))
        return tuple(name for name in said if name not in hosts)


_NOTHING: Final = HostFacts()
_NO_LINK: Final = LinkFacts()

NO_NODES: Final = Nodes()


def given_offsets(offsets: Mapping[str, int]) -> Nodes:
    """What `--offset` says: by how many nanoseconds which clock is ahead."""
    return Nodes({clean(host): HostFacts(offset_ns=ns) for host, ns in offsets.items()})


def beside(paths: Iterable[str | Path], traces: Iterable[str | Path] = ()) -> tuple[Path, ...]:
    """The `nodes.toml` files in or beside opened paths, then those beside the traces in them."""
    opened = (path if path.is_dir() else path.parent for path in map(Path, paths))
    homes = (*opened, *(Path(trace).parent for trace in traces))
    found = {home.absolute() / NODES_FILE: None for home in homes}
    return tuple(path for path in found if path.is_file())


def read_nodes(path: Path, hosts: Collection[str] = ()) -> Nodes:
    """What a file says; `hosts` are those of the run, and names that are not among them a warning.

    `hosts` also tell where the name of a link is to be cut that has several dashes. Never raises:
    a file that cannot be read says nothing, with a warning.
    """
    try:
        said = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        return Nodes(warnings=(_warning(path, error.strerror or str(error)),))
    except (ValueError, RecursionError) as error:
        return Nodes(warnings=(_warning(path, f"not TOML: {error}"),))
    reading = _Reading(path, hosts)
    found = Nodes(dict(reading.hosts(said)), dict(reading.links(said)))
    reading.complain_of_others("", said, ("hosts", "links"))
    for host in found.unknown(hosts) if hosts else ():
        reading.complain(f"there is no host {host} in this run")
    return replace(found, warnings=tuple(reading.warnings))


def _warning(path: Path, said: str) -> TraceWarning:
    return TraceWarning("bad_nodes", str(path), example=clean(said))


class _Reading:
    """One file being read; what cannot be understood is collected."""

    def __init__(self, path: Path, hosts: Collection[str]) -> None:
        self._path = path
        self._known = set(hosts)
        self.warnings: list[TraceWarning] = []

    def complain(self, said: str) -> None:
        self.warnings.append(_warning(self._path, said))

    def complain_of_others(
        self, where: str, said: Mapping[str, Any], keys: Collection[str]
    ) -> None:
        """Keys that mean nothing: most likely mistyped."""
        for key in [key for key in said if key not in keys]:
            hint = ""
            if where.startswith("hosts.") and isinstance(said[key], dict):
                hint = f'; a name with dots needs quotes: [hosts."{where[6:]}.{key}"]'
            self.complain(f"{where and where + '.'}{key} means nothing here{hint}")

    def hosts(self, said: Mapping[str, Any]) -> Iterator[tuple[str, HostFacts]]:
        for name, facts in self._tables(said, "hosts"):
            where, host = f"hosts.{name}", clean(name)
            self._known.add(host)
            yield (
                host,
                HostFacts(
                    region=self._region(where, facts),
                    price_per_hour=self._number(where, facts, "price_per_hour"),
                    offset_ns=self._offset_ns(where, facts),
                ),
            )
            self.complain_of_others(where, facts, ("region", "price_per_hour", "offset"))

    def links(self, said: Mapping[str, Any]) -> Iterator[tuple[frozenset[str], LinkFacts]]:
        for name, facts in self._tables(said, "links"):
            where = f"links.{name}"
            rtt_ms = self._number(where, facts, "rtt_ms", above=0)
            gbps = self._number(where, facts, "gbps", above=0)
            self.complain_of_others(where, facts, ("rtt_ms", "gbps"))
            if (ends := self._ends(clean(name))) is not None:
                yield ends, LinkFacts(None if rtt_ms is None else round(rtt_ms * 1e6), gbps)

    def _tables(self, said: Mapping[str, Any], key: str) -> Iterator[tuple[str, dict[str, Any]]]:
        tables = said.get(key, {})
        if not isinstance(tables, dict):
            self.complain(f"{key} is no table: write [{key}.NAME]")
            return
        for name, facts in tables.items():
            if isinstance(facts, dict):
                yield name, facts
            else:
                self.complain(f"{key}.{name} is no table: write [{key}.NAME]")

    def _ends(self, name: str) -> frozenset[str] | None:
        """The two hosts of `fra1-tyo1`; names of hosts may have dashes too."""
        parts = name.split("-")
        cuts = [
            ("-".join(parts[:cut]).strip(), "-".join(parts[cut:]).strip())
            for cut in range(1, len(parts))
        ]
        cuts = [(one, two) for one, two in cuts if one and two and one != two]
        known = [ends for ends in cuts if self._known.issuperset(ends)]
        chosen = known or cuts
        if len(chosen) == 1:
            return frozenset(chosen[0])
        self.complain(f'links.{name} does not tell two hosts apart: write [links."HOST-HOST"]')
        return None

    def _region(self, where: str, facts: Mapping[str, Any]) -> str:
        region = facts.get("region", "")
        if not isinstance(region, str):
            self.complain(f"{where}.region: {region!r} is no text")
            return ""
        if region and not places(region):
            self.complain(f"{where}.region: {region!r} is not among the known regions")
        return clean(region)

    def _number(
        self, where: str, facts: Mapping[str, Any], key: str, *, above: float | None = None
    ) -> float | None:
        value = facts.get(key)
        if value is None:
            return None
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and 0 <= value <= _MOST and (above is None or value > above):
            return float(value)
        self.complain(f"{where}.{key}: {value!r} is no number that makes sense")
        return None

    def _offset_ns(self, where: str, facts: Mapping[str, Any]) -> int | None:
        offset = facts.get("offset")
        if offset is None:
            return None
        try:
            return parse_offset(offset if isinstance(offset, str) else repr(offset))
        except ValueError as error:
            self.complain(f"{where}.offset: {error}")
            return None
