"""Makes a large trace of a real one: repeated with fresh ids and jittered times.

    python tests/bench/big_trace.py SOURCE TARGET --size 300

Between any two moments of the source the time that passes is scaled at random: slices nest as they
did, but no repetition compresses like the one before. The text is laid out as Kineto's C++ writer
does it, and never in memory as a whole.
"""

import argparse
import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt

Event = dict[str, Any]
Int64 = npt.NDArray[np.int64]

ID_KEYS: Final = frozenset(
    {
        "External id",
        "external id",
        "correlation",
        "Ev Idx",
        "Sequence number",
        "Python id",
        "Python parent id",
        "wait_on_cuda_event_record_corr_id",
    }
)
"""Arguments that are never the same in two places of a trace."""

REPEATED: Final = ("X", "i", "s", "t", "f")
STEP: Final = re.compile(r"(?<=ProfilerStep#)\d+")
EVENTS: Final = "traceEvents"


class Template(NamedTuple):
    """An event as a `%` format, and the numbers that change from one repetition to the next."""

    text: str
    before: tuple[int, ...]
    """Flow id or step number, in front of the time."""
    has_duration: bool
    after: tuple[int, ...]
    """Ids among the arguments."""


class Source(NamedTuple):
    """A trace, prepared to be repeated."""

    head: str
    templates: Sequence[Template]
    moment_ns: Int64
    """All starts and ends, sorted."""
    start: Int64
    """Rows of `moment_ns`, as `end`."""
    end: Int64
    once: Sequence[str]
    """Records at the end of the list that are not repeated."""
    tail: str


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--size", type=int, default=300, metavar="MB", help="of the plain text")
    parser.add_argument("--level", type=int, default=6, help="of gzip; 0 writes plain text")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    source = prepared(load(options.source))
    random = np.random.default_rng(options.seed)
    with opened(options.target, options.level) as file:
        for text in repeated(source, options.size * 10**6, random):
            file.write(text.encode())


def opened(target: Path, level: int) -> BinaryIO:
    return cast(BinaryIO, gzip.open(target, "wb", level) if level else target.open("wb"))


def load(path: Path) -> Mapping[str, Any]:
    """The whole source, with `Decimal` for fractions: times are exact to the nanosecond."""
    data = path.read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return cast(Mapping[str, Any], json.loads(data, parse_float=Decimal))


def prepared(top: Mapping[str, Any]) -> Source:
    """Splits a trace into what is repeated and what stands around it."""
    events = [event for event in top[EVENTS] if is_repeated(event)]
    once = [event for event in top[EVENTS] if not is_repeated(event)]
    start_ns = np.array([nanoseconds(event["ts"]) for event in events], np.int64)
    end_ns = start_ns + [nanoseconds(event.get("dur", 0)) for event in events]
    moment_ns, rows = np.unique(np.concatenate([start_ns, end_ns]), return_inverse=True)
    place = list(top).index(EVENTS)
    before, after = list(top.items())[:place], list(top.items())[place + 1 :]
    return Source(
        head="\n{\n" + "".join(f"{member(*pair)},\n" for pair in before) + f'  "{EVENTS}": [\n',
        templates=[template(event) for event in events],
        moment_ns=moment_ns,
        start=rows[: len(events)],
        end=rows[len(events) :],
        once=[f"  {json_text(event)}" for event in once],
        tail="\n  ]" + "".join(f",\n{member(*pair)}" for pair in after) + "\n}\n",
    )


def is_repeated(event: Event) -> bool:
    """Not the metadata, not the profiler's own span and markers, and nothing without a time."""
    is_own = event.get("cat") == "Trace" or (event["ph"] == "i" and "cat" not in event)
    return event["ph"] in REPEATED and not is_own and event["ts"] > 0


def nanoseconds(us: Any) -> int:
    return int(Decimal(us) * 1000)


def member(key: str, value: Any) -> str:
    return f"  {json_text(key)}: {json_text(value)}"


def json_text(value: Any) -> str:
    return json.dumps(value, default=float)


def template(event: Event) -> Template:
    """The event in Kineto's layout, with gaps for what changes."""
    before: tuple[int, ...]
    after: tuple[int, ...]
    if event["ph"] in "stf":
        before = (int(event["id"]),)
        first = fields(event, "ph") + ', "id": %d, ' + fields(event, "pid", "tid")
        last, after = fields(event, "cat", "name", "bp"), ()
    else:
        before = tuple(map(int, STEP.findall(event["name"])[:1]))
        first = STEP.sub("%d", fields(event, "ph", "cat", "name", "s", "pid", "tid"), count=1)
        last, after = arguments(event.get("args") or {})
    times = '"ts": %d.%03d, "dur": %d.%03d' if "dur" in event else '"ts": %d.%03d'
    lines = [first, times, last] if last else [first, times]
    return Template(
        text="  {\n    " + ",\n    ".join(lines) + "\n  }",
        before=before,
        has_duration="dur" in event,
        after=after,
    )


def fields(event: Mapping[str, Any], *keys: str) -> str:
    """Those of the keys that are there, with their values, as part of a `%` format."""
    texts = [f"{json_text(key)}: {json_text(event[key])}" for key in keys if key in event]
    return ", ".join(texts).replace("%", "%%")


def arguments(args: Mapping[str, Any]) -> tuple[str, tuple[int, ...]]:
    """The arguments with a gap for every id, and the ids."""
    ids = {key: value for key, value in args.items() if key in ID_KEYS and is_id(value)}
    texts = [f"{json_text(key)}: %d" if key in ids else fields(args, key) for key in args]
    text = '"args": {\n      ' + ", ".join(texts) + "\n    }"
    return text if args else "", tuple(ids.values())


def is_id(value: Any) -> bool:
    return isinstance(value, int) and value > 0


def repeated(source: Source, size: int, random: np.random.Generator) -> Iterator[str]:
    """The text of a trace of about `size` bytes, an event at a time."""
    yield source.head
    written, separator = len(source.head), ""
    begin_ns = int(source.moment_ns[0])
    id_stride, step_stride = strides(source.templates)
    repetition = 0
    while written < size:
        moment_ns = begin_ns + jittered(source.moment_ns, random)
        shifts = id_stride * repetition, step_stride * repetition
        for text in one_repetition(source, moment_ns, *shifts):
            yield separator + text
            written, separator = written + len(text), ",\n"
            if written >= size:
                break
        begin_ns = int(moment_ns[-1]) + 1000
        repetition += 1
    yield from (separator + text for text in source.once[:1])
    yield from (",\n" + text for text in source.once[1:])
    yield source.tail


def strides(templates: Sequence[Template]) -> tuple[int, int]:
    """By how much ids and step numbers grow from one repetition to the next."""
    flows = (one.before for one in templates if not one.has_duration)
    ids = chain((0,), *flows, *(one.after for one in templates))
    steps = {step for one in templates if one.has_duration for step in one.before}
    return max(ids) + 1, max(steps) - min(steps) + 1 if steps else 0


def jittered(moment_ns: Int64, random: np.random.Generator) -> Int64:
    """Moments from 0 on in the same order, with every gap a fifth longer or shorter at most."""
    gap_ns = np.diff(moment_ns, prepend=moment_ns[0])
    scaled = np.rint(gap_ns * random.uniform(0.8, 1.2, len(gap_ns))).astype(np.int64)
    return np.cumsum(np.maximum(scaled, np.minimum(gap_ns, 1)))


def one_repetition(
    source: Source, moment_ns: Int64, id_shift: int, step_shift: int
) -> Iterator[str]:
    start_ns = moment_ns[source.start]
    duration_ns = moment_ns[source.end] - start_ns
    rows = zip(source.templates, start_ns.tolist(), duration_ns.tolist(), strict=True)
    for one, start, duration in rows:
        shift = step_shift if one.has_duration else id_shift
        times = (*divmod(start, 1000), *divmod(duration, 1000))
        values = (
            *(number + shift for number in one.before),
            *(times if one.has_duration else times[:2]),
            *(number + id_shift for number in one.after),
        )
        yield one.text % values


if __name__ == "__main__":
    main()
