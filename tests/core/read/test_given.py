"""What the user says of files is found by name, path or glob, and the last word counts."""

from pathlib import Path

import pytest

from build import capture, op
from vpstop.read.given import NOTHING_GIVEN, Given, GivenHost, GivenRank

MADE = capture(op("aten::mm", 0, 1), rank=7, host_name="said-by-file")
FILE = Path("/traces/node1/rank[0].json")


@pytest.mark.parametrize(
    ("files", "path", "fits"),
    [
        ("rank0.json", "/traces/a/rank0.json", True),
        ("a/rank0.json", "/traces/a/rank0.json", True),
        ("./a/rank0.json", "/traces/a/rank0.json", True),
        ("/traces/a/rank0.json", "/traces/a/rank0.json", True),
        ("a/*", "/traces/a/rank0.json", True),
        ("rank?.json*", "/traces/a/rank0.json.gz", True),
        ("rank[0].json", "/traces/a/rank[0].json", True),
        ("rank0.json", "/traces/a/rank0.json.vpstop", True),
        ("rank0.json.vpstop", "/traces/a/rank0.json.vpstop", True),
        ("rank0.json", "/traces/a/rank00.json", False),
        ("b/rank0.json", "/traces/a/rank0.json", False),
        ("a", "/traces/a/rank0.json", False),
        ("", "/traces/a/rank0.json", False),
        (".", "/traces/a/rank0.json", False),
    ],
)
def test_which_files_are_meant(files: str, path: str, fits: bool) -> None:
    given = Given([GivenRank(files, 3)])
    assert given.applied(MADE, Path(path)).facts.given_rank == (3 if fits else None)
    assert given.unmatched([Path(path)]) == (() if fits else (files,))


def test_the_last_word_counts() -> None:
    given = Given(
        [GivenRank("*.json", 1), GivenRank(FILE.name, 0)],
        [GivenHost(FILE.name, "x"), GivenHost("node1/*", "y")],
    )
    facts = given.applied(MADE, FILE).facts
    assert (facts.given_rank, facts.given_host) == (0, "y")
    assert (facts.rank, facts.host_name) == (7, "said-by-file")


def test_what_fits_nothing_is_named_once() -> None:
    given = Given(
        [GivenRank("a", 1), GivenRank("b", 2)], [GivenHost("a", "x"), GivenHost("*", "y")]
    )
    assert given.unmatched([FILE]) == ("a", "b")


def test_nothing_said_is_nothing_changed() -> None:
    assert NOTHING_GIVEN.applied(MADE, FILE) is MADE
    assert not NOTHING_GIVEN.unmatched([])
