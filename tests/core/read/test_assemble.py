"""From records to a capture: everything finds its slice again after the sort."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from build import (
    EPOCH_NS,
    Collective,
    Flow,
    Memory,
    Slice,
    annotation,
    capture,
    flow,
    frame,
    kernel,
    launch,
    memcpy,
    memset,
    op,
    records,
    row,
    rows,
    step,
)
from vpstop.read.activity import Activity
from vpstop.read.assemble import assemble, slice_order
from vpstop.read.capture import Shape, TraceWarning
from vpstop.read.categories import KNOWN, LaneKind
from vpstop.read.coverage import busy_ns
from vpstop.read.records import LaneKey

COLUMN = st.lists(st.tuples(st.integers(0, 3), st.integers(-5, 5), st.integers(0, 3)), max_size=60)


@given(COLUMN)
def test_the_order_is_lane_start_longest_first_file(drawn: list[tuple[int, int, int]]) -> None:
    columns = np.array(drawn, np.int64).reshape(-1, 3)
    lane, start, duration = columns.T
    expected = sorted(
        range(len(drawn)), key=lambda at: (drawn[at][0], drawn[at][1], -drawn[at][2], at)
    )
    assert slice_order(lane.astype(np.int32), start, duration).tolist() == expected


def test_columns_stay_together() -> None:
    made = capture(
        op("late", 50, 7, external_id=3, shape=Shape("[[2, 3]]", '["float"]')),
        kernel("gemm", 30, 9, correlation=4),
        op("early", 10, 5),
    )
    late, slices = row(made, "late"), made.slices
    assert slices.start_ns[late] == EPOCH_NS + 50
    assert slices.duration_ns[late] == 7
    assert slices.external_id[late] == 3
    assert made.shapes[slices.shape[late]] == Shape("[[2, 3]]", '["float"]')
    assert slices.record[late] == 0
    assert slices.shape[row(made, "early")] == -1
    assert slices.record.tolist() == [1, 2, 0]
    assert slices.correlation.tolist() == [4, 0, 0]


def test_columns_have_the_declared_types() -> None:
    made = capture(op("a", 0, 1), kernel("b", 0, 1))
    kinds = {"start_ns": "int64", "lane": "int32", "depth": "int32", "activity": "uint8"}
    kinds |= {"parent": "int32", "launch": "int32", "category": "uint8", "trusted": "bool"}
    assert {name: getattr(made.slices, name).dtype.name for name in kinds} == kinds
    assert made.collectives.slice.dtype == made.copies.slice.dtype == np.int32


def test_activities_come_from_category_and_name() -> None:
    made = capture(
        kernel("ncclDevKernel_AllReduce", 0, 1),
        kernel("gemm", 5, 1),
        memset(8, 1),
        annotation("Optimizer.step#SGD.step", 0, 1),
        launch("cudaDeviceSynchronize", 5, 1),
        op("gemm", 8, 1),
    )
    assert made.slices.activity.tolist() == [
        Activity.COMMUNICATION,
        Activity.COMPUTE,
        Activity.MEMORY,
        Activity.OPTIMIZER,
        Activity.SYNC,
        Activity.HOST,
    ]


def test_collectives_follow_their_slices() -> None:
    made = capture(
        kernel("second", 50, 5, collective=Collective(in_elements=2, dtype="Half", sequence=8)),
        op("record_param_comms", 0, 5, collective=Collective(in_elements=1)),
        kernel("first", 10, 5, collective=Collective(in_elements=1, group_ranks="[0, 1]")),
    )
    found = made.collectives
    assert found.slice.tolist() == [
        row(made, name) for name in ("first", "second", "record_param_comms")
    ]
    assert found.in_elements.tolist() == [1, 2, 1]
    assert found.sequence.tolist() == [-1, 8, -1]
    assert [found.texts[code] for code in found.dtype] == ["Float", "Half", "Float"]
    assert found.texts[found.group_ranks[0]] == "[0, 1]"
    assert found.group_ranks[1] == -1


def test_copies_follow_their_slices() -> None:
    made = capture(memcpy("Memcpy HtoD", 50, 5, 4096), memset(10, 5, 128), kernel("gemm", 5, 1))
    assert made.copies.slice.tolist() == [row(made, "Memset (Device)"), row(made, "Memcpy HtoD")]
    assert made.copies.bytes.tolist() == [128, 4096]


def test_memory_records_are_sorted_by_time_then_index() -> None:
    made = capture(Memory(30, 1), Memory(10, 2, index=9), Memory(10, 3, index=4, total_allocated=7))
    assert made.memory.time_ns.tolist() == [EPOCH_NS + 10, EPOCH_NS + 10, EPOCH_NS + 30]
    assert made.memory.bytes.tolist() == [3, 2, 1]
    assert made.memory.total_allocated.tolist() == [7, -1, -1]


def test_flow_pairs_are_ids_with_both_sides_under_todays_names() -> None:
    made = capture(
        op("a", 0, 1),
        *flow("async", 1),
        *flow("async_cpu_to_gpu", 2),
        *flow("cpu_to_cuda", 3),
        *flow("ac2g", 3),
        *flow("forward_backward", 1),
        Flow("ac2g", 9, "end"),
        Flow("ac2g", 9, "end"),
        Flow("fwdbwd", 9, "start"),
        Flow("critical_path", 5, "start"),
    )
    assert made.flow_pairs == {"ac2g": 3, "fwdbwd": 1}


def test_the_process_is_the_one_with_most_host_slices() -> None:
    parts = [op("a", 0, 1, process=5), op("b", 1, 1, process=6), op("c", 2, 1, process=6)]
    on_device = [kernel("k", start, 1, device=0) for start in range(5)]
    assert capture(*parts, *on_device).facts.process == "6"
    assert capture(*parts, process="5").facts.process == "5"
    assert capture(*on_device).facts.process == ""


def test_lanes_without_slices_are_left_out() -> None:
    found = records(op("a", 0, 1))
    unused = LaneKey(LaneKind.STREAM, "0", "7")
    made = assemble(
        replace(
            found,
            lanes=(unused, *found.lanes),
            slices=replace(found.slices, lane=found.slices.lane + np.int32(1)),
        )
    )
    assert [lane.kind for lane in made.lanes] == [LaneKind.HOST]
    assert made.slices.lane.tolist() == [0]


EXTREMES = st.sampled_from([0, 1, 2**31, 2**53 + 1, 2**61, 2**62, 2**63 - 1])


@given(st.lists(st.tuples(EXTREMES, EXTREMES, st.sampled_from([op, kernel])), min_size=1))
def test_absurd_times_lose_trust_and_break_nothing(
    drawn: list[tuple[int, int, Callable[..., Slice]]],
) -> None:
    parts = [make("a", start, duration) for start, duration, make in drawn]
    made = capture(*parts, epoch_ns=0)
    slices = made.slices
    fits = [start + duration <= 2**62 for start, duration, _ in drawn]
    assert not (slices.trusted & ~np.array(fits)[slices.record]).any()
    counted = sum(one.count for one in made.warnings if one.kind == "bad_time")
    assert counted == len(parts) - np.count_nonzero(slices.trusted)
    assert (slices.effective_ns >= 0).all()
    assert (made.coverage.sums >= 0).all()
    for at in range(len(made.coverage)):
        found = busy_ns(made.coverage, at, np.array([0, 2**60, 2**63 - 1]))
        assert np.array_equal(
            found.sum(axis=0), made.coverage.sums[made.coverage.offset[at + 1] - 1]
        )


def test_times_before_the_origin_are_not_trusted() -> None:
    made = capture(op("a", -5, 3), step(1, 0, 3), epoch_ns=0)
    assert made.slices.trusted.tolist() == [False, True]
    assert [(one.kind, one.count) for one in made.warnings] == [("bad_time", 1)]


def test_warnings_of_the_parser_are_kept() -> None:
    given = TraceWarning("bad_number", "rank0.json", 3)
    assert capture(step(1, 0, 1), warnings=[given]).warnings == (given,)


def test_a_capture_without_slices_is_complete() -> None:
    made = capture(Memory(3, 5))
    assert len(made.slices) == 0
    assert made.lanes == ()
    assert len(made.memory) == 1
    assert made.categories[: len(KNOWN)] == KNOWN
    assert [warning.kind for warning in made.warnings] == ["empty"]


def test_the_example_of_a_trace_with_stacks() -> None:
    """Launch, nesting and coverage agree on one small capture."""
    made = capture(
        frame("train.py(5): step", 0, 100),
        op("aten::mm", 10, 40),
        launch("cudaLaunchKernel", 20, 10, correlation=1),
        kernel("gemm", 60, 30, correlation=1),
    )
    slices = made.slices
    assert slices.launch[row(made, "gemm")] == row(made, "cudaLaunchKernel")
    assert slices.parent[rows(made, "cudaLaunchKernel")[0]] == row(made, "aten::mm")
    assert [lane.kind for lane in made.lanes] == [LaneKind.STREAM, LaneKind.HOST]
    assert made.coverage.lane.tolist() == [0, 1, 1, 1, 1]
