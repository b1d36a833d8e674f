"""The kernel table."""

from build import Collective, capture, kernel, memcpy, op
from vpstop.measure.kernels import kernel_table
from vpstop.measure.window import Window


def test_totals_shares_and_percentiles_over_all_captures() -> None:
    """100 launches of 1 to 100 ns on two ranks, one of 950 ns, and a copy of 4000 ns."""
    odd = capture(
        *(kernel("small", 200 * n, n) for n in range(1, 101, 2)), memcpy("M", 0, 4000, stream=8)
    )
    even = capture(*(kernel("small", 200 * n, n) for n in range(2, 101, 2)), kernel("big", 0, 400))
    table = kernel_table([odd, even])
    assert table.names == ("big", "small")
    assert table.calls.tolist() == [1, 100]
    assert table.total_ns.tolist() == [400, 5050]
    assert table.mean_ns.tolist() == [400, 50.5]
    assert table.p50_ns.tolist() == [400, 50]
    assert table.p99_ns.tolist() == [400, 99]
    assert table.work_ns == 9450
    assert table.share.tolist() == [400 / 9450, 5050 / 9450]


def test_a_kernel_ends_when_the_next_one_of_its_stream_begins() -> None:
    """Dependent launches overlap on purpose; other tools add whole durations."""
    made = capture(
        kernel("producer", 0, 100), kernel("consumer", 80, 50), kernel("other", 90, 9, stream=8)
    )
    table = kernel_table([made])
    assert dict(zip(table.names, table.total_ns.tolist(), strict=True)) == {
        "consumer": 50,
        "other": 9,
        "producer": 80,
    }
    assert table.recorded_ns.tolist() == [50, 9, 100]


def test_which_kernels_communicate() -> None:
    made = capture(
        kernel("ncclDevKernel_AllGather_RING_LL", 0, 10),
        kernel("named by its arguments", 20, 10, collective=Collective()),
        kernel("gemm", 40, 10),
    )
    table = kernel_table([made])
    assert dict(zip(table.names, table.is_communication.tolist(), strict=True)) == {
        "gemm": False,
        "named by its arguments": True,
        "ncclDevKernel_AllGather_RING_LL": True,
    }


def test_a_window_restricts() -> None:
    made = capture(kernel("k", 0, 10), kernel("k", 20, 10), kernel("gone", 90, 5), epoch_ns=0)
    table = kernel_table([made], Window(5, 25))
    assert (table.names, table.calls.tolist(), table.total_ns.tolist()) == (("k",), [1], [10])


def test_without_kernels_the_table_is_empty() -> None:
    assert len(kernel_table([])) == 0
    assert len(kernel_table([capture(op("aten::mm", 0, 10))])) == 0
