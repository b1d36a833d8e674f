"""vpstop: why is this multi-node PyTorch job slow?

`vpstop.open("traces/")` gives the run that lies below a folder, as columns.
"""

from typing import TYPE_CHECKING, Any

from vpstop.version import VERSION

if TYPE_CHECKING:
    from vpstop.load import load as open  # noqa: A004, used as `vpstop.open`

__all__ = ["__version__", "open"]

__version__ = VERSION


def __getattr__(name: str) -> Any:
    """`open` when it is asked for: what only wants a version does not pay for numpy."""
    if name != "open":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from vpstop.load import load  # noqa: PLC0415, see above

    return load
