"""The parser finds what the slow reference finds, in every recorded trace."""

from pathlib import Path

import pytest
from same_records import assert_same_records

from reference import reference_records
from vpstop.read.parser.parse import parse


def recorded(folder: Path) -> list[Path]:
    """Trace files under a folder; execution traces are another format."""
    return [
        path for path in sorted(folder.rglob("*.json.gz")) if not path.stem.endswith("_et.json")
    ]


@pytest.mark.slow
def test_real_traces_equal_the_reference(traces: Path) -> None:
    for path in recorded(traces):
        assert_same_records(parse(path), reference_records(path))


def test_laboratory_traces_equal_the_reference(lab: Path) -> None:
    for path in recorded(lab):
        assert_same_records(parse(path), reference_records(path))
