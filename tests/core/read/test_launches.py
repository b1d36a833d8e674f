"""Which host call launched what, and how early work seems to start."""

import numpy as np

from build import EPOCH_NS, Part, capture, kernel, launch, memcpy, memset, op, row, rows, slice_
from vpstop.read.capture import Capture
from vpstop.read.launches import launch_inversion_ns


def launch_names(made: Capture, name: str) -> list[str | None]:
    """Names of the launch calls of the slices of this name."""
    calls = made.slices.launch[rows(made, name)]
    return [None if call < 0 else made.names[made.slices.name[call]] for call in calls]


def test_work_belongs_to_the_call_of_its_correlation() -> None:
    made = capture(
        launch("cudaLaunchKernel", 0, 5, correlation=1),
        launch("cudaMemcpyAsync", 10, 5, correlation=2),
        launch("cudaMemsetAsync", 20, 5, correlation=3),
        kernel("gemm", 10, 5, correlation=1),
        memcpy("Memcpy HtoD", 20, 5, correlation=2),
        memset(30, 5, correlation=3),
    )
    assert launch_names(made, "gemm") == ["cudaLaunchKernel"]
    assert launch_names(made, "Memcpy HtoD") == ["cudaMemcpyAsync"]
    assert launch_names(made, "Memset (Device)") == ["cudaMemsetAsync"]
    assert not np.any(made.slices.launch[rows(made, "cudaLaunchKernel")] >= 0)


def test_correlation_zero_links_nothing() -> None:
    made = capture(launch("hipLaunchKernel", 0, 5), kernel("nccl", 10, 5))
    assert launch_names(made, "nccl") == [None]


def test_a_graph_launch_is_the_call_of_all_its_kernels() -> None:
    made = capture(
        launch("cudaGraphLaunch", 0, 5, correlation=700),
        kernel("node", 10, 5, correlation=700),
        kernel("node", 20, 5, correlation=700),
    )
    assert launch_names(made, "node") == ["cudaGraphLaunch"] * 2


def test_runtime_and_driver_calls_come_before_operators() -> None:
    made = capture(
        op("aten::mm", 0, 20, correlation=5),
        slice_("cuda_driver", "cuLaunchKernel", 2, 3, correlation=5),
        op("aten::add", 30, 20, correlation=6),
        kernel("gemm", 10, 5, correlation=5),
        kernel("add", 40, 5, correlation=6),
    )
    assert launch_names(made, "gemm") == ["cuLaunchKernel"]
    assert launch_names(made, "add") == ["aten::add"]


def test_of_several_calls_the_latest_before_the_work_is_the_launch() -> None:
    calls = [launch(f"call {start}", start, 5, correlation=9) for start in (20, 0, 40, 60)]
    work = [
        kernel(f"work {start}", start, 1, correlation=9, stream=start) for start in (30, 40, 90)
    ]
    made = capture(*calls, *work)
    assert launch_names(made, "work 30") == ["call 20"]
    assert launch_names(made, "work 40") == ["call 40"]
    assert launch_names(made, "work 90") == ["call 60"]


def test_work_before_all_its_calls_belongs_to_the_first() -> None:
    calls = [launch(f"call {start}", start, 5, correlation=9) for start in (20, 40)]
    made = capture(*calls, kernel("early", 10, 5, correlation=9))
    assert launch_names(made, "early") == ["call 20"]


def test_synchronisation_is_linked_to_its_call_too() -> None:
    made = capture(
        launch("cudaStreamSynchronize", 0, 50, correlation=4),
        slice_("cuda_sync", "Stream Sync", 1, 40, process=0, thread=7, correlation=4),
    )
    assert launch_names(made, "Stream Sync") == ["cudaStreamSynchronize"]


def inversion_ns(*parts: Part) -> int:
    return launch_inversion_ns(capture(*parts))


def test_inversion_is_the_largest_time_of_work_before_its_call() -> None:
    assert inversion_ns() == 0
    assert inversion_ns(kernel("k", 5, 1)) == 0
    call = launch("cudaLaunchKernel", 100, 5, correlation=1)
    graph = launch("cudaGraphLaunch", 200, 5, correlation=2)
    assert inversion_ns(call, kernel("k", 101, 1, correlation=1)) == 0
    assert inversion_ns(call, kernel("k", 97, 1, correlation=1)) == 3
    early = [kernel("k", start, 1, correlation=2, stream=start) for start in (160, 180)]
    assert inversion_ns(call, graph, kernel("k", 97, 1, correlation=1), *early) == 40


def test_inversion_ignores_unknown_times_and_synchronisation() -> None:
    call = launch("cudaLaunchKernel", 100, 5, correlation=1)
    sync = slice_("cuda_sync", "Event Sync", 50, 5, process=0, thread=7, correlation=1)
    lost = kernel("k", -EPOCH_NS, 1, correlation=1, trusted=False)
    assert inversion_ns(call, sync, lost) == 0


def test_inversion_counts_the_times_of_another_clock() -> None:
    call = launch("cudaLaunchKernel", 100, 5, correlation=1)
    assert inversion_ns(call, kernel("k", 100 - 10**13, 1, correlation=1)) == 10**13


def test_an_untrusted_start_still_finds_its_call() -> None:
    calls = [launch(f"call {start}", start, 5, correlation=9) for start in (20, 40)]
    made = capture(*calls, kernel("lost", -1000, 0, correlation=9, trusted=False))
    assert made.slices.launch[row(made, "lost")] == row(made, "call 20")
