"""The operator table equals `torch.profiler`'s own on the same capture, row by row."""

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from reference import reference_capture
from vpstop.measure.operators import operator_table

Torch = Any
Work = Callable[[Torch], None]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def torch() -> Torch:
    """Imported here, so that the quick part of the suite does not wait for it."""
    return pytest.importorskip("torch")


def train(torch: Torch) -> None:
    """Autograd, an optimizer and user ranges, one directly inside another of its name."""
    model = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.ReLU(), torch.nn.Linear(32, 8))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(3):
        with torch.profiler.record_function("outer"), torch.profiler.record_function("outer"):
            loss = model(torch.randn(4, 32)).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def recurse(torch: Torch, depth: int = 6) -> None:
    """A range that calls itself twice at each level."""
    with torch.profiler.record_function("recurse"):
        torch.ones(8).sum().item()
        if depth:
            recurse(torch, depth - 1)
            recurse(torch, depth - 3 if depth > 2 else 0)


def use_threads(torch: Torch) -> None:
    """The same work on three threads at once."""
    threads = [Thread(target=train, args=(torch,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("with_stack", [False, True], ids=["plain", "stacks"])
@pytest.mark.parametrize("work", [train, recurse, use_threads])
def test_every_row(torch: Torch, work: Work, with_stack: bool, tmp_path: Path) -> None:
    every_thread = torch.profiler._ExperimentalConfig(profile_all_threads=True)
    with torch.profiler.profile(
        record_shapes=True, with_stack=with_stack, experimental_config=every_thread
    ) as profiler:
        work(torch)
    assert_equal_rows(profiler, tmp_path)


def test_steps_are_one_row(torch: Torch, tmp_path: Path) -> None:
    schedule = torch.profiler.schedule(wait=0, warmup=1, active=3, repeat=1)
    with torch.profiler.profile(schedule=schedule) as profiler:
        for _ in range(4):
            train(torch)
            profiler.step()
    assert_equal_rows(profiler, tmp_path)


def assert_equal_rows(profiler: Any, folder: Path) -> None:
    """Calls are equal, self and total time within 1 us a call."""
    path = folder / "trace.json"
    profiler.export_chrome_trace(str(path))
    table = operator_table(reference_capture(path))
    found = {
        (name, category == "user_annotation"): (calls, total_ns / 1000, self_ns / 1000)
        for name, category, calls, total_ns, self_ns in zip(
            table.names,
            table.categories,
            table.calls.tolist(),
            table.total_ns.tolist(),
            table.self_ns.tolist(),
            strict=True,
        )
    }
    expected = {
        (row.key, row.is_user_annotation): (row.count, row.cpu_time_total, row.self_cpu_time_total)
        for row in profiler.key_averages()
        if row.key != "[memory]"
    }
    assert {key: calls for key, (calls, _, _) in found.items()} == {
        key: calls for key, (calls, _, _) in expected.items()
    }
    for key, (calls, total_us, self_us) in expected.items():
        assert found[key][1:] == pytest.approx((total_us, self_us), abs=calls), key
