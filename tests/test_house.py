"""The house holds together: packages are listed, and the library does not draw."""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def packages_on_disk() -> set[str]:
    """Dotted names of every folder that holds an `__init__.py`."""
    homes = {"core": "vpstop", "tui": "vpstop.tui", "assets": "vpstop.assets"}
    homes["sample_traces"] = "vpstop.samples"
    found = set()
    for folder, name in homes.items():
        for init in (ROOT / folder).rglob("__init__.py"):
            inner = init.parent.relative_to(ROOT / folder).parts
            found.add(".".join((name, *inner)))
    return found


def test_every_package_is_listed_for_installation() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert set(project["tool"]["setuptools"]["packages"]) == packages_on_disk()


def test_the_library_imports_no_screen_and_no_torch() -> None:
    code = (
        "import sys, vpstop, vpstop.read, vpstop.run, vpstop.measure, vpstop.report;"
        "print([m for m in ('textual', 'rich', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
