"""One file read by several processes: each parses every n-th block, one puts the columns together.

The others are forks of this one, for starting an interpreter takes as long as reading 30 MB. A fork
only parses, writes to its own file in memory and exits: it needs no lock that another thread may
hold, apart from those of the allocator and the interpreter, which survive a fork.
"""

import os
import signal
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Final

from vpstop.read.damage import Damaged
from vpstop.read.inflate import Progress, chunks
from vpstop.read.parser import transfer
from vpstop.read.parser.collect import collect
from vpstop.read.parser.columns import Columns
from vpstop.read.parser.cut import DEFAULT_SIZES, Sizes
from vpstop.read.parser.events import NUMERIC
from vpstop.read.parser.merge import merged
from vpstop.read.parser.share import SharedList
from vpstop.read.parser.transfer import Share

AVAILABLE: Final = hasattr(os, "memfd_create")
"""Linux has files in memory."""

_FAILED: Final = 1


def read_in_shares(path: Path, processes: int, progress: Progress | None) -> Share | None:
    """The whole file as one share; None where the shares of the processes do not fit together.

    Then a cut lay inside a text, or the file is damaged, or a process failed: read it alone.
    """
    with ExitStack() as stack:
        children = [
            stack.enter_context(closing(Child(path, turn, processes)))
            for turn in range(1, processes)
        ]
        own = read_share(chunks(path, progress), 0, processes)
        shares = [own, *(child.share() for child in children)]
        complete = [share for share in shares if share is not None]
        return whole(complete) if len(complete) == processes else None


def read_share(text: Iterator[bytes], turn: int, turns: int, sizes: Sizes = DEFAULT_SIZES) -> Share:
    """The blocks `turn`, `turn + turns`, ... of a text, up to one that does not parse."""
    events = SharedList(text, NUMERIC.decode, turn, turns, sizes)
    columns = Columns()
    failed = False
    try:
        collect(events, columns)
    except Damaged:
        failed = True
    return Share(
        part=columns.part(),
        head=events.head,
        tail=events.tail,
        closed=events.closed and not failed,
        complete=events.complete,
        last_block=events.last_block,
        failed_block=events.block if failed else None,
    )


def whole(shares: Sequence[Share]) -> Share | None:
    """All shares as one, if no share has records behind the end of the list, or failed before.

    A list without end goes to the end of the file.
    """
    end = next((share for share in shares if share.closed), None)
    last = end.last_block if end else max(share.last_block for share in shares)
    fit = all(share.last_block <= last for share in shares) and all(
        share.failed_block is None or (end and share.failed_block > last) for share in shares
    )
    if not fit:
        return None
    return replace(
        end or shares[0],
        part=merged([share.part for share in shares]),
        tail=end.tail if end else b"",
        last_block=last,
        failed_block=None,
    )


class Child:
    """A fork that reads a share."""

    def __init__(self, path: Path, turn: int, turns: int) -> None:
        self._file = os.memfd_create("vpstop")
        parent = os.getpid()
        with warnings.catch_warnings():
            # Python warns of threads: see the top of this module.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process = os.fork()
        if self._process == 0:
            _work(path, turn, turns, self._file, parent)

    def share(self) -> Share | None:
        """Waits for the share; None where the fork failed."""
        _, status = os.waitpid(self._process, 0)
        self._process = 0
        return transfer.load(self._file) if status == 0 else None

    def close(self) -> None:
        """Ends the fork if it is still at work."""
        if self._process:
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
        os.close(self._file)


def _work(path: Path, turn: int, turns: int, file: int, parent: int) -> None:
    """Reads a share, writes it and ends the process, also when the parent is gone."""

    def end_with_parent(_: int) -> None:
        if os.getppid() != parent:
            os._exit(_FAILED)

    status = _FAILED
    try:
        share = read_share(chunks(path, end_with_parent), turn, turns)
        with open(file, "wb", closefd=False) as output:
            transfer.save(share, output)
        status = 0
    finally:
        os._exit(status)
