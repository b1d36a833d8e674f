"""Device time: metrics section 2, on traces small enough to check by hand."""

from hypothesis import given
from hypothesis import strategies as st

from build import Collective, Slice, capture, kernel, memcpy, memset, on_stream, op
from vpstop.measure.device import DeviceTime, device_times
from vpstop.measure.window import Window


def test_overlap_and_exposure() -> None:
    """Compute 0-40 and 70-80, communication 30-60, copy 50-65: idle is 65-70."""
    made = capture(
        kernel("gemm", 0, 40),
        kernel("gemm", 70, 10),
        kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 30, 30, stream=20),
        memcpy("Memcpy DtoH (Device -> Pinned)", 50, 15, stream=22),
    )
    (found,) = device_times(made).values()
    assert found == DeviceTime(
        span_ns=80,
        busy_ns=75,
        compute_ns=50,
        communication_ns=30,
        copy_ns=15,
        exposed_communication_ns=20,
        exposed_copy_ns=5,
    )
    assert found.idle_ns == 5
    assert found.overlap_percent is not None
    assert round(found.overlap_percent, 4) == 33.3333


def test_what_is_work() -> None:
    """Annotations, syncs and host rows are none; memsets compute; lost times do not count."""
    made = capture(
        memset(0, 10),
        on_stream("gpu_user_annotation", "## forward ##", 0, 500),
        on_stream("cuda_sync", "Stream Sync", 0, 500),
        op("triton_poi_fused_add", 0, 500),
        kernel("lost", 5, 500, trusted=False),
    )
    (found,) = device_times(made).values()
    assert (found.span_ns, found.compute_ns, found.busy_ns) == (10, 10, 10)
    assert found.overlap_percent is None


def test_a_kernel_with_collective_arguments_communicates_whatever_its_name() -> None:
    made = capture(kernel("generic", 0, 10, collective=Collective()), kernel("gemm", 10, 10))
    assert device_times(made)[0].communication_ns == 10


def test_a_stream_works_on_one_thing_at_a_time() -> None:
    """The second kernel begins at 30, so the first one ends there, whatever it claims."""
    made = capture(kernel("bwd", 0, 1_600_000_000), kernel("gemm", 30, 5))
    assert device_times(made)[0].busy_ns == 35


def test_each_device_by_its_own_number() -> None:
    made = capture(kernel("a", 0, 10, device=2), kernel("b", 0, 7, device=5))
    assert {number: time.busy_ns for number, time in device_times(made).items()} == {2: 10, 5: 7}
    assert device_times(capture(op("a", 0, 10))) == {}


def test_a_window_restricts() -> None:
    made = capture(kernel("a", 0, 10), kernel("b", 20, 10, device=1), epoch_ns=0)
    found = device_times(made, Window(5, 15))
    assert list(found) == [0]
    assert found[0].busy_ns == found[0].span_ns == 5


work = st.builds(
    on_stream,
    st.sampled_from(["kernel", "gpu_memcpy", "gpu_memset"]),
    st.sampled_from(["gemm", "nccl"]),
    st.integers(0, 60),
    st.integers(0, 20),
    stream=st.integers(1, 3),
)


@given(st.lists(work, min_size=1, max_size=20))
def test_the_classes_add_up_to_the_span(parts: list[Slice]) -> None:
    (found,) = device_times(capture(*parts)).values()
    exposed = found.exposed_communication_ns + found.exposed_copy_ns
    assert found.compute_ns + exposed + found.idle_ns == found.span_ns
