"""The command line as data. The first word is a command or already a path."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from vpstop.version import VERSION

Format = Literal["md", "json"]

REPORT: Final = "report"
"""The command without a screen. A folder of that name is opened as `./report`."""

_RANK: Final = re.compile(r"[0-9]{1,6}")

_ABOUT: Final = """\
Why is this multi-node PyTorch job slow? Opens PyTorch Profiler traces of all nodes, one file per
rank, in the terminal. `?` on the screen lists the keys.
"""
_USAGE: Final = """\
vpstop [PATH...] [options]
       vpstop report [PATH...] [-o FILE] [--format md|json] [options]"""
_EXAMPLES: Final = """\
examples:
  vpstop                             walk the traces of the current folder
  vpstop traces/                     a folder with one file per rank
  vpstop ./report                    a folder that has the name of a command
  vpstop report traces/ -o run.md    the same findings, without a screen
  vpstop report traces/ --format json | jq .ranks
"""
_EXIT_CODES: Final = """
exit codes: 0 done, 1 nothing readable, 2 wrong usage
"""


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for."""

    paths: tuple[Path, ...]
    command: Literal["screen", "report"] = "screen"
    use_cache: bool = True
    output: Path | None = None
    """None: standard output."""
    format: Format = "md"
    ranks: tuple[tuple[str, int], ...] = ()
    """(file, rank) as the user says it."""
    hosts: tuple[tuple[str, str], ...] = ()
    """(file, host) as the user says it."""


def parse(words: Sequence[str]) -> Options:
    """Options from the words after the program's name; `SystemExit` for help and wrong usage."""
    return _parse_report(words[1:]) if words[:1] == [REPORT] else _parse_screen(words)


def _parse_screen(words: Sequence[str]) -> Options:
    parser = _parser("vpstop", _ABOUT, _EXAMPLES, usage=_USAGE)
    parser.add_argument("--version", action="version", version=f"vpstop {VERSION}")
    found = _parsed(parser, words)
    if REPORT in words and not Path(REPORT).exists():
        parser.error(f"the command comes first: vpstop {REPORT} [PATH...] [options]")
    return Options(**_common(found))


def _parse_report(words: Sequence[str]) -> Options:
    about = (
        "Writes what the screen shows as a file: run, nodes, devices, steps, operators, kernels."
    )
    parser = _parser("vpstop report", about, "")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write here, not to standard output"
    )
    parser.add_argument(
        "--format",
        choices=("md", "json"),
        help="markdown or JSON (default: as the name of FILE ends, else md)",
    )
    found = _parsed(parser, words)
    if found.output and found.output.is_dir():
        parser.error(f"{found.output} is a folder")
    if found.output and not found.output.parent.is_dir():
        parser.error(f"there is no folder {found.output.parent}")
    by_name: Format = "json" if found.output and found.output.suffix.lower() == ".json" else "md"
    format_ = found.format or by_name
    return Options(**_common(found), command=REPORT, output=found.output, format=format_)


def _common(found: argparse.Namespace) -> dict[str, Any]:
    """The fields that all commands have."""
    return {
        "paths": tuple(found.path) or (Path(),),
        "use_cache": not found.no_cache,
        "ranks": tuple(found.rank),
        "hosts": tuple(found.host),
    }


def _parser(
    program: str, about: str, examples: str, *, usage: str | None = None
) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        program,
        usage,
        about,
        examples + _EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "path",
        nargs="*",
        type=Path,
        metavar="PATH",
        help="folder or trace file (default: the current folder)",
    )
    parser.add_argument(
        "--no-cache",
        action="store_true",
        help="read the traces anew, and keep nothing of them in the cache folder",
    )
    for name, value, kind in (("rank", "N", _file_rank), ("host", "NAME", _file_host)):
        parser.add_argument(
            f"--{name}",
            action="append",
            default=[],
            type=kind,
            metavar=f"FILE={value}",
            help=f"the {name} of a file (or of all that fit a glob), whatever the file says",
        )
    return parser


def _file_rank(word: str) -> tuple[str, int]:
    file, rank = _file_host(word)
    if not _RANK.fullmatch(rank):
        raise argparse.ArgumentTypeError(f"{rank!r} is no rank: write FILE=N, as in a.json=0")
    return file, int(rank)


def _file_host(word: str) -> tuple[str, str]:
    file, _, said = word.rpartition("=")
    if not (file and said):
        raise argparse.ArgumentTypeError(f"{word!r} does not say what a file is: write FILE=...")
    return file, said


def _parsed(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Options and paths in any order; behind `--` there are only paths.

    argparse itself loses the `--` where it allows any order.
    """
    end = words.index("--") if "--" in words else len(words)
    found = parser.parse_intermixed_args(words[:end])
    found.path += [Path(word) for word in words[end + 1 :]]
    return found
