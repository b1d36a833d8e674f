"""Sub-folders of one job belong together; sub-folders of several runs do not."""

from pathlib import Path

from build import capture, op
from vpstop.jobs import Job, jobs
from vpstop.ranks import Claim, claim_of
from vpstop.run import gather


def claim(path: str, rank: int, *, process: str, at: int = 0, world_size: int | None = 2) -> Claim:
    made = capture(op("aten::mm", at, 10), rank=rank, process=process, world_size=world_size)
    return claim_of(made, Path(path))


def folders(found: list[Job]) -> list[list[str]]:
    return [job.folders for job in found]


def test_a_folder_a_node_is_one_job() -> None:
    claims = [claim("node0/a.json", 0, process="10"), claim("node1/a.json", 1, process="10")]
    assert folders(jobs(claims)) == [["node0", "node1"]]


def test_a_folder_an_iteration_is_one_job() -> None:
    claims = [claim(f"iteration_{n}/r0.json", 0, process="10", at=100 * n) for n in (1, 2)]
    assert folders(jobs(claims)) == [["iteration_1", "iteration_2"]]


def test_another_process_of_the_same_rank_at_another_time_is_another_job() -> None:
    claims = [
        claim("baseline/r0.json", 0, process="10"),
        claim("tuned/r0.json", 0, process="11", at=100),
    ]
    assert folders(jobs(claims)) == [["baseline"], ["tuned"]]


def test_ranks_that_count_from_0_on_every_host_are_one_job() -> None:
    claims = [claim(f"{host}/r0.json", 0, process=host) for host in ("fra1", "tyo1")]
    assert folders(jobs(claims)) == [["fra1", "tyo1"]]


def test_another_world_size_is_another_job() -> None:
    claims = [
        claim("four/r0.json", 0, process="10", world_size=4),
        claim("two/r1.json", 1, process="10", world_size=2),
    ]
    assert folders(jobs(claims)) == [["four"], ["two"]]


def test_processes_of_one_folder_are_never_parted() -> None:
    claims = [claim("r0.json", 0, process="10"), claim("r0-again.json", 0, process="11")]
    assert folders(jobs(claims)) == [[""]]


def test_a_run_names_the_other_runs_and_holds_none_of_their_files() -> None:
    outcomes = [
        capture(op("aten::mm", at, 10), path=f"/traces/{run}/r0.json", process=process)
        for run, process, at in (("baseline", "10", 0), ("tuned", "11", 100))
    ]
    first = gather(outcomes, ["/traces"], "/traces")
    second = gather(outcomes, ["/traces"], "/traces", name="tuned")
    assert (first.name, first.others) == ("baseline", ("tuned",))
    assert (second.name, second.others) == ("tuned", ("baseline",))
    assert [report.path for report in second.files] == ["/traces/tuned/r0.json"]


def test_what_lies_days_apart_is_no_one_job() -> None:
    day = 24 * 3600 * 10**9
    near = [claim("a/x.json", 0, process="10"), claim("b/x.json", 1, process="10", at=day)]
    far = [claim("a/x.json", 0, process="10"), claim("b/x.json", 1, process="10", at=2 * day)]
    assert folders(jobs(near)) == [["a", "b"]]
    assert folders(jobs(far)) == [["a"], ["b"]]
