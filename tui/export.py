"""Writes what the screen knows to a markdown file of the current folder, without stopping it."""

from functools import partial
from pathlib import Path
from typing import Any, Final

from textual.app import App

from vpstop.report.markdown import markdown
from vpstop.run import Run
from vpstop.tui.output import write_beside

FILE_NAME: Final = "vpstop-findings.md"


def export_findings(app: App[Any], run: Run) -> None:
    """Writes the findings in a thread, and notifies of the file or of what went wrong."""
    app.run_worker(partial(_write, app, run), thread=True, group="export")


def _write(app: App[Any], run: Run) -> None:
    try:
        path = write_beside(Path.cwd() / FILE_NAME, markdown(run).encode())
    except OSError as error:
        said = f"cannot write {FILE_NAME} here: {error.strerror}"
        app.notify(said, severity="error", markup=False)
    else:
        app.notify(f"written to {path}", markup=False)
