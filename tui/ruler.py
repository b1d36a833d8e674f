"""The time ruler above the panes: ticks at round times since the start of the run."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final, NamedTuple

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from vpstop.measure.window import Window
from vpstop.tui.scale import column_of
from vpstop.tui.theme import BACKGROUND, BRIGHT, QUIET, TEXT, style
from vpstop.tui.view import ViewState

_UNITS: Final = ((10**9, "s"), (10**6, "ms"), (10**3, "µs"), (1, "ns"))
_GAP: Final = 3
_MARK: Final = "╵"
_CURSOR: Final = "▼"


class Tick(NamedTuple):
    """A mark of the ruler."""

    column: int
    label: str


def ticks(window: Window, origin_ns: int, columns: int) -> list[Tick]:
    """Marks at multiples of 1, 2 or 5 times a power of ten, as dense as their labels allow."""
    since = Window(window.start_ns - origin_ns, window.end_ns - origin_ns)
    step_ns = next(step for step in _round_steps() if _fits(step, since, columns))
    times = range(-(-since.start_ns // step_ns) * step_ns, since.end_ns, step_ns)
    unit = _unit(since)
    return [Tick(column_of(since, columns, time), _label(time, step_ns, unit)) for time in times]


def clock_text(time_ns: int) -> str:
    """`01:51:35.502117` UTC; empty for a moment outside the calendar."""
    seconds, rest = divmod(time_ns, 10**9)
    try:
        when = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return ""
    return f"{when:%H:%M:%S}.{rest // 1000:06d}"


def _round_steps() -> Iterator[int]:
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def _fits(step_ns: int, window: Window, columns: int) -> bool:
    unit = _unit(window)
    longest = max(len(_label(time, step_ns, unit)) for time in window)
    return step_ns * columns >= (longest + _GAP) * (window.end_ns - window.start_ns)


def _unit(window: Window) -> int:
    """The largest unit of which the times have at least one."""
    largest = max(abs(window.start_ns), abs(window.end_ns))
    return next(unit for unit, _ in _UNITS if unit <= max(largest, 1))


def _label(time_ns: int, step_ns: int, unit: int) -> str:
    """The time with as many places as a step needs."""
    places = max(0, len(str(unit)) - len(str(step_ns)))
    whole, rest = divmod(abs(time_ns), unit)
    fraction = f".{rest * 10**places // unit:0{places}d}" if places else ""
    return f"{'-' if time_ns < 0 else ''}{whole}{fraction} {dict(_UNITS)[unit]}"


class Ruler(Widget):
    """Ticks, the clock time of the left edge, and the place of the cursor."""

    DEFAULT_CSS = "Ruler { height: 1; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._view: ViewState | None = None
        self._gutter = 0

    def show(self, view: ViewState, gutter: int) -> None:
        """Shows the window of a view, beside a gutter of so many cells."""
        self._view, self._gutter = view, gutter
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The ruler."""
        view, columns = self._view, self.size.width - self._gutter
        if view is None or columns < 1:
            return Strip.blank(self.size.width, style(TEXT, BACKGROUND))
        edge = f" {clock_text(view.window.start_ns)}"[: self._gutter].ljust(self._gutter)
        text = [" "] * columns
        for column, label in ticks(view.window, view.extent.start_ns, columns):
            if column + len(label) < columns:
                text[column : column + len(label) + 1] = _MARK + label
        cursor = column_of(view.window, columns, view.cursor_ns)
        before, after = "".join(text[:cursor]), "".join(text[cursor + 1 :])
        return Strip(
            [
                Segment(edge, style(QUIET, BACKGROUND)),
                Segment(before, style(TEXT, BACKGROUND)),
                Segment(_CURSOR, style(BRIGHT, BACKGROUND, bold=True)),
                Segment(after, style(TEXT, BACKGROUND)),
            ],
            self.size.width,
        )
