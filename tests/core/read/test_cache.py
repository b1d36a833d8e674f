"""The cache finds the digest of exactly this state of a file, and its absence costs nothing."""

import os
from pathlib import Path

import pytest

from vpstop.read.cache import Cache
from vpstop.read.discover import FoundFile, discover


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return tmp_path / "caches" / "vpstop"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "rank0.json"
    path.write_text("{}")
    return path


def found(path: Path) -> FoundFile:
    """The file as it is now."""
    (file,) = discover([path]).files
    return file


def test_digests_lie_in_the_users_cache_folder(home: Path, trace: Path) -> None:
    with Cache() as cache:
        best, *others = cache.places(found(trace))
    assert best.parent == home
    assert others
    assert home not in {other.parent for other in others}


def test_a_digest_is_of_one_state_of_one_file(trace: Path) -> None:
    with Cache() as cache:
        before = cache.places(found(trace))
        os.utime(trace, ns=(0, 1))
        touched = cache.places(found(trace))
        trace.write_text("{ }")
        os.utime(trace, ns=(0, 1))
        grown = cache.places(found(trace))
        trace.rename(trace.with_name("rank1.json"))
        renamed = cache.places(found(trace.with_name("rank1.json")))
    assert len({before, touched, grown, renamed}) == 4


def test_the_same_file_by_another_path_has_the_same_digest(trace: Path) -> None:
    link = trace.with_name("link.json")
    link.symlink_to(trace)
    with Cache() as cache:
        assert cache.places(found(link))[0] == cache.places(found(trace))[0]


def test_the_longest_unused_digests_go_until_the_others_fit(home: Path) -> None:
    with Cache(limit_bytes=250) as cache:
        for used_s, name in enumerate(["first", "second", "third"]):
            digest = home / f"{name}.vpstop"
            digest.write_bytes(b"x" * 100)
            os.utime(digest, (used_s, used_s))
        cache.mark_used(home / "first.vpstop")
        cache.trim()
    assert sorted(path.stem for path in home.iterdir()) == ["first", "third"]


def test_what_killed_writers_left_goes(home: Path) -> None:
    with Cache() as cache:
        (home / ".vpstop-1.part").write_bytes(b"half of")
        cache.trim()
    assert not list(home.iterdir())


def test_other_files_in_the_folder_are_left_alone(home: Path) -> None:
    with Cache(limit_bytes=0) as cache:
        (home / "notes.txt").write_text("mine")
        (home / "a.vpstop").write_text("digest")
        cache.trim()
    assert [path.name for path in home.iterdir()] == ["notes.txt"]


def test_a_folder_that_cannot_be_made_is_replaced_for_the_session(home: Path, trace: Path) -> None:
    home.parent.write_text("a file where the folder should be")
    with Cache() as cache:
        places = cache.places(found(trace))
        for place in places:
            place.write_bytes(b"digest")
    assert places
    assert not any(place.parent.exists() for place in places)
    assert home.parent.is_file()


def test_without_keeping_nothing_is_written_to_the_users_folder(home: Path, trace: Path) -> None:
    with Cache(keep=False) as cache:
        assert home not in {place.parent for place in cache.places(found(trace))}
    assert not home.exists()


def test_a_used_digest_of_the_session_is_removed_at_once(trace: Path) -> None:
    with Cache(keep=False) as cache:
        place = cache.places(found(trace))[0]
        place.write_bytes(b"digest")
        cache.mark_used(place)
        assert not place.exists()
