"""Harms small traces at random and reads them: no traceback, no hang, no memory without bound.

    python tests/bench/fuzz.py --n 10000 --seed S [--traces DIR] [--only NUMBER]

Every file is read with all arguments, gathered and reported in a worker process that has 10 s and
500 MB for each. Prints what was found, the slowest, and for files harmed in one place how many
slices of records that were not touched are lost. Ends with 1 where something went wrong; `--only`
does one again.
"""

import argparse
import gzip
import multiprocessing
import re
import resource
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import msgspec
from mutations import MUTATIONS, compressed

from vpstop.read import read_file
from vpstop.read.arguments import ArgumentBlocks
from vpstop.read.capture import Capture
from vpstop.read.recognise import PARSED, recognise
from vpstop.report.as_json import report_json
from vpstop.report.markdown import markdown
from vpstop.run import gather

ROOT: Final = Path(__file__).parent.parent.parent
OWN_TRACES: Final = (ROOT / "sample_traces", ROOT / "tests/cases")

LARGEST_BYTES: Final = 100_000
"""Of larger texts only the first part is harmed."""
TIME_LIMIT_S: Final = 10.0
MEMORY_LIMIT_BYTES: Final = 500_000_000
_START_LIMIT_S: Final = 60.0
_SHOWN: Final = 8
_SHOWN_MUTATIONS: Final = 3
_COMPRESSED: Final = 1 / 3
"""Share of the files that are compressed, and of these that come to harm afterwards."""
_SEPARATOR: Final = re.compile(rb"\}\s*,\s*\{")
_LOADABLE: Final = (".json", ".gz", ".tmp")


class Source(NamedTuple):
    """A text to harm, and the slices that it holds."""

    name: str
    text: bytes
    places: Sequence[tuple[int, int]]
    """Where each of them begins and ends."""


class Mutant(NamedTuple):
    """A harmed file."""

    name: str
    how: str
    data: bytes
    kept_slices: int | None
    """So many slices stand in records that were not touched; None where nobody can tell."""


class Outcome(NamedTuple):
    """What came of reading a mutant."""

    name: str
    how: str
    seconds: float
    peak_bytes: int
    slices: int
    kinds: tuple[str, ...]
    """Of its warnings, with `skipped` where there is no capture."""
    lost: int | None
    """Slices of untouched records that are missing."""
    failure: str = ""


def sources(folders: Sequence[Path]) -> list[Source]:
    """The texts of all traces below some folders."""
    files = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
    texts = ((path, _text(path)) for path in files if path.name.endswith(_LOADABLE))
    return [_source(path.name, text) for path, text in texts if b'"ph"' in text]


def _text(path: Path) -> bytes:
    data = path.read_bytes()
    try:
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError):
        return data


def _source(name: str, text: bytes) -> Source:
    if len(text) > LARGEST_BYTES:
        end = text.rfind(b"}", 0, LARGEST_BYTES) + 1
        cuts = [found.start() + 1 for found in _SEPARATOR.finditer(text, 0, end)]
        text = text[: cuts[-1] if cuts else end] + b"]}"
    is_read = recognise(text, name) in PARSED
    places = list(_slice_places(text)) if is_read else []
    return Source(name, text, places)


class _Trace(msgspec.Struct):
    events: list[msgspec.Raw] = msgspec.field(name="traceEvents")


class _Record(msgspec.Struct):
    ph: str
    cat: str = ""


def _slice_places(text: bytes) -> Iterator[tuple[int, int]]:
    """Where each slice of a sound text begins and ends; nothing of one that is not sound."""
    is_list = text.lstrip().startswith(b"[")
    place = text.find(b"[", 0 if is_list else max(text.find(b'"traceEvents"'), 0))
    try:
        raws = msgspec.json.decode(text[place:] if is_list else text, type=_RAWS[is_list])
        events = raws.events if isinstance(raws, _Trace) else raws
        for raw in events:
            record = msgspec.json.decode(raw, type=_Record)
            start = text.find(bytes(raw), place)
            place = start + len(bytes(raw))
            if record.ph == "X" and record.cat != "Trace":
                yield start, place
    except msgspec.DecodeError:
        return


_RAWS: Final[dict[bool, Any]] = {False: _Trace, True: list[msgspec.Raw]}


def mutant(corpus: Sequence[Source], seed: int, number: int) -> Mutant:
    """The harmed file of that number; the same for the same sources and seed."""
    random = Random(f"{seed} {number}")
    source = random.choice(corpus)
    text, hows, kept = source.text, [], len(source.places)
    for _ in range(random.choice((1, 1, 1, 1, 2, 20))):
        chosen = random.choice(MUTATIONS)
        harmed = chosen(text or b"\0", random, random.choice(corpus).text)
        kept -= sum(a <= harmed.end and b >= harmed.start for a, b in source.places)
        text = harmed.text
        hows.append(chosen.__name__)
    suffix, data = ".json", text
    if random.random() < _COMPRESSED:
        suffix, data = ".json.gz", compressed(text, random)
        if random.random() < _COMPRESSED:
            chosen = random.choice(MUTATIONS)
            data = chosen(data or b"\0", random, random.choice(corpus).text).text
            hows.append(f"gzip {chosen.__name__}")
    is_known = len(hows) == 1 and bool(source.places)
    name = source.name.split(".")[0] + suffix
    return Mutant(name, ", ".join(hows[:_SHOWN_MUTATIONS]), data, kept if is_known else None)


def read(one: Mutant, folder: Path) -> Outcome:
    """Reads a mutant from a file in the folder, and reports it; raises what they raise."""
    path = folder / one.name
    path.write_bytes(one.data)
    start = time.perf_counter()
    try:
        found = read_file(path, blocks=ArgumentBlocks())
        run = gather([found], [path], folder)
        markdown(run)
        report_json(run)
    finally:
        path.unlink()
    seconds = time.perf_counter() - start
    kinds: tuple[str, ...] = tuple(sorted({warning.kind for warning in run.warnings}))
    slices = len(found.slices) if isinstance(found, Capture) else 0
    kinds = kinds if isinstance(found, Capture) else (*kinds, "skipped")
    lost = None if one.kept_slices is None else max(0, one.kept_slices - slices)
    return Outcome(one.name, one.how, seconds, 0, slices, kinds, lost)


def main() -> int:
    options = _options()
    worker = Worker(options.seed, options.traces)
    tally = Tally()
    numbers = range(options.n) if options.only is None else [options.only]
    for number in numbers:
        tally.add(number, worker.outcome(number))
    worker.stop()
    tally.show(options.seed)
    return 1 if tally.failures else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Harms small traces at random and reads them.")
    parser.add_argument("--n", type=int, default=1000, help="number of files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--traces", type=Path, action="append", default=[], help="folder of more")
    parser.add_argument("--only", type=int, help="number of one file to do again")
    return parser.parse_args()


class Worker:
    """A process that reads mutants, replaced where it hangs or dies."""

    def __init__(self, seed: int, folders: Sequence[Path]) -> None:
        self._arguments = (seed, folders)
        self._start()

    def outcome(self, number: int) -> Outcome:
        """What came of the mutant of that number, at most 10 s later."""
        self._pipe.send(number)
        failure = f"no end within {TIME_LIMIT_S:.0f} s"
        try:
            if self._pipe.poll(TIME_LIMIT_S):
                found: Outcome = self._pipe.recv()
                return found
        except EOFError:
            self._process.join()
            failure = f"the process died: {self._process.exitcode}"
        self.stop()
        self._start()
        return Outcome("", "", TIME_LIMIT_S, 0, 0, (), None, failure)

    def stop(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.join()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, *self._arguments), daemon=True)
        self._process.start()
        theirs.close()
        if not self._pipe.poll(_START_LIMIT_S) or self._pipe.recv() != "ready":
            raise SystemExit("the worker process does not start")


def _work(pipe: Connection, seed: int, folders: Sequence[Path]) -> None:
    """Answers numbers by outcomes, for ever."""
    corpus = sources([*OWN_TRACES, *folders])
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))
    pipe.send("ready")
    with tempfile.TemporaryDirectory() as folder:
        while True:
            one = mutant(corpus, seed, pipe.recv())
            start = time.perf_counter()
            try:
                found = read(one, Path(folder))
            except Exception:  # this is what is looked for
                seconds = time.perf_counter() - start
                said = traceback.format_exc()
                found = Outcome(one.name, one.how, seconds, 0, 0, (), None, said)
            peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            pipe.send(found._replace(peak_bytes=peak))


@dataclass(slots=True)
class Tally:
    """Outcomes by number, summed up."""

    outcomes: dict[int, Outcome] = field(default_factory=dict)
    failures: list[int] = field(default_factory=list)

    def add(self, number: int, outcome: Outcome) -> None:
        """Takes an outcome; says at once where something went wrong."""
        if outcome.peak_bytes > MEMORY_LIMIT_BYTES and not outcome.failure:
            outcome = outcome._replace(failure=f"{outcome.peak_bytes / 1e6:.0f} MB")
        self.outcomes[number] = outcome
        if outcome.failure:
            self.failures.append(number)
            print(
                f"--only {number} ({outcome.how} in {outcome.name}): {outcome.failure}", flush=True
            )

    def show(self, seed: int) -> None:
        """Prints the sums."""
        outcomes = self.outcomes.values()
        kinds = Counter(kind for outcome in outcomes for kind in outcome.kinds)
        read_bytes = max(outcome.peak_bytes for outcome in outcomes)
        print(f"seed {seed}: {len(outcomes)} files, {len(self.failures)} failures,", end=" ")
        print(f"{len(outcomes) - kinds['skipped'] - len(self.failures)} captures,", end=" ")
        print(f"{sum(one.seconds for one in outcomes):.0f} s, peak {read_bytes / 1e6:.0f} MB")
        print(", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
        _show("slowest", sorted(self.outcomes.items(), key=lambda item: -item[1].seconds))
        known = [item for item in self.outcomes.items() if item[1].lost is not None]
        lossy = sorted(known, key=lambda item: -(item[1].lost or 0))
        lost = sum(bool(item[1].lost) for item in known)
        print(f"harmed in one place: {len(known)}; untouched slices lost in {lost}")
        _show("most lost", [item for item in lossy if item[1].lost])


def _show(title: str, items: Sequence[tuple[int, Outcome]]) -> None:
    for number, one in items[:_SHOWN]:
        lost = "" if one.lost is None else f", {one.lost} lost of {one.lost + one.slices}"
        print(f"{title}: --only {number} {one.seconds:.2f} s, {one.how} in {one.name}{lost}")


if __name__ == "__main__":
    sys.exit(main())
