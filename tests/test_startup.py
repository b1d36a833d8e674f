"""What a command imports: a short answer must not wait for what it does not use."""

import subprocess
import sys
from pathlib import Path

import pytest

_REPORT = """
import sys
from vpstop.tui.cli import main
code = main(sys.argv[1:])
print(code, sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


def imported(*words: str | Path, cache: Path) -> set[str]:
    """Top-level modules that are there when a command has ended."""
    command = [sys.executable, "-c", _REPORT, *map(str, words)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={"XDG_CACHE_HOME": str(cache)}
    )
    code, _, modules = done.stderr.splitlines()[-1].partition(" ")
    assert code in ("0", "1")
    return set(modules.strip("[]").replace("'", "").split(", "))


@pytest.mark.parametrize("format_", ["md", "json"])
def test_a_report_needs_no_screen_and_no_torch(format_: str, tmp_path: Path) -> None:
    traces = Path(__file__).parent.parent / "sample_traces" / "lan"
    modules = imported("report", traces, "--format", format_, cache=tmp_path)
    assert "numpy" in modules
    assert modules.isdisjoint({"textual", "rich", "torch"})


def test_the_command_line_is_read_without_numpy() -> None:
    code = "import sys, vpstop.tui.cli; print('numpy' in sys.modules, 'textual' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
