"""Nanoseconds are exact in every form that traces have them in."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from vpstop.read.parser.timestamps import Inexact, durations, nanoseconds

LIMIT_NS = (1 << 43) * 1000


@given(st.lists(st.integers(-LIMIT_NS + 1, LIMIT_NS - 1)))
def test_doubles_below_the_limit_keep_the_nanosecond(ns: list[int]) -> None:
    assert nanoseconds([float(Decimal(value) / 1000) for value in ns]).tolist() == ns


@given(st.lists(st.integers(0, 4 * 10**18)))
def test_texts_keep_the_nanosecond(ns: list[int]) -> None:
    texts = [Raw(f"{value // 1000}.{value % 1000:03}".encode()) for value in ns]
    assert nanoseconds(texts).tolist() == ns


@given(st.lists(st.integers(0, 4 * 10**18)))
def test_texts_without_closing_zeros_keep_the_nanosecond(ns: list[int]) -> None:
    texts = [Raw(str(Decimal(value) / 1000).encode()) for value in ns]
    assert nanoseconds(texts).tolist() == ns


def test_a_double_beyond_the_limit_is_not_believed() -> None:
    with pytest.raises(Inexact):
        nanoseconds([1712195495519689.047])
    with pytest.raises(Inexact):
        nanoseconds([1.5, "2", 1712195495519689.047])


def test_whole_microseconds_are_exact_however_large() -> None:
    assert nanoseconds([1623212388426902, 0]).tolist() == [1623212388426902000, 0]


@pytest.mark.parametrize("time", ["nan", "inf", "", "soon", None, 10**40, Raw(b"null")])
def test_what_is_no_time_is_zero(time: object) -> None:
    assert nanoseconds([time]).tolist() == [0]


def test_times_of_mixed_types() -> None:
    assert nanoseconds([1, 2.5, "3.125", " 4 "]).tolist() == [1000, 2500, 3125, 4000]
    raw = [Raw(b"1"), Raw(b"2.5"), Raw(b'"3.125"'), Raw(b"4e0"), Raw(b"5.0001"), 0]
    assert nanoseconds(raw).tolist() == [1000, 2500, 3125, 4000, 5000, 0]


def test_a_record_without_a_time_before_texts() -> None:
    assert nanoseconds([0, 0, Raw(b"2.5")]).tolist() == [0, 0, 2500]


def test_durations_are_never_negative() -> None:
    found = durations([1.5, -1, 18446742361468804.7, 0])
    assert found.ns.tolist() == [1500, 0, 0, 0]
    assert found.is_bad.tolist() == [False, True, True, False]


def test_durations_as_text() -> None:
    found = durations(["58.217", "-3", None, "nan", 7])
    assert found.ns.tolist() == [58217, 0, 0, 0, 7000]
    assert found.is_bad.tolist() == [False, True, False, False, False]


def test_no_times() -> None:
    assert nanoseconds([]).dtype == np.int64
    assert durations([]).ns.dtype == np.int64
