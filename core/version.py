"""The version, where every room may read it without importing the whole library."""

from typing import Final

VERSION: Final = "0.1.0"
