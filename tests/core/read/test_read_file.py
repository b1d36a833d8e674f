"""The door of the room: a path in, a capture or the reason for none out."""

import json
from pathlib import Path
from typing import Any

import pytest

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
    path.write_text('{"schemaVersion": 1, "deviceProperties": [')
    found = read_file(path)
    assert isinstance(found, Skipped)
    assert [(one.kind, one.file) for one in found.warnings] == [("unreadable", str(path))]
    assert found.bytes == path.stat().st_size


def test_what_was_written_before_a_job_died_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "rank0.json"
    path.write_text(json.dumps({"traceEvents": [EVENT, EVENT]})[:-20])
    found = read_file(path)
    assert isinstance(found, Capture)
    assert (len(found.slices), found.facts.complete) == (1, False)
    assert "truncated" in {warning.kind for warning in found.warnings}


@pytest.mark.parametrize(
    ("top", "kind"),
    [({"traceEvents": 3, "schemaVersion": 1}, "empty"), ({"data": [EVENT]}, "not_a_trace")],
)
def test_a_sound_text_without_an_event_list(top: dict[str, Any], kind: str, tmp_path: Path) -> None:
    path = tmp_path / "rank0.json"
    path.write_text(json.dumps(top))
    found = read_file(path)
    assert isinstance(found, Skipped)
    assert [warning.kind for warning in found.warnings] == [kind]


@pytest.mark.parametrize(
    ("name", "content", "format_", "kind"),
    [
        ("expected.json", b'{"rank": 0, "span_ns": [1, 2]}', "json", "not_a_trace"),
        ("README.md", b"# Traces\n", "text", "not_a_trace"),
        ("__init__.py", b"", "empty", "not_a_trace"),
        ("rank0.json", b" \n", "empty", "empty"),
        ("rank0.json", b"hello", "text", "unreadable"),
        ("snapshot.pickle", b"\x80\x04segments", "memory-snapshot", "not_a_trace"),
    ],
)
def test_what_is_no_trace_is_not_parsed(
    name: str, content: bytes, format_: str, kind: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    found = read_file(path)
    assert isinstance(found, Skipped)
    assert (found.format, found.bytes) == (format_, len(content))
    assert [warning.kind for warning in found.warnings] == [kind]
