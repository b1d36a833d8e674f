"""The line under a table in which a filter is typed, and which says how much it lets through."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input, Static


class FilterLine(Horizontal):
    """`/ pattern   12 of 340`; takes no space until it is opened. It sends `Input.Changed`."""

    DEFAULT_CSS = """
    FilterLine {
        display: none;
        height: 1;
        background: $panel;
        & > .filter--mark { width: 3; color: $text-muted; }
        & > Input { width: 1fr; background: $panel; }
        & > .filter--found {
            width: auto;
            max-width: 65%;
            padding: 0 1;
            color: $text-muted;
            text-wrap: nowrap;
            text-overflow: ellipsis;
        }
    }
    """

    def compose(self) -> ComposeResult:
        """The mark, the input, the count."""
        yield Static(" /", classes="filter--mark")
        pattern = Input(placeholder="part of a name, or a regular expression", compact=True)
        pattern.cursor_blink = False
        yield pattern
        yield Static(classes="filter--found", markup=False)

    @property
    def input(self) -> Input:
        """Where the pattern is typed."""
        return self.query_one(Input)

    @property
    def is_typing(self) -> bool:
        """Whether keys go into the pattern."""
        return self.screen.focused is self.input

    def open(self) -> None:
        """Shows the line, ready for the next key."""
        self.display = True
        self.screen.set_focus(self.input)

    def close(self) -> None:
        """Empties and hides the line."""
        self.input.value = ""
        self.display = False

    def show_found(self, text: str) -> None:
        """Says what the filter lets through."""
        self.query_one(".filter--found", Static).update(text)
