"""What header, status line and sheets say in words."""

from dataclasses import replace
from pathlib import Path

import pytest
from timelines import MS, layout_of, member, rank_capture, run_of, track, two_nodes

from build import EPOCH_NS, Collective, Slice, capture, kernel, launch, memcpy, op, row
from vpstop.read.capture import Shape, TraceWarning
from vpstop.tui.detail import detail_text
from vpstop.tui.facts import Fact, duration_text, slice_facts, traffic_text
from vpstop.tui.keys import KEYS
from vpstop.tui.layout import Layout, lay_out
from vpstop.tui.loading import Reading, progress_text
from vpstop.tui.status import (
    header,
    header_right,
    hint_parts,
    nothing_text,
    ranks_text,
    run_name,
    status,
)
from vpstop.tui.text_line import Part, fitted
from vpstop.tui.troubles import warnings_text
from vpstop.tui.view import ViewState, first_view


def plain(parts: list[Part]) -> str:
    """The text of a line."""
    return "".join(part.text for part in parts)


def view_of(layout: Layout, label: str, at_ns: int) -> ViewState:
    """The cursor on this row, so long after the epoch."""
    return replace(
        first_view(layout.extent), track=track(layout, label).key, cursor_ns=EPOCH_NS + at_ns
    )


def facts_of(made_name: str, *parts: Slice) -> dict[str, str]:
    """Facts of the slice of this name, by label."""
    made = capture(*parts)
    rank = layout_of(made).ranks[0]
    return dict(slice_facts(rank, row(made, made_name), EPOCH_NS))


@pytest.mark.parametrize(
    ("paths", "name"),
    [
        (("runs/llama/",), "llama"),
        (("a/x.json", "b/y.json"), "x.json and 1 more"),
        ((), Path.cwd().name),
    ],
)
def test_run_names(paths: tuple[str, ...], name: str) -> None:
    assert run_name(paths) == name


def test_the_header_leaves_out_what_panes_say_where_it_is_narrow() -> None:
    run = two_nodes()
    layout = lay_out(run)
    view = view_of(layout, "r0 s7", 12 * MS)
    wide = " vpstop traces · 4 ranks, 2 nodes · step 6 (2/2) · view 20.62 ms"
    assert plain(header(run, layout, view, 160)) == wide
    assert plain(header(run, layout, view, 80)) == " traces · step 6 (2/2) · view 20.62 ms"


def test_missing_ranks_are_counted() -> None:
    assert ranks_text(run_of(member(rank_capture(3, world_size=8)))) == "1 of 8 ranks, 1 node"


def test_damage_and_notes_are_counted_apart() -> None:
    run = replace(
        run_of(),
        warnings=(
            TraceWarning("truncated", "a"),
            TraceWarning("no_steps", "a"),
            TraceWarning("no_steps", "b"),
        ),
    )
    assert plain(header_right(run, 160)) == " ! 1 warning 2 notes  clocks as recorded "
    assert plain(header_right(run, 80)) == " ! 1 warning  clocks as recorded "
    only_notes = replace(run, warnings=run.warnings[1:])
    assert plain(header_right(only_notes, 80)) == " ! 2 notes  clocks as recorded "
    assert plain(header_right(run_of(), 80)) == " clocks as recorded "


def test_the_status_shortens_names_to_half_of_the_width() -> None:
    made = capture(kernel("volta_sgemm_128x64_nn_splitK", 0, 1500, correlation=7))
    layout = layout_of(made)
    view = view_of(layout, "r0 s7", 0)
    expected = " volta_sgemm_128x64_nn_splitK · 1.500 µs · r0 s7 · correlation 7"
    assert plain(status(layout, view, 200)) == expected
    assert plain(status(layout, view, 40)).startswith(" volta_sgemm_128x64… · ")


def test_the_status_of_an_idle_moment_is_the_length_of_the_gap() -> None:
    layout = layout_of(capture(kernel("a", 0, 1000), kernel("b", 3000, 1000)))
    assert plain(status(layout, view_of(layout, "r0 s7", 2000), 80)) == " idle 2.000 µs · r0 s7"
    after = view_of(layout, "r0 s7", 4000)
    assert plain(status(layout, after, 80)) == " nothing recorded here · r0 s7"


def test_a_notice_stands_before_everything() -> None:
    layout = layout_of(rank_capture(0))
    view = replace(view_of(layout, "r0 s7", 0), notice="no further step")
    assert plain(status(layout, view, 80)) == " no further step"


def test_self_time_is_what_direct_callees_leave() -> None:
    made = capture(op("outer", 0, 100), op("a", 10, 30), op("b", 15, 5), op("c", 60, 20))
    assert duration_text(made, row(made, "outer")) == "100 ns, self 50 ns"
    assert duration_text(made, row(made, "a")) == "30 ns, self 25 ns"
    assert duration_text(made, row(made, "b")) == "5 ns"


def test_a_collective_tells_what_it_moved() -> None:
    collective = Collective("allreduce", "Float", in_elements=1024, group_size=8, group_name="0")
    made = capture(kernel("ncclDevKernel_AllReduce", 0, 10, collective=collective))
    text = traffic_text(layout_of(made).ranks[0], row(made, "ncclDevKernel_AllReduce"))
    assert text == "all_reduce of 4.000 KiB Float, 8 ranks"


def test_a_copy_tells_its_bytes_and_compute_moves_nothing() -> None:
    made = capture(memcpy("Memcpy HtoD", 0, 10, 2048), kernel("gemm", 20, 10))
    rank = layout_of(made).ranks[0]
    assert traffic_text(rank, row(made, "Memcpy HtoD")) == "2.000 KiB"
    assert traffic_text(rank, row(made, "gemm")) == ""


def test_facts_of_a_kernel_lead_back_to_its_launch() -> None:
    facts = facts_of(
        "gemm",
        launch("cudaLaunchKernel", 0, 10, correlation=3),
        kernel("gemm", 500, 100, correlation=3),
    )
    assert facts["launched by"] == "cudaLaunchKernel, 500 ns before"
    assert facts["start"] == "500 ns after the start of the run"
    assert facts["lane"] == "stream 7, process 0"
    assert facts["correlation"] == "3"


def test_facts_of_an_operator_tell_of_callers_shapes_and_kernels() -> None:
    facts = facts_of(
        "aten::mm",
        op("outer", 0, 100),
        op("aten::linear", 10, 60),
        op("aten::mm", 20, 30, shape=Shape("[[2,3]]", '["float"]')),
        launch("cudaLaunchKernel", 25, 5, correlation=1),
        launch("cudaLaunchKernel", 32, 5, correlation=2),
        kernel("a", 200, 40, correlation=1),
        kernel("b", 300, 60, correlation=2),
    )
    assert facts["inside"] == "aten::linear < outer"
    assert facts["input shapes"] == '[[2,3]] ["float"]'
    assert facts["launched"] == "2 on the device, together 100 ns"
    assert "correlation" not in facts


def test_a_slice_that_was_cut_says_so() -> None:
    facts = facts_of("long", kernel("long", 0, 100), kernel("next", 60, 10))
    assert facts["duration"].startswith("100 ns")
    assert facts["cut to"].startswith("60 ns")


def test_the_detail_lists_facts_then_arguments() -> None:
    text = detail_text([Fact("name", "gemm")], {"grid": [1, 2, 3], "note": "x\x1b[31my"}).plain
    assert text.splitlines() == [
        "name  gemm",
        "",
        "arguments in the file",
        "grid  [1,2,3]",
        "note  x[31my",
    ]
    assert "none" in detail_text([Fact("name", "gemm")], {}).plain
    assert "cannot" in detail_text([Fact("name", "gemm")], "cannot be read").plain


def test_progress_lists_some_files_and_counts_the_rest() -> None:
    files = {Path(f"dir/rank{number}.json"): Reading(512, 2048) for number in range(8)}
    lines = progress_text(files, waiting=5).plain.splitlines()
    assert lines[0] == "rank0.json  █████░░░░░░░░░░░░░░░  25%  512 B of 2.000 KiB"
    assert len(lines) == 7
    assert lines[-1] == "7 more to read"


def test_warnings_are_cut_at_the_width_and_damage_comes_first() -> None:
    warnings = [
        TraceWarning("no_steps", "/x/rank0.json"),
        TraceWarning("bad_time", "/x/rank1.json", 3, "a" * 100),
    ]
    lines = warnings_text(warnings, 40).plain.splitlines()
    assert lines[0].startswith("bad time  rank1.json x 3  aaa")
    assert len(lines[0]) == 40
    assert lines[1].startswith("no steps  rank0.json")
    assert warnings_text([], 40).plain == "nothing was wrong with the files"


def test_many_unreadable_files_are_counted() -> None:
    assert "There is no file" in nothing_text(run_of())


def test_hints_share_a_word() -> None:
    keys = [key for key in KEYS if key.id in ("zoom_in", "zoom_out", "fit")]
    assert plain(hint_parts(keys)) == " w/s zoom  f fit "


@pytest.mark.parametrize(
    ("width", "text"), [(9, "abc行def"), (7, "abc行d…"), (5, "abc…"), (2, "a…"), (1, "…"), (0, "")]
)
def test_a_line_is_cut_by_cells_not_by_characters(width: int, text: str) -> None:
    cut = plain(fitted([Part("abc"), Part("行def")], width))
    assert cut.replace(" ", "") == text
