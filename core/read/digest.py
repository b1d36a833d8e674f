"""Digests: what was read of one file, as a small file that opens in a moment.

A digest is a zip of standard parts. `head.json` holds versions, texts and tables and says how each
column is packed; every other member is one column. To read it without vpstop:

    with zipfile.ZipFile(path) as file:
        head, columns = json.loads(file.read("head.json")), {}
        for name, how in head["columns"].items():
            if how["form"] == "constant":
                columns[name] = np.full(how["shape"], how["value"], how["dtype"])
            elif how["form"] == "same":
                columns[name] = columns[how["other"]]
            else:
                planes = np.frombuffer(zstandard.decompress(file.read(name)), np.uint8)
                size = np.dtype(how["stored"]).itemsize
                rows = planes.reshape(size, -1).T.copy().view(how["stored"]).reshape(how["shape"])
                if how["form"] == "steps":
                    rows = rows.cumsum(axis=0, dtype=how["dtype"])
                elif how["form"] == "less":
                    rows = columns[how["other"]] - rows
                columns[name] = rows.astype(how["dtype"])

The zip's CRC of each member is the checksum; zipfile compares it when a member is read whole.
A digest that was made to be carried away has a member `arguments/N` for each piece of the file (see
`arguments.py`): line k belongs to the slice whose `slices.record` is N + k.
"""

import zipfile
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from vpstop.read.arguments import unpacked
from vpstop.read.atomic import replacing
from vpstop.read.capture import (
    Capture,
    Collectives,
    Copies,
    Facts,
    Lane,
    MemoryRecords,
    Shape,
    Skipped,
    Slices,
    TraceWarning,
)
from vpstop.read.coverage import Coverage
from vpstop.read.mapped import ColumnStore
from vpstop.read.packing import Array, Packing, pack_columns, unpack_columns
from vpstop.text import clean
from vpstop.version import VERSION

SUFFIX: Final = ".vpstop"

FORMAT_VERSION: Final = 1
"""Raised when the columns or what they mean change, so that other versions cannot be opened."""

_HEAD: Final = "head.json"
_ARGUMENTS: Final = "arguments/"
_LARGEST_HEAD_BYTES: Final = 1 << 30

_TABLES: Final[Mapping[str, type[Any]]] = {
    "slices": Slices,
    "collectives": Collectives,
    "copies": Copies,
    "memory": MemoryRecords,
    "coverage": Coverage,
}

_STEPS: Final = frozenset(
    {
        "slices.start_ns",
        "slices.lane",
        "slices.parent",
        "slices.launch",
        "slices.correlation",
        "slices.external_id",
        "slices.record",
        "collectives.slice",
        "collectives.sequence",
        "copies.slice",
        "memory.time_ns",
        "memory.total_allocated",
        "memory.total_reserved",
        "coverage.offset",
        "coverage.sums",
    }
)
"""Columns whose neighbours are nearer to each other than to 0."""

_LESS: Final = {"slices.effective_ns": "slices.duration_ns"}


class DigestError(Exception):
    """The file is no digest, is damaged, or was written by another version."""


@dataclass(frozen=True, slots=True)
class _Texts:
    """A capture without its columns."""

    facts: Facts
    names: tuple[str, ...]
    categories: tuple[str, ...]
    lanes: tuple[Lane, ...]
    shapes: tuple[Shape, ...]
    collective_texts: tuple[str, ...]
    flow_pairs: dict[str, int]
    warnings: tuple[TraceWarning, ...]


@dataclass(frozen=True, slots=True)
class _Version:
    format: int


@dataclass(frozen=True, slots=True)
class _Head:
    format: int
    written_by: str
    columns: dict[str, Packing]
    capture: _Texts | None = None
    skipped: Skipped | None = None


def save_digest(
    outcome: Capture | Skipped, path: Path, arguments: Mapping[int, bytes] | None = None
) -> None:
    """Writes the digest of `outcome`; `path` holds the old or the new one at every moment.

    `arguments` are packed `ArgumentBlocks`. Raises `OSError` when that is not possible.
    """
    head, members = _pack(outcome)
    with replacing(path) as file, zipfile.ZipFile(file, "w") as container:
        # A fixed date, so that equal captures are equal bytes.
        info = zipfile.ZipInfo(_HEAD)
        container.writestr(info, _encode(head), zipfile.ZIP_DEFLATED, compresslevel=1)
        for name, data in members.items():
            container.writestr(zipfile.ZipInfo(name), data)
        for first, block in (arguments or {}).items():
            container.writestr(zipfile.ZipInfo(f"{_ARGUMENTS}{first}"), block)


def open_digest(path: Path, store: ColumnStore | None = None) -> Capture | Skipped:
    """The outcome that was saved, column by column equal to it.

    `store` holds the columns; without it they are in memory. Raises `DigestError`, and nothing
    else, for whatever is not such a file.
    """
    with _opened(path) as container:
        return _read(container, np.asarray if store is None else store.keep)


def carried_arguments(path: Path, record: int) -> bytes | None:
    """The arguments of the slice with this `record` as JSON, empty where it has none.

    None where the digest was made without arguments. Raises `DigestError`.
    """
    with _opened(path) as container:
        names = (name for name in container.namelist() if name.startswith(_ARGUMENTS))
        firsts = sorted(int(name.removeprefix(_ARGUMENTS)) for name in names)
        place = bisect_right(firsts, record) - 1
        if place < 0:
            return b"" if firsts else None
        first = firsts[place]
        lines = unpacked(container.read(f"{_ARGUMENTS}{first}"))
        return lines[record - first] if record - first < len(lines) else b""


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as container:
            yield container
    except DigestError:
        raise
    except Exception as error:
        # A damaged container fails anywhere in zipfile, zlib, zstandard, msgspec or numpy.
        raise DigestError(f"{type(error).__name__}: {error}") from error


def _pack(outcome: Capture | Skipped) -> tuple[_Head, dict[str, bytes]]:
    if isinstance(outcome, Skipped):
        return _Head(FORMAT_VERSION, VERSION, {}, skipped=outcome), {}
    columns = {
        f"{table}.{column}": getattr(getattr(outcome, table), column)
        for table, kind in _TABLES.items()
        for column in _column_names(kind)
    }
    packings, packed = pack_columns(columns, _STEPS, _LESS)
    texts = _Texts(
        outcome.facts,
        outcome.names,
        outcome.categories,
        outcome.lanes,
        outcome.shapes,
        outcome.collectives.texts,
        dict(outcome.flow_pairs),
        outcome.warnings,
    )
    return _Head(FORMAT_VERSION, VERSION, packings, capture=texts), packed


def _read(container: zipfile.ZipFile, keep: Callable[[Array], Array]) -> Capture | Skipped:
    info = container.getinfo(_HEAD)
    if info.file_size > _LARGEST_HEAD_BYTES:
        raise DigestError("its head is larger than any head is")
    text = container.read(info)
    version = msgspec.json.decode(text, type=_Version).format
    if version != FORMAT_VERSION:
        raise DigestError(f"format {version}, this vpstop opens format {FORMAT_VERSION}")
    head = msgspec.json.decode(text, type=_Head)
    if head.skipped is not None:
        return head.skipped
    if head.capture is None:
        raise DigestError("neither a capture nor a skipped file")
    return _capture(head.capture, unpack_columns(head.columns, container.read, keep))


def _capture(texts: _Texts, columns: Mapping[str, Array]) -> Capture:
    tables: dict[str, Any] = {}
    for table, kind in _TABLES.items():
        own = {name: columns[f"{table}.{name}"] for name in _column_names(kind)}
        extra = {"texts": texts.collective_texts} if kind is Collectives else {}
        tables[table] = kind(**own, **extra)
    capture = Capture(
        facts=texts.facts,
        names=texts.names,
        categories=texts.categories,
        lanes=texts.lanes,
        shapes=texts.shapes,
        flow_pairs=texts.flow_pairs,
        warnings=texts.warnings,
        **tables,
    )
    _check(capture)
    return capture


def _check(capture: Capture) -> None:
    """Refuses columns that would only fail later, at whoever follows their references."""
    slices = capture.slices
    rows = len(slices)
    for table, kind in _TABLES.items():
        if kind is not Coverage:
            lengths = {len(getattr(getattr(capture, table), name)) for name in _column_names(kind)}
            if len(lengths) != 1:
                raise DigestError(f"columns of {table} differ in length")
    for column, bound in (
        (slices.name, len(capture.names)),
        (slices.category, len(capture.categories)),
        (slices.lane, len(capture.lanes)),
        (slices.shape, len(capture.shapes)),
        (slices.parent, rows),
        (slices.launch, rows),
        (capture.collectives.slice, rows),
        (capture.copies.slice, rows),
    ):
        if column.size and (column.min() < -1 or column.max() >= bound):
            raise DigestError("a column refers to rows that do not exist")


def _column_names(table: type[Any]) -> list[str]:
    return [field.name for field in fields(table) if field.name != "texts"]


def _encode(head: _Head) -> bytes:
    try:
        return msgspec.json.encode(head)
    except UnicodeEncodeError:  # half a surrogate pair in the metadata
        return msgspec.json.encode(_encodable(msgspec.to_builtins(head)))


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): _encodable(item) for key, item in value.items()}
    return [_encodable(item) for item in value] if isinstance(value, list | tuple) else value
