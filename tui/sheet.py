"""A sheet over the lower part of the screen: a heading, and text that scrolls."""

from typing import ClassVar, Literal

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from vpstop.tui.keys import Context, bindings

Direction = Literal["down", "up", "page_down", "page_up", "home", "end"]


class Sheet(ModalScreen[None]):
    """Text to read and close; the timelines stay in sight above it."""

    DEFAULT_CSS = """
    Sheet {
        align: center bottom;
        background: transparent;
        & > Vertical {
            height: auto;
            max-height: 80%;
            background: $panel;
            border-top: heavy $primary;
            padding: 0 1;
        }
        & .sheet--heading { height: 1; text-style: bold; }
        & VerticalScroll { height: auto; max-height: 100%; scrollbar-size: 0 1; }
        & .sheet--text { height: auto; }
    }
    """
    MARGIN: ClassVar[int] = 4
    """Columns beside the text: padding and scroll bar."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Context.SHEET)]
    AUTO_FOCUS = "VerticalScroll"

    def __init__(self, heading: str, text: Text) -> None:
        super().__init__()
        self._heading = heading
        self._text = text

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        with Vertical():
            yield Static(self._heading, classes="sheet--heading", markup=False)
            with VerticalScroll(can_focus=False):
                yield Static(self._text, classes="sheet--text")

    def show_text(self, text: Text) -> None:
        """Replaces the text."""
        self._text = text
        self.query_one(".sheet--text", Static).update(text)

    def action_scroll(self, direction: Direction) -> None:
        """Scrolls without animation."""
        body = self.query_one(VerticalScroll)
        getattr(body, f"scroll_{direction}")(animate=False)

    def action_close(self) -> None:
        """Back to the screen below."""
        self.dismiss()
