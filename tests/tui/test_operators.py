"""The operator panel, as its user sees it."""

from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from build import capture, frame, kernel, launch, op
from vpstop.run import Member, Run
from vpstop.tui.operators import OperatorPanel, Subject
from vpstop.tui.table import VirtualTable

NOTHING = Run((), (), (), ())


class PanelApp(App[None]):
    """A panel, which may begin hidden."""

    def __init__(self, run: Run, *, hidden: bool = False) -> None:
        super().__init__()
        self.run_to_show = run
        self.hidden = hidden

    def compose(self) -> ComposeResult:
        yield OperatorPanel()

    def on_mount(self) -> None:
        panel = self.query_one(OperatorPanel)
        panel.display = not self.hidden
        panel.set_run(self.run_to_show)
        panel.focus()


def run_of(ranks: int) -> Run:
    """Ranks 0 and 1 on node a, 2 and 3 on b, ..."""
    members = tuple(
        Member(
            capture(
                op("aten::linear", 0, 90),
                op("aten::mm", 10, 50 + number),
                launch("cudaLaunchKernel", 20, 2, correlation=1),
                kernel("sgemm", 30, 500, correlation=1),
                path=f"{number}.json",
            ),
            number,
            "metadata",
            "ab"[number // 2],
            "metadata",
        )
        for number in range(ranks)
    )
    return Run(("traces",), members, (), ())


async def settled(pilot: Pilot[None]) -> list[str]:
    """What the panel shows when all is measured: heading, then the lines of the table."""
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    panel = pilot.app.query_one(OperatorPanel)
    table = panel.query_one(VirtualTable)
    heading = str(panel.query_one(".panel--heading").render())
    lines = [table.render_line(y).text.strip() for y in range(table.size.height)]
    return [heading, *(line for line in lines if line)]


async def test_operators_of_all_ranks_come_first() -> None:
    app = PanelApp(run_of(3))
    async with app.run_test(size=(120, 30)) as pilot:
        heading, titles, *rows = await settled(pilot)
        assert heading == "operators (2) · all ranks together"
        assert titles.split()[:4] == ["name", "calls", "▼", "self"]
        assert [row.split()[:2] for row in rows] == [["aten::mm", "3"], ["aten::linear", "3"]]


async def test_the_grouping_goes_round() -> None:
    app = PanelApp(run_of(3))
    async with app.run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        seen = []
        for _ in range(3):
            await pilot.press("o")
            heading, titles, *_ = await settled(pilot)
            seen.append((heading, "rank" in titles, "node" in titles))
        assert seen == [
            ("operators (4) · by node", False, True),
            ("operators (6) · by rank", True, True),
            ("operators (2) · all ranks together", False, False),
        ]


async def test_kernels_in_the_same_panel() -> None:
    app = PanelApp(run_of(2))
    async with app.run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        app.query_one(OperatorPanel).set_subject(Subject.KERNELS)
        heading, _, row = await settled(pilot)
        assert heading == "kernels (1) · all ranks together"
        assert row.split()[:4] == ["sgemm", "2", "1.000", "µs"]


async def test_operators_and_kernels_have_their_own_first_order() -> None:
    app = PanelApp(run_of(2))
    async with app.run_test(size=(120, 30)) as pilot:
        orders = [(await settled(pilot))[1]]
        for subject in (Subject.KERNELS, Subject.OPERATORS):
            app.query_one(OperatorPanel).set_subject(subject)
            orders.append((await settled(pilot))[1])
        assert ["▼ self" in order for order in orders] == [True, False, True]
        assert "▼ total" in orders[1]


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (NOTHING, "no operators recorded"),
        (run_of(0), "no operators recorded"),
        (
            Run(
                (), (Member(capture(frame("a.py", 0, 9)), 0, "metadata", "a", "metadata"),), (), ()
            ),
            "no operators recorded",
        ),
    ],
)
async def test_nothing_recorded_is_said(run: Run, said: str) -> None:
    app = PanelApp(run)
    async with app.run_test(size=(80, 24)) as pilot:
        assert (await settled(pilot))[-1] == said


async def test_a_run_that_grows_keeps_grouping_order_and_filter() -> None:
    app = PanelApp(run_of(1))
    async with app.run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        await pilot.press("o", "o", "less_than_sign", "slash", "m", "m", "enter")
        await settled(pilot)
        app.query_one(OperatorPanel).set_run(run_of(4))
        heading, titles, *rows = await settled(pilot)
        assert heading == "operators (8) · by rank"
        assert "▼ calls" in titles
        assert len(rows) == 4


async def test_a_hidden_panel_measures_when_it_is_shown() -> None:
    app = PanelApp(run_of(2), hidden=True)
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        assert not app.workers
        app.query_one(OperatorPanel).display = True
        await pilot.pause()
        assert (await settled(pilot))[0] == "operators (2) · all ranks together"


@pytest.mark.parametrize(("size", "device"), [((80, 24), False), ((200, 50), True)])
async def test_a_narrow_screen_has_fewer_columns(size: tuple[int, int], device: bool) -> None:
    app: App[Any] = PanelApp(run_of(3))
    async with app.run_test(size=size) as pilot:
        _, titles, *_ = await settled(pilot)
        assert ("device total" in titles) is device
        assert {"calls", "self", "total"} <= set(titles.split())
