"""New traces are told in a line that draws nothing while there are none."""

from pathlib import Path

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Static

from vpstop.read.discover import FoundFile
from vpstop.tui.arrivals import ArrivalsLine

NEVER_S = 10_000


def found(*names: str) -> tuple[FoundFile, ...]:
    return tuple(FoundFile(Path(name), 1, 0) for name in names)


class Screen(App[None]):
    """An app with what a folder has to tell."""

    def __init__(self) -> None:
        super().__init__()
        self.news = found()
        self.looks = 0

    def compose(self) -> ComposeResult:
        yield Static("timelines")
        yield ArrivalsLine()

    def on_mount(self) -> None:
        self.line.follow(self.look, every_s=NEVER_S)

    def look(self) -> tuple[FoundFile, ...]:
        self.looks += 1
        return self.news

    @property
    def line(self) -> ArrivalsLine:
        return self.query_one(ArrivalsLine)


async def look(pilot: Pilot[None]) -> None:
    """Lets the line look once, to the end."""
    app = pilot.app
    assert isinstance(app, Screen)
    app.line.look()
    await app.workers.wait_for_complete()
    await pilot.pause()


def text_of(line: ArrivalsLine) -> str:
    return line.render_line(0).text.rstrip()


async def test_nothing_new_takes_no_line() -> None:
    async with Screen().run_test() as pilot:
        assert not pilot.app.query_one(ArrivalsLine).display
        await look(pilot)
        assert not pilot.app.query_one(ArrivalsLine).display


async def test_new_traces_are_counted() -> None:
    app = Screen()
    async with app.run_test() as pilot:
        app.news = found("rank1.json")
        await look(pilot)
        assert text_of(app.line) == " 1 new trace: press L to load"
        app.news = found("rank1.json", "rank2.json")
        await look(pilot)
        assert text_of(app.line) == " 2 new traces: press L to load"
        assert app.line.display


async def test_what_is_taken_is_no_longer_told() -> None:
    app = Screen()
    async with app.run_test() as pilot:
        app.news = found("rank1.json")
        await look(pilot)
        assert app.line.take() == found("rank1.json")
        await pilot.pause()
        assert not app.line.display
        assert app.line.take() == ()


async def test_the_same_news_draw_nothing() -> None:
    app = Screen()
    async with app.run_test() as pilot:
        app.news = found("rank1.json")
        await look(pilot)
        drawn: list[object] = []
        app.line.refresh = lambda *regions, **_: drawn.append(regions)  # type: ignore[method-assign,assignment]
        await look(pilot)
        assert app.looks == 2
        assert not drawn


async def test_one_look_at_a_time() -> None:
    app = Screen()
    async with app.run_test() as pilot:
        app.line.look()
        app.line.look()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert app.looks == 1


async def test_another_loader_can_be_watched() -> None:
    app = Screen()
    async with app.run_test() as pilot:
        app.line.follow(lambda: found("a.json", "b.json", "c.json"))
        await look(pilot)
        assert text_of(app.line) == " 3 new traces: press L to load"
