"""What the commands do. Textual is imported for the screen only."""

import sys
from collections.abc import Iterable
from functools import partial

from vpstop.read.discover import FoundFile, discover
from vpstop.read.given import NOTHING_GIVEN, Given, GivenHost, GivenRank
from vpstop.read.loader import Loader
from vpstop.report.as_json import report_json
from vpstop.report.markdown import markdown
from vpstop.run import gather
from vpstop.tui.exits import Exit
from vpstop.tui.options import Options
from vpstop.tui.output import write_file
from vpstop.tui.progress import read_all
from vpstop.tui.terminal import draw_as_utf8, why_no_screen


def screen(options: Options) -> Exit:
    """Opens the screen, or writes the report where there can be none."""
    if reason := why_no_screen():
        _say(f"no screen, because {reason}; this is the report")
        return report(options)
    given = _given(options)
    if given != NOTHING_GIVEN and _is_said_of_no_file(given, discover(options.paths).files):
        return Exit.USAGE
    from vpstop.tui.app import VpstopApp  # noqa: PLC0415 - a report is done before Textual is there

    draw_as_utf8()
    app = VpstopApp(
        options.paths, use_cache=options.use_cache, open_loader=partial(Loader, given=given)
    )
    app.run()
    return Exit(app.return_code or 0)


def report(options: Options) -> Exit:
    """Writes the findings to a file or to standard output."""
    given = _given(options)
    loader = Loader(options.paths, use_cache=options.use_cache, given=given)
    if _is_said_of_no_file(given, loader.files):
        return Exit.USAGE
    run = gather(read_all(loader, sys.stderr), options.paths, loader.root)
    data = report_json(run) if options.format == "json" else markdown(run).encode()
    try:
        _write(data, options)
    except BrokenPipeError:
        raise
    except OSError as error:
        _say(f"cannot write {options.output or 'to standard output'}: {error.strerror}")
        return Exit.USAGE
    if not run.members:
        _say("nothing readable there")
        return Exit.NOTHING_READABLE
    return Exit.DONE


def _given(options: Options) -> Given:
    return Given(
        tuple(GivenRank(*pair) for pair in options.ranks),
        tuple(GivenHost(*pair) for pair in options.hosts),
    )


def _is_said_of_no_file(given: Given, files: Iterable[FoundFile]) -> bool:
    """Whether the user names a file that is not there, and a line that says so."""
    unmatched = given.unmatched(file.path for file in files)
    if unmatched:
        _say(f"no file fits {', '.join(unmatched)}, given with --rank or --host")
    return bool(unmatched)


def _write(data: bytes, options: Options) -> None:
    if options.output:
        write_file(options.output, data)
    else:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def _say(text: str) -> None:
    if sys.stderr:
        print(f"vpstop: {text}", file=sys.stderr)
