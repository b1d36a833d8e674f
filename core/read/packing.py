"""Columns of integers as a few bytes: differences, narrowed, byte-transposed, zstd.

The high bytes of times and ids hardly change from row to row; transposed they become long runs.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import zstandard

Array = npt.NDArray[Any]
Form = Literal["values", "steps", "less", "same", "constant"]
DType = Literal["<i8", "<i4", "<i2", "|i1", "|u1", "|b1"]

LARGEST_BYTES: Final = 1 << 34
"""More than any capture has: what claims more is not unpacked."""

_LEVEL: Final = 3
_NARROW: Final = tuple(np.dtype(name) for name in ("i1", "i2", "i4"))


@dataclass(frozen=True, slots=True)
class Packing:
    """How one column lies in a digest.

    Forms: `values`; `steps`, differences to the row before; `less`, the column `other` minus this
    one; `same` as the column `other`; `constant`, `value` in every row. The last two have no bytes.
    """

    dtype: DType
    shape: tuple[int, ...]
    form: Form
    stored: DType = "|i1"
    """Type of the rows in the bytes."""
    other: str = ""
    value: int = 0

    @property
    def bytes(self) -> int:
        """Size of the column once unpacked."""
        return np.dtype(self.dtype).itemsize * prod(self.shape)


def pack_columns(
    columns: Mapping[str, Array], steps: Collection[str], less: Mapping[str, str]
) -> tuple[dict[str, Packing], dict[str, bytes]]:
    """How each column is packed, and the bytes of those that need any.

    Columns named in `steps` are kept as differences, those in `less` as what they lack to another,
    earlier column. Columns that are one array object come back as one.
    """
    packings: dict[str, Packing] = {}
    packed: dict[str, bytes] = {}
    first_name: dict[int, str] = {}
    for name, column in columns.items():
        known = first_name.setdefault(id(column), name)
        dtype, shape = _dtype(column), column.shape
        if known != name:
            packings[name] = Packing(dtype, shape, "same", other=known)
        elif column.size == 0 or (column == column.flat[0]).all():
            value = int(column.flat[0]) if column.size else 0
            packings[name] = Packing(dtype, shape, "constant", value=value)
        else:
            form: Form = "less" if name in less else "steps" if name in steps else "values"
            other = less.get(name, "")
            rows = _narrow(_rows(form, column, columns.get(other)))
            packings[name] = Packing(dtype, shape, form, _dtype(rows), other)
            packed[name] = _compress(rows)
    return packings, packed


def unpack_columns(
    packings: Mapping[str, Packing],
    read: Callable[[str], bytes],
    keep: Callable[[Array], Array] = np.asarray,
) -> dict[str, Array]:
    """The columns again; `read` gives the bytes of one, `keep` what holds a column from then on.

    Raises `ValueError`, `KeyError` or `zstandard.ZstdError` where the parts do not fit together.
    """
    if any(size < 0 for packing in packings.values() for size in packing.shape):
        raise ValueError("a column of negative size")
    if sum(packing.bytes for packing in packings.values()) > LARGEST_BYTES:
        raise ValueError("more columns than any capture has")
    columns: dict[str, Array] = {}
    for name, packing in packings.items():
        is_new = packing.form != "same"
        column = _unpack(packing, read, name, columns)
        columns[name] = keep(column) if is_new else column
    return columns


def _unpack(
    packing: Packing, read: Callable[[str], bytes], name: str, columns: Mapping[str, Array]
) -> Array:
    if packing.form == "same":
        return columns[packing.other]
    if packing.form == "constant":
        return np.full(packing.shape, packing.value, packing.dtype)
    rows = _decompress(read(name), packing)
    if packing.form == "steps":
        return np.cumsum(rows, axis=0, dtype=packing.dtype)
    if packing.form == "less":
        return np.subtract(columns[packing.other], rows, dtype=packing.dtype)
    return rows.astype(packing.dtype, copy=False)


def _rows(form: Form, column: Array, other: Array | None) -> Array:
    if form == "steps":
        return np.diff(column, axis=0, prepend=np.zeros_like(column[:1]))
    return column if other is None else other - column


def _narrow(rows: Array) -> Array:
    """The rows in the smallest signed type that holds them all."""
    if rows.dtype.kind != "i":
        return rows
    low, high = int(rows.min()), int(rows.max())
    for dtype in _NARROW:
        if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max:
            return rows.astype(dtype)
    return rows


def _compress(rows: Array) -> bytes:
    planes = np.ascontiguousarray(rows.reshape(-1, 1).view(np.uint8).T)
    return zstandard.ZstdCompressor(level=_LEVEL).compress(planes.data)


def _decompress(data: bytes, packing: Packing) -> Array:
    stored = np.dtype(packing.stored)
    if zstandard.frame_content_size(data) != stored.itemsize * prod(packing.shape):
        raise ValueError("a column of another size than its head says")
    planes = np.frombuffer(zstandard.ZstdDecompressor().decompress(data), np.uint8)
    rows = np.ascontiguousarray(planes.reshape(stored.itemsize, -1).T)
    return rows.view(stored).reshape(packing.shape)


def _dtype(column: Array) -> DType:
    return column.dtype.newbyteorder("<").str  # type: ignore[return-value]
