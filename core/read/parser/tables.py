"""The code tables of a file: what slices have in common, shapes and texts, each held once."""

from typing import Any, Final

import msgspec

from vpstop.read.categories import BOOKKEEPING, current_name
from vpstop.read.escapes import with_backslashes
from vpstop.read.parser.codes import Codes, text_of
from vpstop.read.parser.parts import Kind, Tables, Thread
from vpstop.text import clean

_CURRENT_FLOWS: Final = {
    "async": "ac2g",
    "async_cpu_to_gpu": "ac2g",
    "async_gpu": "ac2g",
    "forward_backward": "fwdbwd",
}

NO_SLICE: Final = -1
"""The code of the profiler's own span."""


class KindCodes(Codes):
    """Codes of `Kind`s, from raw (category, name, process id, thread id)."""

    def __init__(self) -> None:
        super().__init__(_kind)
        self.repaired: set[int] = set()
        """Codes of names that held the backslashes of a path as escapes."""

    def __missing__(self, value: Any) -> int:
        category, name, process, thread = value
        if not isinstance(name, str) or (path := with_backslashes(name)) == name:
            return super().__missing__(value)
        row = self[value] = self.row(_kind((category, path, process, thread)))
        self.repaired.add(row)
        return row

    def row(self, canonical: Any) -> int:
        return NO_SLICE if canonical.category == BOOKKEEPING else super().row(canonical)


class CodeTables:
    """All tables of a file; `frozen` gives their contents."""

    def __init__(self) -> None:
        self.kinds = KindCodes()
        self.threads = Codes(_thread)
        self.shapes = Codes(_shape)
        self.texts = Codes(text_of)
        self.flow_categories = Codes(_flow_category)

    def frozen(self) -> Tables:
        """The canonical values in the order of their codes."""
        return Tables(
            kinds=tuple(self.kinds.table),
            threads=tuple(self.threads.table),
            shapes=tuple(self.shapes.table),
            texts=tuple(self.texts.table),
            flow_categories=tuple(self.flow_categories.table),
        )


def _kind(raw: tuple[Any, Any, Any, Any]) -> Kind:
    category, name, process, thread = map(text_of, raw)
    return Kind(current_name(category), name, process, thread)


def _thread(raw: tuple[Any, Any]) -> Thread:
    process, thread = map(text_of, raw)
    return Thread(process, thread)


def _shape(raw: tuple[bytes, bytes]) -> tuple[str, str]:
    """Dims and types in one spacing, however the writer spaces its lists."""
    dims, types = map(_one_line, raw)
    return dims, "" if types in ("[]", "null", '""') else types


def _one_line(raw: bytes) -> str:
    return clean(msgspec.json.format(raw, indent=0).decode(errors="replace")) if raw else ""


def _flow_category(value: Any) -> str:
    text = text_of(value)
    return _CURRENT_FLOWS.get(text, text)
