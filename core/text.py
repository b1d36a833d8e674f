"""Text that came out of a trace, made fit for a terminal, a log or a markdown file."""

import re
from typing import Final

_UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0 and C1 controls: escape sequences begin here
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"  # zero-width, separators, bidi overrides
    "\ud800-\udfff]"  # lone surrogates cannot be encoded at all
)


def clean(text: str) -> str:
    """`text` without control, bidirectional and zero-width characters."""
    return text if text.isascii() and text.isprintable() else _UNSAFE.sub("", text)
