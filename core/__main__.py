"""`python -m vpstop` is the command `vpstop`: the one place where the library knows the screen."""

import sys

from vpstop.tui.cli import main

if __name__ == "__main__":
    sys.exit(main())
