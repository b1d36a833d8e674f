"""The list of keys holds together: no key means two things, and every action exists."""

import re
from collections import Counter

import pytest

from vpstop.tui.app import VpstopApp
from vpstop.tui.help import help_text
from vpstop.tui.keys import KEYS, Context, Key, bindings, hints
from vpstop.tui.moves import MOVES
from vpstop.tui.operators import OperatorPanel
from vpstop.tui.sheet import Sheet
from vpstop.tui.table import VirtualTable
from vpstop.tui.timeline import Timeline

FOCUSED = (Context.TIMELINE, Context.TABLE)
HOMES: dict[Context, tuple[type, ...]] = {
    Context.ANYWHERE: (VpstopApp,),
    Context.TIMELINE: (Timeline,),
    Context.TABLE: (VirtualTable, OperatorPanel),
    Context.SHEET: (Sheet,),
}


def keys_in(context: Context) -> list[str]:
    """All keys that are bound for a context itself."""
    return [key for entry in KEYS if entry.context is context for key in entry.keys]


def test_no_id_is_used_twice() -> None:
    assert max(Counter(entry.id for entry in KEYS).values()) == 1


@pytest.mark.parametrize("context", FOCUSED)
def test_no_key_means_two_things_in_a_panel(context: Context) -> None:
    counts = Counter(keys_in(context) + keys_in(Context.ANYWHERE))
    assert [key for key, count in counts.items() if count > 1] == []


def test_no_key_means_two_things_in_a_sheet() -> None:
    assert max(Counter(keys_in(Context.SHEET)).values()) == 1


@pytest.mark.parametrize("context", Context)
@pytest.mark.parametrize(
    ("letter", "arrow"), [("h", "left"), ("j", "down"), ("k", "up"), ("l", "right")]
)
def test_letters_do_what_arrows_do(context: Context, letter: str, arrow: str) -> None:
    entries = [entry for entry in KEYS if entry.context is context]
    assert [e for e in entries if letter in e.keys] == [e for e in entries if arrow in e.keys]


def test_the_time_window_moves_from_every_panel() -> None:
    anywhere = set(keys_in(Context.ANYWHERE))
    assert {"w", "a", "s", "d", "W", "A", "S", "D"} <= anywhere


def test_no_key_needs_what_terminals_and_tmux_do_not_pass_on() -> None:
    taken = {"ctrl+a", "ctrl+b", "shift+f3", "ctrl+enter", "shift+enter", "ctrl+comma"}
    assert not taken & {key for entry in KEYS for key in entry.keys}


def test_every_movement_has_a_key_and_every_key_its_movement() -> None:
    named = {found[1] for entry in KEYS if (found := re.search(r"move\('(\w+)'\)", entry.action))}
    assert named == set(MOVES)


@pytest.mark.parametrize("entry", KEYS, ids=lambda entry: entry.id)
def test_every_action_exists_where_its_key_is_bound(entry: Key) -> None:
    name = re.split(r"[.(]", entry.action.removeprefix("app."))[0]
    homes = HOMES[entry.context]
    if entry.action.startswith("app."):
        homes = (VpstopApp,)
    assert any(hasattr(home, f"action_{name}") for home in homes)


def test_bindings_carry_the_ids_by_which_keys_are_remapped() -> None:
    assert [one.id for one in bindings(Context.SHEET)] == [
        entry.id for entry in KEYS if entry.context is Context.SHEET
    ]


def test_hints_are_those_of_the_panel_and_of_everywhere() -> None:
    assert {entry.context for entry in hints(Context.TABLE)} == {Context.TABLE, Context.ANYWHERE}


@pytest.mark.parametrize("width", [80, 200])
def test_help_names_every_key_with_what_it_does(width: int) -> None:
    text = help_text(width).plain
    for entry in KEYS:
        assert entry.help in text
        assert entry.caption in text


def test_help_fits_into_the_width() -> None:
    assert max(map(len, help_text(80).plain.splitlines())) <= 76
