"""Which deviations are reported, and which are normal."""

from dataclasses import replace

from build import (
    Collective,
    Part,
    Slice,
    annotation,
    capture,
    frame,
    kernel,
    launch,
    op,
    slice_,
    step,
)


def kinds(*parts: Part) -> dict[str, int]:
    """Warnings of the capture but the one about steps, with their counts."""
    warnings = (warning for warning in capture(*parts).warnings if warning.kind != "no_steps")
    return {warning.kind: warning.count for warning in warnings}


def us(count: float) -> int:
    return int(count * 1000)


def linked(name: str, start: int, duration: int, correlation: int) -> tuple[Part, Part]:
    """A kernel and its launch."""
    call = launch("cudaLaunchKernel", start, 0, correlation=correlation)
    return call, kernel(name, start, duration, correlation=correlation)


def test_a_healthy_capture_has_none() -> None:
    assert kinds(op("aten::mm", 0, us(9)), *linked("gemm", us(1), us(2), 1)) == {}


def test_nothing_inside_is_empty() -> None:
    (warning,) = capture(path="rank3.json").warnings
    assert (warning.kind, warning.file, warning.count) == ("empty", "rank3.json", 1)


def test_a_kernel_far_over_the_next_one_has_a_bad_duration() -> None:
    parts = [*linked("endless", 0, us(1_600_000), 1), *linked("next", us(30_000), us(400), 2)]
    warning = capture(*parts).warnings[0]
    assert (warning.kind, warning.count, warning.example) == ("bad_duration", 1, "endless")


def test_kernels_may_overlap_a_little() -> None:
    assert kinds(*linked("a", 0, us(104), 1), *linked("b", us(100.2), us(90), 2)) == {}
    assert kinds(*linked("a", 0, us(8), 1), *linked("b", us(1), us(90), 2)) == {}


def test_slices_of_a_thread_that_cross_are_reported() -> None:
    assert kinds(op("a", 0, us(100)), op("b", us(50), us(100))) == {"overlapping_slices": 1}


def test_what_lies_inside_a_crossing_slice_is_not_reported_again() -> None:
    crossing = [op("a", 0, us(100)), op("b", us(50), us(100))]
    assert kinds(*crossing, op("c", us(60), us(80))) == {"overlapping_slices": 1}
    assert kinds(*crossing, op("rounded", us(60), us(90.5))) == {"overlapping_slices": 1}


def test_crossing_by_rounding_is_normal() -> None:
    assert kinds(op("a", 0, us(10)), op("b", us(5), us(6))) == {}


def test_a_transfer_outlives_the_call_that_began_it() -> None:
    assert kinds(op("c10d::recv_", 0, us(10)), annotation("gloo:recv", us(5), us(500))) == {}


def test_calls_that_never_returned_are_unfinished() -> None:
    stop = us(10_000)
    calls = [
        part
        for start in (us(100), us(1100), us(2100))
        for part in (
            frame("block", start, us(500)),
            frame("<built-in method demo>", start + us(10), stop - start - us(10)),
        )
    ]
    assert kinds(frame("<module>", 0, stop), *calls) == {"unfinished": 3}


def test_a_call_inside_a_range_can_be_unfinished_too() -> None:
    stop = us(10_000)
    call = frame("<built-in method demo>", us(20), stop - us(20))
    parts = [frame("<module>", 0, stop), annotation("region", us(10), us(50)), call]
    assert kinds(*parts) == {"unfinished": 1}


def test_the_entry_and_the_exit_of_a_range_are_normal() -> None:
    assert (
        kinds(
            frame("__enter__", 0, us(50)),
            annotation("ProfilerStep#1", us(20), us(500)),
            frame("profiler.py(811): step", us(500), us(2000)),
        )
        == {}
    )


def test_a_capture_without_step_markers_says_so() -> None:
    assert [warning.kind for warning in capture(op("a", 0, 5)).warnings] == ["no_steps"]
    assert capture(step(4, 0, 5)).warnings == ()


def test_communication_without_arguments_is_counted() -> None:
    (call, reduce), (other_call, gather) = linked("nccl_a", 0, 5, 1), linked("nccl_b", 9, 5, 2)
    assert isinstance(reduce, Slice)
    told = replace(reduce, collective=Collective())
    assert kinds(call, told, other_call, gather) == {"no_collective_info": 1}


def test_work_without_a_launch_is_counted() -> None:
    parts = [kernel("early", 0, 5), kernel("early", 10, 5, correlation=4), *linked("a", 20, 5, 1)]
    assert kinds(*parts) == {"unlinked_gpu": 2}


def test_work_of_a_known_operator_is_linked_enough() -> None:
    parts = [op("aten::zero_", 0, 5, external_id=3), kernel("fill", 9, 5, external_id=3)]
    assert kinds(*parts) == {}


def test_synchronisation_needs_no_launch() -> None:
    assert kinds(slice_("cuda_sync", "Context Sync", 0, 5, process=0, thread=-1)) == {}


def test_work_well_before_its_launch_is_in_another_clock() -> None:
    parts = [*linked("gemm", 0, us(2), 1), launch("cudaLaunchKernel", us(50), 0, correlation=2)]
    assert kinds(*parts, kernel("near", us(41), us(2), correlation=2)) == {}
    assert kinds(*parts, kernel("early", us(31), us(2), correlation=2)) == {"clock_domain": 1}
