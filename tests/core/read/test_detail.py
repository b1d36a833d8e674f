"""The arguments of any slice can be fetched again."""

from pathlib import Path

import pytest
from written import LAYOUTS, write

from vpstop.read.damage import Damaged
from vpstop.read.detail import arguments
from vpstop.read.parser import fast


def event(number: int, phase: str = "X") -> dict[str, object]:
    args = {"number": number, "text": "x\x1b},{", "nested": [{"a": 1}, {"b": 2}]}
    return {"ph": phase, "name": str(number), "pid": 1, "tid": 1, "ts": number, "args": args}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("compressed", [True, False])
def test_arguments_of_every_slice(tmp_path: Path, layout: str, compressed: bool) -> None:
    events = [event(n, phase) for n, phase in enumerate("XsXXiBXEMXX" * 20)]
    path = write(tmp_path / "t.json", LAYOUTS[layout](events, {"a": 1}, {}), compressed)
    records = fast.parse(path)
    names = [records.names[code] for code in records.slices.name]
    places = records.slices.record.tolist()
    found = [arguments(path, record) for record in places]
    assert [args["number"] for args in found] == [int(name) for name in names]
    assert found[0] == {"number": 0, "text": "x},{", "nested": [{"a": 1}, {"b": 2}]}


def test_slices_in_later_pieces(tmp_path: Path) -> None:
    events = [event(number) for number in range(20_000)]
    path = write(tmp_path / "t.json", LAYOUTS["lines"](events, {}, {}))
    record = fast.parse(path).slices.record
    assert arguments(path, int(record[-1]))["number"] == 19_999
    assert arguments(path, int(record[10_000]))["number"] == 10_000


def test_a_slice_without_arguments(tmp_path: Path) -> None:
    bare = {"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1}
    path = write(tmp_path / "t.json", LAYOUTS["kineto"]([bare, {**bare, "args": []}], {}, {}))
    assert [arguments(path, int(n)) for n in fast.parse(path).slices.record] == [{}, {}]


def test_a_file_that_changed(tmp_path: Path) -> None:
    path = write(tmp_path / "t.json", LAYOUTS["kineto"]([event(1)], {}, {}))
    record = int(fast.parse(path).slices.record[0])
    write(path, "[]")
    with pytest.raises(Damaged):
        arguments(path, record)
