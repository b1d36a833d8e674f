"""What writers leave unescaped between the quotes of a string: backslashes, quotes, controls."""

import re
from typing import Final

ESCAPE: Final = rb'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})'
"""Pattern of what JSON allows behind a backslash."""

_ONLY_ESCAPES: Final = re.compile(rb"(?:[^\\]++|" + ESCAPE + rb")*+")
_PATH: Final = re.compile(
    rb'(?<![A-Za-z])[A-Za-z]:\\[bfnrt]\w{0,80}+(?:\\["\w]|\.\w)'  # C:\new\table, C:\train.py
    rb"|\w\\[bfnrt][\w\\.-]{0,80}\.pyc?\b"  # torch\nn\functional.py
)
_LETTER: Final = {"\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
_CONTROL: Final = re.compile("[\b\f\n\r\t]")
_TO_ESCAPE: Final = re.compile(
    rb'\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(\\u[dD][89a-fA-F]..)|\\.|(["\x00-\x1f])', re.DOTALL
)


def escaped(content: bytes) -> bytes:
    """What is between the quotes of a string as JSON wants it; lone surrogates become U+FFFD."""
    if b"\\" in content and (not has_only_escapes(content) or looks_like_path(content)):
        content = content.replace(b"\\", b"\\\\")
    return _TO_ESCAPE.sub(_escaped, content)


def has_only_escapes(text: bytes) -> bool:
    """Whether all backslashes begin an escape; if one does not, none is meant to."""
    return _ONLY_ESCAPES.fullmatch(text) is not None


def looks_like_path(content: bytes) -> bool:
    """Whether escapes are rather the backslashes of a path of Windows, which happen to be valid."""
    return _PATH.search(content) is not None


def with_backslashes(text: str) -> str:
    """The text of a string whose controls are what JSON made of a path of Windows, put right.

    Unescaped, `D:\\train.py` is valid JSON: of a drive, a tab and `rain.py`.
    """
    if text.isprintable() or _CONTROL.search(text) is None:
        return text
    path = _CONTROL.sub(lambda found: _LETTER[found[0]], text)
    return path if looks_like_path(path.encode(errors="replace")) else text


def ends_escaped(content: bytes) -> bool:
    """Whether the last of the backslashes belongs to what follows."""
    return (len(content) - len(content.rstrip(b"\\"))) % 2 == 1


def _escaped(found: re.Match[bytes]) -> bytes:
    surrogate, bare = found.groups()
    if surrogate:
        return b"\\ufffd"
    if bare:
        return b'\\"' if bare == b'"' else b"\\u%04x" % ord(bare)
    return found[0]
