"""What single records become: odd fields, ranges of two records, deviations."""

import json
from pathlib import Path
from typing import Any

import pytest

from vpstop.read.categories import LaneKind
from vpstop.read.parser.parse import parse
from vpstop.read.records import LaneKey, Records

SLICE = {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 5, "dur": 1}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace.json"


def read(path: Path, *events: Any) -> Records:
    top = {"schemaVersion": 1, "baseTimeNanoseconds": 10**18, "traceEvents": events}
    path.write_text(json.dumps(top))
    return parse(path)


def warnings(records: Records) -> dict[str, tuple[int, str]]:
    return {one.kind: (one.count, one.example) for one in records.warnings}


def names(records: Records) -> list[str]:
    return [records.names[code] for code in records.slices.name]


def test_time_zero_is_no_time(path: Path) -> None:
    records = read(path, SLICE, {**SLICE, "ts": 0}, {**SLICE, "ts": "0.000"}, {"ph": "X"})
    assert records.slices.trusted.tolist() == [True, False, False, False]
    assert warnings(records) == {"bad_time": (3, "a")}


def test_durations_below_zero(path: Path) -> None:
    records = read(path, SLICE, {**SLICE, "dur": -1}, {**SLICE, "dur": 2**64 / 1000, "name": "b"})
    assert records.slices.duration_ns.tolist() == [1000, 0, 0]
    assert warnings(records) == {"bad_duration": (2, "a")}


def test_the_profilers_own_span_is_no_slice(path: Path) -> None:
    span = {**SLICE, "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "dur": -5}
    records = read(path, span, SLICE, span)
    assert names(records) == ["a"]
    assert not records.warnings
    assert "Trace" not in records.categories


def test_unfinished_slices(path: Path) -> None:
    memory = {"ph": "i", "name": "[memory]", "ts": 5, "args": {"Bytes": 1, "finished": False}}
    forms = [{"finished": False}, {"finished": "false"}, {"finished": True}, {"finished": None}]
    records = read(path, memory, *({**SLICE, "args": args} for args in forms))
    assert warnings(records) == {"unfinished": (2, "a")}


def test_begin_and_end(path: Path) -> None:
    def edge(phase: str, ts: float, name: str = "", tid: int = 1) -> dict[str, Any]:
        return {"ph": phase, "cat": "cpu_op", "name": name, "pid": 1, "tid": tid, "ts": ts}

    records = read(
        path,
        edge("E", 1),
        edge("B", 2, "outer"),
        edge("B", 3, "other thread", tid=2),
        SLICE,
        edge("B", 4.5, "inner"),
        edge("E", 5.25),
        edge("E", 9),
        edge("B", 10, "never ends"),
        edge("E", 10, tid="2"),  # type: ignore[arg-type]
    )
    assert names(records) == ["outer", "other thread", "a", "inner"]
    assert records.slices.duration_ns.tolist() == [7000, 7000, 1000, 750]
    assert warnings(records)["bad_record"][0] == 2


@pytest.mark.parametrize("args", [None, [], {}])
def test_records_without_arguments(path: Path, args: Any) -> None:
    records = read(path, {**SLICE, "args": args})
    assert records.slices.correlation.tolist() == [0]
    assert records.slices.shape.tolist() == [-1]


def test_lanes_by_category_not_by_process(path: Path) -> None:
    records = read(
        path,
        {**SLICE, "pid": 0, "tid": 7},
        {**SLICE, "cat": "kernel", "pid": 0, "tid": 7},
        {**SLICE, "cat": "Kernel", "pid": "0", "tid": "stream 7"},
        {**SLICE, "cat": "gpu_user_Annotation", "pid": 0, "tid": "stream 7 annotations"},
        {**SLICE, "cat": "cuda_sync", "pid": 0, "tid": -1},
        {**SLICE, "cat": "overhead", "pid": -1, "tid": 0},
    )
    assert [records.lanes[lane] for lane in records.slices.lane] == [
        LaneKey(LaneKind.HOST, "0", "7"),
        LaneKey(LaneKind.STREAM, "0", "7"),
        LaneKey(LaneKind.STREAM, "0", "7"),
        LaneKey(LaneKind.ANNOTATION, "0", "7"),
        LaneKey(LaneKind.SYNC, "0", "-1"),
        LaneKey(LaneKind.OVERHEAD, "-1", "0"),
    ]


def test_bytes_of_copies_only(path: Path) -> None:
    records = read(
        path,
        {**SLICE, "args": {"bytes": 5}},
        {**SLICE, "cat": "gpu_memcpy", "args": {"bytes": "0x10"}},
        {**SLICE, "cat": "gpu_memset", "args": {}},
        {**SLICE, "cat": "Memset", "args": {"bytes": 7.0}},
    )
    assert records.copies_slice.tolist() == [1, 3]
    assert records.copies_bytes.tolist() == [16, 7]


def test_user_arguments_of_any_type_under_known_keys(path: Path) -> None:
    args = {"dtype": {"a": 1}, "correlation": [1], "bytes": {}, "Seq": "x", "External id": None}
    records = read(path, {**SLICE, "args": {**args, "Collective name": ["b"]}})
    assert records.slices.correlation.tolist() == [0]
    assert records.slices.external_id.tolist() == [0]
    assert records.collectives.sequence.tolist() == [-1]
    assert records.collectives.texts == ("['b']", "{'a': 1}")


def test_more_categories_than_a_byte_counts(path: Path) -> None:
    records = read(path, *({**SLICE, "cat": f"own {number}"} for number in range(300)))
    assert len(records.categories) == 256
    assert records.categories[records.slices.category[-1]] == "(other)"
    assert records.categories[records.slices.category[0]] == "own 0"


def test_names_are_fit_for_a_terminal(path: Path) -> None:
    records = read(path, {**SLICE, "name": "\x1b[2Jred\u202e", "pid": "\x07p"})
    assert records.names == ("[2Jred",)
    assert records.lanes[0].process == "p"


def test_flow_categories_have_their_current_names(path: Path) -> None:
    flows = [{"ph": "s", "id": 1, "cat": "async"}, {"ph": "f", "id": "0x1", "cat": "ac2g"}]
    records = read(path, *flows, {"ph": "t", "id": 1, "cat": "ac2g"})
    assert records.flow_categories == ("ac2g",)
    assert records.flows.id.tolist() == [1, 1]
    assert records.flows.is_end.tolist() == [False, True]


def test_the_last_name_of_a_thread_counts(path: Path) -> None:
    def name(text: str) -> dict[str, Any]:
        return {"ph": "M", "name": "thread_name", "pid": 1, "tid": "2", "args": {"name": text}}

    records = read(path, name("a"), name("b"), name("a"), {"ph": "M", "name": "process_labels"})
    assert records.thread_names == {("1", "2"): "a"}
    assert not records.process_labels


def test_paths_of_windows_whose_backslashes_are_valid_escapes(path: Path) -> None:
    frames = [r"torch\nn\functional.py(10): relu", r"D:\train.py(3): step", r"D:\train.py(3): step"]
    names_in_text = ", ".join(json.dumps({**SLICE, "name": "@"}).replace("@", f) for f in frames)
    path.write_text(f'{{"schemaVersion": 1, "traceEvents": [{names_in_text}]}}')
    records = parse(path)
    assert names(records) == frames
    assert warnings(records)["bad_text"] == (3, frames[0])


def test_other_controls_in_names_are_removed_quietly(path: Path) -> None:
    records = read(path, {**SLICE, "name": "first line\nsecond\tline"})
    assert names(records) == ["first linesecondline"]
    assert not records.warnings


@pytest.mark.parametrize("text", ["inf", "-nan", "N/A"])
@pytest.mark.parametrize("ts", [5, 1712820015204871.093])
def test_texts_for_times_that_say_no_number(path: Path, text: str, ts: float) -> None:
    sound = {**SLICE, "ts": ts}
    records = read(path, sound, {**sound, "dur": text}, {**sound, "ts": text})
    assert records.slices.duration_ns.tolist() == [1000, 0, 1000]
    assert records.slices.trusted.tolist() == [True, True, False]
    assert warnings(records) == {"bad_number": (2, "a"), "bad_time": (1, "a")}


def test_a_key_twice_in_one_record(path: Path) -> None:
    twice = json.dumps({**SLICE, "args": {"a": 1, "b": 2}}).replace('"b"', '"a"')
    path.write_text(f'{{"schemaVersion": 1, "x": 1, "x": 2, "traceEvents": [{twice}, {twice}]}}')
    found = [one.count for one in parse(path).warnings if one.kind == "duplicate_key"]
    assert found == [2, 1]


def test_distributed_info_may_be_there_twice(path: Path) -> None:
    info = '"distributedInfo": {"rank": 3}'
    path.write_text(f'{{{info}, "traceEvents": [{json.dumps(SLICE)}], {info}}}')
    assert warnings(parse(path)).keys() == {"time_base_unknown"}


def test_metadata_in_another_encoding(path: Path) -> None:
    top = {"host_name": "k\u00f6ln", "baseTimeNanoseconds": 10**18, "traceEvents": [SLICE]}
    path.write_bytes(json.dumps(top, ensure_ascii=False).encode("latin-1"))
    records = parse(path)
    assert warnings(records).keys() == {"bad_text"}
    assert records.facts.host_name == "k\ufffdln"


@pytest.mark.parametrize(
    ("end", "kinds"),
    [("]", []), ("", []), (",\n", []), ("] }", ["trailing_data"]), ("] x", ["trailing_data"])],
)
def test_the_array_form_has_no_metadata(path: Path, end: str, kinds: list[str]) -> None:
    path.write_text(json.dumps([{**SLICE, "ts": 10**15}])[:-1] + end)
    records = parse(path)
    assert names(records) == ["a"]
    assert [one.kind for one in records.warnings] == kinds
