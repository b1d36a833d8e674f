"""Blocks of arguments give back what was packed, whatever the texts hold."""

import json
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from vpstop.read.arguments import ArgumentBlocks, unpacked
from vpstop.read.parser.argument_lines import argument_lines

KEYS = st.sampled_from(["External id", "correlation", "Ev Idx", "Seq", 'x"correlation', "~"])
TEXTS = st.sampled_from(['"correlation": 12', '"correlation":~12', "a\nb", "\\", "é}", "[,]"])
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.just(2**70)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(KEYS | TEXTS, VALUES, max_size=6)


def lines_of(arguments: list[dict[str, Any]], **layout: Any) -> list[bytes]:
    records = [{"ph": "X", "args": args} for args in arguments]
    return argument_lines(json.dumps(records, **layout).encode())


@given(st.lists(ARGUMENTS, max_size=6), st.sampled_from([None, 2]))
def test_arguments_come_back(arguments: list[dict[str, Any]], indent: int | None) -> None:
    lines = lines_of(arguments, indent=indent)
    blocks = ArgumentBlocks()
    blocks.add(lines, 5)
    (block,) = blocks.packed.values()
    assert unpacked(block) == lines
    assert [json.loads(line) for line in lines] == arguments


def test_only_records_that_have_a_number_count() -> None:
    records = [{"ph": phase, "args": {"of": phase}} for phase in "MXsBfEiC"] + [{"ph": "X"}]
    lines = argument_lines(json.dumps(records).encode())
    assert lines == [b'{"of": "X"}', b'{"of": "B"}', b'{"of": "E"}', b""]


def test_growing_ids_take_next_to_no_room() -> None:
    ids = [{"External id": 10**9 + 3 * n, "correlation": 7 * 10**8 + n} for n in range(2000)]
    same = [{"External id": 10**9, "correlation": 7 * 10**8}] * 2000
    blocks = ArgumentBlocks()
    blocks.add(lines_of(ids), 0)
    blocks.add(lines_of(same), 1)
    growing, constant = map(len, blocks.packed.values())
    assert growing < constant + 50 < 200


def test_what_is_no_block_is_refused() -> None:
    with pytest.raises(zstandard.ZstdError):
        unpacked(b"no block")
