"""Columns of the screen as times, and times as columns."""

import numpy as np
import numpy.typing as npt

from vpstop.measure.window import Window

Int64 = npt.NDArray[np.int64]


def column_of(window: Window, columns: int, time_ns: int) -> int:
    """The column that shows a moment: 0 to `columns` - 1 for the moments of the window."""
    return (time_ns - window.start_ns) * columns // (window.end_ns - window.start_ns)


def time_at(window: Window, columns: int, column: int) -> int:
    """The first moment of a column."""
    return window.start_ns - (-column * (window.end_ns - window.start_ns) // columns)


def column_edges(window: Window, columns: int) -> Int64:
    """Where columns begin, and where the last one ends: shape (columns + 1,)."""
    whole, part = divmod(window.end_ns - window.start_ns, columns)
    place = np.arange(columns + 1)
    return window.start_ns + place * whole + place * part // columns
