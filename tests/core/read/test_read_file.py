"""The door of the room: a path in, a capture or the reason for none out."""

import json
from pathlib import Path

from vpstop.read import read_file
from vpstop.read.capture import Capture, Skipped

EVENT = {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 5, "dur": 1}


def test_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "rank0.json"
    path.write_text(json.dumps({"baseTimeNanoseconds": 10**18, "traceEvents": [EVENT]}))
    reports: list[int] = []
    found = read_file(path, progress=reports.append)
    assert isinstance(found, Capture)
    assert found.slices.start_ns.tolist() == [10**18 + 5000]
    assert reports == [path.stat().st_size]


def test_what_cannot_be_read_becomes_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "rank0.json"
    path.write_text(json.dumps({"traceEvents": [EVENT]})[:-20])
    found = read_file(path)
    assert isinstance(found, Skipped)
    assert [(one.kind, one.file) for one in found.warnings] == [("unreadable", str(path))]
    assert found.bytes == path.stat().st_size
