"""The extent of a capture is that of its trusted work, not of bookkeeping."""

from hypothesis import given
from hypothesis import strategies as st

from build import EPOCH_NS, Slice, capture, kernel, on_stream, op, slice_
from vpstop.read.extent import extent_ns


def extent(*slices: Slice) -> tuple[int, int] | None:
    """The extent after `EPOCH_NS`."""
    found = extent_ns(capture(*slices))
    return None if found is None else (found[0] - EPOCH_NS, found[1] - EPOCH_NS)


def test_goes_from_the_first_start_to_the_last_end_of_all_lanes() -> None:
    assert extent(op("a", 50, 10), op("b", 20, 100, thread=2), kernel("k", 30, 60)) == (20, 120)


def test_the_profilers_own_work_and_distrusted_times_do_not_count() -> None:
    overhead = slice_("overhead", "Buffer Flush", 0, 900)
    lost = kernel("lost", -EPOCH_NS, 5, trusted=False)
    assert extent(op("a", 50, 10), overhead, lost) == (50, 60)
    assert extent(overhead) is None
    assert extent(lost) is None
    assert extent() is None


def test_a_host_slice_counts_as_written_and_a_kernel_until_the_next_one() -> None:
    assert extent(op("caller", 0, 100), op("frame", 50, 200)) == (0, 250)
    assert extent(kernel("lost end", 0, 900), kernel("next", 50, 10)) == (0, 60)


SLICES = st.lists(
    st.builds(
        on_stream,
        st.just("kernel"),
        st.just("k"),
        st.integers(0, 100),
        st.integers(0, 20),
        stream=st.integers(0, 2),
        trusted=st.booleans(),
    ),
    max_size=12,
)


@given(SLICES)
def test_is_that_of_the_trusted_slices_one_by_one(slices: list[Slice]) -> None:
    columns = capture(*slices).slices
    trusted = [row for row in range(len(columns)) if columns.trusted[row]]
    expected = (
        (
            min(int(columns.start_ns[row]) for row in trusted) - EPOCH_NS,
            max(int(columns.end_ns[row]) for row in trusted) - EPOCH_NS,
        )
        if trusted
        else None
    )
    assert extent(*slices) == expected
