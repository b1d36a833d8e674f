"""How long the text of a file is, before it is inflated: by that the memory for it is planned."""

from contextlib import suppress
from typing import Final

from vpstop.read.discover import FoundFile
from vpstop.read.inflate import GZIP_MAGIC

_USUAL_RATIO: Final = 16
"""Traces compress 14 to 30 times; what compresses better takes less memory for its length."""
_LEAST_RATIO: Final = 4
_SIZE_BYTES: Final = 4
_LARGEST_BYTES: Final = (1 << 8 * _SIZE_BYTES) // _USUAL_RATIO
"""The texts of larger gzip files may be longer than their last bytes can say."""


def text_bytes(file: FoundFile) -> int:
    """About how many bytes of text there are; never fails."""
    with suppress(OSError), file.path.open("rb") as opened:
        if opened.read(len(GZIP_MAGIC)) != GZIP_MAGIC:
            return file.bytes
        opened.seek(-_SIZE_BYTES, 2)
        said = int.from_bytes(opened.read(), "little")
        # Of several members the last one says only its own length.
        if file.bytes < _LARGEST_BYTES and said >= _LEAST_RATIO * file.bytes:
            return said
    return _USUAL_RATIO * file.bytes
