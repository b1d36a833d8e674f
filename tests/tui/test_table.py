"""Walking, ordering and filtering a table, as its user sees it."""

from typing import Any

import numpy as np
import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from vpstop.tui.columns import GAP, Column, lay_out, number_column, text_column
from vpstop.tui.panel import TablePanel
from vpstop.tui.rows import Sort
from vpstop.tui.table import VirtualTable

NAMES = ["aten::mm", "aten::add", "nccl:all_reduce", "aten::mul", "void gemm<float, 4>(int)"]
CALLS = [30, 7, 2, 7, 50]


class PanelApp(App[None]):
    """A panel and nothing else."""

    def __init__(self, columns: list[Column]) -> None:
        super().__init__()
        self.columns = columns

    def compose(self) -> ComposeResult:
        yield TablePanel()

    def on_mount(self) -> None:
        panel = self.query_one(TablePanel)
        panel.show_columns(self.columns, Sort("calls"))
        panel.focus()


def columns(names: list[str] = NAMES, calls: list[int] = CALLS) -> list[Column]:
    """A name column and two of numbers, of which the last may be left out."""
    codes = np.arange(len(names))
    return [
        text_column("name", codes, names, minimum_width=20),
        number_column("calls", np.array(calls), str),
        number_column("negative", -np.array(calls), str, expendable=1),
    ]


def lines(app: App[Any]) -> list[str]:
    """The table as text, line by line, without the header."""
    table = app.query_one(VirtualTable)
    return [table.render_line(y).text.rstrip() for y in range(1, table.size.height)]


def names(app: App[Any]) -> list[str]:
    """The shown names, in order."""
    return [line.strip().split("  ")[0] for line in lines(app) if line.strip()]


def header(app: App[Any]) -> str:
    """The titles."""
    return app.query_one(VirtualTable).render_line(0).text


def cursor_name(app: App[Any]) -> str:
    """The name under the cursor."""
    row = app.query_one(VirtualTable).cursor_row
    assert row is not None
    return NAMES[row]


async def type_text(pilot: Pilot[None], text: str) -> None:
    """Types into what has the focus."""
    for character in text:
        await pilot.press(character)


async def test_the_largest_come_first_and_equal_ones_by_name() -> None:
    app = PanelApp(columns())
    async with app.run_test():
        assert names(app) == [NAMES[4], NAMES[0], "aten::add", "aten::mul", NAMES[2]]
        assert "▼ calls" in header(app)


async def test_inverting_keeps_equal_ones_by_name() -> None:
    app = PanelApp(columns())
    async with app.run_test() as pilot:
        await pilot.press("I")
        assert names(app) == [NAMES[2], "aten::add", "aten::mul", NAMES[0], NAMES[4]]
        assert "▲ calls" in header(app)


async def test_the_sort_column_moves_left_and_round() -> None:
    app = PanelApp(columns())
    async with app.run_test() as pilot:
        await pilot.press("less_than_sign")
        assert "name ▲" in header(app)
        assert names(app) == sorted(NAMES)
        await pilot.press("less_than_sign")
        assert "▼ negative" in header(app)
        await pilot.press("greater_than_sign", "greater_than_sign")
        assert "▼ calls" in header(app)


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        ("", NAMES[4]),
        ("j j", "aten::add"),
        ("down down k", NAMES[0]),
        ("G", NAMES[2]),
        ("G j j", NAMES[2]),
        ("G up g", NAMES[4]),
        ("pagedown", NAMES[2]),
        ("k", NAMES[4]),
    ],
)
async def test_keys_walk_the_rows(keys: str, name: str) -> None:
    app = PanelApp(columns())
    async with app.run_test() as pilot:
        await pilot.press(*keys.split())
        assert cursor_name(app) == name


async def test_pages_move_rows_and_cursor_together() -> None:
    many = [f"op{number:03d}" for number in range(300)]
    app = PanelApp(columns(many, list(range(300, 0, -1))))
    async with app.run_test(size=(80, 24)) as pilot:
        visible = len(lines(app))
        await pilot.press("j", "pagedown")
        assert names(app)[0] == f"op{visible:03d}"
        assert app.query_one(VirtualTable).cursor_row == visible + 1
        await pilot.press("ctrl+u")
        assert names(app)[0] == f"op{visible - visible // 2:03d}"
        await pilot.press("G")
        assert names(app)[-1] == "op299"
        await pilot.press("home")
        assert names(app)[0] == "op000"


async def test_the_cursor_pulls_the_rows_along_only_at_the_edge() -> None:
    many = [f"op{number:03d}" for number in range(100)]
    app = PanelApp(columns(many, list(range(100, 0, -1))))
    async with app.run_test(size=(80, 24)) as pilot:
        visible = len(lines(app))
        await pilot.press(*["j"] * (visible - 1))
        assert names(app)[0] == "op000"
        await pilot.press("j")
        assert names(app)[0] == "op001"
        await pilot.press("k")
        assert names(app)[0] == "op001"


async def test_a_cursor_step_repaints_two_lines() -> None:
    app = PanelApp(columns())
    async with app.run_test() as pilot:
        await pilot.press("j")
        table, drawn = app.query_one(VirtualTable), []
        draw = table.render_line
        table.render_line = lambda y: drawn.append(y) or draw(y)  # type: ignore[func-returns-value, method-assign]
        await pilot.press("j")
        assert sorted(set(drawn)) == [2, 3]


async def test_a_filter_narrows_while_it_is_typed() -> None:
    app = PanelApp(columns())
    async with app.run_test() as pilot:
        await pilot.press("slash")
        await type_text(pilot, "ATEN")
        assert names(app) == ["aten::mm", "aten::add", "aten::mul"]
        assert "3 of 5" in screen_text(app)
        await type_text(pilot, ".*m")
        assert names(app) == ["aten::mm", "aten::mul"]


async def test_enter_keeps_the_filter_and_escape_ends_it() -> None:
    app = PanelApp(columns())
    async with app.run_test() as pilot:
        await pilot.press("slash")
        await type_text(pilot, "mul")
        await pilot.press("enter", "j")
        assert cursor_name(app) == "aten::mul"
        assert "1 of 5" in screen_text(app)
        await pilot.press("escape")
        assert len(names(app)) == 5
        assert "of 5" not in screen_text(app)


async def test_keys_that_arrive_together_do_what_they_say() -> None:
    app = PanelApp(columns())
    async with app.run_test() as pilot:
        for key, character in (("slash", "/"), *zip("mul", "mul", strict=True), ("enter", "\r")):
            app.post_message(events.Key(key, character))
        app.post_message(events.Key("I", "I"))
        await pilot.pause()
        await pilot.pause()
        assert names(app) == ["aten::mul"]
        assert "▲ calls" in header(app)


async def test_a_filter_keeps_the_cursor_on_its_row() -> None:
    app = PanelApp(columns())
    async with app.run_test() as pilot:
        await pilot.press("j", "j", "j", "slash")
        await type_text(pilot, "aten")
        assert cursor_name(app) == "aten::mul"


async def test_a_broken_expression_is_said_and_searched_as_text() -> None:
    app = PanelApp(columns())
    async with app.run_test(size=(120, 24)) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "4>(")
        assert names(app) == [NAMES[4]]
        assert "1 of 5" in screen_text(app)
        assert "plain text" in screen_text(app)


async def test_nothing_found_is_not_an_error() -> None:
    app = PanelApp(columns())
    async with app.run_test() as pilot:
        await pilot.press("slash")
        await type_text(pilot, "zebra")
        await pilot.press("enter", "j", "G", "pagedown", "I", "greater_than_sign")
        assert names(app) == ["no name matches"]
        assert app.query_one(VirtualTable).cursor_row is None


async def test_an_empty_table_says_why() -> None:
    app = PanelApp(columns([], []))
    async with app.run_test() as pilot:
        app.query_one(VirtualTable).empty_text = "no operators recorded"
        await pilot.press("j", "G", "I", "slash", "x")
        assert lines(app)[0].strip() == "no operators recorded"


async def test_long_names_give_way_to_numbers() -> None:
    app = PanelApp(columns(["x" * 500, "y"], [1, 2]))
    async with app.run_test(size=(80, 24)):
        row = lines(app)[1]
        assert "xxx…" in row
        assert row.split()[1:] == ["1", "-1"]


def test_a_short_column_is_whole_before_a_long_one_grows() -> None:
    long = text_column("long", np.arange(1), ["x" * 50], minimum_width=10)
    short = text_column("short", np.arange(1), ["y" * 12], minimum_width=4)
    assert [slot.width for slot in lay_out([long, short], 10 + 12 + GAP + 2)] == [10, 12]
    assert [slot.width for slot in lay_out([long, short], 15 + 12 + GAP + 2)] == [15, 12]
    assert [slot.width for slot in lay_out([long, short], 500)] == [50, 12]


async def test_a_narrow_table_leaves_out_the_expendable_column_first() -> None:
    app = PanelApp(columns())
    async with app.run_test(size=(80, 24)) as pilot:
        assert "negative" in header(app)
        await pilot.resize_terminal(36, 24)
        assert "negative" not in header(app)
        assert "calls" in header(app)


async def test_what_is_too_wide_scrolls_sideways() -> None:
    app = PanelApp(columns())
    async with app.run_test(size=(24, 24)) as pilot:
        assert "calls" not in header(app)
        await pilot.press("l")
        assert "calls" in header(app)
        await pilot.press("h")
        assert header(app).startswith(" name")


async def test_wide_characters_keep_the_columns_in_line() -> None:
    app = PanelApp(columns(["演算子", "plain"], [1, 2]))
    async with app.run_test(size=(80, 24)):
        table = app.query_one(VirtualTable)
        assert {table.render_line(y).cell_length for y in range(4)} == {table.size.width - 1}
        assert lines(app)[1].replace(" ", "") == "演算子1-1"


async def test_a_click_takes_the_row_and_a_title_orders() -> None:
    app = PanelApp(columns())
    async with app.run_test() as pilot:
        await pilot.click(VirtualTable, offset=(3, 3))
        assert cursor_name(app) == "aten::add"
        await pilot.click(VirtualTable, offset=(2, 0))
        assert names(app) == sorted(NAMES)
        await pilot.click(VirtualTable, offset=(2, 0))
        assert names(app) == sorted(NAMES, reverse=True)


async def test_new_rows_keep_order_and_filter() -> None:
    app = PanelApp(columns())
    async with app.run_test() as pilot:
        await pilot.press("I", "slash")
        await type_text(pilot, "aten")
        await pilot.press("enter")
        more = columns([*NAMES, "aten::zeros"], [*CALLS, 40])
        app.query_one(TablePanel).show_columns(more, Sort("calls"))
        assert names(app) == ["aten::add", "aten::mul", "aten::mm", "aten::zeros"]


def screen_text(app: App[Any]) -> str:
    """Everything on the screen."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)
