"""Ids that occur among others."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vpstop.read.membership import occurs

ids = st.lists(st.integers(-5, 5) | st.integers(-(2**63), 2**63 - 1))


@given(ids, ids)
def test_as_numpy_has_it(some: list[int], among: list[int]) -> None:
    found = occurs(np.array(some, np.int64), np.array(among, np.int64))
    assert found.tolist() == [one in among for one in some]
