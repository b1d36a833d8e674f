"""How long the text of a file is, before it is inflated: by that the memory for it is planned."""

from contextlib import suppress
from typing import Final

import zstandard

from vpstop.read.compression import GZIP_MAGIC, ZSTD_MAGIC
from vpstop.read.damage import Damaged
from vpstop.read.discover import FoundFile
from vpstop.read.source import opened

_USUAL_RATIO: Final = 16
"""Traces compress 14 to 30 times; what compresses better takes less memory for its length."""
_LEAST_RATIO: Final = 4
_HEADER_BYTES: Final = 18
_GZIP_SIZE_BYTES: Final = 4
_LARGEST_GZIP_BYTES: Final = (1 << 8 * _GZIP_SIZE_BYTES) // _USUAL_RATIO
"""The texts of larger gzip files may be longer than their last bytes can say."""


def text_bytes(file: FoundFile) -> int:
    """About how many bytes of text there are; never fails."""
    said = 0
    with suppress(OSError, Damaged):
        with opened(file.path) as source:
            head = source.read(_HEADER_BYTES)
        if head.startswith(GZIP_MAGIC):
            said = _gzip_text_bytes(file)
        elif head.startswith(ZSTD_MAGIC):
            said = _zstd_text_bytes(head)
        else:
            return file.bytes
    # Of several members or frames it is the length of one.
    return said if said >= _LEAST_RATIO * file.bytes else _USUAL_RATIO * file.bytes


def _gzip_text_bytes(file: FoundFile) -> int:
    """What the last bytes say; raises `OSError` in an archive, which cannot be read from behind."""
    if file.bytes >= _LARGEST_GZIP_BYTES:
        return 0
    with file.path.open("rb") as opened_file:
        opened_file.seek(-_GZIP_SIZE_BYTES, 2)
        return int.from_bytes(opened_file.read(), "little")


def _zstd_text_bytes(head: bytes) -> int:
    with suppress(zstandard.ZstdError):
        return zstandard.frame_content_size(head)
    return 0
