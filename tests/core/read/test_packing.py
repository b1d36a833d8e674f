"""Packed columns come back bit by bit, and inconsistent ones are refused."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from vpstop.read.packing import Array, pack_columns, unpack_columns

TYPES = st.sampled_from([np.dtype(name) for name in ("<i8", "<i4", "u1", "?")])
SHAPES = st_numpy.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=20)
COLUMNS = TYPES.flatmap(lambda dtype: st_numpy.arrays(dtype, SHAPES))


def there_and_back(columns: dict[str, Array], **how: dict[str, str] | set[str]) -> dict[str, Array]:
    """The columns after packing and unpacking."""
    steps, less = how.get("steps", set()), how.get("less", {})
    assert isinstance(less, dict)
    packings, packed = pack_columns(columns, steps, less)
    return unpack_columns(packings, packed.__getitem__)


def assert_same_column(found: Array, expected: Array) -> None:
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)


@given(COLUMNS)
def test_values_come_back(column: Array) -> None:
    assert_same_column(there_and_back({"a": column})["a"], column)


@given(COLUMNS.filter(lambda column: column.dtype.kind == "i"))
def test_steps_come_back_even_where_they_overflow(column: Array) -> None:
    assert_same_column(there_and_back({"a": column}, steps={"a"})["a"], column)


@given(st.data())
def test_what_a_column_lacks_to_another_gives_it_back(data: st.DataObject) -> None:
    size = data.draw(st.integers(0, 20))
    one = data.draw(st_numpy.arrays(np.int64, size))
    other = data.draw(st_numpy.arrays(np.int64, size))
    found = there_and_back({"one": one, "other": other}, less={"other": "one"})
    assert_same_column(found["other"], other)


def test_one_array_under_two_names_stays_one() -> None:
    column = np.array([3, 1, 2])
    found = there_and_back({"a": column, "b": column})
    assert found["a"] is found["b"]


def test_equal_rows_and_repeated_columns_take_no_bytes() -> None:
    column = np.array([3, 1, 2])
    _, packed = pack_columns({"a": column, "b": column, "c": np.full(1000, 7)}, (), {})
    assert packed.keys() == {"a"}


def test_small_steps_of_large_numbers_take_one_byte_each() -> None:
    column = 10**18 + np.cumsum(np.arange(100_000) % 7)
    packings, packed = pack_columns({"a": column, "b": column[1:] - column[:-1]}, {"a"}, {})
    assert packings["b"].stored == "|i1"
    assert len(packed["a"]) < 5_000


@pytest.mark.parametrize("shape", [(-1,), (4,), (2,), (1 << 40,), (3, 1 << 60)])
def test_another_shape_than_the_bytes_have_is_refused(shape: tuple[int, ...]) -> None:
    packings, packed = pack_columns({"a": np.array([3, 1, 2])}, (), {})
    with pytest.raises(ValueError, match="column"):
        unpack_columns({"a": replace(packings["a"], shape=shape)}, packed.__getitem__)
