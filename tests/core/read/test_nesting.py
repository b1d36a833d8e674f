"""Depths, parents and effective ends, by hand and against a plain stack."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from build import Part, Slice, annotation, capture, frame, kernel, op, row, rows, slice_
from vpstop.read.categories import LaneKind
from vpstop.read.nesting import nest


class Place(NamedTuple):
    depth: int
    parent: str | None
    effective: int


def places(*parts: Part) -> dict[str, Place]:
    """Where each slice ended up, by name."""
    made = capture(*parts)
    slices, found = made.slices, {}
    for code, name in enumerate(made.names):
        (at,) = np.flatnonzero(slices.name == code)
        around = slices.parent[at]
        parent = None if around < 0 else made.names[slices.name[around]]
        found[name] = Place(int(slices.depth[at]), parent, int(slices.effective_ns[at]))
    return found


def test_a_slice_is_inside_the_nearest_one_that_runs() -> None:
    found = places(op("a", 0, 100), op("b", 10, 50), op("c", 20, 10), op("d", 70, 10))
    assert found == {
        "a": Place(0, None, 100),
        "b": Place(1, "a", 50),
        "c": Place(2, "b", 10),
        "d": Place(1, "a", 10),
    }


def test_touching_slices_do_not_nest() -> None:
    found = places(op("a", 0, 10), op("b", 10, 5), op("c", 15, 0), op("d", 15, 5))
    assert {place.depth for place in found.values()} == {0, 1}
    assert found["c"] == Place(1, "d", 0)
    assert found["b"].parent is None and found["d"].parent is None


def test_an_empty_slice_at_the_end_of_another_is_outside() -> None:
    assert places(op("a", 0, 10), op("b", 10, 0))["b"] == Place(0, None, 0)


def test_an_empty_slice_encloses_nothing() -> None:
    found = places(op("a", 0, 10), op("b", 5, 0), op("c", 5, 0), op("d", 5, 2))
    assert found["b"].parent == found["c"].parent == "d"
    assert found["d"] == Place(1, "a", 2)


def test_of_equal_slices_the_first_of_the_file_is_the_outer_one() -> None:
    assert places(op("a", 0, 10), op("b", 0, 10))["b"].parent == "a"
    assert places(op("b", 0, 10), op("a", 0, 10))["a"].parent == "b"


def test_longer_slices_enclose_shorter_ones_of_the_same_start() -> None:
    assert places(op("short", 0, 5), op("long", 0, 10))["short"].parent == "long"


def test_a_callee_ends_with_its_caller() -> None:
    found = places(op("a", 0, 100), op("b", 10, 500), op("c", 20, 300), op("d", 100, 10))
    assert found["b"] == Place(1, "a", 90)
    assert found["c"] == Place(2, "b", 80)
    assert found["d"] == Place(0, None, 10)


def test_what_was_cut_encloses_nothing_after_its_end() -> None:
    found = places(op("a", 0, 20), op("b", 10, 100), op("c", 30, 10))
    assert found["c"] == Place(0, None, 10)


def test_a_slice_inside_a_longer_one_survives_a_cut_in_between() -> None:
    """`d` lies in `a`; `c` claims to run beyond it, but ended with `b`."""
    found = places(op("a", 0, 100), op("b", 10, 10), op("c", 15, 15), op("d", 25, 40))
    assert found["c"] == Place(2, "b", 5)
    assert found["d"] == Place(1, "a", 40)


def test_on_a_stream_a_slice_ends_when_the_next_begins() -> None:
    found = places(kernel("a", 0, 100), kernel("b", 30, 10), kernel("c", 40, 5))
    assert found["a"] == Place(0, None, 30)
    assert found["b"] == Place(0, None, 10)
    assert found["c"] == Place(0, None, 5)


def test_streams_and_threads_do_not_cut_each_other() -> None:
    made = capture(
        kernel("a", 0, 100),
        kernel("b", 30, 10, stream=20),
        op("c", 0, 50),
        op("d", 20, 100, thread=2),
    )
    assert made.slices.effective_ns is made.slices.duration_ns
    assert not made.slices.depth.any()


@pytest.mark.parametrize("make", [op, kernel])
def test_an_untrusted_slice_stands_alone(make: Callable[..., Slice]) -> None:
    made = capture(make("a", 0, 20), make("bad", 5, 100, trusted=False), make("b", 30, 5))
    assert made.slices.depth.tolist() == [0, 0, 0]
    assert made.slices.effective_ns.tolist() == [20, 100, 5]


def test_a_range_is_not_cut_by_the_frame_that_enters_it() -> None:
    found = places(
        frame("main", 0, 1000),
        frame("profiler.py(750): __enter__", 10, 30),
        frame("<built-in method _record_function_enter_new of object>", 15, 20),
        annotation("ProfilerStep#1", 20, 500),
        op("aten::mm", 50, 10),
        frame("profiler.py(760): __exit__", 510, 20),
    )
    assert found["ProfilerStep#1"] == Place(1, "main", 500)
    assert found["profiler.py(750): __enter__"] == Place(1, "main", 10)
    assert found["<built-in method _record_function_enter_new of object>"].effective == 5
    assert found["aten::mm"] == Place(2, "ProfilerStep#1", 10)
    assert found["profiler.py(760): __exit__"] == Place(2, "ProfilerStep#1", 10)


def test_a_range_does_not_end_other_ranges() -> None:
    found = places(
        annotation("outer", 0, 100),
        frame("__enter__", 10, 10),
        annotation("inner", 15, 500),
    )
    assert found["__enter__"] == Place(1, "outer", 5)
    assert found["inner"] == Place(1, "outer", 85)


def test_a_frame_that_enters_nothing_cuts_what_begins_in_it() -> None:
    found = places(frame("forward", 0, 10), annotation("region", 5, 100))
    assert found["region"] == Place(1, "forward", 5)


def test_an_entry_that_has_returned_does_not_matter() -> None:
    found = places(frame("__enter__", 0, 5), frame("forward", 10, 10), annotation("region", 15, 50))
    assert found["region"] == Place(1, "forward", 5)


def test_rows_are_sorted_by_lane_start_and_length() -> None:
    made = capture(op("c", 5, 1), op("b", 5, 3), kernel("k", 50, 1), op("a", 0, 2))
    assert [made.names[code] for code in made.slices.name] == ["k", "a", "b", "c"]


def test_ranges_on_a_stream_nest() -> None:
    made = capture(
        slice_("gpu_user_annotation", "outer", 0, 100, thread=7, process=0),
        slice_("gpu_user_annotation", "inner", 10, 20, thread=7, process=0),
    )
    assert made.lanes[0].kind is LaneKind.ANNOTATION
    assert made.slices.parent[row(made, "inner")] == rows(made, "outer")[0]


# Few distinct times, so that ties, touching, empty and crossing slices are all common.
SLICE = st.tuples(st.integers(0, 3), st.integers(0, 12), st.integers(0, 8), st.integers(0, 9))
SLICES = st.lists(SLICE, max_size=5) | st.lists(SLICE, max_size=40)


def stack_reference(
    slices: list[tuple[int, int, int, bool, bool, bool]], streams: set[int]
) -> list[tuple[int, int, int]]:
    """(depth, parent, effective duration) of sorted slices, in the plainest way."""
    found = [(0, -1, duration) for _, _, duration, *_ in slices]
    for lane in {lane for lane, *_ in slices}:
        mine = [at for at, one in enumerate(slices) if one[0] == lane and one[3]]
        end = {at: slices[at][1] + slices[at][2] for at in mine}
        chain: list[int] = []
        for place, at in enumerate(mine):
            start = slices[at][1]
            if lane in streams:
                following = [slices[later][1] for later in mine[place + 1 : place + 2]]
                found[at] = (0, -1, min([end[at], *following]) - start)
                continue
            chain = [one for one in chain if end[one] > start]
            while slices[at][5] and chain and end[chain[-1]] < end[at] and slices[chain[-1]][4]:
                end[chain.pop()] = start
            end[at] = min([end[at], *(end[one] for one in chain)])
            found[at] = (len(chain), chain[-1] if chain else -1, 0)
            chain.append(at)
        if lane not in streams:
            for at in mine:
                found[at] = (*found[at][:2], end[at] - slices[at][1])
    return found


@given(SLICES, st.sets(st.integers(0, 3)), st.booleans())
def test_nesting_is_that_of_a_stack(
    drawn: list[tuple[int, int, int, int]], streams: set[int], with_frames: bool
) -> None:
    drawn = sorted(drawn, key=lambda one: (one[0], one[1], -one[2]))
    slices = [
        (
            lane,
            start,
            duration,
            dice != 0,
            with_frames and dice in (1, 2, 3),
            with_frames and dice > 7,
        )
        for lane, start, duration, dice in drawn
    ]
    columns = [np.array(column) for column in zip(*slices, strict=True)] or [np.array([])] * 6
    lane, start, duration, trusted, is_frame, outlives = columns
    nesting = nest(
        start.astype(np.int64),
        duration.astype(np.int64),
        lane.astype(np.int32),
        is_stream=np.isin(np.arange(4), list(streams)),
        trusted=trusted.astype(np.bool_),
        is_frame=is_frame.astype(np.bool_),
        outlives=outlives.astype(np.bool_),
    )
    found = list(zip(*(column.tolist() for column in nesting), strict=True))
    assert found == stack_reference(slices, streams)
