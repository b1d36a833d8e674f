"""Files are read longest first, by as many processes as cores and memory allow, never by none."""

from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import cast

import pytest

from vpstop.read.capture import Origin
from vpstop.read.memory import reader_bytes
from vpstop.read.pool import Carry, Failed, Job, Pool, Report, Saved
from vpstop.read.schedule import Schedule

MEGABYTE = 10**6
PLENTY = 10**12


def job(name: str, megabytes: int) -> Job:
    return Job(Path(name), (), megabytes * MEGABYTE)


class OneAfterTheOther:
    """Stands for a pool in which the job that was submitted first is done first."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.jobs: list[Job] = []
        self.at_work: list[list[str]] = []
        """The jobs after each submission, with their processes."""

    @property
    def room(self) -> int:
        return self.size - sum(job.processes for job in self.jobs)

    def submit(self, job: Job) -> None:
        if job.path.name == "refused":
            raise OSError("too many processes")
        self.jobs.append(job)
        self.at_work.append([f"{job.path.name}*{job.processes}" for job in self.jobs])

    def wait(self) -> list[Report]:
        return [Saved(self.jobs.pop(0), Path())]


def at_work(size: int, memory_bytes: int, *jobs: Job) -> list[list[str]]:
    pool = OneAfterTheOther(size)
    reports = list(Schedule(jobs, cast(Pool, pool), memory_bytes).reports(Event()))
    assert {report.job.path for report in reports} == {job.path for job in jobs}
    return pool.at_work


def test_the_longest_come_first_on_all_cores() -> None:
    jobs = [job("c", 1), job("a", 3), job("b", 2)]
    assert at_work(2, PLENTY, *jobs) == [["a*1"], ["a*1", "b*1"], ["b*1", "c*1"]]


def test_one_long_file_is_split_over_idle_cores() -> None:
    assert at_work(4, PLENTY, job("a", 300)) == [["a*4"]]
    assert at_work(4, PLENTY, job("a", 300), job("b", 200))[-1] == ["a*2", "b*2"]
    assert at_work(2, PLENTY, job("a", 300), job("b", 200))[-1] == ["a*1", "b*1"]
    assert at_work(4, PLENTY, job("a", 10)) == [["a*1"]]


def test_a_digest_with_arguments_is_made_by_one_process() -> None:
    carried = replace(job("a", 300), carry=Carry(Origin("a", "")))
    assert at_work(4, PLENTY, carried) == [["a*1"]]


def test_no_more_at_a_time_than_memory_holds() -> None:
    jobs = [job(name, 300) for name in "abc"]
    two = 2 * reader_bytes(300 * MEGABYTE)
    assert max(map(len, at_work(3, two, *jobs))) == 2
    assert max(map(len, at_work(3, two - 1, *jobs))) == 1


def test_a_short_file_takes_the_room_that_a_long_one_cannot() -> None:
    jobs = [job("a", 300), job("b", 200), job("c", 10)]
    room = reader_bytes(300 * MEGABYTE) + reader_bytes(10 * MEGABYTE)
    assert at_work(2, room, *jobs) == [["a*1"], ["a*1", "c*1"], ["c*1", "b*1"]]


@pytest.mark.parametrize("memory_bytes", [-1, 0, 1])
def test_without_memory_one_after_the_other(memory_bytes: int) -> None:
    assert at_work(2, memory_bytes, job("a", 300), job("b", 1)) == [["a*1"], ["b*1"]]


def test_a_file_is_split_only_as_far_as_memory_goes() -> None:
    assert at_work(4, reader_bytes(300 * MEGABYTE, 3), job("a", 300)) == [["a*3"]]


def test_a_job_that_cannot_start_is_reported() -> None:
    pool = OneAfterTheOther(2)
    jobs = [job("refused", 9), job("a", 1)]
    reports = list(Schedule(jobs, cast(Pool, pool), PLENTY).reports(Event()))
    assert [type(report) for report in reports] == [Failed, Saved]
    assert "no process: too many processes" in str(reports[0])


def test_cancelled_before_the_start() -> None:
    is_cancelled = Event()
    is_cancelled.set()
    pool = OneAfterTheOther(2)
    assert not list(Schedule([job("a", 1)], cast(Pool, pool), PLENTY).reports(is_cancelled))
    assert not pool.at_work
