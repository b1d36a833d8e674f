"""Reader processes that take one file after another, and end when they are told to.

Not multiprocessing: a worker can be killed at any moment, its death is one failed file, and the
program that uses vpstop is not imported again. No pipe is read or written in a way that blocks.
"""

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

from vpstop.read.capture import Origin, TraceWarning
from vpstop.text import clean

COMMAND: Final = (sys.executable, "-P", "-m", "vpstop.read.worker")
_LOOK_FOR_DEATHS_S: Final = 0.5
_PATIENCE_S: Final = 2
_CHUNK_BYTES: Final = 1 << 16
_LOG_TAIL_BYTES: Final = 2000


@dataclass(frozen=True, slots=True)
class Carry:
    """What is put into a digest that is carried away from its trace, with all arguments."""

    origin: Origin
    given_rank: int | None = None
    given_host: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """One file to read."""

    path: Path
    digests: tuple[Path, ...]
    """Where to save the outcome, best place first."""
    text_bytes: int = 0
    """How long the text is, about."""
    processes: int = 1
    """Over how many the file is split."""
    carry: Carry | None = None
    """For a digest that can be carried away."""


class Advanced(NamedTuple):
    """A part of the file is read."""

    job: Job
    done_bytes: int


class Saved(NamedTuple):
    """The file is read; its digest lies here."""

    job: Job
    digest: Path


class Refused(NamedTuple):
    """The file is no trace, and so gives no digest to carry away."""

    job: Job
    warnings: tuple[TraceWarning, ...]


class Failed(NamedTuple):
    """The file gave no digest."""

    job: Job
    reason: str


Report = Advanced | Saved | Refused | Failed


class Worker:
    """A process of `vpstop.read.worker`, leader of a process group of its own."""

    def __init__(self) -> None:
        """Raises `OSError` when no process can be started."""
        self._log = tempfile.TemporaryFile()  # noqa: SIM115, lives as long as the process
        self._process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            process_group=0,
            bufsize=0,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._orders, self.output = self._process.stdin, self._process.stdout
        os.set_blocking(self.output.fileno(), False)
        self._unread = b""
        self._logged_bytes = 0
        self.job: Job | None = None
        self.pid = self._process.pid

    def give(self, job: Job) -> None:
        """Makes an idle worker read a file."""
        self.job = job
        self._logged_bytes = self._log.seek(0, os.SEEK_END)
        order = {
            "path": str(job.path),
            "digests": [str(digest) for digest in job.digests],
            "processes": job.processes,
            "carry": job.carry and asdict(job.carry),
        }
        with suppress(BrokenPipeError):  # it died idle, which `is_gone` tells
            self._orders.write(json.dumps(order).encode() + b"\n")

    def receive(self) -> list[Report]:
        """What it reported since the last call, without waiting."""
        while chunk := self._read():
            self._unread += chunk
        *lines, self._unread = self._unread.split(b"\n")
        return [self._report(json.loads(line)) for line in lines]

    def is_gone(self) -> bool:
        """True when the process has ended."""
        return self._process.poll() is not None

    def last_words(self) -> str:
        """Why it ended, as far as signal and log tell. Only for a process that is gone."""
        code = self._process.returncode
        if code == -signal.SIGKILL:
            return "the reader was killed, perhaps for lack of memory"
        self._log.seek(max(self._logged_bytes, self._log.seek(0, os.SEEK_END) - _LOG_TAIL_BYTES))
        lines = self._log.read().decode(errors="replace").split("\n")
        said = next((clean(line) for line in reversed(lines) if line.strip()), "")
        ended = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return (
            f"the reader ended with {ended}: {said}" if said else f"the reader ended with {ended}"
        )

    def stop(self) -> None:
        """Ends the process without waiting. From any thread."""
        self._process.kill()

    def kill(self) -> None:
        """Ends the process and its children."""
        with suppress(ProcessLookupError, PermissionError):  # gone already
            os.killpg(self.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):  # stuck in a dead file system: not our time
            self._process.wait(_PATIENCE_S)
        self._orders.close()
        self.output.close()
        self._log.close()

    def _read(self) -> bytes:
        try:
            return os.read(self.output.fileno(), _CHUNK_BYTES)
        except BlockingIOError:
            return b""

    def _report(self, message: dict[str, Any]) -> Report:
        assert self.job is not None
        job = self.job
        if "done" in message:
            return Advanced(job, message["done"])
        self.job = None
        if "digest" in message:
            return Saved(job, Path(message["digest"]))
        if "refused" in message:
            return Refused(job, tuple(TraceWarning(**one) for one in message["refused"]))
        return Failed(job, clean(message["failed"]))


class Pool:
    """At most `size` processes at work. Leaving the context kills them.

    Workers belong to the thread that submits: on Linux they end with it.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._workers: list[Worker] = []
        self._selector = selectors.DefaultSelector()
        self._waker, self._wakened = socket.socketpair()
        self._selector.register(self._wakened, selectors.EVENT_READ)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in list(self._workers):
            self._remove(worker)
        self._selector.close()
        self._waker.close()
        self._wakened.close()

    @property
    def jobs(self) -> list[Job]:
        """The files that are being read."""
        return [worker.job for worker in self._workers if worker.job is not None]

    @property
    def room(self) -> int:
        """How many more processes may work."""
        return self.size - sum(job.processes for job in self.jobs)

    def submit(self, job: Job) -> None:
        """Gives the job to an idle worker or to a new one.

        Raises `OSError` when no process can be started.
        """
        idle = (worker for worker in self._workers if worker.job is None and not worker.is_gone())
        worker = next(idle, None) or self._add()
        worker.give(job)

    def wait(self) -> list[Report]:
        """What the workers have to say: blocks for at most half a second, or until `stop`."""
        self._selector.select(_LOOK_FOR_DEATHS_S)
        reports: list[Report] = []
        for worker in list(self._workers):
            gone = worker.is_gone()
            reports += worker.receive()
            if gone:
                if worker.job is not None:
                    reports.append(Failed(worker.job, worker.last_words()))
                self._remove(worker)
        return reports

    def stop(self) -> None:
        """Ends the workers, and with them a `wait` of another thread."""
        for worker in list(self._workers):
            worker.stop()
        with suppress(OSError):  # closed: nobody waits
            self._waker.send(b"\0")

    def _add(self) -> Worker:
        worker = Worker()
        self._workers.append(worker)
        self._selector.register(worker.output, selectors.EVENT_READ)
        return worker

    def _remove(self, worker: Worker) -> None:
        self._workers.remove(worker)
        self._selector.unregister(worker.output)
        worker.kill()
