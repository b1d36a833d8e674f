"""When slices start and end, in all and in a window."""

from build import capture, kernel, op
from vpstop.measure.window import Window, times_within


def test_host_slices_end_past_their_caller_and_stream_slices_at_the_next() -> None:
    made = capture(
        op("caller", 0, 50), op("callee", 10, 90), kernel("lost end", 0, 900), kernel("k", 5, 2)
    )
    start_ns, end_ns = times_within(made)
    found = dict(
        zip([made.names[code] for code in made.slices.name], end_ns - start_ns, strict=True)
    )
    assert found == {"caller": 50, "callee": 90, "lost end": 5, "k": 2}


def test_a_window_cuts_slices() -> None:
    made = capture(op("before", 0, 10), op("across", 20, 30), op("behind", 60, 5), epoch_ns=0)
    start_ns, end_ns = times_within(made, Window(30, 40))
    assert (end_ns - start_ns).tolist() == [0, 10, 0]
