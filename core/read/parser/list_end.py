"""Where a JSON list ends in a text that goes on behind it."""

import json
import re
from typing import Final

import msgspec

_TRAILING: Final = re.compile(r"trailing characters \(byte (\d+)\)")


def list_end(text: memoryview, failure: str) -> int | None:
    """The place of the closing bracket; None where the list is not complete.

    `text` begins with the opening bracket. `failure` is what msgspec said of it: it tells how far
    the list goes, for nothing. Should it use other words one day, `json` finds out, ten times as
    slowly.
    """
    if not _TELLS:
        return _searched(text)
    told = _TRAILING.search(failure)
    return bytes(text[: int(told[1]) - 1]).rfind(b"]") if told else None


def _searched(text: memoryview) -> int | None:
    try:  # Latin-1 has a character a byte: places in the string are places in the text.
        _, end = json.JSONDecoder().raw_decode(bytes(text).decode("latin-1"))
    except (ValueError, RecursionError):
        return None
    return end - 1


def _failure_of(text: bytes) -> str:
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        return str(error)
    return ""


_TELLS: Final = _TRAILING.search(_failure_of(b"[] ,")) is not None
