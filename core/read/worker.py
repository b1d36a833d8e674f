"""The process that reads trace files: `python -m vpstop.read.worker`.

It takes one job a line on standard input and reports on standard output, a JSON object a line: how
far it is, then where the digest lies or why there is none. It does not outlive its parent.
"""

import ctypes
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final, TextIO

from vpstop.read import read_file
from vpstop.read.arguments import ArgumentBlocks
from vpstop.read.capture import Capture, Origin, Skipped
from vpstop.read.digest import save_digest

_PROGRESS_INTERVAL_S: Final = 0.1
_CHUNK_BYTES: Final = 1 << 16
_PR_SET_PDEATHSIG: Final = 1
_OOM_SCORE: Final = "500"

Report = Callable[[dict[str, Any]], None]


def main() -> None:
    """Reads one file after another until standard input ends."""
    die_with_parent()
    _offer_to_oom_killer()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    output = _take_stdout()
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_feed, args=(jobs,), daemon=True).start()
    while True:
        _work(json.loads(jobs.get()), lambda report: print(json.dumps(report), file=output))


def die_with_parent() -> None:
    """The kernel kills this process when the thread that started it ends. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _offer_to_oom_killer() -> None:
    """When memory runs out, one file shall be lost and not the screen."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE)


def _take_stdout() -> TextIO:
    """The report channel; whatever else is printed goes to standard error from now on."""
    output = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return output


def _feed(jobs: queue.SimpleQueue[bytes]) -> None:
    unread = b""
    # Not by `sys.stdin`: this thread would hold its lock whenever the reader forks.
    while chunk := os.read(0, _CHUNK_BYTES):
        *lines, unread = (unread + chunk).split(b"\n")
        for line in lines:
            jobs.put(line)
    # The parent is gone or has no more use for us, whatever the main thread is doing.
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def _work(job: dict[str, Any], report: Report) -> None:
    try:
        path, carry = Path(job["path"]), job["carry"]
        blocks = ArgumentBlocks() if carry else None
        outcome = read_file(
            path, processes=job["processes"], progress=_progress(report), blocks=blocks
        )
        if carry and isinstance(outcome, Skipped):
            report({"refused": [asdict(warning) for warning in outcome.warnings]})
            return
        if carry and isinstance(outcome, Capture):
            outcome = replace(outcome, facts=replace(outcome.facts, **_carried(carry)))
        places = [Path(place) for place in job["digests"]]
        report({"digest": str(_save(outcome, places, blocks.packed if blocks else {}))})
    except Exception as error:
        traceback.print_exc()
        kind = "" if isinstance(error, OSError) else f"{type(error).__name__}: "
        report({"failed": f"{kind}{error}"})


def _carried(carry: dict[str, Any]) -> dict[str, Any]:
    """The facts that only a digest has which is carried away."""
    return carry | {"origin": Origin(**carry["origin"])}


def _progress(report: Report) -> Callable[[int], None]:
    """Reports bytes done, a few times a second."""
    last_s = 0.0

    def progress(done_bytes: int) -> None:
        nonlocal last_s
        if time.monotonic() - last_s >= _PROGRESS_INTERVAL_S:
            last_s = time.monotonic()
            report({"done": done_bytes})

    return progress


def _save(
    outcome: Capture | Skipped, places: Sequence[Path], arguments: Mapping[int, bytes]
) -> Path:
    """The first of the places that took the digest: a full disk must not cost the trace."""
    refusals = []
    for place in places:
        try:
            save_digest(outcome, place, arguments)
        except OSError as error:
            refusals.append(f"{place.parent}: {error.strerror}")
        else:
            return place
    raise OSError("no room for the digest in " + "; ".join(refusals))


if __name__ == "__main__":
    main()
