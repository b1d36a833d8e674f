"""Progress is thinned out, and ranks come as soon as their files are read."""

from timelines import CannedLoader, rank_capture

from build import EPOCH_NS, capture, kernel
from vpstop.read.capture import Skipped
from vpstop.read.loader import Loaded
from vpstop.tui.reading import Arrived, Reading


def arrived(loader: CannedLoader) -> list[Arrived]:
    """The runs that come."""
    return [news for news in Reading(loader).news() if isinstance(news, Arrived)]


def test_every_file_is_announced_and_the_last_run_has_all_ranks() -> None:
    loader = CannedLoader([rank_capture(rank) for rank in range(30)])
    news = list(Reading(loader).news())
    assert sum(isinstance(one, Loaded) for one in news) == 30
    assert isinstance(news[-1], Arrived)
    assert len(news[-1].run.members) == 30


def test_the_first_ranks_come_one_by_one() -> None:
    found = arrived(CannedLoader([rank_capture(rank) for rank in range(3)]))
    assert [len(one.run.members) for one in found] == [1, 2, 3, 3]


def test_what_is_known_of_a_capture_is_not_worked_out_again() -> None:
    first, second, _ = arrived(CannedLoader([rank_capture(1), rank_capture(0)]))
    assert second.layout.ranks[1].index is first.layout.ranks[0].index


def test_a_capture_without_origin_moves_when_one_with_an_origin_arrives() -> None:
    relative = capture(kernel("a", 5, 10), rank=0, epoch_ns=0, relative=True, path="a.json")
    absolute = capture(kernel("b", 100, 10), rank=1, path="b.json")
    first, second, _ = arrived(CannedLoader([relative, absolute]))
    assert first.layout.extent.start_ns == 0
    assert second.layout.extent.start_ns == EPOCH_NS + 100
    assert second.layout.ranks[0].shift_ns == EPOCH_NS + 100 - 5


def test_without_a_capture_there_is_a_run_without_members() -> None:
    (only,) = arrived(CannedLoader([Skipped("a.txt", "unknown", 1, ())]))[-1:]
    assert only.run.members == ()
    assert only.layout.tracks == ()


def test_an_empty_folder_gives_one_empty_run() -> None:
    assert len(arrived(CannedLoader([]))) == 1
