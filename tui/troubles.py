"""The sheet of warnings: what was wrong or missing in the files, worst first."""

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from vpstop.read.capture import INFO_KINDS, TraceWarning
from vpstop.text import clean
from vpstop.tui.theme import KEY_STYLE, QUIET_STYLE


def warnings_text(warnings: Sequence[TraceWarning], width: int) -> Text:
    """A line a warning, cut at the width: kind, file, how often, example."""
    if not warnings:
        return Text("nothing was wrong with the files")
    ordered = sorted(warnings, key=lambda warning: warning.kind in INFO_KINDS)
    kind_width = max(len(warning.kind) for warning in warnings)
    return Text("\n").join(_line(warning, kind_width, width) for warning in ordered)


def _line(warning: TraceWarning, kind_width: int, width: int) -> Text:
    line = Text.assemble(
        (warning.kind.replace("_", " ").ljust(kind_width), KEY_STYLE),
        f"  {clean(Path(warning.file).name)}",
        f" x {warning.count}" if warning.count > 1 else "",
        (f"  {clean(warning.example)}", QUIET_STYLE),
    )
    line.truncate(width, overflow="ellipsis")
    return line
