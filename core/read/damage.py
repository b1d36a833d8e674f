"""The one exception of the reader: here it cannot go on."""

from vpstop.read.capture import WarningKind


class Damaged(ValueError):
    """Where a reader had to stop, and why."""

    def __init__(self, what: str, offset: int, kind: WarningKind = "unreadable") -> None:
        super().__init__(f"{what}, near byte {offset} of the text")
        self.what = what
        self.kind: WarningKind = kind
        """What to report where the text before the place is used all the same."""
        self.offset = offset
        """Bytes of (inflated) text before the place."""
