"""The one list of keys: bindings, the help screen and the hints at the foot are all made from it.

Single keys only, no chords. hjkl does what the arrows do in every panel, and WASD always drives the
shared time window, whichever panel has the focus.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from textual.binding import Binding


class Context(StrEnum):
    """Which panel has to have the focus for a key to work."""

    ANYWHERE = "anywhere"
    TIMELINE = "timeline"
    TABLE = "table"
    SHEET = "sheet"
    """A sheet over the screen: details, warnings, help."""


class Group(StrEnum):
    """Headings of the help screen, in its order."""

    TIME = "Time window (from every panel)"
    WALK = "Walk the timelines"
    TABLE = "Tables"
    SCREEN = "Screen"
    SHEET = "Sheets: details, warnings, this help"


@dataclass(frozen=True, slots=True)
class Key:
    """What one entry of the list does, and by which keys."""

    id: str
    """Stays the same when keys are remapped."""
    keys: tuple[str, ...]
    """Textual's names, the one to teach first."""
    action: str
    help: str
    group: Group
    context: Context = Context.ANYWHERE
    hint: str = ""
    """Word for the hints at the foot; empty for keys that only the help screen shows."""
    priority: bool = False
    """True for keys that Textual's own screen would take first, or that change what keys mean."""

    @property
    def binding(self) -> Binding:
        """The entry as Textual wants it."""
        keys = ",".join(self.keys)
        return Binding(keys, self.action, self.help, id=self.id, show=False, priority=self.priority)

    @property
    def caption(self) -> str:
        """The keys as people write them: `w +`."""
        return " ".join(_CAPTIONS.get(key, key) for key in self.keys)


_CAPTIONS: Final = {
    "plus": "+",
    "minus": "-",
    "comma": ",",
    "full_stop": ".",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "left_parenthesis": "(",
    "right_parenthesis": ")",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "slash": "/",
    "question_mark": "?",
    "exclamation_mark": "!",
    "circumflex_accent": "^",
    "dollar_sign": "$",
    "left": "\N{LEFTWARDS ARROW}",
    "right": "\N{RIGHTWARDS ARROW}",
    "up": "\N{UPWARDS ARROW}",
    "down": "\N{DOWNWARDS ARROW}",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "escape": "esc",
    "f1": "F1",
}


def _time(name: str, keys: str, move: str, what: str, hint: str = "") -> Key:
    return Key(name, tuple(keys.split()), f"move('{move}')", what, Group.TIME, hint=hint)


def _walk(name: str, keys: str, move: str, what: str, hint: str = "") -> Key:
    action = f"app.move('{move}')"
    return Key(name, tuple(keys.split()), action, what, Group.WALK, Context.TIMELINE, hint)


def _table(name: str, keys: str, action: str, what: str, hint: str = "") -> Key:
    return Key(name, tuple(keys.split()), action, what, Group.TABLE, Context.TABLE, hint)


def _sheet(name: str, keys: str, action: str, what: str) -> Key:
    return Key(name, tuple(keys.split()), action, what, Group.SHEET, Context.SHEET)


def _screen(name: str, keys: str, action: str, what: str, hint: str = "") -> Key:
    return Key(name, tuple(keys.split()), action, what, Group.SCREEN, hint=hint)


KEYS: Final = (
    _time("zoom_in", "w plus", "zoom_in", "zoom in about the cursor", "zoom"),
    _time("zoom_out", "s minus", "zoom_out", "zoom out", "zoom"),
    _time("zoom_in_far", "W", "zoom_in_far", "zoom in four times"),
    _time("zoom_out_far", "S", "zoom_out_far", "zoom out four times"),
    _time("pan_left", "a", "pan_left", "go left by a tenth of the window", "pan"),
    _time("pan_right", "d", "pan_right", "go right by a tenth", "pan"),
    _time("pan_left_far", "A", "pan_left_far", "go left by half the window"),
    _time("pan_right_far", "D", "pan_right_far", "go right by half"),
    _time("fit_all", "0", "fit_all", "show the whole run"),
    _time("undo_view", "u", "undo", "back to the view before"),
    _time("redo_view", "ctrl+r", "redo", "forward again"),
    _walk("previous_slice", "h left comma", "previous_slice", "previous slice of the row"),
    _walk("next_slice", "l right full_stop", "next_slice", "next slice of the row"),
    _walk("row_down", "j down", "row_down", "row below"),
    _walk("row_up", "k up", "row_up", "row above"),
    _walk("half_page_down", "ctrl+d", "half_page_down", "half a page of rows down"),
    _walk("half_page_up", "ctrl+u", "half_page_up", "half a page up"),
    _walk("page_down", "pagedown", "page_down", "a page of rows down"),
    _walk("page_up", "pageup", "page_up", "a page up"),
    _walk("first_row", "g", "first_row", "first row"),
    _walk("last_row", "G", "last_row", "last row"),
    _walk("run_start", "home circumflex_accent", "run_start", "start of the run"),
    _walk("run_end", "end dollar_sign", "run_end", "end of the run"),
    _walk("fit", "f z", "fit", "fit the slice under the cursor, else its step", "fit"),
    _walk("previous_node", "left_curly_bracket", "previous_node", "previous node"),
    _walk("next_node", "right_curly_bracket", "next_node", "next node"),
    _walk("previous_step", "left_parenthesis", "previous_step", "same place in the step before"),
    _walk("next_step", "right_parenthesis", "next_step", "same place in the next step", "step"),
    _walk("to_launch", "left_square_bracket", "to_launch", "from a kernel to its launch"),
    _walk("to_kernel", "right_square_bracket", "to_kernel", "from a launch to its kernel"),
    Key(
        "detail",
        ("enter", "i"),
        "app.detail",
        "everything about the slice under the cursor",
        Group.WALK,
        Context.TIMELINE,
        "detail",
    ),
    Key(
        "search",
        ("slash",),
        "app.search",
        "operators whose names match",
        Group.WALK,
        Context.TIMELINE,
    ),
    Key(
        "layout",
        ("o",),
        "app.cycle_layout",
        "one row a lane, or one row a depth",
        Group.WALK,
        Context.TIMELINE,
        "nest",
    ),
    _table("table_down", "j down", "move(1)", "row below"),
    _table("table_up", "k up", "move(-1)", "row above"),
    _table("table_half_page_down", "ctrl+d", "page(0.5)", "half a page down"),
    _table("table_half_page_up", "ctrl+u", "page(-0.5)", "half a page up"),
    _table("table_page_down", "pagedown", "page(1)", "a page down"),
    _table("table_page_up", "pageup", "page(-1)", "a page up"),
    _table("table_first", "g home", "first", "first row"),
    _table("table_last", "G end", "last", "last row"),
    _table("table_left", "h left", "sideways(-8)", "columns further left"),
    _table("table_right", "l right", "sideways(8)", "columns further right"),
    _table("sort_left", "less_than_sign", "sort_by(-1)", "sort by the column to the left", "sort"),
    _table("sort_right", "greater_than_sign", "sort_by(1)", "sort by the column to the right"),
    _table("sort_invert", "I", "invert", "turn the order round"),
    Key(
        "filter",
        ("slash",),
        "filter",
        "only names that match",
        Group.TABLE,
        Context.TABLE,
        "filter",
        priority=True,
    ),
    _table("grouping", "o", "cycle_grouping", "rows for all, by node, by rank", "group"),
    _screen("timeline_only", "1", "panel('timeline')", "timelines only"),
    _screen("operators", "2", "panel('operators')", "operators below the timelines", "operators"),
    _screen("kernels", "3", "panel('kernels')", "kernels below the timelines", "kernels"),
    Key(
        "next_panel",
        ("tab",),
        "next_panel",
        "focus the other panel",
        Group.SCREEN,
        hint="focus",
        priority=True,
    ),
    _screen("warnings", "exclamation_mark", "warnings", "what was wrong with the files"),
    _screen("next_run", "R", "next_run", "the next run, where the folder holds several"),
    _screen("load_new", "L", "load_new", "read the traces that have appeared since"),
    _screen("export", "e", "export", "write what the screen knows to a markdown file", "export"),
    _screen("help", "question_mark f1", "help", "this list", "help"),
    _screen("clear", "escape", "clear", "clear the selection"),
    _screen("quit", "q", "quit", "quit", "quit"),
    _screen("suspend", "ctrl+z", "suspend_process", "back to the shell; fg comes back"),
    _screen("quit_now", "ctrl+q ctrl+c", "quit", "quit"),
    _sheet("sheet_down", "j down", "scroll('down')", "scroll down"),
    _sheet("sheet_up", "k up", "scroll('up')", "scroll up"),
    _sheet("sheet_page_down", "ctrl+d pagedown", "scroll('page_down')", "a page down"),
    _sheet("sheet_page_up", "ctrl+u pageup", "scroll('page_up')", "a page up"),
    _sheet("sheet_home", "g home", "scroll('home')", "to the beginning"),
    _sheet("sheet_end", "G end", "scroll('end')", "to the end"),
    _sheet("sheet_close", "escape q enter i question_mark", "close", "close"),
    _sheet("sheet_quit", "ctrl+q ctrl+c", "app.quit", "quit"),
)


ALWAYS_HINTED: Final = frozenset({"help", "quit"})
"""Ids of the entries to remind of even where there is room for few."""


def bindings(context: Context) -> list[Binding]:
    """Bindings of the widget that stands for `context`; `ANYWHERE` is the app."""
    return [key.binding for key in KEYS if key.context is context]


def hints(context: Context) -> tuple[Key, ...]:
    """Entries to remind of while the panel of `context` has the focus."""
    return tuple(key for key in KEYS if key.hint and key.context in (context, Context.ANYWHERE))
