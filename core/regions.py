"""Regions of clouds: where they are, and what light needs from one to another."""

import tomllib
from functools import cache
from importlib.resources import files
from math import asin, cos, radians, sin, sqrt
from typing import Any, Final, NamedTuple

_LIGHT_KM_PER_NS: Final = 299_792.458 / 1e9

_RADIUS_KM: Final = 6335.4
"""The smallest radius of curvature of the ellipsoid: no way over ground is shorter than on a
sphere of this size."""

_SITE_KM: Final = 150.0
"""A data centre is within so much of the city that its region is known by."""


class Place(NamedTuple):
    """A city."""

    city: str
    latitude: float
    """Degrees north."""
    longitude: float
    """Degrees east."""


def places(region: str) -> frozenset[Place]:
    """Where a region is, said as `eu-central-1` or `aws:eu-central-1`; empty for an unknown one.

    Several places where providers use one name for different regions.
    """
    provider, _, name = region.strip().casefold().rpartition(":")
    known = _regions()
    return frozenset(
        place for (of, called), place in known.items() if called == name and provider in ("", of)
    )


def least_delay_ns(one: Place, two: Place) -> int:
    """What light in vacuum needs from any site at one city to any site at the other."""
    return int(max(0.0, _apart_km(one, two) - 2 * _SITE_KM) / _LIGHT_KM_PER_NS)


def _apart_km(one: Place, two: Place) -> float:
    """Great circle (haversine)."""
    north, other = radians(one.latitude), radians(two.latitude)
    east = radians(two.longitude - one.longitude)
    half = sin((other - north) / 2) ** 2 + cos(north) * cos(other) * sin(east / 2) ** 2
    return 2 * _RADIUS_KM * asin(sqrt(min(half, 1.0)))


@cache
def _regions() -> dict[tuple[str, str], Place]:
    """All that `regions.toml` knows, by provider and name."""
    text = files("vpstop.assets").joinpath("regions.toml").read_text(encoding="utf-8")
    known: dict[str, Any] = tomllib.loads(text)
    return {
        (provider, name): Place(city, *known["cities"][city])
        for provider, regions in known["regions"].items()
        for name, city in regions.items()
    }
