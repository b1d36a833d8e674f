"""The panes of the timelines and their rows: which lanes of which ranks, under which label.

There is one pane a host. The compact layout has one row a lane, the nested one a row a depth.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from vpstop.measure.window import Window
from vpstop.read.capture import Lane
from vpstop.read.categories import LaneKind
from vpstop.read.coverage import INNERMOST, row_of
from vpstop.report.units import ranges
from vpstop.run import Member, Run
from vpstop.tui.track import CaptureIndex, Rank, Track
from vpstop.tui.view import TrackKey

MAX_DEPTH_ROWS: Final = 8
"""The nested layout shows no more depths of a lane."""

_FAR: Final = 20
"""Ranks over so many times the longest of them are too far apart to be seen together."""

_NO_EXTENT: Final = Window(0, 1_000)


@dataclass(frozen=True, eq=False)
class Pane:
    """The rows of one host."""

    host: str
    title: str
    tracks: tuple[Track, ...]
    span: Window | None
    """From the first to the last moment of its ranks."""


@dataclass(frozen=True, eq=False)
class Layout:
    """All panes of a run, from top to bottom."""

    ranks: tuple[Rank, ...]
    extent: Window
    """From the first to the last trusted moment of all ranks, in common time."""
    panes: tuple[Pane, ...]
    nested: bool

    @cached_property
    def opening(self) -> Window:
        """What to show first: the whole run, or the first rank where ranks are far apart.

        They are when clocks disagree by hours, or when a folder holds several runs.
        """
        spans = [rank.span for rank in self.ranks if rank.span]
        longest_ns = max((span.end_ns - span.start_ns for span in spans), default=0)
        is_far = self.extent.end_ns - self.extent.start_ns > _FAR * longest_ns
        return spans[0] if spans and is_far else self.extent

    @cached_property
    def tracks(self) -> tuple[Track, ...]:
        """The rows of all panes, from top to bottom."""
        return tuple(track for pane in self.panes for track in pane.tracks)

    @cached_property
    def places(self) -> dict[TrackKey, int]:
        """Place of every track in `tracks`."""
        return {track.key: place for place, track in enumerate(self.tracks)}

    def track(self, key: TrackKey | None) -> Track | None:
        """The track of a key, or None where this layout has none."""
        place = None if key is None else self.places.get(key)
        return None if place is None else self.tracks[place]


def lay_out(run: Run, *, nested: bool = False, before: Layout | None = None) -> Layout:
    """The rows of a run in the compact or the nested layout.

    What was worked out `before` for a part of the run is not worked out again.
    """
    ranks = tuple(_ranks(run, before))
    return Layout(ranks, _whole(ranks), _panes(ranks, nested), nested)


def turned(layout: Layout, *, nested: bool) -> Layout:
    """The same run in the other layout."""
    return replace(layout, panes=_panes(layout.ranks, nested), nested=nested)


def _ranks(run: Run, before: Layout | None) -> Iterator[Rank]:
    """Captures whose times have no known origin are moved to the start of the run."""
    known = {id(rank.index.capture): rank.index for rank in before.ranks} if before else {}
    captures = [member.capture for member in run.members]
    indices = [known.get(id(capture)) or CaptureIndex(capture) for capture in captures]
    absolute = [one.span for one in indices if one.span and not one.capture.facts.relative]
    start_ns = min((span.start_ns for span in absolute), default=0)
    for number, (member, index) in enumerate(zip(run.members, indices, strict=True)):
        span = index.span if member.capture.facts.relative else None
        shift_ns = start_ns - span.start_ns if span else 0
        yield Rank(member, number, _rank_label(member), index, shift_ns)


def _whole(ranks: Sequence[Rank]) -> Window:
    spans = [rank.span for rank in ranks if rank.span]
    return _joined(spans) if spans else _NO_EXTENT


def _joined(spans: Sequence[Window]) -> Window:
    return Window(min(span.start_ns for span in spans), max(span.end_ns for span in spans))


def _panes(ranks: Sequence[Rank], nested: bool) -> tuple[Pane, ...]:
    hosts = dict.fromkeys(rank.member.host for rank in ranks)
    return tuple(_pane(host, _of_host(ranks, host), nested) for host in hosts)


def _of_host(ranks: Sequence[Rank], host: str) -> list[Rank]:
    return [rank for rank in ranks if rank.member.host == host]


def _pane(host: str, ranks: Sequence[Rank], nested: bool) -> Pane:
    tracks = tuple(track for rank in ranks for track in _tracks(rank, nested))
    spans = [rank.span for rank in ranks if rank.span]
    return Pane(host, _title(host, ranks), tracks, _joined(spans) if spans else None)


def _tracks(rank: Rank, nested: bool) -> Iterator[Track]:
    capture = rank.member.capture
    several = len({lane.device for lane in capture.lanes if lane.kind is LaneKind.STREAM}) > 1
    shown = 0
    for number, lane in enumerate(capture.lanes):
        label = _lane_label(lane, several_devices=several)
        for depth in range(MAX_DEPTH_ROWS) if nested else (INNERMOST,):
            coverage_row = row_of(capture.coverage, number, depth)
            if coverage_row is None:
                break
            name = label if depth <= 0 else f"  +{depth}"
            key = TrackKey(rank.number, number, depth)
            yield Track(key, rank, coverage_row, name, is_first=not shown)
            shown += 1


def _rank_label(member: Member) -> str:
    name = "p" + member.capture.facts.process if member.rank is None else f"r{member.rank}"
    return f"{name}#{member.number}" if member.number else name


def _lane_label(lane: Lane, *, several_devices: bool) -> str:
    """`s7`, `d1 s7 ranges`, `thread 4021 (python)`."""
    name = lane.name.replace("stream ", "s", 1) if lane.stream is not None else lane.name
    return f"d{lane.device} {name}" if several_devices and lane.device is not None else name


def _title(host: str, ranks: Sequence[Rank]) -> str:
    """`node0  ranks 0-7  8 x Tesla V100`."""
    assumed = " (assumed)" if any(rank.member.host_source == "assumed" for rank in ranks) else ""
    numbers = sorted({rank.member.rank for rank in ranks if rank.member.rank is not None})
    word = "rank" if len(numbers) == 1 else "ranks"
    parts = [host + assumed]
    if numbers:
        parts.append(f"{word} {ranges(numbers)}")
    parts.extend(_devices(ranks))
    if any(rank.member.capture.facts.relative for rank in ranks):
        parts.append("times without origin, moved to the start")
    return "  ".join(parts)


def _devices(ranks: Sequence[Rank]) -> list[str]:
    """`8 x Tesla V100`: the devices that worked, by name."""
    used = Counter(
        device.name
        for rank in ranks
        for device in rank.member.capture.facts.devices
        if device.name and device.id in {lane.device for lane in rank.member.capture.lanes}
    )
    return [f"{count} x {name}" if count > 1 else name for name, count in used.items()]
