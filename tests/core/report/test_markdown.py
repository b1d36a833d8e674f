"""The markdown report: its numbers, its shape, and that no input breaks it."""

import re
from dataclasses import replace
from random import Random

from build import annotation, capture, kernel, launch, memcpy, op, step
from vpstop.read.capture import Capture, Device, Shape, Skipped, TraceWarning
from vpstop.report.markdown import markdown
from vpstop.run import Run, gather

ROOT = "/data/run"


def gpu_rank(rank: int) -> Capture:
    """Two steps; compute 20 us, exposed communication 10 us, idle 10 us of a span of 40 us."""
    return capture(
        step(1, 0, 50_000),
        step(2, 50_000, 50_000),
        op("aten::mm", 1_000, 9_000),
        launch("cudaLaunchKernel", 2_000, 1_000, correlation=1),
        kernel("gemm<float|int>", 10_000, 20_000, correlation=1),
        kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20_000, 20_000, stream=20),
        memcpy("Memcpy DtoH", 45_000, 5_000, stream=20),
        rank=rank,
        world_size=2,
        path=f"{ROOT}/rank{rank}.json",
        devices=[Device(0, "NVIDIA H100")],
    )


def cpu_rank(rank: int) -> Capture:
    """Communication in flight for 60 of 100 ns, twice at once for 20 of them."""
    floats = Shape("[[256]]", '["float"]')
    return capture(
        op("aten::mm", 0, 100),
        annotation("gloo:all_reduce", 10, 40, thread=2, shape=floats),
        annotation("gloo:all_reduce", 30, 40, thread=3, shape=floats),
        rank=rank,
        path=f"{ROOT}/{rank}.json",
        host_name=f"node{rank}",
    )


def run_of(*outcomes: Capture | Skipped) -> Run:
    return gather(outcomes, [ROOT], ROOT)


def section(report: str, title: str) -> list[str]:
    """Lines of a section without its title."""
    (found,) = re.findall(rf"^## {title}\n\n(.*?)(?:\n\n## |\Z)", report, re.DOTALL | re.MULTILINE)
    return str(found).splitlines()


def rows(report: str, title: str) -> list[list[str]]:
    """Cells of the first table of a section, without its header."""
    lines = [line for line in section(report, title) if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def test_the_head_says_what_and_how_long() -> None:
    lines = markdown(run_of(gpu_rank(0), gpu_rank(1))).splitlines()
    assert lines[0] == "# vpstop report: run"
    assert lines[2] == "2 ranks on 1 node, 2 x NVIDIA H100."
    assert "- **Step:** 50.00 µs" in lines
    assert any(line.startswith("- **Devices:** 50.0 % compute, 25.0 % exposed") for line in lines)


def test_device_times() -> None:
    """Span 10 to 50, compute 10 to 30, communication 20 to 40, copy 45 to 50 us."""
    found = rows(markdown(run_of(gpu_rank(0))), "Device time")
    assert found == [
        [
            *("0", "`run`", "0", "40.00 µs", "20.00 µs (50.0 %)", "10.00 µs (25.0 %)"),
            *("5.000 µs (12.5 %)", "5.000 µs (12.5 %)", "35.00 µs (87.5 %)"),
            *("20.00 µs (50.0 %)", "50.0 %", "5.000 µs (12.5 %)"),
        ]
    ]


def test_nodes_and_how_they_were_found() -> None:
    found = rows(markdown(run_of(cpu_rank(0), cpu_rank(1), cpu_rank(2))), "Nodes")
    assert found[1] == ["`node1`", "1", "none", "1", "metadata", "metadata"]
    assert len(found) == 3


def test_steps() -> None:
    found = rows(markdown(run_of(gpu_rank(0))), "Steps")
    assert found == [["0", "`run`", "1-2", "50.00 µs", "2", "50.00 µs", "50.00 µs"]]
    assert section(markdown(run_of(cpu_rank(0))), "Steps") == [
        "No step markers: the whole window counts as one step."
    ]


def test_communication_in_flight_is_a_union() -> None:
    report = markdown(run_of(cpu_rank(0)))
    operation, by_rank = (
        [line for line in section(report, "Communication") if line.startswith("|")][place]
        for place in (2, -1)
    )
    assert operation == "| `all_reduce` | 1.000 KiB | 2 | 80 ns | 40 ns | 40 ns | 40 ns |"
    assert by_rank == "| 0 | `node0` | 60 ns | 60.0 % |"


def test_operators_and_kernels_of_all_ranks_together() -> None:
    report = markdown(run_of(gpu_rank(0), gpu_rank(1)))
    operators = {row[0]: row[1:] for row in rows(report, "Top operators")}
    assert operators["`aten::mm`"] == [
        *("operator", "2", "16.00 µs", "8.1 %", "18.00 µs", "9.000 µs", "40.00 µs", "40.00 µs")
    ]
    assert "`cudaLaunchKernel`" not in operators
    kernels = rows(report, "Top kernels")
    assert [row[1] for row in kernels] == ["compute", "communication"]
    assert kernels[0][0] == "`gemm<float\\|int>`"
    assert kernels[0][2:] == ["2", "40.00 µs", "44.4 %", *["20.00 µs"] * 3]


def test_warnings_are_grouped_and_files_named_below_the_folder() -> None:
    notes = tuple(TraceWarning("bad_text", f"{ROOT}/{n}.log", 2, "a|b\nc") for n in range(5))
    skipped = [Skipped(note.file, "", 2048, (note,)) for note in notes]
    report = markdown(run_of(gpu_rank(0), *skipped))
    assert ["`0.log`", "unknown", "2.000 KiB"] in rows(report, "Files without slices")
    damage, *information = rows(report, "Warnings")
    assert damage == ["`bad_text`", "damage", "5 files, first `0.log`", "10", "`a\\|bc`"]
    assert ["`ranks_missing`", "information", "the whole run", "1"] in [r[:4] for r in information]


def test_nothing_to_report_is_a_report() -> None:
    report = markdown(run_of(Skipped(f"{ROOT}/x.json", "", 0, ())))
    assert "0 ranks on 0 nodes." in report
    assert "No operators were recorded." in report
    assert section(report, "Warnings") == ["None."]


def test_the_order_of_files_changes_nothing() -> None:
    outcomes = [gpu_rank(0), gpu_rank(1), cpu_rank(2), cpu_rank(3)]
    first = markdown(run_of(*outcomes))
    Random(1).shuffle(outcomes)
    assert markdown(run_of(*outcomes)) == first


def test_a_process_that_is_no_rank_is_known_by_its_file() -> None:
    run = run_of(capture(step(1, 0, 9), path=f"{ROOT}/async_llm.json"))
    run = replace(run, members=(replace(run.members[0], rank=None),))
    assert rows(markdown(run), "Steps")[0][0] == "`async_llm.json`"
    assert rows(markdown(run), "Nodes")[0][1] == "1 process without rank"


def test_large_jobs_are_cut() -> None:
    report = markdown(run_of(*(cpu_rank(rank) for rank in range(70))))
    assert "6 more rows: `vpstop report --format json` has all." in section(report, "Communication")


def test_other_runs_of_the_folder_are_named() -> None:
    outcomes = [
        capture(op("aten::mm", at, 10), path=f"/traces/{run}/r0.json", process=process)
        for run, process, at in (("baseline", "10", 0), ("tuned", "11", 100))
    ]
    report = markdown(gather(outcomes, ["/traces"], "/traces"))
    assert report.startswith("# vpstop report: baseline\n")
    assert "- other runs in the folder, not in this report: `tuned`\n" in report


def test_what_the_user_gave_is_named_as_such() -> None:
    run = run_of(gpu_rank(0))
    given = replace(run.members[0], rank_source="given", host_source="given")
    report = markdown(replace(run, members=(given,)))
    assert "given by the user" in report
