"""Files harmed at random are read without a traceback, a hang or memory without bound."""

import subprocess
import sys
from pathlib import Path
from typing import Final

FUZZ: Final = Path(__file__).parent.parent.parent / "bench/fuzz.py"
FILES: Final = 300


def test_harmed_files_are_read() -> None:
    command = [sys.executable, str(FUZZ), "--n", str(FILES), "--seed", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{FILES} files, 0 failures" in done.stdout
