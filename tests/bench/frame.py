"""Time of one frame of a pane of 64 lanes, 200 columns wide: painting, compositor and ANSI.

    python tests/bench/frame.py [--large 10000000]

Half of the lanes are streams, half host threads with calls inside calls. Every frame shows another
window, so that no line is the same as before. The time must not depend on the size of the run.
"""

import argparse
import asyncio
import gc
import time
from dataclasses import fields, replace
from typing import Any, Final, NamedTuple

import numpy as np
from rich.console import Console
from textual.app import App, ComposeResult

from vpstop.measure.window import Window
from vpstop.read.assemble import assemble
from vpstop.read.capture import Facts
from vpstop.read.categories import CODE, KNOWN, LaneKind
from vpstop.read.records import (
    AllocatorRecords,
    CollectiveRecords,
    FlowRecords,
    LaneKey,
    Records,
    SliceRecords,
)
from vpstop.run import Member, Run
from vpstop.tui.layout import Layout, lay_out
from vpstop.tui.node_pane import NodePane
from vpstop.tui.view import first_view

SMALL: Final = 100_000
LANES: Final = 64
COLUMNS: Final = 200
GUTTER: Final = 17
FRAMES: Final = 200
STRIDE: Final = 10
PERIOD_NS: Final = 10_000
LOOKS: Final = (
    ("kernel", "volta_sgemm_128x64_nn"),
    ("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"),
    ("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)"),
    ("cpu_op", "aten::addmm"),
    ("cuda_runtime", "cudaDeviceSynchronize"),
    ("cpu_op", "record_param_comms"),
)
"""Category and name of slices: three of streams, three of threads, each of another activity."""


class Scenario(NamedTuple):
    """What is drawn."""

    title: str
    segments: int
    """Runs of one colour in a line, about."""
    whole: bool
    """The whole run in the window, or only so many slices as there are segments."""


SCENARIOS: Final = (
    Scenario("whole run", 13, whole=True),
    Scenario("few slices", 13, whole=False),
    Scenario("whole run, every cell another colour", COLUMNS - GUTTER, whole=True),
    Scenario("every cell another slice", COLUMNS - GUTTER, whole=False),
)


def layout_of(scenario: Scenario, slices: int) -> Layout:
    """64 lanes of so many slices together."""
    capture = assemble(_records(scenario, slices // LANES))
    member = Member(capture, 0, "metadata", "node0", "metadata")
    return lay_out(Run((), (member,), (), ()))


def _records(scenario: Scenario, per_lane: int) -> Records:
    """In a host lane every second slice is a call inside the one before."""
    place = np.tile(np.arange(per_lane), LANES)
    lane = np.repeat(np.arange(LANES, dtype=np.int32), per_lane)
    is_host = lane >= LANES // 2
    outer = np.where(is_host, place // 2 * 2, place)
    is_inner = is_host & (place % 2 == 1)
    # Phases of one look, as many as there are segments; or every slice another look.
    phase = (outer * scenario.segments // per_lane if scenario.whole else place) + lane
    count = per_lane * LANES
    start_ns = outer * PERIOD_NS + np.where(is_inner, PERIOD_NS, 0)
    duration_ns = np.where(is_host & ~is_inner, 2 * PERIOD_NS, PERIOD_NS)
    name = phase % 3 + np.where(is_host, 3, 0)
    category = np.array([CODE[kind] for kind, _ in LOOKS])[name]
    zeros = np.zeros(count, np.int64)
    slices = SliceRecords(
        start_ns=start_ns.astype(np.int64),
        duration_ns=(duration_ns * 19 // 20).astype(np.int64),
        name=name.astype(np.int32),
        category=category.astype(np.uint8),
        lane=lane,
        correlation=zeros,
        external_id=zeros,
        shape=np.full(count, -1, np.int32),
        trusted=np.ones(count, np.bool_),
        record=np.arange(count),
    )
    streams = [LaneKey(LaneKind.STREAM, "0", str(n)) for n in range(LANES // 2)]
    threads = [LaneKey(LaneKind.HOST, "1", str(n)) for n in range(LANES // 2)]
    empty = np.empty(0, np.int64)
    return Records(
        facts=Facts("bench", "kineto", 0, rank=0),
        slices=slices,
        names=tuple(name for _, name in LOOKS),
        categories=KNOWN,
        lanes=(*streams, *threads),
        shapes=(),
        collectives=_without_rows(CollectiveRecords, texts=()),
        copies_slice=empty.astype(np.int32),
        copies_bytes=empty,
        memory=_without_rows(AllocatorRecords),
        flows=_without_rows(FlowRecords),
        flow_categories=(),
    )


def _without_rows(kind: type[Any], **given: Any) -> Any:
    empty = np.empty(0, np.int64)
    return kind(**{field.name: empty for field in fields(kind)} | given)


class Bench(App[None]):
    """A screen with nothing but one pane."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.timelines = layout

    def compose(self) -> ComposeResult:
        yield NodePane(self.timelines.panes[0], first_view(self.timelines.extent), GUTTER)


def windows(layout: Layout, scenario: Scenario) -> list[Window]:
    """One for each frame, a column further on; of the whole run not so far that it leaves."""
    start_ns, end_ns = layout.extent
    width_ns = end_ns - start_ns if scenario.whole else scenario.segments * PERIOD_NS
    first_ns = start_ns if scenario.whole else (start_ns + end_ns) // 2
    column_ns = width_ns // (COLUMNS - GUTTER)
    starts_ns = [first_ns + place % STRIDE * column_ns for place in range(FRAMES)]
    return [Window(start_ns, start_ns + width_ns) for start_ns in starts_ns]


async def frame_times_ms(scenario: Scenario, slices: int) -> tuple[list[float], float]:
    """Milliseconds of every frame, and the segments of a line."""
    app = Bench(layout_of(scenario, slices))
    console = Console(force_terminal=True, color_system="256")
    times_ms, segments = [], 0
    async with app.run_test(size=(COLUMNS, LANES + 1)):
        pane = app.query_one(NodePane)
        gc.collect()
        gc.freeze()
        for window in windows(app.timelines, scenario):
            view = replace(first_view(app.timelines.extent), window=window)
            begun = time.perf_counter()
            pane.show(pane.pane, replace(view, cursor_ns=window.start_ns), GUTTER)
            update = app.screen._compositor.render_full_update()
            update.render_segments(console)
            times_ms.append(1000 * (time.perf_counter() - begun))
            segments += sum(len(strip) for line in update.strips for strip in line)
    gc.unfreeze()
    return times_ms, segments / FRAMES / (LANES + 1)


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", type=int, default=10_000_000, help="slices of the large run")
    large = parser.parse_args().large
    print(f"{'':38}{'slices':>12}{'segments':>10}{'median':>9}{'p95':>8}  ms")
    for scenario in SCENARIOS:
        for slices in (SMALL, large):
            times_ms, segments = asyncio.run(frame_times_ms(scenario, slices))
            median, p95 = np.percentile(times_ms, [50, 95])
            print(f"{scenario.title:38}{slices:12,}{segments:10.1f}{median:9.1f}{p95:8.1f}")


if __name__ == "__main__":
    main()
