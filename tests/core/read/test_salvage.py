"""What stands around the events is read as far as it can be, each value for itself."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vpstop.read.salvage import Salvaged, salvage

HEAD = b"""{
  "schemaVersion": 1,
  "deviceProperties": [
    {"id": 0, "name": "GPU"}
  ],
  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},
  "traceEvents": ["""
TAIL = b"""],
  "traceName": "/tmp/trace.json",
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1767189312000000000
}
"""


def read(text: bytes) -> dict[str, Any]:
    """Pairs of a damaged text."""
    found = salvage(text)
    assert found.damaged
    return dict(found.pairs)


def test_reads_a_head_a_tail_and_both() -> None:
    head, tail, both = salvage(HEAD), salvage(TAIL), salvage(HEAD + TAIL)
    assert [key for key, _ in head.pairs] == [
        "schemaVersion",
        "deviceProperties",
        "distributedInfo",
    ]
    assert [key for key, _ in tail.pairs] == ["traceName", "displayTimeUnit", "baseTimeNanoseconds"]
    assert both.pairs == [*head.pairs, ("traceEvents", []), *tail.pairs]
    assert not (head.damaged or tail.damaged or both.damaged)
    assert not (head.trailing or tail.trailing or both.trailing)


def test_log_lines_cost_nothing_else(cases: Path) -> None:
    text = gzip.decompress((cases / "23-log-lines-break-the-tail/input/rank0.json.gz").read_bytes())
    head, tail = text[: text.index(b"[\n  {")], text[text.rindex(b"]", 0, text.index(b'"INFO"')) :]
    found = read(head + b"[" + tail)
    assert found["baseTimeNanoseconds"] == 1767189312000000000
    assert found["distributedInfo"]["world_size"] == 1
    assert found["traceName"] == "/tmp/run/rank0.json"


@pytest.mark.parametrize(
    "damaged",
    [
        b'"INFO": ["a "b": 1, "rank": 5", "c"],',
        b'"INFO": ["never closed,',
        b'"WARNING": [["nested", {"x": ],',
        b'"own": ,',
        b'"own": value,',
        b'"own" 5,',
        b'"own": {"deep": ' + b"[" * 5000 + b"},",
        b'"own": ' + b"9" * 5000 + b",",
        b'"own": "\x01",',
    ],
)
@pytest.mark.parametrize("layout", [b"\n  ", b" ", b""])
def test_a_damaged_value_costs_no_other(damaged: bytes, layout: bytes) -> None:
    lines = [b"{", b'"host_name": "node-a",', damaged, b'"traceName": "x",', b'"with_stack": 1}']
    found = read(layout.join(lines))
    assert found["traceName"] == "x"
    assert found["with_stack"] == 1
    assert found["host_name"] == "node-a"


def test_damaged_values_are_repaired() -> None:
    found = read(
        b'{"traceName": "C:\\data\\my "best" run.json", "own": {"lr": nan, "tag": "a "b""}, '
        b'"host_name": "n\xe8", "roctracer_version": inf}'
    )
    assert found == {
        "traceName": r'C:\data\my "best" run.json',
        "own": {"lr": None, "tag": 'a "b"'},
        "host_name": "n�",
        "roctracer_version": None,
    }


def test_a_key_that_is_there_twice_is_told_twice() -> None:
    text = b'{"distributedInfo": {"rank": 1}, "a": inf, "distributedInfo": {"rank": 2}}'
    assert [value for key, value in salvage(text).pairs if key == "distributedInfo"] == [
        {"rank": 1},
        {"rank": 2},
    ]


@pytest.mark.parametrize("size", range(len(TAIL) - 30, len(TAIL) - 2))
def test_a_cut_value_is_not_taken(size: int) -> None:
    """The last value of the tail is a number: its first digits are another one."""
    found = salvage(TAIL[:size])
    assert found.damaged
    assert [key for key, _ in found.pairs] == ["traceName", "displayTimeUnit"]


def test_nested_keys_are_no_pairs() -> None:
    text = HEAD.replace(b'"rank": 3', b'"rank": 3,\n    "note": "a "b", "c": 5"') + TAIL
    found = read(text)
    assert found.keys() <= {*json.loads(HEAD + TAIL), "distributedInfo"}
    assert found["baseTimeNanoseconds"] == 1767189312000000000


@pytest.mark.parametrize("text", [b"{} x", b"]}\n{", TAIL + b"\0\0", b'{"a": 1} {"b": 2}'])
def test_text_behind_the_end_is_reported(text: bytes) -> None:
    assert salvage(text).trailing
    assert not salvage(text).damaged


@pytest.mark.parametrize("text", [b"", b"\n", b"]", b"{}", b"]}\n", b"{", b"\xef\xbb\xbf{}"])
def test_nothing_is_no_damage(text: bytes) -> None:
    assert salvage(text) == Salvaged([], damaged=False, trailing=False)


@pytest.mark.parametrize(
    "piece",
    [b'"host_name": ', b'{"a": ', b'\n "a": [[[', b'"host_name":[', b'"', b"\\", b'"a": x,',
     b'"a": 1,', b'"host_name": {"a": "x"y"},', b" " * 99 + b'"'],
)  # fmt: skip
def test_hostile_text_takes_no_time(piece: bytes) -> None:
    """Anything quadratic hangs here."""
    found = salvage(b"{" + piece * (1_000_000 // len(piece)))
    assert found.damaged


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.text("abc_", min_size=1), JSON), st.sampled_from([None, 2]))
def test_valid_metadata_is_read_as_it_is(pairs: dict[str, Any], indent: int | None) -> None:
    found = salvage(json.dumps(pairs, indent=indent).encode())
    assert found == Salvaged(list(pairs.items()), damaged=False, trailing=False)
