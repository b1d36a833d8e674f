"""Times of another clock are kept, but neither trusted nor part of what is measured."""

from build import Part, capture, kernel, launch, on_stream, op
from vpstop.read.capture import Capture
from vpstop.read.extent import extent_ns

HOUR_NS = 3600 * 10**9
DAY_NS = 24 * HOUR_NS


def untrusted(made: Capture) -> list[str]:
    return sorted(made.names[name] for name in made.slices.name[~made.slices.trusted])


def many(count: int) -> list[Part]:
    return [op("aten::mm", 10 * number, 5) for number in range(count)]


def warned(made: Capture) -> dict[str, int]:
    return {one.kind: one.count for one in made.warnings if one.kind != "no_steps"}


def test_work_hours_before_its_launch() -> None:
    call = launch("cudaLaunchKernel", 0, 5, correlation=1)
    other = launch("cudaLaunchKernel", 10, 5, correlation=2)
    made = capture(
        call,
        other,
        kernel("first", -2 * HOUR_NS, 5, correlation=1),
        on_stream("gpu_user_annotation", "forward", -2 * HOUR_NS, 5),
        kernel("second", 20, 5, correlation=2),
    )
    assert untrusted(made) == ["first", "forward"]
    assert warned(made) == {"clock_domain": 1}
    first_ns, last_ns = extent_ns(made) or (0, 0)
    assert last_ns - first_ns == 25


def test_work_shortly_before_its_launch_is_trusted() -> None:
    call = launch("cudaLaunchKernel", 0, 5, correlation=1)
    assert untrusted(capture(call, kernel("k", -(10**9), 5, correlation=1))) == []


def test_few_slices_days_away() -> None:
    made = capture(*many(30), op("late", 3 * DAY_NS, 5), op("early", -3 * DAY_NS, 5))
    assert untrusted(made) == ["early", "late"]
    assert warned(made) == {"bad_time": 2}


def test_two_windows_days_apart_are_both_trusted() -> None:
    second = [op("again", 3 * DAY_NS + 10 * number, 5) for number in range(9)]
    assert untrusted(capture(*many(30), *second)) == []


def test_long_captures_are_trusted() -> None:
    made = capture(*(op("hourly", number * HOUR_NS, 5) for number in range(100)))
    assert untrusted(made) == []
