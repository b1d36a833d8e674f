"""The arguments of any slice can be fetched again, from its trace or from a carried digest."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from written import LAYOUTS, write

from conftest import folder
from vpstop.read import read_file
from vpstop.read.arguments import ArgumentBlocks, unpacked
from vpstop.read.capture import Capture
from vpstop.read.detail import ArgumentsLost, arguments
from vpstop.read.digest import open_digest, save_digest
from vpstop.read.loader import Loaded, Loader
from vpstop.read.parser.facts import cleaned


def event(number: int, phase: str = "X") -> dict[str, object]:
    args = {"number": number, "text": "x\x1b},{", "nested": [{"a": 1}, {"b": 2}]}
    return {"ph": phase, "name": str(number), "pid": 1, "tid": 1, "ts": number, "args": args}


def read(path: Path) -> Capture:
    found = read_file(path)
    assert isinstance(found, Capture), found
    return found


def carried(path: Path, target: Path) -> Capture:
    """The capture of a digest that has the arguments, and is all that is left."""
    blocks = ArgumentBlocks()
    made = read_file(path, blocks=blocks)
    save_digest(made, target, blocks.packed)
    (found,) = [event for event in Loader([target]).events() if isinstance(event, Loaded)]
    assert isinstance(found.outcome, Capture)
    return found.outcome


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("compressed", [True, False])
def test_arguments_of_every_slice(tmp_path: Path, layout: str, compressed: bool) -> None:
    events = [event(n, phase) for n, phase in enumerate("XsXXiBXEMXX" * 20)]
    path = write(tmp_path / "t.json", LAYOUTS[layout](events, {"a": 1}, {}), compressed)
    capture = read(path)
    names = [int(capture.names[code]) for code in capture.slices.name]
    found = [arguments(capture, row) for row in range(len(names))]
    assert [args["number"] for args in found] == names
    first = found[names.index(0)]
    assert first == {"number": 0, "text": "x},{", "nested": [{"a": 1}, {"b": 2}]}
    path.rename(tmp_path / "u.json")
    digest = carried(tmp_path / "u.json", tmp_path / "t.vpstop")
    (tmp_path / "u.json").unlink()
    assert [arguments(digest, row) for row in range(len(names))] == found


def test_slices_in_later_pieces(tmp_path: Path) -> None:
    events = [event(number) for number in range(20_000)]
    capture = read(write(tmp_path / "t.json", LAYOUTS["lines"](events, {}, {})))
    assert arguments(capture, 19_999)["number"] == 19_999
    assert arguments(capture, 10_000)["number"] == 10_000


def test_a_slice_without_arguments(tmp_path: Path) -> None:
    bare = {"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1}
    path = write(tmp_path / "t.json", LAYOUTS["kineto"]([bare, {**bare, "args": []}], {}, {}))
    for capture in (read(path), carried(path, tmp_path / "t.vpstop")):
        assert [arguments(capture, row) for row in (0, 1)] == [{}, {}]


def test_slices_around_damage(tmp_path: Path) -> None:
    text = LAYOUTS["kineto"]([event(number) for number in range(3000)], {}, {})
    broken = text.replace('"number": 1500,', '"number": inf,').replace('"pid": 1, "tid"', '"p', 1)
    path = write(tmp_path / "t.json", broken[: len(text) * 9 // 10])
    here, digest = read(path), carried(path, tmp_path / "t.vpstop")
    assert len(here.slices) > 2500
    assert {warning.kind for warning in here.warnings} > {"truncated", "bad_number"}
    for row, code in enumerate(here.slices.name.tolist()):
        name = int(here.names[code])
        assert arguments(digest, row)["number"] == (None if name == 1500 else name)
    for row in (0, 1, 1400, 1600, len(here.slices) - 1):
        assert arguments(here, row) == arguments(digest, row)


def test_a_file_that_changed(tmp_path: Path) -> None:
    path = write(tmp_path / "t.json", LAYOUTS["kineto"]([event(1)], {}, {}))
    capture = read(path)
    write(path, "[]")
    with pytest.raises(ArgumentsLost, match="changed"):
        arguments(capture, 0)
    write(path, " " * capture.facts.bytes)
    with pytest.raises(ArgumentsLost, match="not there any more"):
        arguments(capture, 0)
    path.unlink()
    with pytest.raises(ArgumentsLost, match="No such file"):
        arguments(capture, 0)


def test_a_digest_without_arguments_knows_its_trace(tmp_path: Path) -> None:
    path = write(tmp_path / "t.json", LAYOUTS["kineto"]([event(1)], {}, {}))
    save_digest(read(path), tmp_path / "t.vpstop")
    found = open_digest(tmp_path / "t.vpstop")
    assert isinstance(found, Capture)
    assert arguments(found, 0)["number"] == 1


def test_a_damaged_digest_is_no_traceback(tmp_path: Path) -> None:
    path = write(tmp_path / "t.json", LAYOUTS["kineto"]([event(n) for n in range(99)], {}, {}))
    capture = carried(path, tmp_path / "t.vpstop")
    data = (tmp_path / "t.vpstop").read_bytes()
    place = data.index(b"arguments/") + 30
    (tmp_path / "t.vpstop").write_bytes(data[:place] + b"\0\0\0\0" + data[place + 4 :])
    with pytest.raises(ArgumentsLost):
        arguments(capture, 0)


def recorded(config: pytest.Config) -> list[Path]:
    """Some real traces and the damaged ones of the cases."""
    real, cases = folder(config, "--traces"), folder(config, "--cases")
    wanted = ["two-of-128/*.gz", "minitoy-mi250/*.gz", "cuda-streams-a100/*.gz"]
    found = [path for pattern in wanted for path in sorted(real.glob(pattern))[:1]]
    for number in ("03", "04", "05", "06", "07", "08", "10", "22"):
        found += sorted(path for path in cases.glob(f"{number}-*/input/*") if path.is_file())
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "trace" in metafunc.fixturenames:
        found = recorded(metafunc.config)
        metafunc.parametrize("trace", found, ids=[f"{p.parts[-3]}-{p.name}" for p in found])


def test_a_digest_has_the_arguments_of_all_records(trace: Path) -> None:
    try:
        events = json.loads(gzip.decompress(trace.read_bytes()))["traceEvents"]
    except (OSError, ValueError):
        pytest.skip("only for what plain JSON can read")
    blocks = ArgumentBlocks()
    made = read_file(trace, blocks=blocks)
    assert isinstance(made, Capture)
    expected = [cleaned(event.get("args") or {}) for event in events if event["ph"] in "XBE"]
    lines = [line for first in sorted(blocks.packed) for line in unpacked(blocks.packed[first])]
    assert [cleaned(json.loads(line or b"{}")) for line in lines] == expected
    assert len(expected) >= len(made.slices) > 0


def test_digest_and_trace_give_the_same(trace: Path, tmp_path: Path) -> None:
    digest = carried(trace, tmp_path / "t.vpstop")
    here = read(trace)
    rows = np.random.default_rng(1).permutation(len(here.slices))[:50].tolist()
    for row in rows:
        assert arguments(digest, row) == arguments(here, row), here.names[here.slices.name[row]]
