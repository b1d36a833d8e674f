"""The texts of the header and of the status line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from vpstop.read.capture import INFO_KINDS
from vpstop.report.units import duration
from vpstop.run import Run
from vpstop.tui.facts import duration_text, name_of, traffic_text
from vpstop.tui.keys import Key
from vpstop.tui.labels import short_name
from vpstop.tui.layout import Layout
from vpstop.tui.moves import slice_at_cursor, step_at_cursor
from vpstop.tui.text_line import Part, Tone, fitted
from vpstop.tui.track import Track
from vpstop.tui.view import ViewState

_WIDE: Final = 100
"""Below, the header leaves out what the panes say as well."""

_FILES_NAMED: Final = 12
_SEPARATOR: Final = Part(" · ", "quiet")


def run_name(paths: Sequence[str]) -> str:
    """The last part of the path, or of the first of several."""
    first = Path(paths[0]).absolute() if paths else Path.cwd()
    return first.name if len(paths) < 2 else f"{first.name} and {len(paths) - 1} more"


def runs_text(run: Run) -> str:
    """`run 2 of 3, R: next`, where the folder holds several."""
    names = run.names
    return f"run {names.index(run.name) + 1} of {len(names)}, R: next" if names else ""


def header(run: Run, layout: Layout, view: ViewState, width: int) -> list[Part]:
    """Run, ranks, step under the cursor, width of the window."""
    name = run.name or run_name(run.paths)
    parts = [Part(" vpstop" * (width >= _WIDE), "key"), Part(f" {name}", "strong")]
    if run.members:
        window_ns = view.window.end_ns - view.window.start_ns
        ranks = ranks_text(run) if width >= _WIDE else ""
        view_text = f"view {duration(window_ns)}"
        for text in filter(None, (runs_text(run), ranks, step_text(layout, view), view_text)):
            parts += [_SEPARATOR, Part(text)]
    return parts


def header_right(run: Run, width: int) -> list[Part]:
    """What to know before trusting the picture; notes only where there is room or nothing worse."""
    notes = sum(warning.kind in INFO_KINDS - {"not_a_trace"} for warning in run.warnings)
    warnings = sum(warning.kind not in INFO_KINDS for warning in run.warnings)
    counts = [_counted(warnings, "warning", "alert")] if warnings else []
    if notes and (width >= _WIDE or not warnings):
        counts.append(_counted(notes, "note", "quiet"))
    key = [Part(" ! ", "key")] if counts else []
    return [*key, *counts, Part(" clocks as recorded ", "quiet")]


def _counted(count: int, word: str, tone: Tone) -> Part:
    return Part(f"{count} {word}{'s' * (count > 1)} ", tone)


def ranks_text(run: Run) -> str:
    """`8 ranks, 2 nodes`; `7 of 8 ranks` where some are missing."""
    count, nodes = len(run.ranks), len(run.hosts)
    missing = run.world_size is not None and run.world_size > count
    ranks = f"{count} of {run.world_size}" if missing else str(count)
    plural = "" if ranks == "1" else "s"
    return f"{ranks} rank{plural}, {nodes} node{'s' * (nodes != 1)}"


def step_text(layout: Layout, view: ViewState) -> str:
    """`step 12 (3/20)` for the step under the cursor."""
    step = step_at_cursor(layout, view)
    track = layout.track(view.track)
    if step is None or track is None:
        return ""
    steps = track.rank.steps
    return f"step {step.number} ({steps.index(step) + 1}/{len(steps)})"


def status(layout: Layout, view: ViewState, width: int) -> list[Part]:
    """What is under the cursor, or why the last key did nothing; names take half the width."""
    track = layout.track(view.track)
    if view.notice:
        return [Part(f" {view.notice}", "alert")]
    if track is None:
        return []
    found = slice_at_cursor(layout, view)
    return _idle(track, view.cursor_ns) if found is None else _slice(track, found, width // 2)


def _idle(track: Track, time_ns: int) -> list[Part]:
    gap = track.idle_around(time_ns)
    text = f"idle {duration(gap.end_ns - gap.start_ns)}" if gap else "nothing recorded here"
    return [Part(f" {text}", "strong"), _SEPARATOR, Part(track.label, "quiet")]


def _slice(track: Track, row: int, name_width: int) -> list[Part]:
    capture = track.capture
    name = short_name(name_of(capture, row))
    correlation = int(capture.slices.correlation[row])
    texts = [
        duration_text(capture, row),
        traffic_text(track.rank, row),
        track.label,
        f"correlation {correlation}" if correlation else "",
    ]
    parts = fitted([Part(f" {name}", "strong")], name_width)
    for text in filter(None, texts):
        parts += [_SEPARATOR, Part(text)]
    return parts


def nothing_text(run: Run) -> str:
    """Why there is nothing to see: the files that were found, and what they are."""
    where = ", ".join(run.paths) or "the current folder"
    lines = [f"No trace could be read in {where}."]
    if not run.files:
        lines.append("There is no file that looks like one.")
    lines += [f"  {Path(file.path).name}: {file.format}" for file in run.files[:_FILES_NAMED]]
    if len(run.files) > _FILES_NAMED:
        lines.append(f"  and {len(run.files) - _FILES_NAMED} more")
    if run.warnings:
        lines.append("! says what is wrong with them.")
    return "\n".join(lines)


def hint_parts(keys: Sequence[Key]) -> list[Part]:
    """`w/s zoom  a/d pan ...`: keys with the same word share it."""
    words: dict[str, list[str]] = {}
    for key in keys:
        words.setdefault(key.hint, []).append(key.caption.split()[0])
    parts = []
    for word, captions in words.items():
        parts += [Part(" " + "/".join(captions), "key"), Part(f" {word} ", "quiet")]
    return parts
