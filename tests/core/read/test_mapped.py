"""Columns are the same in memory and in a file, where they take room only while looked at."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from vpstop.read import mapped
from vpstop.read.mapped import ColumnStore, give_back, mapped_bytes, one_by_one
from vpstop.read.packing import Array

DEADLINE_S = 60
MEGABYTE = 1 << 20


def column(megabytes: float, start: int = 0) -> Array:
    return start + np.arange(int(megabytes * MEGABYTE) // 8, dtype=np.int64)


def test_what_fits_is_kept_as_it_is(tmp_path: Path) -> None:
    store = ColumnStore(3 * MEGABYTE, [tmp_path])
    first, second, third = column(1), column(2), column(1)
    assert store.keep(first) is first
    assert store.keep(second) is second
    assert store.keep(third) is not third


def test_what_does_not_fit_is_equal_and_lies_in_no_folder(tmp_path: Path) -> None:
    store = ColumnStore(0, [tmp_path])
    columns = [column(1), column(0.2, 7).astype(np.int32), column(3).reshape(-1, 2), column(2)[::2]]
    kept = [store.keep(one) for one in columns]
    del store
    for one, other in zip(kept, columns, strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)
        assert not one.flags.writeable
    assert not list(tmp_path.iterdir())


def test_short_columns_are_not_worth_it(tmp_path: Path) -> None:
    short = column(0.01)
    assert ColumnStore(0, [tmp_path]).keep(short) is short


def test_a_column_may_be_longer_than_a_region(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mapped, "_REGION_BYTES", MEGABYTE)
    store = ColumnStore(0, [tmp_path])
    columns = [column(0.5), column(0.4), column(2.3), column(0.2)]
    kept = [store.keep(one) for one in columns]
    assert all(np.array_equal(*pair) for pair in zip(kept, columns, strict=True))


def test_without_a_disk_columns_stay_in_memory(tmp_path: Path) -> None:
    one = column(1)
    assert ColumnStore(0, []).keep(one) is one
    assert ColumnStore(0, [tmp_path / "missing"]).keep(one) is one


def test_a_full_disk_keeps_columns_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(mapped, "_write", full)
    one = column(1)
    assert ColumnStore(0, [tmp_path]).keep(one) is one


LINUX_ONLY = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="needs the memory map of Linux"
)


@LINUX_ONLY
def test_what_nobody_gives_back_goes_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_given_back = threading.Event()
    original = mapped._guard.give_back

    def give_back() -> None:
        original()
        has_given_back.set()

    monkeypatch.setattr(mapped, "_LEAST_LIMIT_BYTES", MEGABYTE)
    monkeypatch.setattr(mapped._guard, "give_back", give_back)
    kept = ColumnStore(0, [tmp_path]).keep(column(64))
    before = mapped_bytes()
    assert int(kept.sum()) == int(column(64).sum())
    while mapped_bytes() - before > 8 * MEGABYTE:
        assert has_given_back.wait(DEADLINE_S)
        has_given_back.clear()
    assert int(kept[-1]) == len(kept) - 1


@LINUX_ONLY
def test_captures_one_by_one_take_the_room_of_one(tmp_path: Path) -> None:
    store = ColumnStore(0, [tmp_path])
    kept = [store.keep(column(8, start)) for start in range(4)]
    give_back()
    before = mapped_bytes()

    def peaks(columns: Iterator[Array]) -> Iterator[int]:
        for start, one in enumerate(columns):
            assert int(one.sum()) == int(column(8, start).sum())
            yield mapped_bytes() - before

    assert max(peaks(iter(kept))) > 30 * MEGABYTE
    give_back()
    assert max(peaks(one_by_one(kept))) < 12 * MEGABYTE
    assert mapped_bytes() - before < 4 * MEGABYTE
