"""A track: one row of a timeline, and the slices that it shows.

A track stands for a lane of a rank: its innermost slices, or the slices of one depth. Times that go
in and out are common time of the run; inside, they are the capture's own.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from vpstop.measure.window import Window
from vpstop.read.capture import Capture, Lane
from vpstop.read.communication import Communication, communication
from vpstop.read.coverage import INNERMOST
from vpstop.read.extent import extent_ns
from vpstop.read.segments import Segments, innermost, lane_rows, window_rows
from vpstop.read.steps import Step, steps
from vpstop.run import Member
from vpstop.tui.labels import shade_of
from vpstop.tui.view import TrackKey

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
UInt8 = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class CaptureIndex:
    """What the screen works out of a capture, once."""

    capture: Capture

    @cached_property
    def span(self) -> Window | None:
        """From the first to the last trusted moment."""
        found = extent_ns(self.capture)
        return Window(*found) if found else None

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Its steps, in its own time."""
        return steps(self.capture)

    @cached_property
    def communication(self) -> Communication:
        """What is known of its communication."""
        return communication(self.capture)

    @cached_property
    def name_shades(self) -> UInt8:
        """Shade of every name; the same name has the same one in all captures."""
        return np.array([shade_of(name) for name in self.capture.names], np.uint8)

    def prepare(self) -> None:
        """Works out what every frame needs."""
        _ = self.span, self.steps, self.name_shades, self.communication


@dataclass(frozen=True, eq=False)
class Rank:
    """A member of the run as the timelines see it."""

    member: Member
    number: int
    """Place in `Run.members`."""
    label: str
    index: CaptureIndex
    shift_ns: int
    """Common time minus the times of the capture."""

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the rank, in common time."""
        return tuple(
            Step(number, start_ns + self.shift_ns, end_ns + self.shift_ns)
            for number, start_ns, end_ns in self.index.steps
        )

    @cached_property
    def span(self) -> Window | None:
        """From the first to the last trusted moment, in common time."""
        span = self.index.span
        return Window(*(time_ns + self.shift_ns for time_ns in span)) if span else None

    def interval(self, slice_row: int) -> Window:
        """When a slice ran, in common time."""
        slices = self.member.capture.slices
        start_ns = int(slices.start_ns[slice_row]) + self.shift_ns
        return Window(start_ns, start_ns + int(slices.effective_ns[slice_row]))


@dataclass(frozen=True, eq=False)
class Track:
    """One row of a pane."""

    key: TrackKey
    rank: Rank
    coverage_row: int
    lane_label: str
    """`s7`, `thread 4021 (python)`."""
    is_first: bool
    """True for the first row of its rank."""

    @property
    def capture(self) -> Capture:
        """Where the slices are."""
        return self.rank.member.capture

    @property
    def label(self) -> str:
        """`r0 s7`."""
        return f"{self.rank.label} {self.lane_label}"

    @property
    def lane(self) -> Lane:
        """The lane that is shown."""
        return self.capture.lanes[self.key.lane]

    @property
    def bucket_ns(self) -> int:
        """Resolution of the row's coverage."""
        return int(self.capture.coverage.bucket_ns[self.coverage_row])

    def count(self, window: Window) -> int:
        """About how many slices the track has in a window; cheap."""
        first, last = np.searchsorted(self._starts_ns, self._local(window))
        return int(last - first) + 1

    def segments(self, window: Window) -> Segments:
        """What the track shows in a window; the outer segments may reach beyond it."""
        found = self._segments(self._local(window))
        shift_ns = self.rank.shift_ns
        return Segments(found.start_ns + shift_ns, found.end_ns + shift_ns, found.slice)

    def at(self, time_ns: int) -> int | None:
        """The slice that the track shows at a moment."""
        found = self.segments(Window(time_ns, time_ns + 1))
        hit = np.flatnonzero((found.start_ns <= time_ns) & (time_ns < found.end_ns))
        return int(found.slice[hit[0]]) if len(hit) else None

    def idle_around(self, time_ns: int) -> Window | None:
        """From the slice before a moment without one to the slice after it; None at the ends."""
        local_ns = time_ns - self.rank.shift_ns
        place = np.searchsorted(self._starts_ns, local_ns, "right")
        found = self._segments(Window(local_ns, local_ns + 1))
        ends_ns = found.end_ns[found.end_ns <= local_ns]
        if place == len(self._starts_ns) or not len(ends_ns):
            return None
        shift_ns = self.rank.shift_ns
        return Window(int(ends_ns.max()) + shift_ns, int(self._starts_ns[place]) + shift_ns)

    def after(self, time_ns: int) -> int | None:
        """The first slice that starts after a moment; of several at once the innermost."""
        place = np.searchsorted(self._starts_ns, time_ns - self.rank.shift_ns, "right")
        if place == len(self._starts_ns):
            return None
        return self._slice(self._starts_ns[place])

    def before(self, time_ns: int) -> int | None:
        """The last slice that starts before a moment; of several at once the innermost."""
        place = np.searchsorted(self._starts_ns, time_ns - self.rank.shift_ns) - 1
        return None if place < 0 else self._slice(self._starts_ns[place])

    @cached_property
    def _depth(self) -> int:
        """The depth of its slices; a lane without nesting needs no search for innermost ones."""
        return int(self.capture.coverage.depth[self.coverage_row])

    def _local(self, window: Window) -> Window:
        return Window(window.start_ns - self.rank.shift_ns, window.end_ns - self.rank.shift_ns)

    def _segments(self, window: Window) -> Segments:
        slices = self.capture.slices
        if self._depth == INNERMOST:
            return innermost(slices, window_rows(slices, self.key.lane, *window))
        first, last = np.searchsorted(self._starts_ns, window)
        first = max(0, first - 1)
        starts_ns = self._starts_ns[first:last]
        rows = self._rows(first, last)
        return Segments(starts_ns, starts_ns + slices.effective_ns[rows], rows)

    def _slice(self, start_ns: int) -> int:
        """The last slice that starts at this moment."""
        place = int(np.searchsorted(self._starts_ns, start_ns, "right")) - 1
        return int(self._rows(place, place + 1)[0])

    def _rows(self, first: int, last: int) -> Int32:
        picked = self._picked
        if isinstance(picked, slice):
            return np.arange(picked.start + first, picked.start + last, dtype=np.int32)
        return picked[first:last]

    @cached_property
    def _starts_ns(self) -> Int64:
        """Starts of the slices that the track can show, in time order and the capture's time."""
        return self.capture.slices.start_ns[self._picked]

    @cached_property
    def _picked(self) -> slice | Int32:
        """Rows of the slices that the track can show: those of its depth with a trusted time."""
        slices, lane = self.capture.slices, lane_rows(self.capture.slices, self.key.lane)
        shown = slices.trusted[lane]
        if self._depth != INNERMOST:
            shown = shown & (slices.depth[lane] == self._depth)
        return lane if shown.all() else (lane.start + np.flatnonzero(shown)).astype(np.int32)
