"""Which rank and host each file belongs to, and what becomes of every file."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from build import Slice, capture, kernel, op, slice_, step
from vpstop.read.capture import Capture, Device, Skipped, TraceWarning
from vpstop.run import FileReport, Run, gather

ROOT = Path("/traces")
WINDOW = (step(1, 0, 1000), op("aten::mm", 10, 20))


def made(name: str, *slices: Slice, at: int = 0, **facts: Any) -> Capture:
    """A capture of a file below the root, whose window starts `at` ns after the others'."""
    shifted = [replace(one, start=one.start + at) for one in slices or WINDOW]
    defaults: dict[str, Any] = {"rank": None, "process": name}
    return capture(*shifted, path=str(ROOT / name), **(defaults | facts))


def run_of(*outcomes: Capture | Skipped) -> Run:
    return gather(outcomes, ["/traces"], ROOT)


def ranks(run: Run) -> dict[str, int | None]:
    """Rank by file name, of the files that are used."""
    used = [report for report in run.files if report.use == "trace"]
    return {Path(report.path).name: report.rank for report in used}


def kinds(run: Run) -> list[str]:
    return sorted(warning.kind for warning in run.warnings)


def test_the_files_own_rank_wins_over_its_name() -> None:
    run = run_of(made("rank5.json", rank=1), made("rank1.json", rank=0))
    assert ranks(run) == {"rank5.json": 1, "rank1.json": 0}
    assert {member.rank_source for member in run.members} == {"metadata"}
    assert not run.warnings


def test_else_the_name_tells_and_the_run_says_so() -> None:
    run = run_of(made("rank3.json"), made("rank1.json"))
    assert ranks(run) == {"rank3.json": 3, "rank1.json": 1}
    assert {member.rank_source for member in run.members} == {"file_name"}
    assert kinds(run) == ["rank_guessed", "rank_guessed"]


def test_else_ranks_are_assigned_in_natural_order_of_names() -> None:
    run = run_of(made("node10.json"), made("node9.json"), made("known.json", rank=1))
    assert ranks(run) == {"node9.json": 0, "known.json": 1, "node10.json": 2}
    assert [member.rank_source for member in run.members] == ["assigned", "metadata", "assigned"]


def test_windows_of_one_process_are_captures_of_one_rank() -> None:
    later = made("h_1.1773133260163.pt.trace.json", at=5000, rank=0, process="1")
    first = made("h_1.1773133200163.pt.trace.json", rank=0, process="1")
    run = run_of(later, first)
    assert [(m.rank, m.number) for m in run.members] == [(0, 0), (0, 1)]
    assert run.members[0].capture is first
    assert not run.warnings


def test_windows_of_two_processes_one_after_the_other_are_too() -> None:
    run = run_of(made("a.json", rank=0), made("b.json", at=5000, rank=0))
    assert [(m.rank, m.number) for m in run.members] == [(0, 0), (0, 1)]
    assert "rank_conflict" not in kinds(run)


def test_what_the_user_says_overrules_files_and_names() -> None:
    said = made("rank1.json", rank=1, host_name="a", given_rank=4, given_host="b\x1b")
    run = run_of(said, made("rank0.json", rank=0, host_name="a"))
    assert ranks(run) == {"rank1.json": 4, "rank0.json": 0}
    sources = [(m.rank_source, m.host, m.host_source) for m in run.members]
    assert sources == [("metadata", "a", "metadata"), ("given", "b", "given")]
    assert "rank_guessed" not in kinds(run)


def test_what_the_user_says_is_not_contested() -> None:
    run = run_of(made("a.json", rank=0), made("b.json", at=500, rank=0, given_rank=1))
    assert ranks(run) == {"a.json": 0, "b.json": 1}
    assert not kinds(run)


def test_a_rank_that_the_user_gives_away_is_taken() -> None:
    run = run_of(made("a.json", rank=0), made("b.json", at=500, given_rank=0))
    assert ranks(run) == {"a.json": 1, "b.json": 0}
    assert "rank_conflict" in kinds(run)


def test_captures_that_the_user_tells_apart_are_no_copies() -> None:
    same: dict[str, Any] = {"rank": 0, "process": "1"}
    run = run_of(made("a.json", **same), made("b.json", given_rank=1, **same))
    assert ranks(run) == {"a.json": 0, "b.json": 1}
    assert "duplicate_trace" not in kinds(run)


def test_two_processes_that_claim_a_rank_at_once_follow_their_names() -> None:
    run = run_of(made("rank0.json", rank=0), made("rank1.json", at=500, rank=0))
    assert ranks(run) == {"rank0.json": 0, "rank1.json": 1}
    assert kinds(run) == ["rank_conflict", "rank_conflict", "rank_guessed", "rank_guessed"]


def test_names_that_do_not_help_leave_the_rank_to_one_and_a_free_one_to_the_other() -> None:
    run = run_of(made("a.json", rank=0), made("b.json", rank=0), made("c.json", rank=1))
    assert ranks(run) == {"a.json": 0, "b.json": 2, "c.json": 1}
    assert kinds(run) == ["rank_conflict", "rank_conflict", "rank_guessed"]


def test_ranks_that_count_from_0_on_every_host_are_told_apart() -> None:
    names = ["fra1/rank0.json", "fra1/rank1.json", "tyo1/rank0.json", "tyo1/rank1.json"]
    run = run_of(*(made(name) for name in names))
    assert [(member.host, member.rank) for member in run.members] == [
        ("fra1", 0),
        ("fra1", 1),
        ("tyo1", 2),
        ("tyo1", 3),
    ]


def test_two_captures_of_each_of_two_processes_in_conflict_stay_together() -> None:
    run = run_of(
        made("a.1773133200000.json", rank=0, process="1"),
        made("a.1773133260000.json", at=5000, rank=0, process="1"),
        made("b.1773133200000.json", rank=0, process="2"),
        made("b.1773133260000.json", at=5000, rank=0, process="2"),
    )
    assert [(m.rank, m.number) for m in run.members] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [m.capture.facts.process for m in run.members] == ["1", "1", "2", "2"]


def test_times_without_origin_cannot_tell_windows_apart() -> None:
    relative: dict[str, Any] = {"rank": 0, "relative": True}
    run = run_of(made("rank0.json", **relative), made("rank1.json", at=5000, **relative))
    assert ranks(run) == {"rank0.json": 0, "rank1.json": 1}


def test_a_front_end_is_shown_but_is_no_rank() -> None:
    name = "node-a_871.async_llm.1773133201476789012.pt.trace.json.gz"
    run = run_of(made("rank0.json", rank=0), made(name, process="871"))
    assert ranks(run) == {"rank0.json": 0, name: None}
    (front_end,) = [report for report in run.files if report.rank is None]
    assert front_end.rank_source is None
    assert not run.warnings


def test_a_front_end_name_with_device_work_is_a_rank() -> None:
    run = run_of(made("async_llm.json", kernel("gemm", 0, 10)))
    assert ranks(run) == {"async_llm.json": 0}


def test_a_process_without_device_work_beyond_a_full_world_is_no_rank() -> None:
    worker = made("rank0.json", kernel("gemm", 0, 10), rank=0, world_size=1)
    assert ranks(run_of(worker, made("driver.json"))) == {"rank0.json": 0, "driver.json": None}


def test_compared_runs_without_ranks_are_two_ranks() -> None:
    devices: dict[str, Any] = {"devices": [Device(0, "H100")], "process": "1"}
    run = run_of(made("before.json", **devices), made("after.json", at=9000, **devices))
    assert ranks(run) == {"after.json": 0, "before.json": 1}


def test_missing_ranks_are_named() -> None:
    run = run_of(*(made(f"{rank}.json", rank=rank, world_size=9) for rank in (0, 1, 5, 7)))
    (warning,) = run.warnings
    assert (warning.kind, warning.count) == ("ranks_missing", 5)
    assert warning.example == "2-4, 6, 8 of 9"


def test_missing_ranks_of_a_huge_world_are_counted_not_listed() -> None:
    run = run_of(*(made(f"{rank}.json", rank=rank, world_size=10**12) for rank in range(0, 20, 2)))
    (warning,) = run.warnings
    assert warning.count == 10**12 - 10
    assert warning.example == "1, 3, 5, 7, 9, ... of 1000000000000"


def test_the_largest_world_counts_where_files_disagree() -> None:
    run = run_of(made("a.json", rank=0, world_size=2), made("b.json", rank=1, world_size=4))
    assert run.world_size == 4


def test_the_same_file_twice_is_used_once() -> None:
    plain, packed = made("rank0.json", rank=0), made("rank0.json.gz", rank=0, process="rank0.json")
    run = run_of(plain, packed)
    (member,) = run.members
    assert [report.use for report in run.files] == ["trace", "skipped"]
    (warning,) = run.warnings
    assert (warning.kind, warning.file) == ("duplicate_trace", str(ROOT / "rank0.json.gz"))
    assert member.capture is plain


def test_of_a_whole_and_a_fragment_the_whole_is_used() -> None:
    parts = [op(f"op{number}", number * 10, 5) for number in range(10)]
    fragment = made("a.json", *parts[:4], rank=0, process="1", complete=False)
    whole = made("b.json", *parts, rank=0, process="1")
    assert [member.capture for member in run_of(fragment, whole).members] == [whole]


def test_parts_of_one_process_that_differ_are_both_kept() -> None:
    one = made("a.json", step(1, 0, 10), op("y", 40, 10), rank=0, process="1", trace_id="T")
    two = made("b.json", step(2, 20, 5), op("y", 40, 15), rank=0, process="1", trace_id="T")
    run = run_of(one, two)
    assert len(run.members) == 2
    assert not run.warnings


def test_differently_damaged_copies_of_one_capture_are_one() -> None:
    ends = [step(1, 0, 10), op("last", 90, 10)]
    same: dict[str, Any] = {"rank": 0, "process": "1", "trace_id": "T"}
    one = made("a.json", *ends, op("x", 20, 5), **same)
    two = made("a.json.gz", *ends, op("y", 30, 5), **same)
    run = run_of(one, two)
    assert len(run.members) == 1
    assert kinds(run) == ["duplicate_trace"]


def test_equal_copies_of_two_ranks_are_no_duplicates() -> None:
    run = run_of(made("a.json", rank=0, process="1"), made("b.json", rank=1, process="1"))
    assert len(run.members) == 2


def test_an_unfinished_file_beside_the_finished_one_is_left_out() -> None:
    run = run_of(
        made("rank1.pt.trace.json", rank=1),
        made("rank1.pt.trace.json.tmp", step(1, 100, 10), rank=1),
    )
    assert ranks(run) == {"rank1.pt.trace.json": 1}
    assert kinds(run) == ["duplicate_trace"]


def test_an_unfinished_file_alone_is_used_and_told() -> None:
    run = run_of(made("rank0.pt.trace.json.tmp", rank=0))
    assert ranks(run) == {"rank0.pt.trace.json.tmp": 0}
    assert kinds(run) == ["temp_file"]


def hosts(run: Run) -> dict[str, tuple[str, str]]:
    return {
        Path(member.capture.facts.path).name: (member.host, member.host_source)
        for member in run.members
    }


def test_hosts_come_from_the_file_its_name_or_its_folder() -> None:
    name = "node-b_4101.1773133200163.pt.trace.json"
    run = run_of(
        made("x/a.json", rank=0, host_name="node-a"),
        made(name, rank=1, process="4101"),
        made("node-c/iteration_10/c.json", rank=2),
        made("d.json", rank=3),
    )
    assert hosts(run) == {
        "a.json": ("node-a", "metadata"),
        name: ("node-b", "file_name"),
        "c.json": ("node-c", "folder"),
        "d.json": ("traces", "assumed"),
    }


def test_host_names_are_fit_for_a_terminal() -> None:
    run = run_of(made("a.json", rank=0, host_name="node\x1b[2J\u202e-a"))
    assert run.hosts == ("node[2J-a",)


def test_a_host_in_the_root_of_the_disk_has_a_name() -> None:
    assert gather([capture(*WINDOW, path="/a.json")], ["/"], "/").hosts == ("host",)


def test_members_are_sorted_by_host_and_rank_and_hosts_by_their_lowest_rank() -> None:
    run = run_of(
        made("a/1.json", rank=3, host_name="alpha"),
        made("a/2.json", rank=2, host_name="alpha"),
        made("z/3.json", rank=0, host_name="zulu"),
        made("z/4.json", rank=10, host_name="zulu"),
        made("async_llm.json", host_name="front"),
    )
    order = [("zulu", 0), ("zulu", 10), ("alpha", 2), ("alpha", 3), ("front", None)]
    assert [(member.host, member.rank) for member in run.members] == order
    assert run.hosts == ("zulu", "alpha", "front")
    assert run.ranks == (0, 2, 3, 10)


def test_skipped_files_are_reported_with_what_was_said() -> None:
    warning = TraceWarning("not_a_trace", "/traces/notes.json")
    run = run_of(Skipped("/traces/notes.json", "json", 22, (warning,)), made("a.json", rank=0))
    assert run.files[1] == FileReport("/traces/notes.json", "skipped", "json", 22)
    assert run.warnings == (warning,)


def test_a_capture_without_slices_is_no_member() -> None:
    run = run_of(capture(path="/traces/rank0.json"))
    assert not run.members
    assert [report.use for report in run.files] == ["skipped"]
    assert kinds(run) == ["empty"]


def test_warnings_of_a_capture_carry_its_rank() -> None:
    bad = TraceWarning("bad_number", "/traces/rank4.json", 2, "nan")
    (warning,) = run_of(made("a.json", rank=4, warnings=[bad])).warnings
    assert warning == replace(bad, rank=4)


def test_the_span_is_that_of_trusted_work_with_an_origin() -> None:
    overhead = slice_("overhead", "Buffer Flush", -500, 10_000)
    lost = op("lost", -10_000, 5, trusted=False)
    one = made("a.json", op("x", 100, 50), overhead, lost, rank=0)
    two = made("b.json", op("y", 120, 80), rank=1)
    relative = made("c.json", op("z", 0, 10**9), rank=2, relative=True)
    first = 1_700_000_000_000_000_100
    assert run_of(one, two, relative).span_ns == (first, first + 100)
    assert run_of(relative).span_ns is None


CLAIMS = st.lists(
    st.tuples(
        st.none() | st.integers(0, 3),
        st.sampled_from(["a", "rank0", "rank1", "async_llm"]),
        st.integers(0, 2),
        st.integers(1, 3),
    ),
    max_size=6,
)


@given(CLAIMS, st.randoms())
def test_no_file_is_dropped_and_the_order_of_reading_does_not_matter(
    claims: Sequence[tuple[int | None, str, int, int]], chance: Any
) -> None:
    outcomes: list[Capture | Skipped] = [
        made(f"{number}/{name}.json", at=5000 * window, rank=rank, process=str(process))
        for number, (rank, name, window, process) in enumerate(claims)
    ]
    run = run_of(*outcomes)
    others = [gather(outcomes, ["/traces"], "/traces", name=name) for name in run.others]
    assert sum(len(one.files) for one in (run, *others)) == len(outcomes)
    assert len(run.members) == sum(report.use == "trace" for report in run.files)
    at_once = [(m.rank, m.capture.slices.start_ns[0], m.number) for m in run.members]
    assert len({(rank, number) for rank, _, number in at_once}) == len(at_once)
    chance.shuffle(outcomes)
    again = run_of(*outcomes)
    assert (again.files, again.warnings) == (run.files, run.warnings)
