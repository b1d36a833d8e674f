"""Regions: their places, and bounds that physics cannot break."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from vpstop.regions import Place, least_delay_ns, places

TABLE = Path(__file__).parents[2] / "assets" / "regions.toml"

BAREST = Place("", 0.0, 0.0)


def known() -> dict[str, Any]:
    return tomllib.loads(TABLE.read_text())


def typical() -> Iterator[tuple[str, str, float]]:
    """Pairs of regions, and the round trip between them in ms."""
    for provider, table in known()["typical_rtt_ms"].items():
        for one, others in table.items():
            for other, rtt_ms in others.items():
                yield f"{provider}:{one}", f"{provider}:{other}", rtt_ms


def only(region: str) -> Place:
    (place,) = places(region)
    return place


@pytest.mark.parametrize(
    ("region", "city"),
    [
        ("ap-northeast-1", "Tokyo"),
        ("AWS:ap-northeast-1", "Tokyo"),
        ("europe-west3", "Frankfurt"),
        ("germanywestcentral", "Frankfurt"),
        ("fsn1", "Falkenstein"),
        ("GRA11", "Gravelines"),
        ("nyc3", "New York"),
        ("ewr", "Newark"),
        ("linode:us-east", "Newark"),
    ],
)
def test_where_a_region_is(region: str, city: str) -> None:
    assert only(region).city == city


@pytest.mark.parametrize("region", ["", "mars-north-1", "gcp:ap-northeast-1", ":", "aws:"])
def test_an_unknown_region_is_nowhere(region: str) -> None:
    assert not places(region)


def test_a_quarter_of_the_globe() -> None:
    """pi / 2 x 6335.4 km less twice 150 km, at 299.792458 km per ms: 32.194 ms."""
    assert least_delay_ns(BAREST, Place("", 0.0, 90.0)) == pytest.approx(32.1942e6, rel=1e-5)
    assert least_delay_ns(BAREST, Place("", 90.0, 0.0)) == pytest.approx(32.1942e6, rel=1e-5)
    assert least_delay_ns(BAREST, Place("", 0.0, 180.0)) == pytest.approx(65.389e6, rel=1e-4)


def test_neighbours_promise_nothing() -> None:
    assert least_delay_ns(only("eu-central-1"), only("fsn1")) == 0
    assert least_delay_ns(only("eu-central-1"), only("eu-central-1")) == 0


def test_a_known_distance() -> None:
    """Frankfurt to Tokyo is 9360 km over ground: light needs 31.2 ms."""
    delay_ns = least_delay_ns(only("eu-central-1"), only("ap-northeast-1"))
    assert delay_ns == least_delay_ns(only("ap-northeast-1"), only("eu-central-1"))
    assert 29.5e6 < delay_ns < 31.2e6


def test_every_region_has_a_place_and_every_city_a_region() -> None:
    table = known()
    cities = {city for regions in table["regions"].values() for city in regions.values()}
    assert cities == set(table["cities"])
    assert all(
        -90 <= north <= 90 and -180 <= east <= 180 for north, east in table["cities"].values()
    )
    assert len(table["regions"]) >= 8


def test_names_are_written_as_they_are_looked_up() -> None:
    for provider, regions in known()["regions"].items():
        assert all(places(f"{provider}:{name}") for name in regions)


def test_no_typical_round_trip_is_faster_than_light() -> None:
    pairs = list(typical())
    assert len(pairs) == 16 * 15 / 2
    for one, other, rtt_ms in pairs:
        assert rtt_ms * 1e6 > 2 * least_delay_ns(only(one), only(other)), (one, other)
