"""What the terminal of this process can do."""

import os
import sys
from io import TextIOWrapper
from typing import TextIO


def why_no_screen() -> str:
    """The reason in words; empty where the screen can run.

    Textual draws on standard error, reads keys from standard input, and takes a dumb terminal for
    one with 16 million colours.
    """
    if not _is_terminal(sys.__stderr__):
        return "standard error is not a terminal"
    if not _is_terminal(sys.__stdin__):
        return "standard input is not a terminal"
    if os.environ.get("TERM") == "dumb":
        return "TERM is dumb"
    return ""


def draw_as_utf8() -> None:
    """Without it, an old locale or `PYTHONIOENCODING` turns every line of a box into `\\u2500`."""
    if isinstance(sys.__stderr__, TextIOWrapper):
        sys.__stderr__.reconfigure(encoding="utf-8")


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()
