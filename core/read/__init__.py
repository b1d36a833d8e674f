"""Reads trace files into captures."""

from collections.abc import Callable
from pathlib import Path

from vpstop.read.arguments import ArgumentBlocks
from vpstop.read.capture import Capture, Skipped, TraceWarning


def read_file(
    path: Path,
    *,
    processes: int = 1,
    progress: Callable[[int], None] | None = None,
    blocks: ArgumentBlocks | None = None,
) -> Capture | Skipped:
    """The capture in a trace file, or why there is none. Raises `OSError`.

    A large file is shared by `processes`: forks of this one, which end before the call returns.
    `progress` gets the bytes of the file consumed so far, at most a few hundred times.
    `blocks` take the arguments of all records; then `processes` must be 1.
    """
    # An open of digests never parses: it shall not pay for the parser's imports.
    from vpstop.read.assemble import assemble  # noqa: PLC0415
    from vpstop.read.damage import Damaged  # noqa: PLC0415
    from vpstop.read.parser.parse import parse  # noqa: PLC0415
    from vpstop.read.recognise import PARSED, refusal, sniff  # noqa: PLC0415
    from vpstop.read.source import size_bytes  # noqa: PLC0415

    size = 0
    try:
        size = size_bytes(path)
        found = sniff(path)
        if found not in PARSED:
            refused = refusal(path, found)
            return Skipped(str(path), found, size, (refused,) if refused else ())
        return assemble(parse(path, processes, progress, blocks))
    except Damaged as damage:
        warning = TraceWarning(damage.kind, str(path), example=str(damage))
        return Skipped(str(path), "unknown", size, (warning,))
