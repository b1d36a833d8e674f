"""Every input case loads as its `expect.json` says."""

from pathlib import Path

import pytest

from case_checks import open_case, verify
from conftest import folder


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    root = folder(metafunc.config, "--cases")
    found = sorted(path.parent for path in root.glob("*/expect.json"))
    metafunc.parametrize("case", found, ids=[path.name for path in found])


def test_case(case: Path) -> None:
    verify(open_case(case))
