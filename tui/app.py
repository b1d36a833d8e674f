"""The screen: it holds the view of the run, and gives it to the widgets that draw it.

Files are read by worker processes while a thread waits for what they report; every rank is on the
screen as soon as it is read. Nothing moves when nothing happens: no clock, no animation.
"""

import gc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Static

from vpstop.read.loader import Loaded, Loader, Progress
from vpstop.run import Run
from vpstop.tui.arrivals import ArrivalsLine
from vpstop.tui.detail import DetailSheet
from vpstop.tui.exits import Exit
from vpstop.tui.export import export_findings
from vpstop.tui.help import help_text
from vpstop.tui.keys import ALWAYS_HINTED, Context, bindings, hints
from vpstop.tui.layout import Layout, lay_out, turned
from vpstop.tui.loading import LoadingList
from vpstop.tui.minimap import Minimap
from vpstop.tui.moves import Scene, moved, settled, slice_at_cursor
from vpstop.tui.node_pane import NodePane
from vpstop.tui.operators import OperatorPanel, Subject
from vpstop.tui.reading import Arrived, Reading
from vpstop.tui.ruler import Ruler
from vpstop.tui.sheet import Sheet
from vpstop.tui.status import header, header_right, hint_parts, nothing_text, status
from vpstop.tui.text_line import TextLine
from vpstop.tui.theme import THEME
from vpstop.tui.timeline import Timeline, gutter_width
from vpstop.tui.troubles import warnings_text
from vpstop.tui.view import ViewState, first_view, reveal


class VpstopApp(App[None], inherit_bindings=False):
    """Timelines of all nodes, tables below them, sheets over them."""

    TITLE = "vpstop"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Context.ANYWHERE)]
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False

    class Found(Message):
        """The folders are searched; these files will be read."""

        def __init__(self, paths: Sequence[Path]) -> None:
            super().__init__()
            self.paths = paths

    class News(Message):
        """Something came from the thread that reads."""

        def __init__(self, news: Progress | Loaded | Arrived) -> None:
            super().__init__()
            self.news = news

    class AllRead(Message):
        """Every file is done with."""

    def __init__(
        self,
        paths: Iterable[str | Path],
        *,
        use_cache: bool = True,
        open_loader: Callable[..., Loader] = Loader,
    ) -> None:
        """Nothing is read, and no folder searched, before the screen is there."""
        super().__init__()
        self.animation_level = "none"
        self._paths = tuple(paths)
        self._open_loader = partial(open_loader, self._paths, use_cache=use_cache)
        self._loaders: list[Loader] = []
        self._reading: Reading | None = None
        self._closing = False
        self._run = Run(tuple(map(str, self._paths)), (), (), ())
        self._layout = lay_out(self._run)
        self._view = first_view(self._layout.extent)

    @property
    def view(self) -> ViewState:
        """What the timelines show."""
        return self._view

    @property
    def timelines(self) -> Layout:
        """The rows that the timelines have."""
        return self._layout

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield TextLine(id="header")
        yield Minimap()
        yield Ruler()
        yield LoadingList()
        yield ArrivalsLine()
        yield Static(id="nothing", markup=False)
        yield Timeline()
        yield OperatorPanel(id="table")
        yield TextLine(id="status")
        yield TextLine(id="hints")

    def on_mount(self) -> None:
        """Begins to read."""
        self.register_theme(THEME)
        self.theme = THEME.name
        self.query_one(Timeline).focus()
        self.run_worker(self._load, thread=True, group="load")

    def on_unmount(self) -> None:
        """Leaves no worker process behind."""
        self._closing = True
        gc.unfreeze()
        for loader in self._loaders:
            loader.cancel()

    def _load(self) -> None:
        """Runs in a thread."""
        loader = self._open_loader()
        self._reading = Reading(loader)
        self._follow(loader, self._reading)

    def _follow(self, loader: Loader, reading: Reading) -> None:
        """Tells the screen what the loader does; ends early when the screen is closed."""
        self._loaders.append(loader)
        self.post_message(self.Found([file.path for file in loader.files]))
        for news in reading.news(loader):
            if self._closing:
                loader.cancel()
            self.post_message(self.News(news))
        self.post_message(self.AllRead())

    def on_vpstop_app_found(self, message: Found) -> None:
        """Lists the files."""
        self.query_one(LoadingList).expect(message.paths)

    def on_vpstop_app_news(self, message: News) -> None:
        """Shows progress; ranks that are there are shown with the ones before."""
        news = message.news
        if isinstance(news, Arrived):
            if not news.run.overlaps(self._run):
                self._forget()
            self._run = news.run
            self._take(turned(news.layout, nested=self._view.nested))
            self.query_one(OperatorPanel).set_run(self._run)
        else:
            self.query_one(LoadingList).follow(news)

    def on_vpstop_app_all_read(self) -> None:
        """Nothing moves from now on."""
        self.query_one(LoadingList).finish()
        self.query_one(ArrivalsLine).follow(self._loaders[0].appeared)
        self._draw()
        # What is loaded stays: a collection that walks it takes longer than a frame.
        gc.collect()
        gc.freeze()

    def _forget(self) -> None:
        """Window, cursor and selection belong to another run."""
        self._layout = lay_out(Run((), (), (), ()))
        self._view = replace(first_view(self._layout.extent), nested=self._view.nested)

    def _take(self, layout: Layout) -> None:
        self._view = settled(self._view, self._layout, layout)
        self._layout = layout
        self._draw()

    def _draw(self) -> None:
        """Gives the view to everything that shows a part of it, as one frame."""
        layout, view, width = self._layout, self._view, self.size.width
        self.default_screen.set_class(not layout.tracks, "-empty")
        gutter = gutter_width(layout, width)
        with self.batch_update():
            self.query_one("#header", TextLine).show(
                header(self._run, layout, view, width), header_right(self._run, width)
            )
            self.query_one(Minimap).show(layout, view, gutter)
            self.query_one(Ruler).show(view, gutter)
            self.query_one(Timeline).show(layout, view, gutter)
            self.query_one("#status", TextLine).show(status(layout, view, width))
            self._draw_hints()
            self._draw_nothing()

    def _draw_hints(self) -> None:
        is_table = self.query_one(OperatorPanel).has_focus_within
        context = Context.TABLE if is_table else Context.TIMELINE
        shown = hints(context)
        always = [key for key in shown if key.id in ALWAYS_HINTED]
        others = [key for key in shown if key.id not in ALWAYS_HINTED]
        self.query_one("#hints", TextLine).show(hint_parts(others), hint_parts(always))

    def _draw_nothing(self) -> None:
        """Says in words why there are no timelines."""
        nothing = self.query_one("#nothing", Static)
        is_read = not self.query_one(LoadingList).display
        nothing.display = is_read and not self._layout.tracks
        if nothing.display:
            nothing.update(nothing_text(self._run))

    def _show(self, view: ViewState) -> None:
        if view != self._view:
            self._view = view
            self._draw()

    def on_resize(self) -> None:
        """The width of the labels depends on that of the screen."""
        self.call_after_refresh(self._draw)

    def on_descendant_focus(self) -> None:
        """Other keys work now."""
        self._draw_hints()

    def on_node_pane_picked(self, message: NodePane.Picked) -> None:
        """Cursor and selection go where the mouse was."""
        self.query_one(Timeline).focus()
        track, selected = message.track, message.slice_row
        view = replace(self._view, track=track, selected=selected, notice="")
        self._show(reveal(view, message.time_ns))

    def action_move(self, name: str) -> None:
        """One of `moves.MOVES`."""
        if self._layout.tracks:
            scene = Scene(self._layout, self.query_one(Timeline).page)
            self._show(moved(name, scene, self._view))

    def action_cycle_layout(self) -> None:
        """The compact layout, or the nested one."""
        self._take(turned(self._layout, nested=not self._layout.nested))

    def action_clear(self) -> None:
        """Drops the selection."""
        self._show(replace(self._view, selected=None, notice=""))

    def action_detail(self) -> None:
        """Opens the sheet of the slice under the cursor."""
        track = self._layout.track(self._view.track)
        found = slice_at_cursor(self._layout, self._view)
        if track is None or found is None:
            self._show(replace(self._view, notice="no slice under the cursor"))
        else:
            self.push_screen(DetailSheet(track.rank, found, self._layout.extent.start_ns))

    def action_panel(self, name: str) -> None:
        """Shows timelines only, or a table below them, which takes the focus."""
        panel = self.query_one(OperatorPanel)
        panel.display = name in list(Subject)
        if panel.display:
            panel.set_subject(Subject(name))
        (panel if panel.display else self.query_one(Timeline)).focus()

    def action_search(self) -> None:
        """Opens the operators with their filter."""
        panel = self.query_one(OperatorPanel)
        panel.display = True
        panel.set_subject(Subject.OPERATORS)
        panel.action_filter()

    def action_next_panel(self) -> None:
        """Moves the focus to the other panel."""
        panel = self.query_one(OperatorPanel)
        to_panel = panel.display and not panel.has_focus_within
        (panel if to_panel else self.query_one(Timeline)).focus()

    def action_warnings(self) -> None:
        """Opens the sheet of warnings."""
        text = warnings_text(self._run.warnings, self.size.width - Sheet.MARGIN)
        self.push_screen(Sheet("warnings", text))

    def action_next_run(self) -> None:
        """Shows the next run of the folder."""
        names = self._run.names
        if self._reading is None or not names:
            self._show(replace(self._view, notice="the folder holds one run"))
            return
        self._reading.name = names[(names.index(self._run.name) + 1) % len(names)]
        self.run_worker(self._turn, thread=True, group="turn", exclusive=True)

    def action_load_new(self) -> None:
        """Reads the traces that have appeared since the run was opened."""
        files = self.query_one(ArrivalsLine).take()
        if self._reading is None or not files:
            self._show(replace(self._view, notice="no new traces in the folder"))
            return
        read = partial(self._follow, self._loaders[0].only(files), self._reading)
        self.run_worker(read, thread=True, group="load")

    def _turn(self) -> None:
        """Runs in a thread: gathering may take longer than a frame."""
        if self._reading is not None:
            self.post_message(self.News(self._reading.arrived()))

    def action_export(self) -> None:
        """Writes the findings to a file, when they are all there."""
        if self.query_one(LoadingList).display:
            self._show(replace(self._view, notice="still reading: export when all files are there"))
        else:
            export_findings(self, self._run)

    def action_help(self) -> None:
        """Opens the list of keys."""
        self.push_screen(Sheet("keys", help_text(self.size.width)))

    async def action_quit(self) -> None:
        """Leaves; the exit code says when nothing could be read."""
        is_empty = not self.query_one(LoadingList).display and not self._run.members
        self.exit(return_code=Exit.NOTHING_READABLE if is_empty else Exit.DONE)
