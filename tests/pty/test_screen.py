"""The command on a real pseudo-terminal: real bytes in, real bytes out, and nothing left behind."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from terminal import PATIENCE_S, Terminal

TRACES = Path(__file__).parent.parent.parent / "sample_traces" / "lan"
LEAVE_ALTERNATE_SCREEN = b"\x1b[?1049l"
SHOW_CURSOR = b"\x1b[?25h"
MOUSE_OFF = b"\x1b[?1000l"

pytestmark = pytest.mark.slow


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """`vpstop` with a small run, on a terminal of 100 x 30 cells."""
    with opened(tmp_path, str(TRACES)) as line:
        yield line


def opened(home: Path, *words: str) -> Terminal:
    """`vpstop` with a home of its own."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
    }
    command = [sys.executable, "-m", "vpstop", *words]
    return Terminal(command, size=(100, 30), env=env)


def wait_until_read(line: Terminal) -> None:
    """All four ranks are there, and the list of files to read is gone from above them."""
    line.wait_for(lambda: line.lines[3] == " fra1-a  rank 0" and "r3 " in line.text)


def test_a_walk_from_start_to_end(terminal: Terminal) -> None:
    wait_until_read(terminal)
    for part in ("fra1-a", "fra1-d", "r0 ", "r3 ", "clocks as recorded", "? help", "q quit"):
        assert part in terminal.text
    terminal.type("jlf")
    terminal.wait_for_text("gloo:")
    terminal.type("?")
    terminal.wait_for_text("zoom in about the cursor")
    terminal.type("\x1b")
    terminal.wait_for(lambda: "zoom in about the cursor" not in terminal.text)
    terminal.type("2")
    terminal.wait_for_text("operators (")
    terminal.type("q")
    assert terminal.wait_for_exit() == 0


def test_the_terminal_is_as_it_was(terminal: Terminal) -> None:
    wait_until_read(terminal)
    assert terminal.modes() != terminal.modes_before
    terminal.type("q")
    terminal.wait_for_exit()
    assert terminal.modes() == terminal.modes_before
    last_frame, _, end = terminal.received.rpartition(LEAVE_ALTERNATE_SCREEN)
    assert last_frame
    assert SHOW_CURSOR in end + last_frame[-200:]
    assert MOUSE_OFF in terminal.received[-400:]


def test_an_idle_screen_sends_nothing(terminal: Terminal) -> None:
    wait_until_read(terminal)
    while terminal.read(0.5):
        pass
    assert terminal.read(2) == b""


def test_arrows_and_escape_sequences_of_a_keyboard(terminal: Terminal) -> None:
    wait_until_read(terminal)
    assert terminal.lines[4].startswith("▸r0")
    terminal.type("\x1b[B")
    terminal.wait_for(lambda: terminal.lines[5].startswith("▸r0"))
    terminal.type("\x1b[A")
    terminal.wait_for(lambda: terminal.lines[4].startswith("▸r0"))


def test_a_resized_terminal_is_filled_again(terminal: Terminal) -> None:
    wait_until_read(terminal)
    terminal.resize(80, 24)
    terminal.wait_for(lambda: "? help" in terminal.lines[-1])
    terminal.resize(160, 40)
    terminal.wait_for(lambda: terminal.lines[-1].endswith("q quit") and len(terminal.lines) == 40)


@pytest.mark.parametrize("end", ["q", "\x11", "\x03"], ids=["q", "ctrl+q", "ctrl+c"])
def test_leaving_during_the_reading_leaves_no_process(tmp_path: Path, end: str) -> None:
    with opened(tmp_path, str(TRACES)) as line:
        line.wait_for_text("vpstop")
        family = psutil.Process(line.process.pid).children(recursive=True)
        line.type(end)
        assert line.wait_for_exit() == 0
        _, alive = psutil.wait_procs(family, timeout=PATIENCE_S)
        assert alive == []


def test_a_lost_connection_ends_everything(tmp_path: Path) -> None:
    with opened(tmp_path, str(TRACES)) as line:
        wait_until_read(line)
        family = psutil.Process(line.process.pid).children(recursive=True)
        line.hang_up()
        line.process.wait(PATIENCE_S)
        _, alive = psutil.wait_procs(family, timeout=PATIENCE_S)
        assert alive == []


def test_nothing_readable_is_exit_code_one(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with opened(tmp_path, str(empty)) as line:
        line.wait_for_text("No trace could be read")
        line.type("q")
        assert line.wait_for_exit() == 1
