"""The one exception of the strict path: the file is not what a healthy writer leaves."""


class Damaged(ValueError):
    """Where a strict reader had to stop, and why."""

    def __init__(self, what: str, offset: int) -> None:
        super().__init__(f"{what}, near byte {offset} of the text")
        self.what = what
        self.offset = offset
        """Bytes of (inflated) text before the place."""
