"""The overview of the run shows streams, and host threads only where there are no streams."""

import numpy as np
import pytest
from timelines import layout_of

from build import capture, kernel, memcpy, op
from vpstop.read.activity import Activity
from vpstop.tui.minimap import overview
from vpstop.tui.view import limits


def test_shares_are_relative_to_the_busiest_column() -> None:
    made = capture(kernel("a", 0, 6400), memcpy("c", 3200, 3200, stream=8), op("aten::mm", 0, 6400))
    layout = layout_of(made)
    share = overview(layout, 66)
    assert limits(layout.extent).end_ns - limits(layout.extent).start_ns == 6600
    # A margin of one column, then 32 columns of one busy stream, then 32 of both.
    expected = np.zeros((66, len(Activity)))
    expected[1:65, Activity.COMPUTE] = 0.5
    expected[33:65, Activity.MEMORY] = 0.5
    assert share == pytest.approx(expected)


def test_without_streams_host_threads_are_shown() -> None:
    share = overview(layout_of(capture(op("aten::mm", 0, 6400))), 66)
    assert share[:, Activity.HOST].sum() == pytest.approx(64)


def test_an_empty_run_has_an_empty_overview() -> None:
    assert not overview(layout_of(), 20).any()
