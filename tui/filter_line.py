"""The line under a table in which a filter is typed, and which says how much it lets through."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input, Static


class FilterLine(Horizontal):
    """`/ pattern   12 of 340`; takes no space until it is opened. It sends `Input`'s messages."""

    DEFAULT_CSS = """
    FilterLine {
        display: none;
        height: 1;
        background: $panel;
        &.-open { display: block; }
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
    def pattern(self) -> str:
        """What is typed."""
        return self.query_one(Input).value

    def open(self) -> None:
        """Shows the line, ready for typing."""
        self.add_class("-open")
        self.query_one(Input).focus()

    def close(self) -> None:
        """Empties and hides the line."""
        self.query_one(Input).value = ""
        self.remove_class("-open")

    def show_found(self, text: str) -> None:
        """Says what the filter lets through."""
        self.query_one(".filter--found", Static).update(text)
