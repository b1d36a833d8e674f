"""A real pseudo-terminal with a program in it, and pyte as the eye that looks at it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self

import pyte

PATIENCE_S: Final = 60
"""Longer than any machine needs; only a failing test waits so long."""

_NOT_FOR_PYTE: Final = re.compile(rb"\x1b\[[<>=?][\d;]*(?:u|\$p)")
"""Keyboard protocol and mode queries: pyte takes the end of them for text."""


class Terminal:
    """Runs a program on a terminal of its own. Leaving the `with` block ends it."""

    def __init__(
        self, command: Sequence[str], *, size: tuple[int, int], env: Mapping[str, str]
    ) -> None:
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self._master, self._slave = pty.openpty()
        self.received = b""
        self.resize(*size)
        self.modes_before = self.modes()
        self.process = subprocess.Popen(
            command,
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            env=dict(env),
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.hang_up()

    @property
    def lines(self) -> list[str]:
        """What is on the screen."""
        return [line.rstrip() for line in self._screen.display]

    @property
    def text(self) -> str:
        """What is on the screen, in one."""
        return "\n".join(self.lines)

    def modes(self) -> list[Any]:
        """Modes of the terminal line: echo, line buffering, signals."""
        return termios.tcgetattr(self._slave)

    def resize(self, columns: int, lines: int) -> None:
        """Changes the size, as a window that is dragged."""
        self._screen.resize(lines, columns)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def type(self, keys: str) -> None:
        """Sends what a keyboard sends."""
        os.write(self._master, keys.encode())

    def hang_up(self) -> None:
        """Closes the line, as a connection that is lost."""
        for fd in (self._master, self._slave):
            if fd >= 0:
                os.close(fd)
        self._master = self._slave = -1

    def read(self, seconds: float) -> bytes:
        """What arrives within this time; returns early when the line is closed."""
        begun, found = time.monotonic(), b""
        while (left := begun + seconds - time.monotonic()) > 0:
            ready, _, _ = select.select([self._master], [], [], left)
            if not ready:
                break
            chunk = os.read(self._master, 1 << 16)
            found += chunk
            self._stream.feed(_NOT_FOR_PYTE.sub(b"", chunk))
        self.received += found
        return found

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Reads until something is true of the screen or of the process."""
        end = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end, f"never came; the screen is:\n{self.text}"
            self.read(0.05)

    def wait_for_text(self, text: str) -> None:
        """Reads until this is on the screen."""
        self.wait_for(lambda: text in self.text)

    def wait_for_exit(self) -> int:
        """Reads what is left, and gives the exit code."""
        self.wait_for(lambda: self.process.poll() is not None)
        self.read(0.05)
        return int(self.process.returncode)
