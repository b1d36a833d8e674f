"""Pieces are cut at records only, wherever something looks like the end of one."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import pytest

from vpstop.read.parser import list_end
from vpstop.read.parser.cut import DEFAULT_SIZES, EventList, Sizes
from vpstop.read.parser.events import NUMERIC, Slice


def event(number: int, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "name": str(number), **more}


def names(text: str, sizes: Sizes, chunk: int = 50) -> list[Any]:
    """Names of all records, and that the pieces say where they are."""
    data = text.encode()
    found = EventList(in_chunks(data, chunk), NUMERIC.decode, sizes)
    result = []
    for piece in found.pieces():
        inside = bytes(piece.text[1:-1])
        assert data[piece.offset : piece.offset + len(inside)] == inside
        result += [getattr(one, "name", None) for one in piece.events]
    assert found.head + b"]" + found.tail == rest_of(data)
    return result


def in_chunks(data: bytes, size: int) -> Iterator[bytes]:
    return (data[begin : begin + size] for begin in range(0, len(data), size))


def rest_of(data: bytes) -> bytes:
    """The text without what is inside the event list."""
    head, _, listed = data.partition(b'"traceEvents": [')
    end = json.JSONDecoder().raw_decode("[" + listed.decode("latin-1"))[1] - 2
    return head + b'"traceEvents": []' + listed[end + 1 :]


def trace(events: Sequence[Any], separators: tuple[str, str] = (", ", ": ")) -> str:
    return json.dumps({"a": 1, "traceEvents": events, "z": [{}, {}]}, separators=separators)


@pytest.mark.parametrize("piece", [1, 64, 100, 1000, 10**6])
@pytest.mark.parametrize("window", [1, 100, 10**6])
def test_every_size_gives_all_records(piece: int, window: int) -> None:
    wanted = [str(number) for number in range(100)]
    events = [event(number, args={"x": "}, {"}) for number in range(100)]
    assert names(trace(events), Sizes(piece, window)) == wanted


def test_a_record_longer_than_a_window() -> None:
    long = event(1, args={"list": [{"a": 1}] * 1000})
    events = [event(0), long, event(2), long, long]
    assert names(trace(events), Sizes(100, 200)) == ["0", "1", "2", "1", "1"]


def slice_names(found: EventList) -> list[Any]:
    """Names of the slices in all pieces."""
    events = [one for piece in found.pieces() for one in piece.events]
    return [one.name for one in events if isinstance(one, Slice)]


def test_records_that_hold_records() -> None:
    nested = [event(number, args={"inner": [event(7), event(8)]}) for number in range(50)]
    wanted = [str(number) for number in range(50)]
    assert names(trace(nested), Sizes(300, 1000)) == wanted


def test_a_separator_that_changes() -> None:
    parts = [json.dumps(event(number)) for number in range(40)]
    text = "{" + '"traceEvents": [' + ",\n".join(parts[:20]) + " , " + ",\t".join(parts[20:]) + "]}"
    assert names(text, Sizes(50, 100)) == [str(number) for number in range(40)]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_key_that_looks_like_the_list(depth: int) -> None:
    decoy: Any = {"traceEvents": [1, {"traceEvents": []}]}
    for _ in range(depth):
        decoy = {"x": decoy}
    text = json.dumps({"decoy": decoy, "text": '"traceEvents": [', "traceEvents": [event(1)]})
    found = EventList(iter([text.encode()]), NUMERIC.decode)
    assert [bytes(piece.text) for piece in found.pieces()] == [b'[{"ph": "X", "name": "1"}]']


@pytest.mark.parametrize("events", [[1], [None], [{"name": "no phase"}], [{"ph": "?"}], [[]]])
def test_what_is_no_record_costs_no_other(events: list[Any]) -> None:
    text = trace([event(0), *events, event(2)])
    found = EventList(iter([text.encode()]), NUMERIC.decode)
    assert slice_names(found) == ["0", "2"]
    assert {kind: finding.count for kind, finding in found.findings.items()} == {"bad_record": 1}
    assert found.closed and found.complete


@pytest.mark.parametrize("end", ["", ",", ', {"ph": "X", "na', "\n"])
def test_a_list_that_never_ends_keeps_its_records(end: str) -> None:
    text = '{"traceEvents": [{"ph": "X", "name": "0"}, {"ph": "X", "name": "1"}' + end
    found = EventList(iter([text.encode()]), NUMERIC.decode)
    assert slice_names(found) == ["0", "1"]
    assert found.findings.keys() == {"truncated"}
    assert not found.complete


def test_an_array_needs_no_end() -> None:
    found = EventList(iter([b'[{"ph": "X", "name": "0"},\n']), NUMERIC.decode)
    assert len([one for piece in found.pieces() for one in piece.events]) == 1
    assert found.complete and not found.findings


@pytest.mark.parametrize("tells", [True, False])
@pytest.mark.parametrize("behind", ["}", ', "x": ["]"]}', " \n]", "]"])
def test_the_end_of_a_list(monkeypatch: pytest.MonkeyPatch, tells: bool, behind: str) -> None:
    monkeypatch.setattr(list_end, "_TELLS", tells)
    complete = '[{"a": "]é"}, [1] ]'
    text = (complete + behind).encode()
    with pytest.raises(msgspec.DecodeError) as caught:
        msgspec.json.decode(text)
    found = list_end.list_end(memoryview(text), str(caught.value))
    assert found == len(complete.encode()) - 1


def test_no_end_of_a_list() -> None:
    assert list_end.list_end(memoryview(b'[{"a": ["'), "Input data was truncated") is None


def read_all(text: bytes, sizes: Sizes = DEFAULT_SIZES) -> tuple[EventList, list[Any]]:
    found = EventList(in_chunks(text, 50), NUMERIC.decode, sizes)
    return found, [getattr(one, "name", None) for piece in found.pieces() for one in piece.events]


@pytest.mark.parametrize("window", [1, 16, 10**6])
@pytest.mark.parametrize(
    "head", [b'{"traceEvents" [', b"\0" * 5000, b'": 3}, ', b'{"id": 0}, {"a": 1}], ']
)
def test_records_are_found_though_the_list_has_no_beginning(head: bytes, window: int) -> None:
    listed = trace([event(1), event(2)]).encode().partition(b"[")[2]
    found, wanted = read_all(head + listed, Sizes(window=window))
    assert wanted == ["1", "2"]
    assert found.head.strip(b" [") == head.strip(b" [")


def test_a_list_that_ends_behind_its_bracket() -> None:
    """Nothing that stood in the buffer before is taken for text."""
    found = EventList(iter([b'] x [{"a": 1}], "traceEvents": [']), NUMERIC.decode)
    assert list(found.pieces()) == []
    assert "truncated" in found.findings


def test_the_end_of_another_file_in_between_does_not_end_the_list() -> None:
    pasted = trace([event(7)]).encode().partition(b"[")[2]
    whole = trace([event(1), event(2), event(3)]).encode()
    place = whole.index(b'{"ph": "X", "name": "2"')
    found, names_read = read_all(whole[:place] + pasted + whole[place:])
    assert names_read == ["1", "7", "2", "3"]
    assert found.closed


def test_a_second_trace_behind_the_first_is_not_read() -> None:
    first, second = trace([event(1)]), trace([event(2), event(3)])
    assert read_all(f"{first}\n{second}".encode())[1] == ["1"]
    arrays = json.dumps([event(1)]), json.dumps([event(2)])
    assert read_all("\n".join(arrays).encode())[1] == ["1"]


@pytest.mark.parametrize(("end", "complete"), [("", True), (",", True), (', {"ph": "X', False)])
def test_the_array_form_needs_no_bracket_but_whole_records(end: str, complete: bool) -> None:
    found, names_read = read_all((json.dumps([event(1), event(2)])[:-1] + end).encode())
    assert names_read == ["1", "2"]
    assert (found.complete, "truncated" in found.findings) == (complete, not complete)
