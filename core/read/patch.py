"""The most frequent damage undone in many records at once, without reading them one by one."""

import re
from typing import Final

from vpstop.read.capture import WarningKind
from vpstop.read.escapes import ends_escaped, has_only_escapes, looks_like_path
from vpstop.read.findings import Findings
from vpstop.read.repair import Repaired

_BARE: Final = re.compile(
    rb'":(?<=[^\\{\[,:\s]":)\s*+(?:([-+]?(?:inf|nan|Infinity|NaN|N/A)\b)(?=\s*+[,}])|(?=[,}]))'
)
"""Bare words and missing values behind a key. No string begins here: then a blank or a mark would
stand before the quote. No valid string holds a match: its quotes are escaped."""
_BACKSLASHES: Final = re.compile(rb'\\[^"]*+')
_DRIVE_BYTES: Final = 3
_KEY_BYTES: Final = 60


def patch(text: bytes) -> Repaired:
    """The text with `null` for bare words and missing values, and paths of Windows escaped.

    Whether it parses now is not known.
    """
    findings = Findings()

    def to_null(found: re.Match[bytes]) -> bytes:
        kind: WarningKind = "bad_number" if found[1] else "bad_record"
        findings.note(kind, found.string, _before(found), found.end())
        return b'": null'

    def to_text(found: re.Match[bytes]) -> bytes:
        content = found.string[max(found.start() - _DRIVE_BYTES, 0) : found.end()]
        is_sound = has_only_escapes(content) and not looks_like_path(content)
        if is_sound or ends_escaped(content):
            return found[0]
        findings.note("bad_text", found.string, _before(found), found.end())
        return found[0].replace(b"\\", b"\\\\")

    if not has_only_escapes(text):
        text = _BACKSLASHES.sub(to_text, text)
    return Repaired(_BARE.sub(to_null, text), findings)


def _before(found: re.Match[bytes]) -> int:
    """Where the key or the string begins that ends in what was found."""
    start = found.start()
    quote = found.string.rfind(b'"', max(start - _KEY_BYTES, 0), start)
    return start if quote < 0 else quote
