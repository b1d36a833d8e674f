"""Damaged records come out as the JSON that was meant, or not at all."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vpstop.read.capture import WarningKind
from vpstop.read.repair import LONGEST_BYTES, repair

Counts = dict[WarningKind, int]

MEANT: dict[str, tuple[bytes, Any, Counts]] = {
    "bare words": (
        b'{"ph": "X", "a": inf, "b": -nan, "c": [1, Infinity], "d": N/A, "e": -nan(ind)}',
        {"ph": "X", "a": None, "b": None, "c": [1, None], "d": None, "e": None},
        {"bad_number": 5},
    ),
    "numbers that are not JSON": (
        b'{"a": 007, "b": 1., "c": .5, "d": 0x1f, "e": 1e400, "f": -0.5e3, "g": 1.#QNAN}',
        {"a": None, "b": None, "c": None, "d": None, "e": None, "f": -500.0, "g": None},
        {"bad_number": 6},
    ),
    "no value": (
        b'{"a": , "b": [1, , 2], "c": }',
        {"a": None, "b": [1, None, 2], "c": None},
        {"bad_record": 3},
    ),
    "comma before the end": (
        b'{"a": [1, 2,], "b": {"c": 3,},}',
        {"a": [1, 2], "b": {"c": 3}},
        {"bad_record": 3},
    ),
    "invalid escapes": (
        rb'{"name": "torch\utils\checkpoint.py(77): _run_fn", "pid": 1}',
        {"name": r"torch\utils\checkpoint.py(77): _run_fn", "pid": 1},
        {"bad_text": 1},
    ),
    "accidental escapes beside invalid ones": (
        rb'{"name": "D:\work\net\train\file.py(10): forward", "pid": 1}',
        {"name": r"D:\work\net\train\file.py(10): forward", "pid": 1},
        {"bad_text": 1},
    ),
    "accidental escapes only": (
        rb'{"a": "C:\new\build", "b": "torch\nn\functional.py(3): f", "c": "D:\run.py", "x": inf}',
        {"a": r"C:\new\build", "b": r"torch\nn\functional.py(3): f", "c": r"D:\run.py", "x": None},
        {"bad_text": 3, "bad_number": 1},
    ),
    "escapes that are meant": (
        rb'{"a": "one\ntwo\tthree", "b": "C:\\new\\x.py", "c": "a \"b\"", "d": "\u00e9", "x": inf}',
        {"a": "one\ntwo\tthree", "b": r"C:\new\x.py", "c": 'a "b"', "d": "é", "x": None},
        {"bad_number": 1},
    ),
    "backslash before the closing quote": (
        rb'{"name": "f", "args": {"dir": "C:\data\", "to": "D:\new\", "n": 1}}',
        {"name": "f", "args": {"dir": "C:\\data\\", "to": "D:\\new\\", "n": 1}},
        {"bad_text": 2},
    ),
    "quotes around words": (
        b'{"ph": "X", "name": "make_ops("demo_ns", "CUDA")", "pid": 1}',
        {"ph": "X", "name": 'make_ops("demo_ns", "CUDA")', "pid": 1},
        {"bad_text": 1},
    ),
    "a whole object as name": (
        b'{"ph": "X", "name": "{"where": "cuda:0", "kind": "bf16"}(31): fwd", "pid": 4101}',
        {"ph": "X", "name": '{"where": "cuda:0", "kind": "bf16"}(31): fwd', "pid": 4101},
        {"bad_text": 1},
    ),
    "quotes in a list": (
        b'{"args": {"Concrete Inputs": ["a "quoted" word, then "more"", "b"], "Ev Idx": 903}}',
        {"args": {"Concrete Inputs": ['a "quoted" word, then "more"', "b"], "Ev Idx": 903}},
        {"bad_text": 1},
    ),
    "a quote in pairs of brackets is no end": (
        b'{"args": {"kernel_kwargs": "{"BLOCK": 64, "mode": "x", "n": 2}", "stream": 7}}',
        {"args": {"kernel_kwargs": '{"BLOCK": 64, "mode": "x", "n": 2}', "stream": 7}},
        {"bad_text": 1},
    ),
    "quotes at the very end": (
        b'{"ph": "X", "name": "a "b"", "args": {"c": "d "e""}}',
        {"ph": "X", "name": 'a "b"', "args": {"c": 'd "e"'}},
        {"bad_text": 2},
    ),
    "line breaks and controls": (
        b'{"name": "a\nb\x00\x1b[31mc", "pid": 1}',
        {"name": "a\nb\x00\x1b[31mc", "pid": 1},
        {"bad_text": 1},
    ),
    "bytes that are not UTF-8": (
        b'{"name": "mod\xe8le.py", "k\xff": "\xf0\x9f"}',
        {"name": "mod�le.py", "k�": "�"},
        {"bad_text": 1},
    ),
    "lone surrogates": (
        rb'{"a": "x\ud800y", "b": "\udc00", "c": "\ud83d\ude00", "d": "\\ud800"}',
        {"a": "x�y", "b": "�", "c": "\U0001f600", "d": r"\ud800"},
        {"bad_text": 2},
    ),
    "a key twice": (
        b'{"ph": "X", "args": {"stream": 7, "a": inf, "stream": 8, "stream": "x"}}',
        {"ph": "X", "args": {"stream": "x", "a": None}},
        {"bad_number": 1, "duplicate_key": 2},
    ),
    "a list of its own": (b'["a "b" c", inf]', ['a "b" c', None], {"bad_text": 1, "bad_number": 1}),
    "nothing": (b'{"a": 1, "b": {}, "c": []}', {"a": 1, "b": {}, "c": []}, {}),
}

HOPELESS = {
    "cut in a name": b'{"ph": "X", "cat": "kernel", "name": "sm90_xmm',
    "cut behind a value": b'{"ph": "X", "ts": 12',
    "two records": b'{"ph": "X", "a": inf}, {"ph": "X"}',
    "no closing quote": b'{"ph": "X", "name": "aten::mm, "pid": 1, "args": {"a": "b", "c": 1}}',
    "no opening quote": b'{"ph": "X", "name": aten::mm", "pid": 1}',
    "no quote behind an argument": b'{"args": {"name": "allreduce, "dtype": "Float", "n": 5}}',
    "no colon": b'{"ph" "X"}',
    "no comma": b'{"a": 1 "b": 2}',
    "wrong bracket": b'{"a": [1, 2}}',
    "no text": b"",
    "blanks": b" \n ",
    "deep nesting": b'{"a": ' + b"[" * 70 + b"]" * 70 + b"}",
    "longer than any record": b'{"a": inf, "b": "' + b"x" * LONGEST_BYTES + b'"}',
}

HOSTILE = {
    "quotes": b'"',
    "backslashes": b"\\",
    "ends of items": b'(a", ',
    "ends of values": b'(a", "b": "',
    "paths": rb"a\n",
    "blanks": b" ",
    "keys": b'"a": "b", ',
    "lists": b"[1, [2], ",
}


@pytest.mark.parametrize(("damaged", "meant", "counts"), MEANT.values(), ids=MEANT)
def test_repairs_what_was_meant(damaged: bytes, meant: Any, counts: Counts) -> None:
    repaired = repair(damaged)
    assert repaired is not None
    assert json.loads(repaired.text) == meant
    assert {kind: finding.count for kind, finding in repaired.findings.items()} == counts


@pytest.mark.parametrize("damaged", HOPELESS.values(), ids=HOPELESS)
def test_gives_up_what_makes_no_sense(damaged: bytes) -> None:
    assert repair(damaged) is None


def test_says_what_it_repaired_and_where() -> None:
    repaired = repair(b'{"ph": "X", "memory bandwidth (GB/s)": inf, "b": nan}')
    assert repaired is not None
    finding = repaired.findings["bad_number"]
    assert (finding.count, finding.offset) == (2, 12)
    assert finding.example == '"memory bandwidth (GB/s)": inf'


def test_examples_are_short_and_fit_for_a_terminal() -> None:
    repaired = repair(b'{"name": "\x1b[31m\x9b' + b"very long " * 1000 + b'"}')
    assert repaired is not None
    example = repaired.findings["bad_text"].example
    assert example.isprintable()
    assert len(example) <= 80


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_hostile_records_take_no_time(piece: bytes) -> None:
    """Anything quadratic hangs here."""
    size = LONGEST_BYTES // len(piece) - 10
    for start in (b'{"ph": "X", "name": "', b'{"a": ["', b'{"a": ', b'{"a": [inf, '):
        repaired = repair(start + piece * size)
        assert repaired is None or repaired.findings


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)  # fmt: skip


@given(JSON, st.booleans(), st.sampled_from([None, 2]))
def test_valid_json_keeps_its_meaning(value: Any, ascii_only: bool, indent: int | None) -> None:
    repaired = repair(json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode())
    assert repaired is not None
    assert json.loads(repaired.text) == value
    assert not repaired.findings


@given(st.lists(st.sampled_from(list('{}[],:"\\ abnu1.-')) | st.characters()).map("".join))
@example('{"":"\\ud800"}')
@example('{"a":"\\')
def test_never_gives_anything_but_json(text: str) -> None:
    repaired = repair(text.encode(errors="surrogatepass"))
    if repaired is not None:
        json.loads(repaired.text.decode(), parse_constant=pytest.fail)
