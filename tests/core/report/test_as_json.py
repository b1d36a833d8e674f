"""The JSON report: a public interface, so its keys are pinned here."""

import json
from random import Random
from typing import Any

from build import capture, kernel, launch, op, step
from vpstop.read.capture import Capture, Device, Skipped, TraceWarning
from vpstop.report.as_json import report_json
from vpstop.run import Run, gather

ROOT = "/data/run"

Json = dict[str, Any]


def rank_capture(rank: int, begin: int = 0) -> Capture:
    return capture(
        step(3, begin, 100),
        op("aten::mm", begin + 10, 20),
        launch("cudaLaunchKernel", begin + 12, 5, correlation=1),
        kernel("gemm", begin + 40, 50, correlation=1),
        kernel("ncclDevKernel_AllGather_RING_LL", begin + 80, 20, stream=20),
        rank=rank,
        world_size=4,
        path=f"{ROOT}/rank{rank}_{begin}.json",
        host_name="tyo1",
        devices=[Device(0, "NVIDIA H100")],
        epoch_ns=0,
    )


def run_of(*outcomes: Capture | Skipped) -> Run:
    return gather(outcomes, [ROOT], ROOT)


NOTE = TraceWarning("not_a_trace", f"{ROOT}/notes.txt", example="text")


def report_of_one_rank() -> Json:
    """A rank of four and a file of another kind."""
    run = run_of(rank_capture(1), Skipped(NOTE.file, "", 7, (NOTE,)))
    found: Json = json.loads(report_json(run))
    return found


def test_the_run() -> None:
    found = report_of_one_rank()
    assert list(found) == ["version", "run", "files", "warnings", "ranks", "operators", "kernels"]
    assert found["version"] == "1"
    assert found["run"] == {
        "paths": [ROOT],
        "name": "",
        "other_runs": [],
        "ranks": [1],
        "hosts": ["tyo1"],
        "world_size": 4,
        "steps": [3],
        "span_ns": [0, 100],
    }


def test_files_and_warnings() -> None:
    found = report_of_one_rank()
    files = {file["path"]: file for file in found["files"]}
    assert files[f"{ROOT}/rank1_0.json"] == {
        "path": f"{ROOT}/rank1_0.json",
        "use": "trace",
        "format": "kineto",
        "rank": 1,
        "rank_source": "metadata",
        "host": "tyo1",
        "complete": True,
        "bytes": 1000,
        "slices": 5,
    }
    assert files[NOTE.file]["use"] != "trace"
    warnings = {warning["kind"]: warning for warning in found["warnings"]}
    kinds = {"not_a_trace", "ranks_missing", "unlinked_gpu", "no_collective_info"}
    assert warnings.keys() == kinds
    assert warnings["not_a_trace"] == {
        "kind": "not_a_trace",
        "file": NOTE.file,
        "rank": None,
        "count": 1,
        "example": "text",
    }


def test_a_rank() -> None:
    assert report_of_one_rank()["ranks"] == [
        {
            "rank": 1,
            "capture": 0,
            "host": "tyo1",
            "file": f"{ROOT}/rank1_0.json",
            "device_name": "NVIDIA H100",
            "slices": {"cpu_op": 1, "user_annotation": 1, "kernel": 2, "cuda_runtime": 1},
            "span_ns": [0, 100],
            "steps": [3],
            "devices": {
                "0": {
                    "span_ns": 60,
                    "busy_ns": 60,
                    "idle_ns": 0,
                    "compute_ns": 50,
                    "communication_ns": 20,
                    "copy_ns": 0,
                    "exposed_communication_ns": 10,
                    "exposed_copy_ns": 0,
                    "overlap_percent": 50.0,
                }
            },
            "step_ns": 100,
        }
    ]


def test_operators_and_kernels() -> None:
    found = report_of_one_rank()
    operators = {row["name"]: row for row in found["operators"]}
    assert operators["aten::mm"] == {
        "rank": 1,
        "name": "aten::mm",
        "category": "cpu_op",
        "calls": 1,
        "total_ns": 20,
        "self_ns": 15,
        "device_total_ns": 50,
        "device_self_ns": 50,
    }
    kernels = {row["name"]: row for row in found["kernels"]}
    assert kernels["gemm"] == {
        "rank": 1,
        "name": "gemm",
        "calls": 1,
        "total_ns": 50,
        "recorded_ns": 50,
        "p50_ns": 50,
        "p99_ns": 50,
        "share": 5 / 7,
        "communication": False,
    }


def test_one_row_for_a_name_and_rank_over_several_captures() -> None:
    found = json.loads(report_json(run_of(rank_capture(1), rank_capture(1, 1000), rank_capture(0))))
    assert [(rank["rank"], rank["capture"]) for rank in found["ranks"]] == [(0, 0), (1, 0), (1, 1)]
    calls = [(row["rank"], row["calls"]) for row in found["operators"] if row["name"] == "aten::mm"]
    assert calls == [(0, 1), (1, 2)]
    assert [
        (row["rank"], row["calls"]) for row in found["kernels"] if row["name"] == "gemm"
    ] == calls


def test_an_empty_run_is_null_or_empty_and_still_json() -> None:
    found = json.loads(report_json(run_of()))
    assert found["run"]["span_ns"] is None
    assert found["run"]["world_size"] is None
    assert found["ranks"] == found["operators"] == found["kernels"] == []


def test_the_order_of_files_changes_nothing() -> None:
    outcomes = [rank_capture(rank) for rank in range(4)]
    first = report_json(run_of(*outcomes))
    Random(1).shuffle(outcomes)
    assert report_json(run_of(*outcomes)) == first
