"""Order, numbers and names of lanes."""

import pytest

from build import capture, kernel, launch, on_stream, op, slice_
from vpstop.read.capture import Capture, Lane
from vpstop.read.categories import LaneKind


def names(made: Capture) -> list[str]:
    return [lane.name for lane in made.lanes]


def only_lane(category: str, process: str, thread: str, given: str = "") -> Lane:
    """The lane of one slice with these ids."""
    thread_names = {(process, thread): given} if given else {}
    made = capture(
        slice_(category, "x", 0, 1, process=process, thread=thread), thread_names=thread_names
    )
    (lane,) = made.lanes
    return lane


def test_lanes_come_by_kind_then_by_number() -> None:
    made = capture(
        op("main", 0, 1),
        slice_("overhead", "Buffer Flush", 0, 1, process=-1, thread=0),
        slice_("cuda_sync", "Context Sync", 0, 1, process=0, thread=-1),
        on_stream("gpu_user_annotation", "forward", 0, 1),
        kernel("a", 0, 1, stream=20),
        kernel("b", 0, 1, stream=7),
        kernel("c", 0, 1, stream=7, device=10),
        kernel("d", 0, 1, stream=7, device=2),
    )
    assert names(made) == [
        "stream 7",
        "stream 20",
        "stream 7",
        "stream 7",
        "stream 7 ranges",
        "device sync",
        "thread 1",
        "profiler overhead",
    ]
    assert [lane.device for lane in made.lanes] == [0, 0, 2, 10, 0, 0, None, None]


def test_the_busiest_thread_of_the_busiest_process_comes_first() -> None:
    made = capture(
        op("stray", 0, 1, process=0, thread=0),
        op("a", 0, 1, thread=5),
        op("b", 0, 1, thread=9),
        op("c", 1, 1, thread=9),
    )
    assert [(lane.process, lane.thread) for lane in made.lanes] == [
        ("100", "9"),
        ("100", "5"),
        ("0", "0"),
    ]


@pytest.mark.parametrize(
    ("category", "process", "thread", "name", "device", "stream"),
    [
        ("kernel", "0", "stream 7", "stream 7", 0, 7),
        ("gpu_user_annotation", "3", "stream 7 user", "stream 7 ranges", 3, 7),
        ("gpu_user_annotation", "0", "stream 7 annotations", "stream 7 ranges", 0, 7),
        ("kernel", "CUDA functions", "2", "stream 2", 0, 2),
        ("kernel", "0", "0", "stream 0", 0, 0),
        ("kernel", "0", "4294967295", "device", 0, None),
        ("kernel", "0", "94028231423360", "stream 94028231423360", 0, 94028231423360),
        pytest.param("kernel", "9" * 400, "7", "stream 7", 0, 7, id="no number of a device"),
        pytest.param("kernel", "0", "9" * 5000, "device", 0, None, id="no number of a stream"),
        ("cuda_sync", "1", "1000007", "stream 7 sync", 1, 7),
        ("cuda_sync", "1", "7", "stream 7 sync", 1, 7),
        ("cuda_sync", "1", "-1", "device sync", 1, None),
    ],
)
def test_numbers_of_devices_and_streams(
    category: str, process: str, thread: str, name: str, device: int, stream: int | None
) -> None:
    lane = only_lane(category, process, thread)
    assert (lane.name, lane.device, lane.stream) == (name, device, stream)
    assert (lane.process, lane.thread) == (process, thread)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("", "thread 4021"),
        ("python", "thread 4021 (python)"),
        ("thread 4021 (pt_autograd_0)", "thread 4021 (pt_autograd_0)"),
        (" ", "thread 4021"),
    ],
)
def test_names_of_threads(given: str, name: str) -> None:
    lane = only_lane("cpu_op", "100", "4021", given)
    assert (lane.name, lane.device, lane.stream) == (name, None, None)


@pytest.mark.parametrize(
    ("category", "given", "name"),
    [
        ("kernel", "stream 7 ", "stream 7"),
        ("cuda_sync", "stream 7 (sync)", "stream 7 sync"),
        ("mtia_ccp_events", "PACKET", "PACKET"),
    ],
)
def test_names_of_streams(category: str, given: str, name: str) -> None:
    assert only_lane(category, "0", "7", given).name == name


def test_host_or_device_is_decided_by_the_category() -> None:
    """In a container the process can be 1, and so can the device."""
    made = capture(
        launch("cudaLaunchKernel", 0, 1, process=1, thread=7),
        kernel("gemm", 0, 1, device=1, stream=7),
    )
    assert [lane.kind for lane in made.lanes] == [LaneKind.STREAM, LaneKind.HOST]


def test_an_unknown_category_lies_on_a_host_thread() -> None:
    assert only_lane("foo_bar", "1", "2").kind is LaneKind.HOST
