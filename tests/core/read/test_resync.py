"""Whatever happens to an event list, what was not touched is read, and nothing else is made up."""

import gzip
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vpstop.read.capture import WarningKind
from vpstop.read.parser.events import NUMERIC, Slice
from vpstop.read.resync import Recovered, recover, texts

SEPARATOR: Final = b",\n  "
"""As Kineto writes it."""


def record(number: int, **fields: Any) -> dict[str, Any]:
    """A record that no other is equal to."""
    args = {"External id": number, "Input Dims": [[32, 256], []]}
    return {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "tid": number, "ts": 5.5, "dur": 1,
            "args": args} | fields  # fmt: skip


def written(number: int, **fields: Any) -> bytes:
    return json.dumps(record(number, **fields)).encode()


def joined(*records: bytes) -> bytes:
    return SEPARATOR.join(records)


def counts(recovered: Recovered[Any]) -> dict[WarningKind, int]:
    return {kind: finding.count for kind, finding in recovered.findings.items()}


def names(recovered: Recovered[bytes]) -> list[Any]:
    return [json.loads(text)["name"] for text in recovered.records]


# What jobs left behind


def event_list(path: Path) -> bytes:
    """The text of a trace from its first record on."""
    text = path.read_bytes()
    text = gzip.decompress(text) if text.startswith(b"\x1f\x8b") else text
    opening = b'"traceEvents": ['
    return text[text.index(opening) + len(opening) :]


def slice_counts(recovered: Recovered[bytes]) -> Counter[str]:
    events = [json.loads(text) for text in recovered.records]
    return Counter(e["cat"] for e in events if e["ph"] == "X" and e["cat"] != "Trace")


def within(found: int, expected: int | Mapping[str, int]) -> bool:
    if isinstance(expected, int):
        return found == expected
    return expected["min"] <= found <= expected["max"]


DAMAGED: Final[dict[str, dict[WarningKind, int]]] = {
    "01-clean-two-ranks": {},
    "04-bare-inf-and-nan": {"bad_number": 5},
    "05-windows-backslashes": {"bad_text": 3},
    "06-unescaped-quotes": {"bad_text": 3},
    "07-bytes-that-are-not-utf8": {"bad_text": 3},
    "08-killed-while-writing": {},
    "10-two-writers-one-file": {"bad_record": 1},
    "22-argument-without-a-value": {"bad_record": 1},
    "23-log-lines-break-the-tail": {},
    "24-metadata-after-the-events": {},
    "29-python-frames-that-never-return": {},
}


@pytest.mark.parametrize(("case", "expected"), DAMAGED.items(), ids=DAMAGED)
def test_reads_the_input_cases(cases: Path, case: str, expected: dict[WarningKind, int]) -> None:
    path = min((cases / case / "input").iterdir())
    recovered = recover(event_list(path), texts)
    found = slice_counts(recovered)
    wanted = json.loads((cases / case / "expect.json").read_bytes())["events"]["0"]
    assert all(within(found[c], number) for c, number in wanted.items() if c != "*"), found
    assert counts(recovered) == expected
    is_cut = path.suffix == ".tmp"
    assert (recovered.closed_at is None) == is_cut
    assert (recovered.open_at is not None) == is_cut


def test_names_keep_their_backslashes(cases: Path) -> None:
    path = min((cases / "05-windows-backslashes/input").iterdir())
    assert {
        r"torch\utils\checkpoint.py(77): _run_fn",
        r"D:\work\users\net\train.py(10): forward",
    } <= set(names(recover(event_list(path), texts)))


def test_finds_the_record_inside_a_broken_one(cases: Path) -> None:
    recovered = recover(event_list(cases / "10-two-writers-one-file/input/trace.json"), texts)
    assert "c10d::allreduce_" in names(recovered)
    assert recovered.lost_bytes == len('{\n    "ph": "X", "cat": "kernel", "name": "sm90_xmm  ')


# One damaged record among healthy ones

LOST: Final = {
    "no phase": written(2).replace(b'"ph"', b'"qh"'),
    "unknown phase": written(2, ph="Z"),
    "null": b"null",
    "a number": b"-12.5",
    "a text": b'"},{"',
    "a list": b"[1, 2]",
    "an empty object": b"{}",
    "nested too deeply": written(2).replace(b"5.5", b"[" * 5000 + b"]" * 5000),
    "arguments that are none": written(2, args="none"),
    "cut in a name": written(2)[:35],
    "cut in the arguments": written(2)[:-20],
    "no closing quote": written(2).replace(b'mm"', b"mm"),
    "no opening quote": written(2).replace(b'"aten', b"aten"),
    "no opening brace": written(2)[1:],
    "no closing brace": written(2)[:-1],
    "ended too early": written(2).replace(b'mm"', b'mm"}'),
    "junk": b'\x00\x01"{[junk',
}
KEPT: Final[dict[str, tuple[bytes, WarningKind]]] = {
    "bare word": (written(2).replace(b"5.5", b"-nan"), "bad_number"),
    "huge number": (written(2).replace(b"5.5", b"1e400"), "bad_number"),
    "huge integer": (written(2).replace(b"5.5", b"9" * 5000), "bad_number"),
    "bare word in a list": (written(2).replace(b"[]", b"[inf]"), "bad_number"),
    "missing value": (written(2).replace(b"5.5", b""), "bad_record"),
    "bare quotes": (written(2).replace(b"::", b' "x" '), "bad_text"),
    "path": (written(2).replace(b"::", rb"\work"), "bad_text"),
    "line break": (written(2).replace(b"::", b"\n"), "bad_text"),
    "Latin-1": (written(2).replace(b"::", b"\xe8"), "bad_text"),
    "a key twice": (written(2).replace(b'"tid"', b'"x": [inf], "x": 1, "tid"'), "duplicate_key"),
}


@pytest.mark.parametrize("damaged", LOST.values(), ids=LOST)
def test_a_record_without_sense_costs_no_other(damaged: bytes) -> None:
    before, after = [written(0), written(1)], [written(3), written(4)]
    recovered = recover(joined(*before, damaged, *after), texts)
    kept = [text for text in recovered.records if text in before + after]
    # A headless record looks as if the one before it went on.
    assert kept == (before[:1] if damaged.startswith(b'"ph"') else before) + after
    assert len(recovered.records) == len(kept)
    assert counts(recovered) == {"bad_record": 1}
    assert recovered.closed_at is recovered.open_at is None


@pytest.mark.parametrize(("damaged", "kind"), KEPT.values(), ids=KEPT)
def test_a_damaged_record_is_kept(damaged: bytes, kind: WarningKind) -> None:
    recovered = recover(joined(written(0), damaged, written(4)), NUMERIC.decode)
    slices = [event for event in recovered.records if isinstance(event, Slice)]
    assert [event.tid for event in slices] == [0, 2, 4]
    assert kind in recovered.findings
    assert recovered.lost_bytes == 0


def test_findings_say_how_often_and_where() -> None:
    text = joined(written(0), b"null", *[written(1).replace(b"5.5", b"inf")] * 3, written(2))
    recovered = recover(text, texts)
    assert counts(recovered) == {"bad_number": 3, "bad_record": 1}
    assert recovered.findings["bad_record"].offset == text.index(b"null")
    assert recovered.findings["bad_record"].example == "null"
    assert recovered.findings["bad_number"].offset == text.index(b'"ts": inf')
    assert recovered.findings["bad_number"].example == '"ts": inf'
    assert recovered.lost_bytes == len("null")


def test_keys_the_format_does_not_know_begin_records_too() -> None:
    records = [b'{"own": 1, "ph": "X", "tid": %d}' % number for number in range(9)]
    text = b", ".join(records).replace(b'"tid": 4}', b'"tid": 4')
    assert recover(text, texts).records == records[:4] + records[5:]


# Where the list ends


@pytest.mark.parametrize(
    "tail",
    [b"]", b"\n]\n", b"]}", b'],\n "traceName": "x"}', b'],\n "trac', b"], ", b']} "ph" and more'],
)
def test_finds_the_end_of_the_list(tail: bytes) -> None:
    text = joined(written(0), written(1)) + tail
    recovered = recover(text, texts)
    assert recovered.records == [written(0), written(1)]
    assert recovered.closed_at == text.rindex(b"]")
    assert not recovered.findings


@pytest.mark.parametrize("tail", [b"]}", b'],\n "traceName": "x"}', b'], "own": [{"name": 1}]}'])
def test_finds_the_end_of_the_list_behind_a_broken_record(tail: bytes) -> None:
    text = joined(written(0), written(1)[:-30] + b"}}") + tail
    recovered = recover(text, texts)
    assert recovered.records == [written(0)]
    assert recovered.closed_at == text.rindex(tail)
    assert counts(recovered) == {"bad_record": 1}


def test_goes_on_where_records_follow_the_end_of_a_list() -> None:
    """Two writers: the shorter file stands before the rest of the longer one."""
    text = (
        joined(written(0), written(1))
        + b'\n], "traceName": "x"}'
        + joined(b'"pid": 1}', written(2), written(3))
    )
    recovered = recover(text + b"]}", texts)
    assert recovered.records == [written(number) for number in range(4)]
    assert recovered.closed_at == len(text)


@pytest.mark.parametrize("size", range(1, len(written(1))))
def test_a_cut_record_is_no_damage(size: int) -> None:
    text = joined(written(0), written(1)[:size])
    recovered = recover(text, texts)
    assert recovered.records == [written(0)]
    assert recovered.open_at == len(written(0)) + len(SEPARATOR)
    assert not recovered.findings
    assert recovered.lost_bytes == 0


@pytest.mark.parametrize("text", [b"", b" \n", b",", b", \n ,"])
def test_nothing_gives_nothing(text: bytes) -> None:
    assert recover(text, texts) == Recovered([], recover(b"", texts).findings, 0, None, None)


# Long stretches

Damage = Callable[[bytes, int, bytes], bytes]

DAMAGES: Final[dict[str, Damage]] = {
    "flip": lambda text, at, byte: text[:at] + byte + text[at + 1 :],
    "insert": lambda text, at, byte: text[:at] + byte + text[at:],
    "delete": lambda text, at, byte: text[:at] + text[at + 1 :],
}
TELLING: Final = b'"\\{}[],:\n x-.0\xff\x00'


@pytest.fixture(scope="module")
def long() -> list[bytes]:
    return [written(number, name="x" * (number % 300)) for number in range(6000)]


def test_a_long_healthy_stretch_is_returned_as_it_is(long: list[bytes]) -> None:
    assert recover(joined(*long), texts) == Recovered(
        long, recover(b"", texts).findings, 0, None, None
    )


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_bad_bytes_in_a_long_stretch_stay_local(long: list[bytes], damage: Damage) -> None:
    chance = random.Random(7)
    text, bytes_damaged = joined(*long), 40
    for _ in range(bytes_damaged):
        text = damage(text, chance.randrange(len(text)), bytes([chance.choice(TELLING)]))
    recovered = recover(text, texts)
    untouched = set(recovered.records) & set(long)
    assert len(long) - len(untouched) <= 2 * bytes_damaged
    assert len(recovered.records) >= len(long) - 2 * bytes_damaged
    assert recovered.lost_bytes < 2 * bytes_damaged * 500


def test_damage_in_every_record_costs_none(long: list[bytes]) -> None:
    for damaged in (b'"ts": inf', b'"c": "D:\\work"', b'"c": [nan]', b'"c": ', b'"c": "a"b"'):
        text = joined(*long[:1000]).replace(b'"ts": 5.5', damaged)
        recovered = recover(text, NUMERIC.decode)
        slices = [event for event in recovered.records if isinstance(event, Slice)]
        assert [event.tid for event in slices] == list(range(1000))
        assert sum(counts(recovered).values()) == 1000


def test_records_without_phase_are_counted_one_by_one(long: list[bytes]) -> None:
    text = joined(*long).replace(b'"ph"', b'"qh"')
    recovered = recover(text, texts)
    assert recovered.records == []
    assert counts(recovered) == {"bad_record": len(long)}


HOSTILE: Final = [
    b'{"ph":', b'{"ph":[', b'{"ph":"X"', b'},{"ph":', b'{"ph":1},', b'{"ph":1}]}', b']},{"ph":1},',
    b'],"a":{"ph":', b"[", b"{", b"}", b'"', b"\\", b"null,", b'": ', b'{"ph":inf ', b"} ",
    b'{"ph":' * 900 + b"!", b'{"ph":"X","a":' + b"[" * 3000, b'{"ph":"X","name":"(a", "b": "',
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_takes_no_time(piece: bytes) -> None:
    """Anything quadratic hangs here."""
    text = piece * (300_000 // len(piece))
    for whole in (text, joined(written(0), text, written(1))):
        recovered = recover(whole, texts)
        assert recovered.lost_bytes <= len(whole)


# Any records, any layout, any damage

TEXT = st.text(max_size=12) | st.sampled_from(
    ["C:\\new\\x.py(1): f", 'say "hi"', '},\n  {"ph": "X"', '}, {"name": "', '],"x":', '":inf,',
     '": ,', '{"a": [1, 2}', "\\", '"']
)  # fmt: skip
KEY = st.sampled_from(["External id", "name", "ph", "stream", ""]) | st.text(max_size=5)
VALUE = st.recursive(
    st.integers(-(2**63), 2**64)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
    | st.none()
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEY, inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.fixed_dictionaries(
    {"ph": st.sampled_from("XBEifsMC"), "name": TEXT, "ts": st.floats(0, 1e13)},
    optional={"cat": TEXT, "pid": TEXT, "args": st.dictionaries(KEY, VALUE, max_size=4)},
)
LAYOUT: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{}, {"separators": (",", ":")}, {"indent": 2}, {"ensure_ascii": False}, {"sort_keys": True}]
)
BETWEEN = st.sampled_from([b",", b", ", b",\n  ", b",\n", b" ,\r\n\t"])


@st.composite
def lists(draw: st.DrawFn) -> tuple[list[bytes], bytes]:
    """Records, no two the same, and what stands between them."""
    layout = draw(LAYOUT)
    fields = draw(st.lists(FIELDS, min_size=1, max_size=12))
    records = [one | {"tid": number} for number, one in enumerate(fields)]
    return [json.dumps(one, **layout).encode() for one in records], draw(BETWEEN)


def places(records: Sequence[bytes], between: bytes) -> list[tuple[int, int]]:
    """Where records begin and end in the list."""
    found, start = [], 0
    for one in records:
        found.append((start, start + len(one)))
        start += len(one) + len(between)
    return found


@given(lists())
def test_healthy_records_are_returned_as_they_are(drawn: tuple[list[bytes], bytes]) -> None:
    records, between = drawn
    recovered = recover(between.join(records), texts)
    assert recovered == Recovered(records, recover(b"", texts).findings, 0, None, None)


@given(lists(), st.sampled_from(sorted(DAMAGES)), st.sampled_from(TELLING), st.data())
def test_one_bad_byte_costs_at_most_one_healthy_record(
    drawn: tuple[list[bytes], bytes], damage: str, byte: int, data: st.DataObject
) -> None:
    records, between = drawn
    text = between.join(records)
    at = data.draw(st.integers(0, len(text) - 1))
    recovered = recover(DAMAGES[damage](text, at, bytes([byte])), texts)
    healthy = [
        one
        for one, (start, end) in zip(records, places(records, between), strict=True)
        if end <= at or start > at
    ]
    kept = [one for one in recovered.records if one in healthy]
    assert kept == [one for one in healthy if one in kept]
    assert len(healthy) - len(kept) <= 1


@given(lists(), st.data())
def test_a_cut_costs_the_record_it_is_in(
    drawn: tuple[list[bytes], bytes], data: st.DataObject
) -> None:
    records, between = drawn
    text = between.join(records)
    at = data.draw(st.integers(1, len(text)))
    recovered = recover(text[:at], texts)
    where = places(records, between)
    assert recovered.records == records[: sum(end <= at for _, end in where)]
    cut = [start for start, end in where if start < at < end]
    assert recovered.open_at == (cut[0] if cut else None)
    assert not recovered.findings
