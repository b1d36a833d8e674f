"""Tables of distinct values, and integers in the many spellings that trace files use."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from vpstop.text import clean

Int64 = npt.NDArray[np.int64]

_INTEGER: Final = re.compile(r"\s*([+-]?)(?:0[xX]([0-9a-fA-F]+)|(\d+)(?:\.\d*)?)\s*")


class Codes(dict[Any, int]):
    """Maps a value as read to the row of its canonical form in `table`; new values get new rows."""

    def __init__(self, canonical: Callable[[Any], Any], known: Iterable[Any] = ()) -> None:
        super().__init__()
        self.table: dict[Any, int] = {value: row for row, value in enumerate(known)}
        self._canonical = canonical

    def __missing__(self, value: Any) -> int:
        row = self.row(self._canonical(value))
        self[value] = row
        return row

    def row(self, canonical: Any) -> int:
        """The row of a value that is canonical already."""
        return self.table.setdefault(canonical, len(self.table))


def text_of(value: Any) -> str:
    """A name, an id or a label as text fit for a terminal; 7, 7.0 and "7" are one id."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else clean(str(value))


def integers(values: Sequence[Any], missing: int = 0) -> Int64:
    """Numbers, decimal or hexadecimal texts as int64; `missing` where there is no such number.

    Values of 2**63 and more are negative ones that were written without a sign.
    """
    try:
        return np.fromiter(values, np.int64, len(values))
    except (TypeError, ValueError, OverflowError):
        return np.array([integer(value, missing) for value in values], np.int64)


def integer(value: Any, missing: int) -> int:
    """One number as `integers` reads it."""
    try:
        number = _parsed(value) if isinstance(value, str) else int(value)
    except (TypeError, ValueError, OverflowError):
        return missing
    if number >= 1 << 63:
        number -= 1 << 64
    return number if abs(number) < 1 << 63 else missing


def _parsed(text: str) -> int:
    match = _INTEGER.fullmatch(text)
    if match is None:
        raise ValueError(text)
    sign, hexadecimal, decimal = match.groups()
    number = int(hexadecimal, 16) if hexadecimal else int(decimal)
    return -number if sign == "-" else number
