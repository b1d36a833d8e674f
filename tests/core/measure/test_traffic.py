"""Time in communication, by operation and message."""

from pathlib import Path

import pytest

from build import Collective, annotation, capture, kernel, op
from vpstop.measure.traffic import Traffic, covered_ns, traffic
from vpstop.read import read_file
from vpstop.read.capture import Capture
from vpstop.read.extent import extent_ns


def test_rows_of_all_captures_by_operation_and_message() -> None:
    small = Collective("allreduce", "Float", in_elements=256)
    large = Collective("allreduce", "Half", in_elements=4096)
    ranks = [
        capture(
            kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 0, 10 + rank, collective=small),
            kernel("ncclDevKernel_AllReduce_Sum_f16_RING_LL", 100, 500, collective=large),
            kernel("ncclDevKernel_SendRecv", 900, 3),
            kernel("gemm", 1000, 5000),
        )
        for rank in range(2)
    ]
    assert traffic(ranks) == (
        Traffic("all_reduce", 8192, calls=2, total_ns=1000, shortest_ns=500, longest_ns=500),
        Traffic("all_reduce", 1024, calls=2, total_ns=21, shortest_ns=10, longest_ns=11),
        Traffic("unknown", -1, calls=2, total_ns=6, shortest_ns=3, longest_ns=3),
    )
    assert traffic(ranks)[1].mean_ns == 10.5


def test_what_is_in_flight_at_once_is_covered_once() -> None:
    made = capture(
        op("aten::mm", 0, 100),
        annotation("gloo:all_reduce", 10, 40, thread=2),
        annotation("gloo:all_reduce", 30, 40, thread=3),
        annotation("gloo:all_reduce", 0, 900, thread=4, trusted=False),
    )
    assert covered_ns(made) == 60
    assert covered_ns(capture(op("aten::mm", 0, 100))) == 0


@pytest.mark.parametrize("host", ["fra1", "sin1", "tyo1"])
def test_the_wide_area_run_communicates_all_the_time(lab: Path, host: str) -> None:
    found = read_file(lab / "wan3" / f"{host}.pt.trace.json.gz")
    assert isinstance(found, Capture)
    span_ns = extent_ns(found)
    assert span_ns is not None
    assert covered_ns(found) > 0.99 * (span_ns[1] - span_ns[0])
