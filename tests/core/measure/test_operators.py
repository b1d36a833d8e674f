"""The operator table, on calls small enough to check by hand."""

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from build import Slice, annotation, capture, frame, kernel, launch, memcpy, op, step
from vpstop.measure.operators import OPERATORS, OperatorTable, merged, operator_table
from vpstop.measure.window import Window


class Row(NamedTuple):
    calls: int
    total_ns: int
    self_ns: int
    device_total_ns: int = 0
    device_self_ns: int = 0


def rows(table: OperatorTable) -> dict[str, Row]:
    columns = zip(
        table.calls.tolist(),
        table.total_ns.tolist(),
        table.self_ns.tolist(),
        table.device_total_ns.tolist(),
        table.device_self_ns.tolist(),
        strict=True,
    )
    return {name: Row(*values) for name, values in zip(table.names, columns, strict=True)}


def test_self_time_is_what_the_calls_inside_leave() -> None:
    made = capture(
        op("aten::linear", 0, 100),
        op("aten::t", 10, 20),
        op("aten::addmm", 40, 50),
        op("aten::t", 0, 5, thread=2),
    )
    table = operator_table(made)
    assert table.names == ("aten::addmm", "aten::linear", "aten::t")
    assert rows(table) == {
        "aten::linear": Row(1, 100, 30),
        "aten::t": Row(2, 25, 25),
        "aten::addmm": Row(1, 50, 50),
    }
    assert table.mean_ns.tolist() == [50.0, 100.0, 12.5]


def test_an_only_child_of_the_same_name_is_one_call_with_its_caller() -> None:
    made = capture(op("aten::sum", 0, 100), op("aten::sum", 10, 80), op("aten::fill_", 20, 30))
    assert rows(operator_table(made)) == {
        "aten::sum": Row(1, 100, 70),
        "aten::fill_": Row(1, 30, 30),
    }


def test_a_chain_of_only_children_is_one_call() -> None:
    made = capture(*(op("f", depth, 100 - 2 * depth) for depth in range(5)))
    assert rows(operator_table(made)) == {"f": Row(1, 100, 100)}


def test_every_other_recursive_call_adds_its_own_total() -> None:
    made = capture(op("f", 0, 100), op("f", 10, 30), op("g", 50, 20))
    assert rows(operator_table(made)) == {"f": Row(2, 130, 80), "g": Row(1, 20, 20)}


def test_step_markers_are_one_row() -> None:
    made = capture(step(1, 0, 100), op("aten::mm", 10, 40), step(2, 100, 60))
    assert rows(operator_table(made)) == {
        "ProfilerStep*": Row(2, 160, 120),
        "aten::mm": Row(1, 40, 40),
    }


def test_a_range_and_an_operator_of_the_same_name_are_two_rows() -> None:
    table = operator_table(capture(annotation("forward", 0, 100), op("forward", 100, 10)))
    assert table.names == ("forward", "forward")
    assert table.categories == ("cpu_op", "user_annotation")
    assert table.calls.tolist() == [1, 1]
    assert table.only(["cpu_op"]).total_ns.tolist() == [10]


def test_the_profilers_own_operators_are_looked_through() -> None:
    made = capture(op("aten::add", 0, 100), op("aten::is_leaf", 10, 50), op("aten::empty", 20, 5))
    assert rows(operator_table(made)) == {
        "aten::add": Row(1, 100, 95),
        "aten::empty": Row(1, 5, 5),
    }


def test_a_range_that_outlasts_the_frame_that_opened_it_is_not_inside_it() -> None:
    """As in every trace with stacks: `__enter__` begins the range and returns."""
    made = capture(
        frame("train.py(3): step", 0, 1000),
        frame("__enter__", 10, 20),
        annotation("forward", 20, 900),
        op("aten::mm", 100, 50),
    )
    assert rows(operator_table(made)) == {
        "train.py(3): step": Row(1, 1000, 80),
        "__enter__": Row(1, 20, 20),
        "forward": Row(1, 900, 850),
        "aten::mm": Row(1, 50, 50),
    }
    assert operator_table(made).only(OPERATORS).names == ("aten::mm", "forward")


def test_device_time_belongs_to_the_operator_around_the_launch() -> None:
    made = capture(
        op("aten::linear", 0, 100),
        op("aten::addmm", 10, 50),
        launch("cudaLaunchKernel", 20, 5, correlation=1),
        launch("cudaMemcpyAsync", 70, 5, correlation=2),
        kernel("gemm", 200, 1000, correlation=1),
        memcpy("Memcpy HtoD", 1300, 30, correlation=2),
        kernel("launched before the window", 0, 77),
    )
    assert rows(operator_table(made)) == {
        "aten::linear": Row(1, 100, 45, device_total_ns=1030, device_self_ns=30),
        "aten::addmm": Row(1, 50, 45, device_total_ns=1000, device_self_ns=1000),
        "cudaLaunchKernel": Row(1, 5, 5),
        "cudaMemcpyAsync": Row(1, 5, 5),
    }


def test_external_ids_win_over_the_place_of_the_launch() -> None:
    """The launch happens on a thread of the runtime; its id names the operator."""
    made = capture(
        op("aten::mm", 0, 50, external_id=9),
        launch("cudaGraphLaunch", 60, 5, thread=2, correlation=1, external_id=9),
        kernel("gemm", 200, 100, correlation=1, external_id=9),
        kernel("gemm", 300, 11, external_id=9),
    )
    assert rows(operator_table(made))["aten::mm"] == Row(1, 50, 50, 111, 111)


def test_external_ids_that_repeat_the_correlation_say_nothing() -> None:
    made = capture(
        op("aten::mm", 0, 50, external_id=1),
        op("aten::add", 60, 50, external_id=2),
        launch("cudaLaunchKernel", 70, 5, correlation=1, external_id=1),
        kernel("add", 200, 100, correlation=1, external_id=1),
    )
    assert rows(operator_table(made))["aten::add"].device_self_ns == 100


def test_tables_merge_by_name() -> None:
    one = operator_table(capture(op("a", 0, 10), op("b", 20, 5)))
    two = operator_table(capture(op("b", 0, 7), annotation("a", 10, 1)))
    both = merged([one, two])
    assert list(zip(both.names, both.categories, strict=True)) == [
        ("a", "cpu_op"),
        ("a", "user_annotation"),
        ("b", "cpu_op"),
    ]
    assert both.calls.tolist() == [1, 1, 2]
    assert both.total_ns.tolist() == both.self_ns.tolist() == [10, 1, 12]
    assert len(merged([])) == len(operator_table(capture(kernel("k", 0, 1)))) == 0


calls = st.lists(
    st.builds(
        op,
        st.sampled_from("fgh"),
        st.integers(0, 50),
        st.integers(1, 50),
        thread=st.integers(1, 2),
    ),
    max_size=25,
)


@given(calls, st.integers(-10, 110))
def test_the_parts_of_a_split_window_add_up(parts: list[Slice], middle: int) -> None:
    made = capture(*parts, epoch_ns=0)
    halves = [operator_table(made, Window(-100, middle)), operator_table(made, Window(middle, 200))]
    assert rows(merged(halves)) == rows(operator_table(made))


@given(calls)
def test_times_do_not_depend_on_when_it_was(parts: list[Slice]) -> None:
    assert rows(operator_table(capture(*parts))) == rows(
        operator_table(capture(*parts, epoch_ns=5))
    )
