"""Keys that stand twice in one object: the last of them counts.

The decoder of records does not see them, and looking for them everywhere would take longer than
decoding: what stands around the events is looked at, and the first records.
"""

import json
from typing import Any, Final

from vpstop.read.findings import Findings

_MOST_BYTES: Final = 1 << 20
_EXAMPLE_BYTES: Final = 80
_LEGITIMATE: Final = "distributedInfo"
"""Written twice by some versions: both are read."""


def note_duplicates(text: bytes, findings: Findings) -> None:
    """Counts the keys of a JSON text, if it is not long, that stand before another of their name.

    Text that does not parse has none.
    """

    def keep(pairs: list[tuple[str, Any]]) -> None:
        names = [name for name, _ in pairs if name != _LEGITIMATE]
        if len(set(names)) < len(names):
            seen = [name for name in dict.fromkeys(names) if names.count(name) > 1]
            place = max(text.find(f'"{seen[0]}"'.encode()), 0)
            count = len(names) - len(set(names))
            findings.note("duplicate_key", text, place, place + _EXAMPLE_BYTES, count)

    if len(text) <= _MOST_BYTES:
        try:
            json.loads(text.decode("utf-8-sig", errors="replace"), object_pairs_hook=keep)
        except (ValueError, RecursionError):
            return
