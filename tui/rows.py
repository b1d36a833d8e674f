"""Which rows of a table are shown, and in which order."""

import re
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from vpstop.tui.columns import Column

Rows = npt.NDArray[np.intp]


class Sort(NamedTuple):
    """The column that orders the rows, by its title."""

    title: str
    descending: bool = True


class Matches(NamedTuple):
    """Rows that a filter lets through."""

    mask: npt.NDArray[np.bool_]
    problem: str = ""
    """What keeps the pattern from being a regular expression; it is plain text then."""


def sorted_rows(key: Column, name: Column, *, descending: bool) -> Rows:
    """Row numbers in the order of `key`, equal ones by name; missing numbers (NaN) come last."""
    by_name = np.argsort(name.values, kind="stable")
    keys = key.values[by_name]
    return by_name[np.argsort(_reversed(keys) if descending else keys, kind="stable")]


def matching_rows(column: Column, pattern: str) -> Matches:
    """Rows whose text contains `pattern`, or matches it as a regular expression; without case.

    Both at once, because names of kernels are full of characters that are special in patterns.
    """
    expression, problem = _compiled(pattern)
    plain = pattern.casefold()
    hits = [
        plain in text.casefold() or (expression is not None and bool(expression.search(text)))
        for text in column.texts
    ]
    return Matches(np.array(hits, np.bool_)[column.values], problem)


def _compiled(pattern: str) -> tuple[re.Pattern[str] | None, str]:
    """The expression, or what is wrong with it."""
    try:
        return re.compile(pattern, re.IGNORECASE), ""
    except re.error as error:
        return None, error.msg


def _reversed(keys: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Keys that sort the other way round: `~` is exact for integers of any sign and width."""
    return -keys if keys.dtype.kind == "f" else ~keys
