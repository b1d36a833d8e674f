"""What the user says of hosts and links: read, merged, and complained of."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vpstop.nodes import (
    NO_NODES,
    HostFacts,
    LinkFacts,
    Nodes,
    beside,
    given_offsets,
    read_nodes,
)

WHOLE = """
[hosts.tyo1]
region = "ap-northeast-1"
price_per_hour = 0.526
offset = "+0s"              # known clock offset, taken as given
[hosts.fra1]
region = "eu-central-1"
[links."fra1-tyo1"]
rtt_ms = 230
gbps = 0.2
"""


def read(folder: Path, text: str, *hosts: str) -> Nodes:
    path = folder / "nodes.toml"
    path.write_text(text)
    return read_nodes(path, hosts)


def complaints(found: Nodes) -> list[str]:
    return [warning.example for warning in found.warnings]


def test_the_whole_file(tmp_path: Path) -> None:
    found = read(tmp_path, WHOLE, "fra1", "tyo1")
    assert found.warnings == ()
    assert found.hosts == {
        "tyo1": HostFacts("ap-northeast-1", 0.526, 0),
        "fra1": HostFacts("eu-central-1"),
    }
    assert found.links == {frozenset(("tyo1", "fra1")): LinkFacts(230_000_000, 0.2)}
    assert found.link("tyo1", "fra1") == found.link("fra1", "tyo1") == LinkFacts(230_000_000, 0.2)


def test_nothing_is_said_of_others() -> None:
    assert NO_NODES.host("x") == HostFacts()
    assert NO_NODES.link("x", "y") == LinkFacts()
    assert NO_NODES.least_delay_ns("x", "y") == 0


def test_light_needs_its_time_only_between_given_regions(tmp_path: Path) -> None:
    found = read(tmp_path, WHOLE + "[hosts.sin1]\nprice_per_hour = 1\n")
    assert 29.5e6 < found.least_delay_ns("fra1", "tyo1") < 31.2e6
    assert found.least_delay_ns("fra1", "sin1") == 0
    assert found.least_delay_ns("fra1", "fra1") == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hosts.a.offset = '+4x'", "hosts.a.offset: '+4x' is no offset: write +4h, "),
        ("hosts.a.offset = 4", "hosts.a.offset: '4' is no offset"),
        ("hosts.a.price_per_hour = 'much'", "hosts.a.price_per_hour: 'much' is no number"),
        ("hosts.a.price_per_hour = -1", "hosts.a.price_per_hour: -1 is no number"),
        ("hosts.a.price_per_hour = nan", "hosts.a.price_per_hour: nan is no number"),
        ("hosts.a.price_per_hour = true", "hosts.a.price_per_hour: True is no number"),
        ("hosts.a.region = 3", "hosts.a.region: 3 is no text"),
        ("hosts.a.region = 'mars'", "hosts.a.region: 'mars' is not among the known regions"),
        ("hosts.a.ofset = '+4h'", "hosts.a.ofset means nothing here"),
        ("hosts.a.b.offset = '+4h'", 'a name with dots needs quotes: [hosts."a.b"]'),
        ("hosts.a = 1", "hosts.a is no table: write [hosts.NAME]"),
        ("hosts = 1", "hosts is no table"),
        ("links = []", "links is no table"),
        ("links.a-b.rtt_ms = 0", "links.a-b.rtt_ms: 0 is no number that makes sense"),
        ("links.a-b.gbps = inf", "links.a-b.gbps: inf is no number"),
        ("links.a-b.rtt = 3", "links.a-b.rtt means nothing here"),
        ("links.ab.rtt_ms = 3", "links.ab does not tell two hosts apart"),
        ("links.a-a.rtt_ms = 3", "links.a-a does not tell two hosts apart"),
        ("links.a-b-c.rtt_ms = 3", "links.a-b-c does not tell two hosts apart"),
        ("node.a.region = 'fra1'", "node means nothing here"),
        ("not toml", "not TOML: "),
        ("a = " + "[" * 5000, "not TOML: "),
    ],
)
def test_a_bad_value_is_one_line_and_the_rest_is_kept(text: str, said: str, tmp_path: Path) -> None:
    (complaint,) = complaints(read(tmp_path, text))
    assert said in complaint
    if "TOML" not in said and "hosts" in text and "table" not in said:
        kept = read(tmp_path, f"{text}\n[hosts.z]\nprice_per_hour = 2\n")
        assert kept.host("z").price_per_hour == 2


def test_a_bad_value_leaves_its_neighbours(tmp_path: Path) -> None:
    found = read(tmp_path, "[hosts.a]\nregion = 3\noffset = '+1h'\nprice_per_hour = -1\n")
    assert found.host("a") == HostFacts("", None, 3_600 * 10**9)
    assert len(found.warnings) == 2
    assert {warning.kind for warning in found.warnings} == {"bad_nodes"}
    assert {warning.file for warning in found.warnings} == {str(tmp_path / "nodes.toml")}


def test_hosts_that_are_not_in_the_run_are_told_once(tmp_path: Path) -> None:
    found = read(tmp_path, WHOLE, "tyo1", "sin1")
    assert complaints(found) == ["there is no host fra1 in this run"]
    assert complaints(read(tmp_path, WHOLE)) == []


@pytest.mark.parametrize("name", ["fra1-a-fra1-b", "fra1-a - fra1-b"])
def test_hosts_of_a_link_may_have_dashes(name: str, tmp_path: Path) -> None:
    found = read(tmp_path, f'[links."{name}"]\nrtt_ms = 3\n', "fra1-a", "fra1-b", "fra1")
    assert found.links == {frozenset(("fra1-a", "fra1-b")): LinkFacts(3_000_000)}
    assert found.warnings == ()


def test_a_link_that_can_be_cut_in_two_ways_is_not_guessed(tmp_path: Path) -> None:
    found = read(tmp_path, '[links."a-b-c"]\nrtt_ms = 3\n', "a", "b-c", "a-b", "c")
    assert found.links == {}
    assert "does not tell two hosts apart" in complaints(found)[0]


@pytest.mark.parametrize("content", [b"\xff\xfe", b"\0", b'a = "\x1b[2J"'])
def test_any_bytes_are_a_warning_without_control_characters(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "nodes.toml"
    path.write_bytes(content)
    (complaint,) = complaints(read_nodes(path))
    assert complaint.isprintable()


def test_a_byte_order_mark_and_an_empty_file_are_nothing_special(tmp_path: Path) -> None:
    assert read(tmp_path, "").warnings == ()
    assert read(tmp_path, "\ufeff" + WHOLE).host("tyo1").price_per_hour == 0.526


def test_a_file_that_cannot_be_read_is_a_warning(tmp_path: Path) -> None:
    assert complaints(read_nodes(tmp_path / "none.toml")) == ["No such file or directory"]
    assert complaints(read_nodes(tmp_path)) == ["Is a directory"]


def test_names_are_as_hosts_of_a_run_are(tmp_path: Path) -> None:
    found = read(tmp_path, '[hosts."a\\u200bb"]\noffset = "1s"\n', "ab")
    assert (found.host("ab").offset_ns, found.warnings) == (10**9, ())


@given(content=st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode()))
def test_no_content_is_a_traceback(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "nodes.toml"
    path.write_bytes(content)
    assert all(warning.kind == "bad_nodes" for warning in read_nodes(path, ["a"]).warnings)


def test_what_comes_later_counts(tmp_path: Path) -> None:
    older = read(tmp_path, WHOLE)
    newer = Nodes(
        {"tyo1": HostFacts(price_per_hour=2.0), "x": HostFacts("fsn1")},
        {frozenset(("fra1", "tyo1")): LinkFacts(gbps=1.0)},
    )
    both = older.under(newer).under(given_offsets({"tyo1": 5}))
    assert both.host("tyo1") == HostFacts("ap-northeast-1", 2.0, 5)
    assert both.host("x") == HostFacts("fsn1")
    assert both.link("fra1", "tyo1") == LinkFacts(230_000_000, 1.0)


def test_unknown_names_are_told_in_order() -> None:
    found = Nodes({"b": HostFacts(), "a": HostFacts()}, {frozenset(("a", "c")): LinkFacts()})
    assert found.unknown({"b"}) == ("a", "c")


def test_the_file_lies_in_the_opened_folder_or_beside_traces(tmp_path: Path) -> None:
    for folder in ("run", "run/tyo", "run/fra"):
        (tmp_path / folder).mkdir()
    for folder in ("run", "run/tyo"):
        (tmp_path / folder / "nodes.toml").write_text("")
    run = tmp_path / "run"
    traces = [run / "tyo/rank0.json", run / "fra/rank1.json", run / "a.zip/rank2.json"]
    assert beside([run], traces) == (run / "nodes.toml", run / "tyo/nodes.toml")
    assert beside([run / "rank0.json"]) == (run / "nodes.toml",)
    assert beside([run / "fra"]) == ()
