"""The command `vpstop`: words in, exit code out.

What a command needs is imported when it runs: `--version` answers before numpy would be loaded.
"""

import os
import sys
from collections.abc import Sequence

from vpstop.tui.exits import Exit
from vpstop.tui.options import parse


def main(words: Sequence[str] | None = None) -> int:
    """The exit code of the command; `SystemExit` for help and wrong usage, as argparse has it."""
    options = parse(sys.argv[1:] if words is None else words)
    try:
        from vpstop.tui import commands  # noqa: PLC0415 - needs numpy, `--help` does not

        run = {"screen": commands.screen, "report": commands.report, "digest": commands.digest}
        return run[options.command](options)
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # What is left in the buffer would fail once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.BROKEN_PIPE
