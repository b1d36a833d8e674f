"""Compares captures column by column, with the types of the columns."""

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from vpstop.read.capture import Capture, Skipped


def assert_same(found: Capture | Skipped, expected: Capture | Skipped) -> None:
    """Fails at the first field that differs, and names it."""
    _assert_equal(found, expected, type(expected).__name__)


def is_same(found: Capture | Skipped, expected: Capture | Skipped) -> bool:
    """True where `assert_same` passes."""
    try:
        assert_same(found, expected)
    except AssertionError:
        return False
    return True


def _assert_equal(found: Any, expected: Any, where: str) -> None:
    if isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype, where
        assert np.array_equal(found, expected), where
    elif is_dataclass(expected):
        for field in fields(expected):
            name = field.name
            _assert_equal(getattr(found, name), getattr(expected, name), f"{where}.{name}")
    else:
        assert found == expected, where
