"""How far a clock is off, as people write it: `+4h`, `-120ms`, `1h30m`."""

import re
from decimal import Decimal
from typing import Final

_UNIT_NS: Final = {
    "h": 3_600 * 10**9,
    "m": 60 * 10**9,
    "s": 10**9,
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
}
_PART: Final = r"(?:(\d{{1,18}}(?:\.\d{{1,18}})?)\s*{unit})?\s*"
_OFFSET: Final = re.compile(
    r"\s*([+-]?)\s*" + "".join(_PART.format(unit=unit) for unit in _UNIT_NS), re.ASCII
)
_LARGEST_NS: Final = 1 << 62
"""146 years: a clock that counts from 1970 is nearer."""


def parse_offset(word: str) -> int:
    """The nanoseconds of `+4h`, `1h30m`, `+3.5s` or `-120ms`; `ValueError` for anything else.

    Units go from large to small, each at most once: h, m (or min), s, ms, us (or µs), ns.
    """
    plain = word.replace("min", "m").replace("µs", "us").replace("μs", "us")
    found = _OFFSET.fullmatch(plain)
    if found is None or not any(found.groups()[1:]):
        raise ValueError(f"{word!r} is no offset: write +4h, 1h30m, +3.5s or -120ms")
    parts = zip(found.groups()[1:], _UNIT_NS.values(), strict=True)
    offset_ns = round(sum(Decimal(number) * unit_ns for number, unit_ns in parts if number))
    if offset_ns > _LARGEST_NS:
        raise ValueError(f"{word!r} is more than a clock can be off")
    return -offset_ns if found[1] == "-" else offset_ns
