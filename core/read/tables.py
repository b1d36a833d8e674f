"""The code tables of a file: names, ids, categories, shapes and texts, each held once."""

from typing import Any, Final

import msgspec

from vpstop.read.categories import BOOKKEEPING, KNOWN, current_name
from vpstop.read.codes import Codes, text_of
from vpstop.read.parts import Tables
from vpstop.text import clean

BOOKKEEPING_CODE: Final = 255
"""Category code of the profiler's own span, which is no slice."""
NO_CATEGORY: Final = 254
"""Category code of records that name none."""
OTHER: Final = "(other)"
"""The categories of a file beyond the first 253: codes are one byte."""

_OTHER_CODE: Final = 253
_CURRENT_FLOWS: Final = {
    "async": "ac2g",
    "async_cpu_to_gpu": "ac2g",
    "async_gpu": "ac2g",
    "forward_backward": "fwdbwd",
}


class ByteCodes(Codes):
    """Codes that fit a byte: what comes after the 253rd value is `OTHER`."""

    def row(self, canonical: Any) -> int:
        full = len(self.table) >= _OTHER_CODE and canonical not in self.table
        return super().row(OTHER if full else canonical)


class CategoryCodes(ByteCodes):
    """Codes of current category names, `categories.KNOWN` first."""

    def __init__(self) -> None:
        super().__init__(lambda category: current_name(text_of(category)))
        for name in KNOWN:
            self.row(name)
        self[BOOKKEEPING] = BOOKKEEPING_CODE
        self[None] = self[""] = NO_CATEGORY


class CodeTables:
    """All tables of a file; `frozen` gives their contents."""

    def __init__(self) -> None:
        self.names = Codes(text_of)
        self.ids = Codes(text_of)
        self.categories = CategoryCodes()
        self.shapes = Codes(_shape)
        self.texts = Codes(text_of)
        self.flow_categories = ByteCodes(_flow_category)

    def frozen(self) -> Tables:
        """The canonical values in the order of their codes."""
        return Tables(
            names=tuple(self.names.table),
            ids=tuple(self.ids.table),
            categories=tuple(self.categories.table),
            shapes=tuple(self.shapes.table),
            texts=tuple(self.texts.table),
            flow_categories=tuple(self.flow_categories.table),
        )


def _shape(raw: tuple[bytes, bytes]) -> tuple[str, str]:
    """Dims and types in one spacing, however the writer spaces its lists."""
    dims, types = map(_one_line, raw)
    return dims, "" if types in ("[]", "null", '""') else types


def _one_line(raw: bytes) -> str:
    return clean(msgspec.json.format(raw, indent=0).decode(errors="replace")) if raw else ""


def _flow_category(value: Any) -> str:
    text = text_of(value)
    return _CURRENT_FLOWS.get(text, text)
