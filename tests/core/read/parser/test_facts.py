"""What a file says about itself, before and after its events."""

import json
from pathlib import Path
from typing import Any

import pytest
from written import array, spaced_line, write

from vpstop.read.capture import Device, Facts, Group
from vpstop.read.damage import Damaged
from vpstop.read.parser.parse import parse

EVENT = {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 5, "dur": 1}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace.json"


def facts(path: Path, before: dict[str, Any], after: dict[str, Any] | None = None) -> Facts:
    return parse(write(path, spaced_line([EVENT], before, after or {}))).facts


def test_rank_world_and_groups(path: Path) -> None:
    group = {"pg_name": 4, "pg_desc": "default_pg", "pg_size": "2", "ranks": [0, 5]}
    info = {"backend": "nccl", "rank": "5", "world_size": 8.0, "pg_config": [group, "?"]}
    found = facts(path, {"distributedInfo": info})
    assert (found.rank, found.world_size, found.backend) == (5, 8, "nccl")
    assert found.groups == (Group("4", "default_pg", (0, 5), 2),)


def test_metadata_after_the_events(path: Path) -> None:
    found = facts(path, {}, {"distributedInfo": {"rank": 3}, "baseTimeNanoseconds": 10**18})
    assert (found.rank, found.base_ns, found.relative) == (3, 10**18, False)


@pytest.mark.parametrize(
    ("text", "ranks"), [("[0, 1]", (0, 1)), ("[0, 1, ..., 63]", ()), ("", ()), ("[]", ())]
)
def test_ranks_as_text(path: Path, text: str, ranks: tuple[int, ...]) -> None:
    found = facts(path, {"distributedInfo": {"pg_config": [{"pg_name": "0", "ranks": text}]}})
    assert found.groups[0].ranks == ranks


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_infos_the_one_with_groups_wins(path: Path, order: int) -> None:
    infos = [{"rank": 1, "world_size": 4}, {"rank": 2, "pg_config": [{"pg_name": "0"}]}][::order]
    texts = ", ".join(f'"distributedInfo": {json.dumps(info)}' for info in infos)
    write(path, f'{{{texts}, "traceEvents": [{json.dumps(EVENT)}]}}')
    found = parse(path).facts
    assert (found.rank, found.world_size, len(found.groups)) == (2, 4, 1)


def test_devices(path: Path) -> None:
    first = {"id": 0, "name": "A\x07", "totalGlobalMem": 80, "numSms": 132}
    found = facts(path, {"deviceProperties": [first, {"name": "no number"}, None]})
    assert found.devices == (Device(0, "A", 80, {**first, "name": "A"}),)


def test_options_and_everything_else(path: Path) -> None:
    own = {"record_shapes": 1, "with_stack": 0, "host_name": "fra1", "trace_id": "T"}
    found = facts(path, {**own, "mine": {"a\x1b": ["\x1bb"]}})
    assert found.options == {"record_shapes"}
    assert (found.host_name, found.trace_id) == ("fra1", "T")
    assert found.metadata == {"mine": {"a": ["b"]}}


def test_times_without_an_origin(path: Path) -> None:
    records = parse(write(path, array([EVENT])))
    assert records.facts.relative
    assert [warning.kind for warning in records.warnings] == ["time_base_unknown"]


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (EVENT, "kineto"),
        ({**EVENT, "cat": "Operator"}, "kineto"),
        ({"ph": "X", "name": "a", "pid": "CPU functions", "tid": 1, "ts": 5}, "legacy-autograd"),
        ({**EVENT, "cat": "blink"}, "chrome"),
    ],
)
def test_formats(path: Path, event: dict[str, Any], kind: str) -> None:
    assert parse(write(path, array([event]))).facts.format == kind


def test_a_damaged_tail_costs_no_event_and_no_other_key(path: Path) -> None:
    tail = '"INFO": ["a "quote""], "distributedInfo": {"rank": 3}, "host_name": "fra1"'
    records = parse(write(path, f'{{"traceEvents": [{json.dumps(EVENT)}], {tail}}}'))
    assert len(records.slices.start_ns) == 1
    assert (records.facts.rank, records.facts.host_name) == (3, "fra1")
    assert "damaged_metadata" in {warning.kind for warning in records.warnings}


def test_a_damaged_head_costs_no_event(path: Path) -> None:
    head = '"note": "a "quote"", "distributedInfo": {"rank": 3}'
    records = parse(write(path, f'{{{head}, "traceEvents": [{json.dumps(EVENT)}]}}'))
    assert len(records.slices.start_ns) == 1
    assert records.facts.rank == 3
    assert "damaged_metadata" in {warning.kind for warning in records.warnings}


@pytest.mark.parametrize("text", ["", "null", "{}", '{"traceEvents": null}', "a: b"])
def test_no_event_list(path: Path, text: str) -> None:
    with pytest.raises(Damaged):
        parse(write(path, text))


@pytest.mark.parametrize("text", ['{"a": {"traceEvents": [1]}}', '["a"'])
def test_a_list_without_events_is_damage(path: Path, text: str) -> None:
    records = parse(write(path, text))
    assert len(records.slices.start_ns) == 0
    assert "bad_record" in {warning.kind for warning in records.warnings}


@pytest.mark.parametrize(
    "text", ["[]", " [ \n]\n", '{"traceEvents": [ ] }', '\ufeff{"traceEvents":[]}']
)
def test_an_empty_event_list(path: Path, text: str) -> None:
    assert len(parse(write(path, text)).slices.start_ns) == 0
