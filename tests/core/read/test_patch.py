"""What many records have in common is repaired in all of them at once."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from vpstop.read.patch import patch


def patched(text: bytes) -> Any:
    """The text as JSON."""
    return json.loads(patch(text).text)


def test_bare_words_become_null() -> None:
    text = b'[{"a": inf, "b":-nan}, {"c":  Infinity,"d": N/A\n}, {"e": NaN, "f": info}]'
    findings = patch(text).findings
    assert patch(text).text.count(b"null") == 5
    assert findings["bad_number"].count == 5
    assert findings["bad_number"].offset == text.index(b'"a": inf')
    assert findings["bad_number"].example == '"a": inf'


def test_missing_values_become_null() -> None:
    text = b'[{"Process Group Description": , "a": 1}, {"b":}]'
    assert patched(text) == [{"Process Group Description": None, "a": 1}, {"b": None}]
    assert patch(text).findings["bad_record"].count == 2


def test_paths_are_escaped() -> None:
    text = rb'[{"a": "D:\work\net", "b": "x\ny", "c": "torch\nn\functional.py(3): f"}]'
    assert patched(text) == [
        {"a": r"D:\work\net", "b": "x\ny", "c": r"torch\nn\functional.py(3): f"}
    ]
    assert patch(text).findings["bad_text"].count == 2


def test_valid_escapes_prove_nothing() -> None:
    text = rb'[{"a": "C:\new\train.py", "b": "say \"hi\""}]'
    assert patch(text).text == text


def test_escaped_text_in_a_string_is_left_alone() -> None:
    text = json.dumps([{"a": '{"b": inf, "c": }', "d": '": nan,', ":,": ": inf,"}]).encode()
    assert patch(text).text == text


JSON = st.recursive(
    st.none() | st.integers() | st.text() | st.sampled_from(['": inf,', '":}', "\\w", 'a\\"b']),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just('": nan}'), inner),
)


@given(JSON, st.sampled_from([(",", ":"), (", ", ": ")]))
def test_valid_json_is_left_alone(value: Any, separators: tuple[str, str]) -> None:
    text = json.dumps(value, separators=separators).encode()
    assert patch(text).text == text
    assert not patch(text).findings
