"""Traces in archives are read where they are, as if the archives were folders."""

import gzip
import io
import json
import random
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import zstandard

from vpstop.load import load
from vpstop.read.archive import members, without_ending
from vpstop.read.damage import Damaged
from vpstop.read.detail import arguments
from vpstop.read.discover import discover, root_of
from vpstop.read.export import Exporter, Written
from vpstop.read.inflate import chunks
from vpstop.read.source import size_bytes

NOISE = random.Random(1).randbytes(200_000)
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".tar": bytes,
    ".gz": gzip.compress,
    ".tgz": gzip.compress,
    ".zst": zstandard.compress,
}
ENDINGS = [".zip", ".tar", ".tar.gz", ".tgz", ".tar.zst"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))


def trace(at: int = 0, **more: Any) -> bytes:
    """A trace of 20 operators; `more` are its top-level keys."""
    event = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "dur": 5}
    events = [event | {"ts": at + 10 * n, "args": {"External id": n}} for n in range(20)]
    top = {"schemaVersion": 1, "baseTimeNanoseconds": 10**18, "traceEvents": events, **more}
    return json.dumps(top).encode()


def pack(path: Path, files: Mapping[str, bytes]) -> Path:
    """An archive as its name says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as container:
            container.mkdir("folder")
            for name, data in files.items():
                container.writestr(name, data)
        return path
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    compress = COMPRESS[path.suffix]
    path.write_bytes(compress(packed.getvalue()))
    return path


RUN = {
    "fra1/rank0.json.gz": gzip.compress(trace()),
    "fra1/rank1.json": trace(distributedInfo={"rank": 1, "world_size": 3}),
    "sin1/rank2.json.zst": zstandard.compress(trace(at=3)),
    "README.md": b"three ranks\n",
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("is_given", [False, True])
def test_names_inside_tell_ranks_and_hosts(ending: str, is_given: bool, tmp_path: Path) -> None:
    archive = pack(tmp_path / f"traces/runs{ending}", RUN)
    run = load(archive if is_given else tmp_path / "traces")
    assert [(m.rank, m.host) for m in run.members] == [(0, "fra1"), (1, "fra1"), (2, "sin1")]
    capture = run.members[2].capture
    assert capture.facts.path == str(archive / "sin1/rank2.json.zst")
    assert capture.facts.bytes == len(RUN["sin1/rank2.json.zst"])
    assert arguments(capture, 19) == {"External id": 19}
    formats = {Path(report.path).name: report.format for report in run.files}
    assert formats["README.md"] == "text"


def test_an_archive_for_each_node(tmp_path: Path) -> None:
    for rank, node in enumerate(["iad1", "tyo1"]):
        files = {f"rank{rank}.json": trace(distributedInfo={"rank": rank, "world_size": 2})}
        pack(tmp_path / f"traces/{node}.tar.gz", files)
    run = load(tmp_path / "traces")
    assert [(m.rank, m.host, m.host_source) for m in run.members] == [
        (0, "iad1", "folder"),
        (1, "tyo1", "folder"),
    ]


def test_the_archive_that_is_opened_is_the_assumed_host(tmp_path: Path) -> None:
    (member,) = load(pack(tmp_path / "job7.zip", {"a.json": trace()})).members
    assert (member.host, member.host_source) == ("job7", "assumed")


def test_one_member_can_be_opened(tmp_path: Path) -> None:
    archive = pack(tmp_path / "runs.zip", RUN)
    assert load(archive / "fra1/rank1.json").ranks == (1,)
    (report,) = load(archive / "fra1/rank7.json").files
    assert report.use == "skipped"


def test_the_second_time_a_digest_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = pack(tmp_path / "traces/runs.tar.gz", {"rank0.json": trace()})
    load(archive)
    monkeypatch.setattr("vpstop.read.pool.Worker.__init__", None)
    assert load(archive).ranks == (0,)


def test_digests_of_what_is_in_an_archive(tmp_path: Path) -> None:
    archive = pack(tmp_path / "traces/node5.zip", {"rank0.json": trace(), "../../x.json": trace()})
    events = list(Exporter([archive.parent], tmp_path / "small").events())
    digests = [event.digest for event in events if isinstance(event, Written)]
    assert sorted(digest.relative_to(tmp_path).as_posix() for digest in digests) == [
        "small/node5.zip/rank0.json.vpstop",
        "small/node5.zip/x.json.vpstop",
    ]
    assert load(tmp_path / "small").hosts == ("node5",)


@pytest.mark.parametrize("ending", ENDINGS)
def test_each_file_is_found_once_and_caches_are_not(ending: str, tmp_path: Path) -> None:
    names = ["b.json", ".git/a.json", "__MACOSX/b.json", "/abs.json", "d/./e.json", "../b.json"]
    archive = pack(tmp_path / f"runs{ending}", dict.fromkeys(names, b"{}"))
    found = discover([tmp_path, archive]).files
    inside = [file.path.relative_to(archive).as_posix() for file in found]
    assert inside == ["abs.json", "b.json", "d/e.json"]
    assert {file.mtime_ns for file in found} == {archive.stat().st_mtime_ns}


def test_an_archive_in_an_archive_is_a_note(tmp_path: Path) -> None:
    inner = pack(tmp_path / "inner.zip", {"rank0.json": trace()})
    pack(tmp_path / "traces/outer.tar", {"inner.zip": inner.read_bytes(), "rank1.json": trace()})
    run = load(tmp_path / "traces")
    assert run.ranks == (1,)
    assert ("not_a_trace", "format: archive") in [(w.kind, w.example) for w in run.warnings]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_name_that_lies(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"rank0.json{ending}"
    path.write_bytes(gzip.compress(trace()))
    assert load(path).ranks == (0,)
    path.write_bytes(b"neither one nor the other")
    (warning,) = load(path).warnings
    assert (warning.kind, warning.file) == ("unreadable", str(path))


@pytest.mark.parametrize("ending", [".zip", ".tar", ".tar.gz"])
def test_an_archive_that_is_cut_gives_what_is_whole(ending: str, tmp_path: Path) -> None:
    files = {"rank0.json": trace(), "rank1.json": trace(at=3), "noise": NOISE, "rank2.json": b"x"}
    archive = pack(tmp_path / f"runs{ending}", files)
    archive.write_bytes(archive.read_bytes()[:-100_000])
    run = load(archive)
    if ending == ".zip":  # its list of members stands at the end
        assert [warning.kind for warning in run.warnings] == ["unreadable"]
    else:
        assert run.ranks == (0, 1)


def test_an_encrypted_member_is_told(tmp_path: Path) -> None:
    archive = tmp_path / "runs.zip"
    with zipfile.ZipFile(archive, "w") as container:
        container.writestr("rank0.json", trace())
    data = bytearray(archive.read_bytes())
    for flags in (6, data.index(b"PK\x01\x02") + 8):
        data[flags] |= 1
    archive.write_bytes(data)
    (warning,) = load(archive).warnings
    assert (warning.kind, warning.file) == ("unreadable", str(archive / "rank0.json"))
    assert "encrypted" in warning.example


def test_a_member_with_a_wrong_checksum_is_used_with_a_warning(tmp_path: Path) -> None:
    archive = tmp_path / "runs.zip"
    with zipfile.ZipFile(archive, "w") as container:
        container.writestr("rank0.json", trace(padding="x" * 50_000))
    archive.write_bytes(archive.read_bytes().replace(b"aten::mm", b"aten::MM", 1))
    run = load(archive)
    assert [len(member.capture.slices) for member in run.members] == [20]
    assert "truncated" in {warning.kind for warning in run.warnings}


def test_a_bomb_in_an_archive_keeps_what_came_before(tmp_path: Path) -> None:
    bomb = gzip.compress(trace()[:-2] + b",\n" + b" " * (80 << 20))
    for name in ("runs.zip", "runs.tar.gz"):
        run = load(pack(tmp_path / name, {"rank0.json": bomb}), use_cache=False)
        assert [len(member.capture.slices) for member in run.members] == [20]
        assert [w.kind for w in run.warnings if w.kind == "truncated"] == ["truncated"]


def test_sizes_and_texts_of_members(tmp_path: Path) -> None:
    for ending in ENDINGS:
        archive = pack(tmp_path / f"runs{ending}", {"noise": NOISE, "empty": b""})
        assert size_bytes(archive / "noise") == len(NOISE)
        assert b"".join(chunks(archive / "noise")) == NOISE
        assert not list(chunks(archive / "empty"))
        with pytest.raises(FileNotFoundError):
            size_bytes(archive / "missing")
        assert all(one.stored_bytes <= archive.stat().st_size for one in members(archive))


def test_an_archive_without_files(tmp_path: Path) -> None:
    for name in ("runs.zip", "runs.tar"):
        with pytest.raises(Damaged):
            members(pack(tmp_path / name, {}))


def test_archives_are_folders(tmp_path: Path) -> None:
    archive = pack(tmp_path / "runs.tgz", {"a": b""})
    assert root_of([archive]) == archive
    assert root_of([archive / "a"]) == archive
    names = ["runs.tgz", "a.b.TAR.GZ", ".zip", "rank0.json.gz"]
    assert [without_ending(name) for name in names] == ["runs", "a.b", ".zip", "rank0.json.gz"]
