"""How long it takes to open a large trace, and how much memory, beside other programs.

    python tests/bench/open.py --size 300 [--source TRACE] [--hta PYTHON]

All figures come from one run on one file: programs take turns, each in a fresh interpreter. What
counts is the call: `vpstop.open` with worker processes started, slices nested and linked, the
digest written and opened; `orjson.loads` of the plain bytes in memory, garbage collector off; the
constructor of HolisticTraceAnalysis. A warm open counts from the start of the command, with the
imports of the screen. Memory is measured in a turn of its own.
"""

import argparse
import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from peak import PeakMemory

HERE: Final = Path(__file__).parent
SAMPLE: Final = HERE.parent.parent / "sample_traces/lan/fra1-a.pt.trace.json.gz"

OPEN: Final = """
import sys, time
import vpstop.tui.app, vpstop.load
start = time.perf_counter()
run = vpstop.open(sys.argv[1], processes=int(sys.argv[2]))
seconds = time.perf_counter() - start
assert sum(len(member.capture.slices) for member in run.members)
print(seconds, flush=True)
"""
ORJSON: Final = """
import gc, gzip, sys, time
import orjson
data = open(sys.argv[1], "rb").read()
data = gzip.decompress(data) if data[:2] == b"\\x1f\\x8b" else data
gc.disable()
start = time.perf_counter()
kept = orjson.loads(data)
print(time.perf_counter() - start, flush=True)
"""
HTA: Final = """
import sys, time
from hta.trace_analysis import TraceAnalysis
start = time.perf_counter()
kept = TraceAnalysis(trace_files={0: sys.argv[1]})
print(time.perf_counter() - start, flush=True)
"""


@dataclass(slots=True)
class Subject:
    """A program that opens the trace, and what came of it."""

    name: str
    code: str
    python: str = sys.executable
    processes: int = 1
    """That read at the same time, for vpstop."""
    is_cold: bool = False
    """Whether the cache goes before every turn."""
    is_command: bool = False
    """Whether the whole command counts, not only the call."""
    rounds: int = 5
    seconds: list[float] = field(default_factory=list)
    peak_bytes: int = 0


def main() -> None:
    options = parsed_options()
    subjects = chosen(options)
    with tempfile.TemporaryDirectory() as folder:
        trace = options.trace or made(options.source, Path(folder) / "trace.json.gz", options.size)
        print(f"{trace}: {trace.stat().st_size / 1e6:.1f} MB on disk", flush=True)
        cache = Path(folder) / "cache"
        for number in range(options.rounds):
            for subject in subjects:
                if number < subject.rounds:
                    subject.seconds.append(take_turn(subject, trace, cache))
        for subject in subjects:
            take_turn(subject, trace, cache, watch=True)
    show(subjects)


def parsed_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=300, metavar="MB", help="of the plain text")
    parser.add_argument("--source", type=Path, default=SAMPLE, help="the trace that is repeated")
    parser.add_argument("--trace", type=Path, help="open this file instead of making one")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--hta", metavar="PYTHON", help="has HolisticTraceAnalysis installed")
    return parser.parse_args()


def chosen(options: argparse.Namespace) -> Sequence[Subject]:
    """Warm opens come after cold ones, and find the digest that those left."""
    subjects = [
        Subject("orjson.loads", ORJSON),
        Subject("vpstop, cold, 2 processes", OPEN, processes=2, is_cold=True),
        Subject("vpstop, cold, 1 process", OPEN, is_cold=True),
        Subject("vpstop, warm, from start", OPEN, is_command=True),
    ]
    if options.hta:
        subjects.append(Subject("HolisticTraceAnalysis", HTA, options.hta, rounds=1))
    elif importlib.util.find_spec("hta"):
        subjects.append(Subject("HolisticTraceAnalysis", HTA, rounds=1))
    return subjects


def made(source: Path, target: Path, size: int) -> Path:
    program = HERE / "big_trace.py"
    subprocess.run([sys.executable, program, source, target, "--size", str(size)], check=True)
    return target


def take_turn(subject: Subject, trace: Path, cache: Path, watch: bool = False) -> float:
    """The seconds that count; where memory is watched they are too many."""
    if subject.is_cold:
        shutil.rmtree(cache, ignore_errors=True)
    start = time.perf_counter()
    with subprocess.Popen(
        [subject.python, "-c", subject.code, str(trace), str(subject.processes)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"XDG_CACHE_HOME": str(cache)},
    ) as process:
        assert process.stdout is not None
        with PeakMemory(process.pid) if watch else nullcontext() as peak:
            said = process.stdout.readline()
            seconds = time.perf_counter() - start
        rest = process.stdout.read()
    if process.returncode:
        raise SystemExit(f"{subject.name} failed: {said}{rest}")
    if peak is not None:
        subject.peak_bytes = peak.bytes
    return seconds if subject.is_command else float((said + rest).split()[-1])


def show(subjects: Sequence[Subject]) -> None:
    """Medians, and how they compare with the first subject."""
    yardstick = statistics.median(subjects[0].seconds)
    print(f"{'':28}{'seconds':>9}{'ratio':>8}{'peak MB':>9}   single rounds")
    for subject in subjects:
        seconds = statistics.median(subject.seconds)
        rounds = " ".join(f"{one:.2f}" for one in subject.seconds)
        figures = f"{seconds:9.2f}{seconds / yardstick:8.2f}{subject.peak_bytes / 1e6:9.0f}"
        print(f"{subject.name:28}{figures}   {rounds}")


if __name__ == "__main__":
    main()
