"""What the exit codes of the command mean."""

from enum import IntEnum


class Exit(IntEnum):
    """Codes above 128 stand for "ended by signal n - 128", as in shells."""

    DONE = 0
    NOTHING_READABLE = 1
    USAGE = 2
    """Wrong usage, or an output file that cannot be written."""
    INTERRUPTED = 130
    BROKEN_PIPE = 141
