"""Panes and rows: one pane a host, rows in the order of ranks and lanes."""

from dataclasses import replace

from timelines import layout_of, member, rank_capture, run_of, two_nodes

from build import EPOCH_NS, capture, kernel, op, slice_
from vpstop.measure.window import Window
from vpstop.read.capture import Device
from vpstop.run import Run
from vpstop.tui.layout import MAX_DEPTH_ROWS, Layout, lay_out, turned


def labels(layout: Layout) -> list[list[str]]:
    """Labels of the rows of each pane."""
    return [[track.label for track in pane.tracks] for pane in layout.panes]


def test_each_host_has_a_pane_with_the_rows_of_its_ranks() -> None:
    layout = lay_out(two_nodes())
    assert [pane.host for pane in layout.panes] == ["node0", "node1"]
    rows = ["s7", "s20", "thread 1"]
    assert labels(layout) == [
        [f"r{rank} {row}" for rank in ranks for row in rows] for ranks in ([0, 1], [2, 3])
    ]


def test_the_first_row_of_each_rank_is_marked() -> None:
    pane = lay_out(two_nodes()).panes[0]
    assert [track.is_first for track in pane.tracks] == [True, False, False] * 2


def test_the_nested_layout_has_a_row_for_each_depth() -> None:
    layout = layout_of(rank_capture(0), nested=True)
    assert labels(layout) == [["r0 s7", "r0 s20", "r0 thread 1", "r0   +1", "r0   +2"]]


def test_the_nested_layout_ends_at_some_depth() -> None:
    deep = capture(*(op(f"op{depth}", depth, 100 - 2 * depth) for depth in range(12)))
    assert len(layout_of(deep, nested=True).tracks) == MAX_DEPTH_ROWS
    assert len(layout_of(deep).tracks) == 1


def test_turning_a_layout_gives_the_other_one_of_the_same_ranks() -> None:
    compact = layout_of(rank_capture(0))
    nested = turned(compact, nested=True)
    assert len(nested.tracks) == 5
    assert nested.ranks is compact.ranks
    assert [t.key for t in turned(nested, nested=False).tracks] == [t.key for t in compact.tracks]


def test_devices_are_told_apart_only_where_there_are_several() -> None:
    one = capture(kernel("a", 0, 1))
    two = capture(kernel("a", 0, 1), kernel("b", 0, 1, device=1))
    assert labels(layout_of(one)) == [["r0 s7"]]
    assert labels(layout_of(two)) == [["r0 d0 s7", "r0 d1 s7"]]


def test_ranges_on_a_stream_and_processes_without_a_rank_have_their_labels() -> None:
    made = capture(
        slice_("gpu_user_annotation", "forward", 0, 10, process=0, thread=7),
        rank=None,
        process="44",
    )
    assert labels(layout_of(made)) == [["p44 s7 ranges"]]


def test_a_second_capture_of_a_rank_is_told_from_the_first() -> None:
    second = replace(member(capture(kernel("a", 50, 1))), number=1)
    layout = lay_out(run_of(member(capture(kernel("a", 0, 1))), second))
    assert labels(layout) == [["r0 s7", "r0#1 s7"]]


def test_the_title_names_host_ranks_and_the_devices_that_worked() -> None:
    devices = [Device(0, "NVIDIA A100"), Device(1, "NVIDIA A100")]
    made = [capture(kernel("a", 0, 1), rank=rank, devices=devices) for rank in (0, 1, 2)]
    assert layout_of(*made).panes[0].title == "node0  ranks 0-2  3 x NVIDIA A100"
    assert layout_of(made[1]).panes[0].title == "node0  rank 1  NVIDIA A100"


def test_the_title_says_what_is_not_known() -> None:
    made = replace(member(capture(kernel("a", 0, 1), relative=True)), host_source="assumed")
    title = lay_out(run_of(made)).panes[0].title
    assert title == "node0 (assumed)  rank 0  times without origin, moved to the start"


def test_a_run_without_captures_has_no_rows() -> None:
    layout = lay_out(Run((), (), (), ()))
    assert layout.tracks == ()
    assert layout.extent.end_ns > layout.extent.start_ns


def test_a_screen_opens_with_the_whole_run() -> None:
    layout = layout_of(capture(kernel("a", 0, 100)), capture(kernel("a", 1500, 100), rank=1))
    assert layout.opening == layout.extent


def test_ranks_that_are_far_apart_are_not_shown_together_at_first() -> None:
    first, far = capture(kernel("a", 0, 100)), capture(kernel("a", 5000, 100), rank=1)
    layout = layout_of(first, far)
    assert layout.opening == Window(EPOCH_NS, EPOCH_NS + 100)
    assert layout.extent == Window(EPOCH_NS, EPOCH_NS + 5100)


def test_lanes_with_only_untrusted_slices_have_no_row() -> None:
    made = capture(op("lost", 0, 1, thread=9, trusted=False), op("a", 0, 10))
    assert labels(layout_of(made)) == [["r0 thread 1"]]
