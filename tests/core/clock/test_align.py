"""Clocks of a whole run."""

from build import capture, op
from vpstop.clock.align import align
from vpstop.run import gather


def test_one_host_is_one_exact_clock() -> None:
    made = [
        capture(op("a", 0, 10), rank=rank, host_name="node", path=f"/t/{rank}.json")
        for rank in (0, 1)
    ]
    clocks = align(gather(made, ["/t"], "/t"))
    assert [(one.host, one.confidence) for one in clocks.hosts] == [("node", "exact")]
    assert clocks.host_of == (0, 0)
    assert clocks.error_ns(0, 1) == 0


def test_an_empty_run_has_no_clocks() -> None:
    assert align(gather([], ["/t"], "/t")).hosts == ()
