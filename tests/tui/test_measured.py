"""Rows of the operator and kernel panels, for all ranks, by node and by rank."""

from collections.abc import Sequence

import pytest

from build import annotation, capture, frame, kernel, launch, op
from vpstop.read.capture import Capture
from vpstop.run import Member, Run
from vpstop.tui.columns import Column
from vpstop.tui.measured import Grouping, kernel_columns, operator_columns


def run_of(*places: tuple[str, int | None, Capture]) -> Run:
    """A run of (host, rank, capture)."""
    members = tuple(
        Member(capture, rank, "metadata", host, "metadata") for host, rank, capture in places
    )
    return Run(("traces",), members, (), ())


def rank(number: int | None, mm_ns: int) -> Capture:
    """`mm` inside of `linear`, and a kernel of twice its time."""
    return capture(
        op("linear", start=0, duration=mm_ns + 10),
        op("mm", start=5, duration=mm_ns),
        launch("cudaLaunchKernel", start=6, duration=1, correlation=1),
        kernel("gemm<4>", start=50, duration=2 * mm_ns, correlation=1),
        rank=number,
        path=f"{number}.json",
    )


def table(columns: Sequence[Column], *titles: str) -> list[tuple[str, ...]]:
    """Cells of some columns, row by row, sorted."""
    chosen = [next(c for c in columns if c.title == title) for title in titles]
    return sorted(tuple(c.cell(row) for c in chosen) for row in range(len(columns[0].values)))


@pytest.fixture
def two_nodes() -> Run:
    """Three ranks on two nodes."""
    return run_of(("a", 0, rank(0, 20)), ("a", 1, rank(1, 30)), ("b", 2, rank(2, 40)))


def test_all_ranks_share_the_rows(two_nodes: Run) -> None:
    columns = operator_columns(two_nodes, Grouping.ALL)
    assert table(columns, "name", "calls", "self", "total", "mean") == [
        ("linear", "3", "30 ns", "120 ns", "40 ns"),
        ("mm", "3", "87 ns", "90 ns", "30 ns"),
    ]
    assert {"node", "rank"}.isdisjoint(column.title for column in columns)


def test_a_node_has_the_sums_of_its_ranks(two_nodes: Run) -> None:
    columns = operator_columns(two_nodes, Grouping.NODE)
    assert table(columns, "node", "name", "calls", "total") == [
        ("a", "linear", "2", "70 ns"),
        ("a", "mm", "2", "50 ns"),
        ("b", "linear", "1", "50 ns"),
        ("b", "mm", "1", "40 ns"),
    ]


def test_every_rank_has_its_own_rows(two_nodes: Run) -> None:
    columns = operator_columns(two_nodes, Grouping.RANK)
    assert table(columns, "name", "rank", "node", "device self")[3:] == [
        ("mm", "0", "a", "40 ns"),
        ("mm", "1", "a", "60 ns"),
        ("mm", "2", "b", "80 ns"),
    ]


def test_processes_that_are_no_rank_are_not_mixed() -> None:
    run = run_of(("a", None, rank(None, 20)), ("a", 0, rank(0, 30)))
    assert table(operator_columns(run, Grouping.RANK), "rank", "name")[2:] == [
        ("none", "linear"),
        ("none", "mm"),
    ]


def test_several_windows_of_a_rank_are_one() -> None:
    run = run_of(("a", 0, rank(0, 20)), ("a", 0, rank(0, 30)))
    assert table(operator_columns(run, Grouping.RANK), "name", "calls") == [
        ("linear", "2"),
        ("mm", "2"),
    ]


def test_shares_are_those_of_each_part() -> None:
    run = run_of(
        ("a", 0, capture(op("x", 0, 10), op("y", 10, 30))), ("a", 1, capture(op("x", 0, 99)))
    )
    by_rank = operator_columns(run, Grouping.RANK)
    assert table(by_rank, "rank", "name", "of self") == [
        ("0", "x", "25.0 %"),
        ("0", "y", "75.0 %"),
        ("1", "x", "100.0 %"),
    ]
    bars = table(by_rank, "rank", "name", "")
    assert [bar for _, _, bar in bars] == ["██▌", "███████▌", "██████████"]


def test_ranges_count_and_runtime_calls_do_not(two_nodes: Run) -> None:
    run = run_of(("a", 0, capture(annotation("mine", 0, 10), launch("cudaLaunchKernel", 1, 2))))
    assert table(operator_columns(run, Grouping.ALL), "name") == [("mine",)]


def test_without_a_device_there_are_no_device_times() -> None:
    run = run_of(("a", 0, capture(op("x", 0, 10))))
    titles = {column.title for column in operator_columns(run, Grouping.ALL)}
    assert {"self", "total"} <= titles
    assert {"device self", "device total"}.isdisjoint(titles)


def test_kernels_by_rank(two_nodes: Run) -> None:
    columns = kernel_columns(two_nodes, Grouping.RANK)
    assert table(columns, "rank", "calls", "total", "of work", "kind") == [
        ("0", "1", "40 ns", "100.0 %", "compute"),
        ("1", "1", "60 ns", "100.0 %", "compute"),
        ("2", "1", "80 ns", "100.0 %", "compute"),
    ]


def test_templates_show_first_what_tells_them_apart(two_nodes: Run) -> None:
    ((name,),) = table(kernel_columns(two_nodes, Grouping.ALL), "name")
    assert name.startswith("gemm")
    assert name.endswith("gemm<4>")


@pytest.mark.parametrize("grouping", Grouping)
def test_nothing_recorded_gives_empty_columns(grouping: Grouping) -> None:
    for run in (run_of(), run_of(("a", 0, capture(frame("train.py", 0, 10))))):
        assert table(operator_columns(run, grouping), "name") == []
        assert table(kernel_columns(run, grouping), "name") == []
