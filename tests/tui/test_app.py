"""The screen as a user meets it: files arrive, keys move, panels and sheets open, it leaves."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.events import MouseScrollDown
from textual.pilot import Pilot
from textual.widgets import Input
from timelines import MS, CannedLoader, rank_capture

from build import EPOCH_NS, capture, kernel
from vpstop.read.capture import Capture, Skipped, TraceWarning
from vpstop.tui.app import VpstopApp
from vpstop.tui.arrivals import ArrivalsLine
from vpstop.tui.exits import Exit
from vpstop.tui.loading import LoadingList
from vpstop.tui.node_pane import NodePane
from vpstop.tui.operators import OperatorPanel
from vpstop.tui.sheet import Sheet
from vpstop.tui.table import VirtualTable
from vpstop.tui.timeline import Timeline

WIDE, NARROW = (200, 50), (80, 24)


def nodes() -> list[Capture]:
    """Four ranks on two hosts."""
    return [rank_capture(rank, world_size=4, host_name=f"node{rank // 2}") for rank in range(4)]


@asynccontextmanager
async def opened(
    loader: CannedLoader, size: tuple[int, int] = WIDE
) -> AsyncIterator[tuple[VpstopApp, Pilot[None]]]:
    """The screen when everything is read that the loader gives at once."""
    app = VpstopApp(["traces"], open_loader=loader.open)
    async with app.run_test(size=size) as pilot:
        if loader.is_released:
            await app.workers.wait_for_complete()
        await pilot.pause()
        yield app, pilot
        loader.release()


def lines(app: VpstopApp) -> list[str]:
    """The text of the screen."""
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


def screen(app: VpstopApp) -> str:
    """The text of the screen in one."""
    return "\n".join(lines(app))


def at_ms(app: VpstopApp) -> float:
    """The cursor, ms after the epoch."""
    return (app.view.cursor_ns - EPOCH_NS) / MS


def width_ns(app: VpstopApp) -> int:
    """Width of the time window."""
    return app.view.window.end_ns - app.view.window.start_ns


def label(app: VpstopApp) -> str:
    """Label of the current row."""
    track = app.timelines.track(app.view.track)
    return track.label if track else ""


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_the_first_screen_shows_ranks_rows_and_slices(size: tuple[int, int]) -> None:
    async with opened(CannedLoader(nodes()), size) as (app, _):
        text = screen(app)
        assert "traces" in lines(app)[0]
        assert "clocks as recorded" in lines(app)[0]
        for part in ("node0  ranks 0-1", "node1  ranks 2-3", "r0 s7", "gemm", "nccl"):
            assert part in text
        assert "w/s zoom" in lines(app)[-1]
        assert "? help" in lines(app)[-1]


async def test_every_line_is_as_wide_as_the_screen_at_any_size() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        for size in ((80, 24), (133, 31), (20, 8), (5, 3), (200, 50)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            strips = app.screen._compositor.render_strips()
            assert {strip.cell_length for strip in strips} == {size[0]}


async def test_all_panes_and_the_ruler_share_columns() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        await pilot.press("l")
        await pilot.pause()
        columns = {line.index("│") for line in lines(app) if "│" in line and "│" not in line[:17]}
        assert len(columns) == 1
        ruler = next(line for line in lines(app) if "▼" in line)
        assert {ruler.index("▼")} == columns


async def test_zoom_keys() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        whole_ns = width_ns(app)
        for keys, ratio in {
            ("w",): 1.6,
            ("plus",): 1.6,
            ("W",): 4,
            ("w", "s"): 1,
            ("W", "S"): 1,
            ("W", "minus"): 2.5,
            ("W", "0"): 1,
        }.items():
            await pilot.press("0", "home", *keys)
            assert whole_ns / width_ns(app) == pytest.approx(ratio), keys


async def test_pan_keys_move_window_and_cursor() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        await pilot.press("D", "W")
        before = app.view
        tenth_ns = width_ns(app) // 10
        await pilot.press("d")
        assert app.view.window.start_ns - before.window.start_ns == tenth_ns
        assert app.view.cursor_ns - before.cursor_ns == tenth_ns
        await pilot.press("a", "D", "A")
        assert app.view.window == before.window


async def test_undo_and_redo_keys() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        first = app.view.window
        await pilot.press("W")
        second = app.view.window
        await pilot.press("u")
        assert app.view.window == first
        await pilot.press("ctrl+r")
        assert app.view.window == second


async def test_keys_over_rows() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        for keys, row in {
            ("j",): "r0 s20",
            ("down", "down", "up"): "r0 s20",
            ("G",): "r3 thread 1",
            ("G", "k"): "r3 s20",
            ("G", "g"): "r0 s7",
            ("right_curly_bracket",): "r2 s7",
            ("G", "left_curly_bracket"): "r0 s7",
            ("pagedown",): "r2 s7",
            ("ctrl+d",): "r1 s7",
            ("ctrl+d", "ctrl+u"): "r0 s7",
            ("pagedown", "pageup"): "r0 s7",
        }.items():
            await pilot.press("g", *keys)
            assert label(app) == row, keys


async def test_keys_over_slices() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        for keys, ms in {
            ("l",): 3,
            ("right", "right"): 13,
            ("full_stop", "full_stop", "comma"): 3,
            ("l", "l", "h", "left"): 3,
            ("l", "right_parenthesis"): 13,
            ("l", "l", "left_parenthesis"): 3,
            ("l", "left_square_bracket"): 2,
            ("l", "left_square_bracket", "right_square_bracket"): 3,
            ("l", "home"): 0,
            ("l", "circumflex_accent"): 0,
        }.items():
            await pilot.press("g", "home", *keys)
            assert at_ms(app) == ms, keys


async def test_the_end_of_the_run() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        for key in ("end", "dollar_sign"):
            await pilot.press("home", key)
            assert app.view.cursor_ns == EPOCH_NS + 20 * MS - 1


async def test_fit_shows_the_slice_over_four_fifths() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        for key in ("f", "z"):
            await pilot.press("0", "home", "l", key)
            assert width_ns(app) == 5 * MS


async def test_the_status_line_tells_of_the_slice_under_the_cursor() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        await pilot.press("l")
        await pilot.pause()
        assert lines(app)[-2] == " gemm · 4.000 ms · r0 s7 · correlation 50"
        await pilot.press("d", "d", "d")
        await pilot.pause()
        assert "idle 6.000 ms · r0 s7" in lines(app)[-2]


async def test_the_header_tells_of_the_step_and_the_width() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        await pilot.press("l", "l", "f")
        await pilot.pause()
        assert "4 ranks, 2 nodes · step 6 (2/2) · view 5.000 ms" in lines(app)[0]


async def test_nested_layout_and_back() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        await pilot.press("o")
        await pilot.pause()
        assert "  +1" in screen(app)
        assert "aten::mm" in screen(app)
        await pilot.press("o")
        await pilot.pause()
        assert "  +1" not in screen(app)


async def test_escape_clears_the_selection() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        views = []
        for key in ("l", "escape"):
            await pilot.press(key)
            views.append(app.view)
        assert [view.selected is None for view in views] == [False, True]
        assert app.is_running


async def test_the_detail_sheet_shows_facts_and_why_there_are_no_arguments() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        await pilot.press("l", "enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        text = screen(app)
        for part in ("cudaLaunchKernel, 1.000 ms before", "stream 7", "cannot be read"):
            assert part in text
        await pilot.press("escape")
        assert not isinstance(app.screen, Sheet)


async def test_without_a_slice_there_is_no_detail() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        await pilot.press("i")
        await pilot.pause()
        assert not isinstance(app.screen, Sheet)
        assert "no slice under the cursor" in lines(app)[-2]


@pytest.mark.parametrize("key", ["question_mark", "f1"])
async def test_help_opens_scrolls_and_closes(key: str) -> None:
    async with opened(CannedLoader(nodes()), NARROW) as (app, pilot):
        await pilot.press(key)
        await pilot.pause()
        assert "zoom in about the cursor" in screen(app)
        assert "to the beginning" not in screen(app)
        await pilot.press("G")
        await pilot.pause()
        assert "to the beginning" in screen(app)
        await pilot.press("q")
        assert not isinstance(app.screen, Sheet)
        assert app.is_running


async def test_panels_open_take_the_focus_and_close() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        await pilot.press("2")
        await pilot.pause()
        assert "operators (" in screen(app)
        assert "< sort" in lines(app)[-1]
        focused = []
        for key in ("tab", "tab", "3", "1", "tab"):
            await pilot.press(key)
            focused.append("timeline" if app.query_one(Timeline).has_focus else "table")
        assert focused == ["timeline", "table", "table", "timeline", "timeline"]
        assert not app.query_one(OperatorPanel).display


async def test_the_time_window_moves_while_a_table_has_the_focus() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        await pilot.press("2")
        await app.workers.wait_for_complete()
        await pilot.pause()
        before = app.view
        await pilot.press("w", "d", "j")
        assert app.view.window != before.window
        assert app.view.track == before.track
        assert app.query_one(VirtualTable).cursor_row is not None


async def test_letters_typed_into_a_filter_move_nothing() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        await pilot.press("2", "slash")
        await pilot.pause()
        before = app.view
        await pilot.press("w", "a", "s", "d", "q", "0", "question_mark")
        assert app.view == before
        assert app.query_one(Input).value == "wasdq0?"


async def test_export_writes_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(CannedLoader(nodes())) as (app, pilot):
        await pilot.press("e")
        await app.workers.wait_for_complete()
    (written,) = tmp_path.glob("*.md")
    assert "gemm" in written.read_text()


async def test_a_click_sets_cursor_row_and_selection() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        place = next(y for y, line in enumerate(lines(app)) if "r1 s7" in line)
        column = lines(app)[place].index("gemm")
        await pilot.click(offset=(column, place))
        assert label(app) == "r1 s7"
        assert 3 <= at_ms(app) < 7
        assert app.view.selected is not None


async def test_the_wheel_scrolls_rows_without_moving_the_selection() -> None:
    captures = [rank_capture(rank) for rank in range(20)]
    async with opened(CannedLoader(captures), NARROW) as (app, pilot):
        assert "rows 1-18 of 60" in screen(app)
        pane = app.query_one(NodePane)
        pane.post_message(MouseScrollDown(pane, 30, 5, 0, 1, 0, False, False, False))
        await pilot.pause()
        assert "rows 4-21 of 60" in screen(app)
        assert label(app) == "r0 s7"


async def test_a_pane_scrolls_to_the_current_row() -> None:
    captures = [rank_capture(rank) for rank in range(20)]
    async with opened(CannedLoader(captures), NARROW) as (app, pilot):
        await pilot.press("G")
        await pilot.pause()
        assert "r19 thread 1" in screen(app)


async def test_many_nodes_scroll_to_the_current_one() -> None:
    captures = [rank_capture(rank, host_name=f"host{rank:02}") for rank in range(12)]
    async with opened(CannedLoader(captures), NARROW) as (app, pilot):
        assert "host00" in screen(app)
        assert "host11" not in screen(app)
        await pilot.press("G")
        await pilot.pause()
        assert "host11" in screen(app)
        assert "r11 thread 1" in screen(app)


async def test_a_node_outside_of_the_window_says_where_it_is() -> None:
    hour = 3_600_000 * MS
    late = rank_capture(1, late=4 * hour, host_name="late")
    async with opened(CannedLoader([rank_capture(0, host_name="early"), late])) as (app, pilot):
        (title,) = (line for line in lines(app) if line.startswith(" late"))
        assert title.endswith("begins 4 h 00 min after this window")
        await pilot.press("G", "f")
        await pilot.pause()
        (title,) = (line for line in lines(app) if line.startswith(" early"))
        assert title.endswith("ended 4 h 00 min before this window")


async def test_ranks_are_usable_while_others_are_still_read() -> None:
    loader = CannedLoader(nodes(), waits=True)
    async with opened(loader) as (app, pilot):
        await asyncio.to_thread(loader.before_last.wait)
        await pilot.pause()
        assert "r2 s7" in screen(app)
        assert "rank3.json" in screen(app)
        assert "50%" in screen(app)
        await pilot.press("l")
        assert at_ms(app) == 3
        loader.release()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "r3 s7" in screen(app)
        assert not app.query_one(LoadingList).display
        assert at_ms(app) == 3


async def test_ranks_and_sizes_that_come_while_a_sheet_is_open_are_there_below_it() -> None:
    loader = CannedLoader(nodes(), waits=True)
    async with opened(loader) as (app, pilot):
        await asyncio.to_thread(loader.before_last.wait)
        await pilot.press("question_mark")
        loader.release()
        await app.workers.wait_for_complete()
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert isinstance(app.screen, Sheet)
        await pilot.press("escape")
        await pilot.pause()
        assert "r3 s7" in screen(app)
        assert len(lines(app)[0]) <= 120


async def test_leaving_while_files_are_read_stops_the_reading() -> None:
    loader = CannedLoader(nodes(), waits=True)
    async with opened(loader) as (app, pilot):
        await asyncio.to_thread(loader.before_last.wait)
        await pilot.pause()
        await pilot.press("q")
    assert loader.was_cancelled
    assert app.return_code == Exit.DONE


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ctrl+c"])
async def test_quit_keys(key: str) -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        await pilot.press(key)
    assert app.return_code == Exit.DONE


async def test_ctrl_q_leaves_from_a_sheet() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        await pilot.press("question_mark", "ctrl+q")
    assert not app.is_running


async def test_warnings_are_counted_and_can_be_read() -> None:
    warnings = (TraceWarning("truncated", "rank0.json", 1, "ends inside an event"),)
    async with opened(CannedLoader([rank_capture(0, warnings=warnings)])) as (app, pilot):
        assert "! 1 warning " in lines(app)[0]
        await pilot.press("exclamation_mark")
        await pilot.pause()
        (line,) = (line for line in lines(app) if "truncated" in line)
        assert line.split(maxsplit=1)[1] == "rank0.json  ends inside an event"


async def test_nothing_readable_is_said_in_words_and_by_the_exit_code() -> None:
    warning = TraceWarning("unreadable", "notes.json", 1, "no event list")
    async with opened(CannedLoader([Skipped("notes.json", "unknown", 10, (warning,))])) as (
        app,
        pilot,
    ):
        assert "No trace could be read in traces." in screen(app)
        assert "notes.json" in screen(app)
        await pilot.press("w", "l", "j", "G", "o", "f", "u", "2", "1", "escape", "q")
    assert app.return_code == Exit.NOTHING_READABLE


async def test_an_empty_folder_is_said_in_words() -> None:
    async with opened(CannedLoader([])) as (app, _):
        assert "There is no file that looks like one." in screen(app)


async def test_text_of_traces_is_never_taken_for_markup() -> None:
    made = capture(kernel("[red]k[/red]", 0, 100), rank=0, path="rank[b]0.json")
    async with opened(CannedLoader([made])) as (app, pilot):
        await pilot.press("0", "l", "f", "enter")
        await pilot.pause()
        assert "[red]k[/red]" in screen(app)


async def test_the_runs_of_a_folder_are_shown_one_after_the_other() -> None:
    late = 10_000 * MS
    loader = CannedLoader(
        [
            rank_capture(0, name="baseline/rank0.json", process="1"),
            rank_capture(0, name="tuned/rank0.json", process="2", late=late),
        ]
    )
    async with opened(loader) as (app, pilot):
        assert "baseline · run 1 of 2, R: next" in screen(app)
        assert app.view.window.start_ns < EPOCH_NS + 20 * MS
        await pilot.press("R")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "tuned · run 2 of 2, R: next" in screen(app)
        assert app.view.window.end_ns > EPOCH_NS + late
        await pilot.press("R")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "baseline · run 1 of 2" in screen(app)


async def test_a_folder_with_one_run_says_so() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        await pilot.press("R")
        assert "the folder holds one run" in screen(app)


async def test_a_slash_over_the_timelines_filters_operators() -> None:
    async with opened(CannedLoader(nodes())) as (app, pilot):
        await pilot.press("slash", "m", "m")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert app.query_one(OperatorPanel).display
        assert app.query_one(Input).value == "mm"


async def test_nothing_is_exported_while_files_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    loader = CannedLoader(nodes(), waits=True)
    async with opened(loader) as (app, pilot):
        await asyncio.to_thread(loader.before_last.wait)
        await pilot.press("e")
        await pilot.pause()
        assert not list(tmp_path.iterdir())
        assert "still reading" in screen(app)
        loader.release()
        await app.workers.wait_for_complete()
        await pilot.pause()


async def test_traces_that_appear_are_offered_and_read() -> None:
    first, *late = nodes()
    loader = CannedLoader([first])
    async with opened(loader) as (app, pilot):
        line = app.query_one(ArrivalsLine)
        await pilot.press("L")
        assert "no new traces in the folder" in screen(app)
        loader.late = list(late)
        line.look()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "3 new traces: press L to load" in screen(app)
        assert "r3 s7" not in screen(app)
        await pilot.press("L")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "r0 s7" in screen(app) and "r3 s7" in screen(app)
        assert not line.display
