"""Whatever a writer makes of the text and the numbers, the records are the same."""

import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from same_records import assert_same_records
from written import LAYOUTS, Event, array, spaced_line, write

from reference import reference_records
from vpstop.read.inflate import chunks
from vpstop.read.parser.collect import collect
from vpstop.read.parser.columns import Columns
from vpstop.read.parser.cut import DEFAULT_SIZES, EventList, Sizes
from vpstop.read.parser.events import NUMERIC
from vpstop.read.parser.facts import metadata
from vpstop.read.parser.finish import records
from vpstop.read.parser.parse import parse
from vpstop.read.parser.split import read_share, whole
from vpstop.read.records import Records

SMALL: Final = Sizes(piece=300, window=2000)
"""So small that even a short trace is cut."""

ABSOLUTE_NS: Final = 1_712_195_495_519_689_047
BASE_NS: Final = 1_767_189_312_000_000_000
BEFORE: Final = {
    "schemaVersion": 1,
    "deviceProperties": [{"id": 0, "name": "A"}, {"id": 1, "name": "},{"}],
    "distributedInfo": {"rank": 3, "world_size": 8},
}
AFTER: Final = {"traceName": "x]}", "baseTimeNanoseconds": BASE_NS, "INFO": ["a}", "]b"]}

NASTY: Final = ('"}, {"', "},{", '"}],"x":[{', "}\n  ]", "\\", "é\u2028", "a" * 400, "", "7")
texts = st.one_of(st.sampled_from(NASTY), st.text(max_size=20))
"""Also what looks like a place to cut."""

examples = settings(max_examples=40, deadline=None)


def us(ns: int) -> str:
    """Microseconds, marked: `plain` makes a number of them, `quoted` a text."""
    return f"@{ns // 1000}.{ns % 1000:03}"


def plain(text: str) -> str:
    return re.sub(r'"@([\d.]+)"', r"\1", text)


def without_zeros(text: str) -> str:
    """As rewriters do: 12.5 for 12.500, 12 for 12.000."""
    return re.sub(r'"@(\d+)\.?(\d*?)0*"', lambda m: m[1] + ("." + m[2] if m[2] else ""), text)


def quoted(text: str) -> str:
    return re.sub(r'"@([\d.]+)"', r'"\1"', text)


@st.composite
def slices(draw: st.DrawFn, start_ns: st.SearchStrategy[int]) -> Event:
    args: dict[str, Any] = {"External id": draw(st.integers(0, 2**40))}
    if draw(st.booleans()):
        args["correlation"] = draw(st.integers(-1, 2**40))
    if draw(st.booleans()):
        args["Input Dims"] = draw(st.lists(st.lists(st.integers(0, 99), max_size=3), max_size=3))
        args["Input type"] = draw(st.lists(st.sampled_from(["float", "Scalar", ""]), max_size=3))
    if draw(st.booleans()):
        args |= {"Collective name": draw(texts), "In msg nelems": draw(st.integers(0, 2**40))}
    if draw(st.booleans()):
        args["nested"] = [{"a": draw(texts)}, {"b": []}]
    if draw(st.booleans()):
        args["bytes"] = draw(st.integers(0, 2**40))
    return {
        "ph": "X",
        "cat": draw(st.sampled_from(["cpu_op", "Kernel", "gpu_memcpy", "own", "Trace"])),
        "name": draw(texts),
        "pid": draw(st.sampled_from([0, 7, "Spans"])),
        "tid": draw(st.sampled_from([1, 2**33, "stream 7", -1])),
        "ts": us(draw(start_ns)),
        "dur": us(draw(st.integers(0, 10**12))),
        "args": args,
    }


@st.composite
def others(draw: st.DrawFn, start_ns: st.SearchStrategy[int]) -> Event:
    phase = draw(st.sampled_from("isftMCBE"))
    start = {"ph": phase, "pid": draw(st.integers(0, 2)), "tid": 1, "ts": us(draw(start_ns))}
    if phase in "sft":
        return start | {"id": draw(st.integers(0, 99)), "cat": draw(st.sampled_from(["a", "ac2g"]))}
    if phase == "i":
        args = {"Bytes": draw(st.integers(-(2**40), 2**40)), "Device Type": 1, "Device Id": 0}
        return start | {"name": draw(st.sampled_from(["[memory]", "x"])), "args": args}
    if phase == "M":
        name = draw(st.sampled_from(["thread_name", "process_name", "thread_sort_index"]))
        return start | {"name": name, "args": {"name": draw(texts), "sort_index": 1}}
    return start | {"name": "of a range", "cat": "user_annotation"} if phase in "BE" else start


def events(start_ns: st.SearchStrategy[int]) -> st.SearchStrategy[list[Event]]:
    return st.lists(st.one_of(slices(start_ns), slices(start_ns), others(start_ns)), max_size=40)


relative = events(st.integers(1000, 8 * 10**15))
absolute = events(st.integers(ABSOLUTE_NS, ABSOLUTE_NS + 10**15))


def in_small_chunks(path: Path) -> Iterator[bytes]:
    for chunk in chunks(path):
        for begin in range(0, len(chunk), 500):
            yield chunk[begin : begin + 500]


def in_small_pieces(path: Path) -> Records:
    found, columns = EventList(in_small_chunks(path), NUMERIC.decode, SMALL), Columns()
    collect(found, columns)
    return records(path, metadata(found.head, found.tail), columns.part(), complete=True)


def recovered(path: Path, sizes: Sizes) -> Records:
    """What is found where no piece is trusted to parse as a whole."""
    found, columns = EventList(in_small_chunks(path), NUMERIC.decode, sizes), Columns()
    found.always_recovers = True
    collect(found, columns)
    assert not found.findings
    return records(path, metadata(found.head, found.tail), columns.part(), complete=True)


def in_shares(path: Path, turns: int) -> Records | None:
    shares = [read_share(in_small_chunks(path), turn, turns, SMALL) for turn in range(turns)]
    found = whole(shares)
    return (
        records(path, metadata(found.head, found.tail), found.part, complete=True)
        if found
        else None
    )


@pytest.fixture(scope="module")
def path() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "trace.json"


def expected(path: Path, made: Sequence[Event], after: dict[str, Any]) -> Records:
    return reference_records(write(path, plain(spaced_line(made, BEFORE, after))))


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(examples, max_examples=20)
@given(made=relative, compressed=st.booleans())
def test_layouts(path: Path, layout: str, made: list[Event], compressed: bool) -> None:
    wanted = expected(path, made, AFTER)
    write(path, plain(LAYOUTS[layout](made, BEFORE, AFTER)), compressed)
    assert_same_records(parse(path), wanted)
    assert_same_records(in_small_pieces(path), wanted)
    shared = in_shares(path, turns=2)
    if layout not in ("single_line", "spaced_line"):
        assert shared is not None
    if shared is not None:
        assert_same_records(shared, wanted)


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(examples, max_examples=20)
@given(made=relative)
def test_the_tolerant_way_finds_the_same(path: Path, layout: str, made: list[Event]) -> None:
    wanted = expected(path, made, AFTER)
    write(path, plain(LAYOUTS[layout](made, BEFORE, AFTER)))
    assert_same_records(recovered(path, DEFAULT_SIZES), wanted)


@pytest.mark.parametrize("numbers", [plain, without_zeros, quoted], ids=lambda form: form.__name__)
@examples
@given(made=absolute)
def test_absolute_times(path: Path, numbers: Any, made: list[Event]) -> None:
    wanted = expected(path, made, {})
    write(path, numbers(spaced_line(made, BEFORE, {})))
    assert_same_records(in_small_pieces(path), wanted)


@pytest.mark.parametrize("numbers", [without_zeros, quoted], ids=lambda form: form.__name__)
@examples
@given(made=relative)
def test_relative_times(path: Path, numbers: Any, made: list[Event]) -> None:
    wanted = expected(path, made, AFTER)
    write(path, numbers(spaced_line(made, BEFORE, AFTER)))
    assert_same_records(in_small_pieces(path), wanted)


@examples
@given(made=relative, data=st.data())
def test_number_forms_of_ids(path: Path, made: list[Event], data: st.DataObject) -> None:
    wanted = expected(path, made, AFTER)
    for event in made:
        respell(event, data)
    write(path, plain(spaced_line(made, BEFORE, AFTER)))
    assert_same_records(parse(path), wanted)


def respell(event: Event, data: st.DataObject) -> None:
    """Other spellings of the same ids and numbers."""
    args = event.get("args", {})
    for record, key in [(event, "tid"), (event, "id"), (args, "correlation"), (args, "bytes")]:
        value = record.get(key)
        if isinstance(value, int):
            forms = [value, str(value), float(value)]
            forms += [hex(value)] if key in ("correlation", "bytes", "id") and value >= 0 else []
            record[key] = data.draw(st.sampled_from(forms))
    if "External id" in args and data.draw(st.booleans()):
        args["external id"] = args.pop("External id")


@examples
@given(made=relative)
def test_array_form(path: Path, made: list[Event]) -> None:
    write(path, plain(array(made)))
    wanted = reference_records(path)
    assert_same_records(in_small_pieces(path), wanted)
