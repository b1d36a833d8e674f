"""Offsets as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vpstop.offsets import parse_offset

H, M, S, MS = 3_600 * 10**9, 60 * 10**9, 10**9, 10**6


@pytest.mark.parametrize(
    ("word", "offset_ns"),
    [
        ("+4h", 4 * H),
        ("-120ms", -120 * MS),
        ("+0s", 0),
        ("1h30m", H + 30 * M),
        ("1h 30min", H + 30 * M),
        ("+3.5s", 3 * S + 500 * MS),
        ("-5h45m", -(5 * H + 45 * M)),
        ("4h213.4ms", 4 * H + 213_400_000),
        ("12us", 12_000),
        ("12µs", 12_000),
        ("7ns", 7),
        ("0.3s", 300 * MS),
        (" + 4 h ", 4 * H),
        ("3m2ms", 3 * M + 2 * MS),
    ],
)
def test_an_offset(word: str, offset_ns: int) -> None:
    assert parse_offset(word) == offset_ns


@pytest.mark.parametrize(
    "word", ["", "+", "4", "h", "+4x", "4h4h", "30m1h", "1e3s", "--4h", "٤h", "4,5s", "nan", "1.h"]
)
def test_no_offset(word: str) -> None:
    with pytest.raises(ValueError, match="is no offset: write"):
        parse_offset(word)


def test_no_clock_is_off_by_centuries() -> None:
    assert parse_offset("1000000h") == 1_000_000 * H
    with pytest.raises(ValueError, match="more than a clock can be off"):
        parse_offset("2000000h")


@given(st.text())
def test_any_text_is_an_offset_or_a_value_error(word: str) -> None:
    try:
        assert isinstance(parse_offset(word), int)
    except ValueError as error:
        assert "offset" in str(error)
