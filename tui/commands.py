"""What the commands do. Textual is imported for the screen only."""

import sys
from collections.abc import Iterable
from functools import partial

from vpstop.read.capture import INFO_KINDS
from vpstop.read.discover import FoundFile, discover
from vpstop.read.export import Exporter, NotWritten, Written
from vpstop.read.given import NOTHING_GIVEN, Given, GivenHost, GivenRank
from vpstop.read.loader import Loader
from vpstop.report.as_json import report_json
from vpstop.report.markdown import markdown
from vpstop.report.units import plural, size
from vpstop.run import gather
from vpstop.text import clean
from vpstop.tui.exits import Exit
from vpstop.tui.options import Options
from vpstop.tui.output import write_file
from vpstop.tui.progress import followed, read_all
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
    open_loader = partial(Loader, given=given, memory_bytes=options.memory_bytes)
    app = VpstopApp(options.paths, use_cache=options.use_cache, open_loader=open_loader)
    app.run()
    return Exit(app.return_code or 0)


def report(options: Options) -> Exit:
    """Writes the findings to a file or to standard output."""
    given = _given(options)
    loader = Loader(
        options.paths, use_cache=options.use_cache, memory_bytes=options.memory_bytes, given=given
    )
    if _is_said_of_no_file(given, loader.files):
        return Exit.USAGE
    run = gather(read_all(loader, sys.stderr), options.paths, loader.root)
    data = report_json(run) if options.format == "json" else markdown(run).encode()
    try:
        _write(data, options)
    except BrokenPipeError:
        raise
    except OSError as error:
        _say(f"cannot write {options.output or 'to standard output'}: {error.strerror or error}")
        return Exit.USAGE
    if not run.members:
        _say("nothing readable there")
        return Exit.NOTHING_READABLE
    return Exit.DONE


def digest(options: Options) -> Exit:
    """Writes a digest of every trace to a folder."""
    assert options.output is not None
    given = _given(options)
    exporter = Exporter(
        options.paths, options.output, memory_bytes=options.memory_bytes, given=given
    )
    if _is_said_of_no_file(given, exporter.files):
        return Exit.USAGE
    events = list(followed("digesting", exporter.files, exporter.events(), sys.stderr))
    lacking = [event for event in events if isinstance(event, NotWritten)]
    for one in lacking:
        _say_why(one)
    made = [event.digest for event in events if isinstance(event, Written)]
    if made:
        total_bytes = sum(digest.stat().st_size for digest in made)
        _say(f"{plural(len(made), 'digest')} in {options.output}, {size(total_bytes)}")
    if any(one.is_failure for one in lacking):
        return Exit.USAGE
    if not made:
        _say("nothing readable there")
    return Exit.DONE if made else Exit.NOTHING_READABLE


def _say_why(one: NotWritten) -> None:
    """Tells of a file that promised a trace; others are no news."""
    for warning in one.warnings:
        if warning.kind not in INFO_KINDS:
            _say(f"no digest of {clean(str(one.path))}: {clean(warning.example) or warning.kind}")


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
    elif sys.stdout is None:
        raise OSError("standard output is closed")
    else:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def _say(text: str) -> None:
    if sys.stderr:
        print(f"vpstop: {text}", file=sys.stderr)
