"""The generator of large traces keeps what makes a trace: nesting, links, ids of their own."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from vpstop.read import read_file
from vpstop.read.capture import Capture

BENCH: Final = Path(__file__).parent
SOURCE: Final = BENCH.parent.parent / "sample_traces/lan/fra1-a.pt.trace.json.gz"


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> tuple[Capture, Capture]:
    """The source, and four repetitions of it and a little more."""
    target = tmp_path_factory.mktemp("big") / "trace.json.gz"
    program = BENCH / "big_trace.py"
    subprocess.run([sys.executable, program, SOURCE, target, "--size", "4"], check=True)
    source, large = read_file(SOURCE), read_file(target)
    assert isinstance(source, Capture) and isinstance(large, Capture)
    return source, large


def names_of_parents(capture: Capture, rows: slice) -> list[tuple[str, str]]:
    """(name, name of the parent) in order of start."""
    slices = capture.slices
    order = np.argsort(slices.start_ns, kind="stable")[rows]
    name = [capture.names[code] for code in slices.name]
    parents = [
        (name[row], name[slices.parent[row]] if slices.parent[row] >= 0 else "") for row in order
    ]
    return [(one.rstrip("0123456789"), parent.rstrip("0123456789")) for one, parent in parents]


def test_slices_nest_as_in_the_source(captures: tuple[Capture, Capture]) -> None:
    source, large = captures
    count = len(source.slices)
    assert len(large.slices) > 4 * count
    for repetition in range(4):
        rows = slice(repetition * count, (repetition + 1) * count)
        assert names_of_parents(large, rows) == names_of_parents(source, slice(count))


def test_no_repetition_takes_as_long_as_another(captures: tuple[Capture, Capture]) -> None:
    _, large = captures
    names = [large.names[code] for code in large.slices.name]
    steps = [row for row, name in enumerate(names) if name.startswith("ProfilerStep#")]
    assert len({names[row] for row in steps}) == len(steps)
    assert len(set(large.slices.duration_ns[steps].tolist())) == len(steps)


def test_ids_are_given_once(captures: tuple[Capture, Capture]) -> None:
    source, large = captures
    distinct = np.unique(source.slices.external_id[source.slices.external_id > 0])
    again = np.unique(large.slices.external_id[large.slices.external_id > 0])
    assert len(again) > 4 * len(distinct)
    assert {one.kind for one in large.warnings} == {one.kind for one in source.warnings}
