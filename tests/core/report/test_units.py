"""Numbers as people read them."""

import pytest

from vpstop.report.units import count, duration, moment, percent, plural, ranges, size


@pytest.mark.parametrize(
    ("ns", "shown"),
    [
        (0, "0"),
        (1, "1 ns"),
        (999, "999 ns"),
        (999.7, "1.000 µs"),
        (1_234, "1.234 µs"),
        (9_999.6, "10.00 µs"),
        (12_345, "12.35 µs"),
        (123_450, "123.5 µs"),
        (999_960, "1.000 ms"),
        (1_234_000, "1.234 ms"),
        (98_760_000_000, "98.76 s"),
        (725_000_000_000, "12 min 05 s"),
        (12_000_000_000_000, "3 h 20 min"),
        (-1_234, "-1.234 µs"),
        (-725_000_000_000, "-12 min 05 s"),
    ],
)
def test_durations(ns: float, shown: str) -> None:
    assert duration(ns) == shown


@pytest.mark.parametrize(
    ("bytes_", "shown"),
    [(0, "0 B"), (1023, "1023 B"), (1536, "1.500 KiB"), (34_079_899_648, "31.74 GiB")],
)
def test_sizes(bytes_: int, shown: str) -> None:
    assert size(bytes_) == shown


def test_what_is_not_zero_does_not_look_like_it() -> None:
    assert percent(0) == "0.0 %"
    assert percent(0.0004) == "< 0.1 %"
    assert percent(0.451) == "45.1 %"
    assert percent(1) == "100.0 %"


def test_counts_and_their_nouns() -> None:
    assert count(1234567) == "1,234,567"
    assert plural(1, "rank") == "1 rank"
    assert plural(2000, "rank") == "2,000 ranks"
    assert plural(2, "process", "processes") == "2 processes"


def test_moments_are_utc_and_never_fail() -> None:
    assert moment(1_712_195_495_502_094_565) == "2024-04-04 01:51:35.502 UTC"
    assert moment(-1) == "1969-12-31 23:59:59.999 UTC"
    assert moment(2**63 - 1) == "2262-04-11 23:47:16.854 UTC"


def test_runs_of_numbers() -> None:
    assert ranges([]) == ""
    assert ranges([0, 1, 2, 5, 7, 8]) == "0-2, 5, 7-8"
