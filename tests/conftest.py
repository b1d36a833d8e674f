"""Where the recorded traces are. Tests that need them are skipped where they are absent."""

from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent.parent

FOLDERS: Final = {
    "--traces": (ROOT / "../shared/traces/real", "real traces with their `expected.json`"),
    "--lab": (ROOT / "../shared/traces/lab", "traces of the recording laboratory"),
    "--cases": (ROOT / "tests/cases", "input cases with their `expect.json`"),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    for option, (default, what) in FOLDERS.items():
        parser.addoption(
            option, type=Path, default=default, metavar="DIR", help=f"folder of {what}"
        )


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Says before the first test what is absent, so that a skipped test is no surprise."""
    absent = [option for option in FOLDERS if not folder(config, option).is_dir()]
    return [f"no {FOLDERS[option][1]}: these tests are skipped ({option})" for option in absent]


def folder(config: pytest.Config, option: str) -> Path:
    """The folder behind an option, whether it exists or not."""
    return Path(config.getoption(option)).resolve()


def present(config: pytest.Config, option: str) -> Path:
    """The folder behind an option; skips the test where it is absent."""
    path = folder(config, option)
    if not path.is_dir():
        pytest.skip(f"no {FOLDERS[option][1]} in {path}: give {option} DIR")
    return path


@pytest.fixture(scope="session")
def traces(request: pytest.FixtureRequest) -> Path:
    """Folder of real traces, one sub-folder a set."""
    return present(request.config, "--traces")


@pytest.fixture(scope="session")
def lab(request: pytest.FixtureRequest) -> Path:
    """Folder of laboratory runs, one sub-folder a run."""
    return present(request.config, "--lab")


@pytest.fixture(scope="session")
def cases(request: pytest.FixtureRequest) -> Path:
    """Folder of input cases, one sub-folder a case."""
    return present(request.config, "--cases")
