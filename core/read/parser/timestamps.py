"""Microseconds of a trace file to exact int64 nanoseconds.

A double holds three decimals of a microsecond below 2**43 (101 days): enough for times relative to
a base. Absolute times of 19 digits are parsed from their text. Multiplying a double by 1000 first
would lose nanoseconds already at half of that.
"""

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Raw

Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]

EXACT_US: Final = float(1 << 43)
_LARGEST_NS: Final = 1 << 62
_LARGEST_US: Final = _LARGEST_NS // 1000


class Inexact(Exception):
    """Times came as doubles that cannot hold their nanoseconds: decode their text instead."""


class Durations(NamedTuple):
    """Durations, at least 0."""

    ns: Int64
    is_bad: Bool
    """Which had to be made so."""
    is_no_number: Bool
    """Which are texts that say none, such as `inf`."""


def nanoseconds(us: Sequence[Any]) -> Int64:
    """Nanoseconds of numbers, texts and raw texts; 0 where there is none of less than 146 years.

    Raises `Inexact` for floats of 2**43 and more.
    """
    first = next((value for value in us if value != 0), 0)  # records without a time hold 0
    if isinstance(first, Raw):
        return _from_texts(us)
    column = np.asarray(us) if us else np.zeros(0)
    if column.dtype.kind == "f" and _is_exact(column):
        return _split(column)
    if column.dtype.kind == "i" and len(column) and np.abs(column).max() <= _LARGEST_US:
        return column.astype(np.int64) * 1000
    return np.array([_one(value) for value in us], np.int64)


def durations(us: Sequence[Any]) -> Durations:
    """Nanoseconds of durations: negative and overflowed ones are 0 and bad, missing ones 0."""
    column = np.asarray(us) if us else np.zeros(0)
    is_no_number = np.zeros(len(us), np.bool_)
    if column.dtype.kind not in "fi":
        column = np.array([_duration(value) for value in us])
        is_no_number = without_number(us, column)
    is_bad = ~((column >= 0) & (column < EXACT_US))
    return Durations(_split(np.where(is_bad, 0, column)), is_bad, is_no_number)


def without_number(us: Sequence[Any], found: npt.NDArray[Any]) -> Bool:
    """Which of the values are texts that say no number, such as `inf`; they were found to be 0."""
    which = np.zeros(len(us), np.bool_)
    for row in np.flatnonzero(found == 0).tolist():
        which[row] = _says_no_number(us[row])
    return which


def _is_exact(column: npt.NDArray[np.float64]) -> bool:
    return bool((np.abs(column) < EXACT_US).all())


def _split(column: npt.NDArray[Any]) -> Int64:
    if column.dtype.kind == "i":
        return column.astype(np.int64) * 1000
    whole = np.floor(column)
    below_us = np.rint((column - whole) * 1000)
    ns: Int64 = whole.astype(np.int64) * 1000 + below_us.astype(np.int64)
    return ns


def _from_texts(us: Sequence[Any]) -> Int64:
    """Plain decimals with at most three places at once, everything else one by one."""
    try:
        joined = b" ".join(us) + b" "
    except TypeError:  # a record without a time holds the number 0
        return np.array([_one(value) for value in us], np.int64)
    text = np.frombuffer(joined, np.uint8)
    dot, end = np.flatnonzero(text == ord(".")), np.flatnonzero(text == ord(" "))
    digits = np.count_nonzero((text >= ord("0")) & (text <= ord("9")))
    if digits + len(dot) + len(end) != len(text) or len(end) != len(us):
        return np.array([_one(value) for value in us], np.int64)
    number = np.searchsorted(end, dot)
    places = np.zeros(len(us), np.int64)
    places[number] = end[number] - dot - 1
    if places.max(initial=0) > 3 or len(dot) > len(us):
        return np.array([_one(value) for value in us], np.int64)
    digits_read = np.fromstring(joined.replace(b".", b""), np.int64, sep=" ")
    factor = 10 ** (3 - places)
    if (digits_read > _LARGEST_NS // factor).any():
        return np.array([_one(value) for value in us], np.int64)
    return digits_read * factor


def _one(value: Any) -> int:
    if isinstance(value, float) and not abs(value) < EXACT_US and np.isfinite(value):
        raise Inexact
    us = _decimal(value)
    if us is None:
        return 0
    ns = int((us * 1000).to_integral_value())
    return ns if abs(ns) <= _LARGEST_NS else 0


def _duration(value: Any) -> float:
    us = _decimal(value)
    return 0.0 if us is None else float(us)


def _says_no_number(value: Any) -> bool:
    is_text = isinstance(value, str) or (isinstance(value, Raw) and bytes(value)[:1] == b'"')
    return is_text and _decimal(value) is None


def _decimal(value: Any) -> Decimal | None:
    """The finite number that `value` says, None where it says none."""
    if isinstance(value, Raw):
        value = bytes(value).decode(errors="replace").strip('"')
    try:
        number = Decimal(value)
    except (InvalidOperation, TypeError, ValueError):
        return None
    return number if number.is_finite() else None
