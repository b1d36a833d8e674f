"""Markdown tables whose cells can hold any text of a trace."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from vpstop.text import clean

_SPECIAL: Final = re.compile(r"[\\`*\[\]<>|#&~]|(?<!\w)_|_(?!\w)")


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table; a header that begins with `>` is that of a column of numbers.

    Cells come from `text`, `code`, or are known to hold nothing special.
    """
    titles = [header.removeprefix(">") for header in headers]
    rules = ["---:" if header.startswith(">") else "---" for header in headers]
    return [_line(titles), _line(rules), *(_line(row) for row in rows)]


def text(value: str) -> str:
    """`value` as it reads, with everything escaped that markdown would take for its own."""
    return _SPECIAL.sub(r"\\\g<0>", clean(value)).strip()


def code(value: str) -> str:
    """`value` as code: names of kernels are full of what markdown takes for HTML.

    Inside code nothing can stand for a backslash before a bar: that becomes escaped text.
    """
    plain = clean(value).strip()
    if not plain or "\\|" in plain:
        return text(plain)
    plain = plain.replace("|", "\\|")
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", plain)), default=0))
    padding = " " if "`" in plain else ""
    return f"{fence}{padding}{plain}{padding}{fence}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
