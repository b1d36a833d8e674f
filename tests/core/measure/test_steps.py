"""Steps: metrics section 3."""

from build import annotation, capture, on_stream, op, step
from vpstop.measure.steps import step_ns, typical_steps
from vpstop.read.steps import Step, steps


def test_a_step_runs_to_the_start_of_the_next() -> None:
    made = capture(step(4, 0, 90), step(5, 100, 95), step(6, 200, 80), epoch_ns=0)
    assert steps(made) == (Step(4, 0, 100), Step(5, 100, 200), Step(6, 200, 280))


def test_only_the_markers_of_the_host_thread_count() -> None:
    made = capture(
        step(1, 0, 10),
        step(2, 10, 10),
        step(1, 3, 10, thread=2),
        on_stream("gpu_user_annotation", "ProfilerStep#1", 2, 10),
        annotation("ProfilerStep#x", 30, 10),
        epoch_ns=0,
    )
    assert [(one.number, one.start_ns) for one in steps(made)] == [(1, 0), (2, 10)]


def test_markers_of_2021_are_operators() -> None:
    assert steps(capture(op("ProfilerStep#7", 0, 10), epoch_ns=0)) == (Step(7, 0, 10),)


def test_markers_that_overlap_make_steps_that_do_not() -> None:
    made = capture(step(1, 0, 150), step(2, 100, 100), epoch_ns=0)
    assert steps(made) == (Step(1, 0, 100), Step(2, 100, 200))


def test_no_markers_no_steps() -> None:
    assert steps(capture(op("aten::mm", 0, 10))) == ()
    assert step_ns(()) is None


def lasting(*durations: int) -> tuple[Step, ...]:
    return tuple(Step(number, 0, duration) for number, duration in enumerate(durations))


def test_medians_leave_out_the_first_step_and_a_stalled_last_one() -> None:
    assert typical_steps(lasting(90, 10, 12, 14)) == lasting(90, 10, 12, 14)[1:]
    assert step_ns(lasting(90, 10, 12, 14)) == 12
    assert step_ns(lasting(90, 10, 12, 33)) == 12, "exactly three medians of 11 are no stall"
    assert step_ns(lasting(90, 10, 12, 34)) == 11


def test_fewer_than_three_steps_are_one_sample() -> None:
    assert step_ns(lasting(90)) == 90
    assert step_ns(lasting(90, 10)) == 50
