"""Files are known by their content; names only break ties, and nothing is executed."""

import gzip
import json
import pickle
from pathlib import Path, PurePath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vpstop.read.recognise import PARSED, SIDECARS, Format, recognise, refusal, sniff

KERNEL = {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 1, "dur": 2}
PLAIN = {"ph": "X", "cat": "task", "name": "gemm", "ts": 1, "dur": 2}
FEE = {"ph": "X", "cat": "fee", "name": "main", "ts": 1, "dur": 2}

OBJECTS: list[tuple[Any, Format]] = [
    ({"schemaVersion": 1, "deviceProperties": []}, "kineto"),
    ({"schemaVersion": 1, "traceEvents": []}, "kineto"),
    ({"baseTimeNanoseconds": 5, "traceEvents": [PLAIN]}, "kineto"),
    ({"traceEvents": [KERNEL]}, "kineto"),
    ({"traceEvents": [KERNEL | {"cat": "Kernel"}]}, "kineto"),
    ({"metadata": {"traceEvents": [FEE], "nodes": []}, "traceEvents": [KERNEL]}, "kineto"),
    ([KERNEL], "kineto"),
    ([PLAIN | {"pid": "CPU functions"}], "legacy-autograd"),
    ([PLAIN], "chrome"),
    ({"traceEvents": [PLAIN]}, "chrome"),
    ({"traceEvents": []}, "chrome"),
    ({"traceEvents": [FEE], "viztracer_metadata": {}}, "viztracer"),
    ({"viztracer_metadata": {}, "traceEvents": []}, "viztracer"),
    ({"rocprofiler-sdk-tool": [{"metadata": {}}]}, "rocprof"),
    ({"schema": "1.1", "pid": 1, "nodes": [{"ctrl_deps": 1}]}, "execution-trace"),
    ({"version": "2.10", "pg_config": {}, "entries": []}, "flight-recorder"),
    ({"segments": [], "device_traces": []}, "memory-snapshot"),
    ([[1, 2, 3], [[0, 1], [2, 3], [4, 5]]], "memory-timeline"),
    ([[-1, 1, 37888, 7], [10, 0, 512, 7]], "memory-timeline"),
]

UNDECIDED: list[Any] = [{}, [], {"results": [1, 2]}, [[1, 2], [3, 4]], {"traceEvents_": "[{"}]

OTHERS: list[tuple[str, bytes, Format]] = [
    ("a.json", b"", "empty"),
    ("a.json", b" \n\t", "empty"),
    ("a.json", b"\0" * 500, "empty"),
    ("a.json", b"null", "json"),
    ("a.json", b"not json at all\n", "text"),
    ("a.json", b"\xef\xbb\xbf" + json.dumps({"traceEvents": [KERNEL]}).encode(), "kineto"),
    ("a.json", b'"cat": "kernel", "ph": "X", "name": "cut at its beginning"},', "chrome"),
    ("a.json", b'\0\xff garbage {"ph": "X", "cat": "kernel"}', "chrome"),
    ("a.pickle", b"\x80\x04\x95>\0\0\0}\x94(\x8c\x08segments\x94]", "memory-snapshot"),
    ("dump", b"\x80\x02}(X\x07\0\0\0entriesX\x09\0\0\0pg_configu.", "flight-recorder"),
    ("nccl_trace_rank_0", b"\x80\x04N.", "flight-recorder"),
    ("weights.pkl", b"\x80\x04N.", "pickle"),
    ("trace", b"\n(P\x012\x10\x08\x06\x10\x80\xad\xd2\xb9\x07", "perfetto"),
    ("node-a.pb", b"\n\x1e\x08\x01\x12\x1a/device:GPU:0 demo xplane  ", "xplane"),
    ("node-a.pb", b"\n\x0f\x12\x09/host:CPU\x1a\x00", "xplane"),
    (
        "events.1",
        b"\x18" + b"\0" * 7 + b"\xef\xce\xcd\x09\x09\0\0\x80\0brain.Event:2",
        "tensorflow-events",
    ),
    ("x", b"QDSTRM\x01\x02", "nsys"),
    ("x.nsys-rep", b"\x01\x02\x03", "nsys"),
    ("x", b"SQLite format 3\0" + b"\0" * 84, "sqlite"),
    ("model.pt", b"PK\x03\x04" + b"\0" * 20, "archive"),
    ("traces.tar", b"rank0.json".ljust(257, b"\0") + b"ustar\0" + b'"ph": "X"', "archive"),
    ("a_stacks.txt", b"train.py(3): f;aten::mm 184\ntrain.py(3): f;aten::add 2\n", "stacks"),
    ("a.txt", b"----  ----\nName  Self CPU %\n", "text"),
    ("t.html", b"<html><title>CUDA Memory Timeline</title>", "memory-timeline"),
    ("t.html", b"<!DOCTYPE html><p>report", "html"),
    (".DS_Store", b"\0\0\0\x01Bud1\0\0", "unknown"),
]


@pytest.mark.parametrize(("value", "expected"), OBJECTS)
@pytest.mark.parametrize("indent", [None, 2])
def test_json_is_known_by_its_keys(value: Any, expected: Format, indent: int | None) -> None:
    assert recognise(json.dumps(value, indent=indent).encode()) == expected


@pytest.mark.parametrize("value", UNDECIDED)
def test_json_of_no_known_shape(value: Any, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(value))
    assert sniff(tmp_path / "a.json") == "json"


@pytest.mark.parametrize(("name", "content", "expected"), OTHERS)
@pytest.mark.parametrize("compress", [False, True])
def test_other_files_are_known_by_their_bytes(
    name: str, content: bytes, expected: Format, compress: bool, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(gzip.compress(content) if compress else content)
    assert sniff(tmp_path / name) == expected


def test_events_after_much_metadata_are_found(tmp_path: Path) -> None:
    late = {"notes": ["x" * 100] * 3000, "traceEvents": [KERNEL]}
    (tmp_path / "a.json").write_text(json.dumps(late))
    assert sniff(tmp_path / "a.json") == "kineto"


def test_broken_json_without_events_is_not_json(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"results": [1, 2')
    assert sniff(tmp_path / "a.json") == "unknown"


def test_json_nested_too_deeply_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "rank0.json"
    path.write_bytes(b"[" * 100_000 + b"]" * 100_000)
    assert sniff(path) == "unknown"


@pytest.mark.parametrize("kept", [0.5, 0.9])
def test_a_cut_gzip_file_is_known_by_what_is_left(kept: float, tmp_path: Path) -> None:
    whole = gzip.compress(json.dumps({"traceEvents": [KERNEL] * 2000}).encode())
    (tmp_path / "a.json.gz").write_bytes(whole[: int(len(whole) * kept)])
    assert sniff(tmp_path / "a.json.gz") == "kineto"


def test_a_gzip_file_without_anything_in_it_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "a.json.gz").write_bytes(b"\x1f\x8b\x08\0\0\0")
    assert sniff(tmp_path / "a.json.gz") == "unknown"


class Trap:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def test_pickles_are_not_executed(tmp_path: Path) -> None:
    trap = pickle.dumps({"segments": Trap(tmp_path / "sprung")})
    (tmp_path / "snapshot.pickle").write_bytes(trap)
    assert sniff(tmp_path / "snapshot.pickle") == "memory-snapshot"
    assert not (tmp_path / "sprung").exists()
    pickle.loads(trap)
    assert (tmp_path / "sprung").exists()


@given(st.binary(max_size=300), st.text(max_size=20))
def test_every_file_is_something(head: bytes, name: str) -> None:
    assert recognise(head, name) is None or isinstance(recognise(head, name), str)


@pytest.mark.parametrize(
    ("name", "found", "expected"),
    [
        ("rank0.json", "kineto", None),
        ("rank0.json", "chrome", None),
        ("nodes.toml", "nodes", None),
        ("rank0.json.gz", "empty", "empty"),
        ("rank0.pt.trace.json.tmp", "unknown", "unreadable"),
        ("j_text.JSON", "text", "unreadable"),
        ("README", "text", "not_a_trace"),
        ("core.123", "empty", "not_a_trace"),
        ("notes.json", "json", "not_a_trace"),
        ("rank0_et.json", "execution-trace", "not_a_trace"),
    ],
)
def test_only_a_name_that_promises_a_trace_is_called_unreadable(
    name: str, found: Format, expected: str | None
) -> None:
    warning = refusal(PurePath(name), found)
    assert (warning.kind if warning else None) == expected
    assert (warning is None) == (found in PARSED or found in SIDECARS)
