"""Integers and ids in the spellings of trace files."""

import pytest

from vpstop.read.parser.codes import Codes, integers, text_of


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (7, 7),
        (7.0, 7),
        ("7", 7),
        ("7.0", 7),
        ("-7", -7),
        ("0x1f", 31),
        ("0X1F", 31),
        (True, 1),
        (2**64 - 4, -4),
        ("18446744073709551612", -4),
        (9223372036854775807, 9223372036854775807),
    ],
)
def test_numbers_in_every_spelling(value: object, number: int) -> None:
    assert integers([value]).tolist() == [number]
    assert integers([value, None, 5]).tolist() == [number, 0, 5]


@pytest.mark.parametrize(
    "value", [None, "", "N/A", float("inf"), float("nan"), 2**70, "9" * 5000, [1], {}, "1e9"]
)
def test_what_is_no_number_is_missing(value: object) -> None:
    assert integers([value], missing=-1).tolist() == [-1]


def test_equal_ids_of_different_types_have_one_code() -> None:
    codes = Codes(text_of)
    assert len({codes[value] for value in (7, 7.0, "7")}) == 1
    assert list(codes.table) == ["7"]


def test_ids_and_names_are_fit_for_a_terminal() -> None:
    assert text_of("\x1b[31mred\u202e") == "[31mred"
    assert text_of(None) == ""
    assert text_of(1.5) == "1.5"
