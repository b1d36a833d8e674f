"""No text of a trace breaks a table."""

import re

from hypothesis import given
from hypothesis import strategies as st

from vpstop.report.tables import code, table, text


def test_a_table_with_a_column_of_numbers() -> None:
    assert table(("name", ">calls"), [("`a`", "1")]) == [
        "| name | calls |",
        "| --- | ---: |",
        "| `a` | 1 |",
    ]


def test_code_keeps_what_markdown_would_take() -> None:
    assert code("void f<float, 4>(int*)") == "`void f<float, 4>(int*)`"
    assert code("[param|cuda]") == "`[param\\|cuda]`"
    assert code("a `b` ``c``") == "``` a `b` ``c`` ```"
    assert code("two\nlines\x1b[31m") == "`twolines[31m`"
    assert code("a\\|b") == "a\\\\\\|b"
    assert code("") == code(" \n") == ""


def test_text_is_escaped_where_it_must_be() -> None:
    assert text("Tesla V100-SXM2-32GB") == "Tesla V100-SXM2-32GB"
    assert text("snake_case and _this_") == "snake_case and \\_this\\_"
    assert text("<b>*x*|[y](z)") == "\\<b\\>\\*x\\*\\|\\[y\\](z)"


@given(st.text(max_size=40))
def test_any_cell_stays_one_cell(value: str) -> None:
    for cell in (code(value), text(value)):
        (row,) = table(("a", "b"), [(cell, "1")])[2:]
        assert len(row.splitlines()) == 1
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 3, "the bars of the row and no other"
