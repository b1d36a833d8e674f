"""The command line as data. The first word is a command or already a path."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from vpstop.version import VERSION

Format = Literal["md", "json"]

Command = Literal["screen", "report", "digest"]

REPORT: Final = "report"
DIGEST: Final = "digest"
WITHOUT_SCREEN: Final = (REPORT, DIGEST)
"""Commands by their word. A folder of such a name is opened as `./report`."""

_SIZE: Final = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)([MGT])(?:i?B)?", re.IGNORECASE | re.ASCII)
_UNIT_BYTES: Final = {"M": 10**6, "G": 10**9, "T": 10**12}
_RANK: Final = re.compile(r"[0-9]{1,6}")

_ABOUT: Final = """\
Why is this multi-node PyTorch job slow? Opens PyTorch Profiler traces of all nodes, one file per
rank, in the terminal. `?` on the screen lists the keys.
"""
_USAGE: Final = """\
vpstop [PATH...] [options]
       vpstop report [PATH...] [-o FILE] [--format md|json] [options]
       vpstop digest [PATH...] -o DIR [options]"""
_EXAMPLES: Final = """\
examples:
  vpstop                             walk the traces of the current folder
  vpstop traces/                     a folder with one file per rank
  vpstop ./report                    a folder that has the name of a command
  vpstop report traces/ -o run.md    the same findings, without a screen
  vpstop report traces/ --format json | jq .ranks
  vpstop digest traces/ -o small     1 to 2 % of the size, opened like the traces
"""
_EXIT_CODES: Final = """
exit codes: 0 done, 1 nothing readable, 2 wrong usage
"""


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for."""

    paths: tuple[Path, ...]
    command: Command = "screen"
    use_cache: bool = True
    memory_bytes: int | None = None
    """None: half of what is available."""
    output: Path | None = None
    """A file, for `digest` a folder. None: standard output."""
    format: Format = "md"
    ranks: tuple[tuple[str, int], ...] = ()
    """(file, rank) as the user says it."""
    hosts: tuple[tuple[str, str], ...] = ()
    """(file, host) as the user says it."""


def parse(words: Sequence[str]) -> Options:
    """Options from the words after the program's name; `SystemExit` for help and wrong usage."""
    match words[:1]:
        case ["report"]:
            return _parse_report(words[1:])
        case ["digest"]:
            return _parse_digest(words[1:])
    return _parse_screen(words)


def _parse_screen(words: Sequence[str]) -> Options:
    parser = _parser("vpstop", _ABOUT, _EXAMPLES, usage=_USAGE)
    parser.add_argument("--version", action="version", version=f"vpstop {VERSION}")
    found = _parsed(parser, words)
    for command in WITHOUT_SCREEN:
        if command in words and not Path(command).exists():
            parser.error(f"the command comes first: vpstop {command} [PATH...] [options]")
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


def _parse_digest(words: Sequence[str]) -> Options:
    about = (
        "Writes a small file for each trace, with all that vpstop shows of it, to be carried away "
        "and opened without the trace."
    )
    parser = _parser("vpstop digest", about, "")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="DIR",
        required=True,
        help="the folder to write to; it is made if it is not there",
    )
    found = _parsed(parser, words)
    if found.output.exists() and not found.output.is_dir():
        parser.error(f"{found.output} is a file")
    return Options(**_common(found), command=DIGEST, output=found.output)


def _common(found: argparse.Namespace) -> dict[str, Any]:
    """The fields that all commands have."""
    return {
        "paths": tuple(found.path) or (Path(),),
        "use_cache": not found.no_cache,
        "memory_bytes": found.memory,
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
    parser.add_argument(
        "--memory",
        type=_memory,
        metavar="SIZE",
        help="how much to take, as 600M or 1.5G (default: half of what is available)",
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


def _memory(word: str) -> int:
    found = _SIZE.fullmatch(word)
    if found is None:
        raise argparse.ArgumentTypeError(f"{word!r} is no size: write 600M or 1.5G")
    return max(1, round(float(found[1]) * _UNIT_BYTES[found[2].upper()]))


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
