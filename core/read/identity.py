"""What the name of a file says about the process that wrote it (trace-format section 2).

Names are hints: what the file itself says wins, and whoever follows a name says so in the result.
Paths here are relative to the folder that the user opened.
"""

import re
from pathlib import PurePath
from typing import Final

_NUMBER: Final = r"(\d{1,6})(?!\d)"
_RANK: Final = re.compile(rf"(?:(?<![a-z])([a-z]+)[-_. ])??(?<![a-z])rank[-_= ]?\[?{_NUMBER}")
_AXIS: Final = re.compile(
    "(?:[tpdecsm]|dc|pc|ed|et|fsd)p|tensor|pipeline|data|expert|context|sequence|model|"
    "local|node|group|device"
)
"""Words before `rank` that make it the rank within a part of the job."""

_WORKER: Final = re.compile(rf"(?<![a-z])worker{_NUMBER}(?![a-z])")
_SHORT: Final = re.compile(rf"(?<![a-z0-9])r{_NUMBER}(?![a-z])")
_NUMBERED: Final = re.compile(rf"^(?:trace|profile)[-_]{_NUMBER}(?=\.)")

_HANDLER: Final = re.compile(
    r"(?P<host>.+)_(?P<pid>[1-9]\d*)(?:\..*)?\.\d{13,19}\.pt\.trace\.json", re.IGNORECASE
)
"""`tensorboard_trace_handler` without a worker name: `<host>_<pid>.<t>.pt.trace.json`."""

_MOMENT: Final = re.compile(r"\.\d{10,19}(?=\.)")
_FRONT_END: Final = re.compile(
    r"async_?llm|front[-_]?end|(?:api|http|tokenizer)[-_]?server|(?:de)?tokenizer[-_]?manager"
)
_KIND: Final = re.compile(
    "(?:iter|iteration|step|epoch|rank|worker|run|job|attempt|try|capture|trace|profile|profiler|"
    "log|output|out|result|data|plugin|pt|torch|pytorch|kineto|tensorboard|tb)s?"
)
"""Words of folder names that stand for a moment or a kind of output, not for a machine."""


def rank_in_name(path: PurePath, process: str) -> int | None:
    """The rank that the file's name claims, else the one that a folder's name does.

    The host part of a name is never a rank: in `worker-7_4101.<t>.pt.trace.json` it is a machine.
    """
    name = path.name.casefold()
    folders = [_rank_word(folder.casefold()) for folder in reversed(path.parts[:-1])]
    own = [] if host_in_name(path, process) else [_rank_word(name), _short_rank(name, process)]
    return next((rank for rank in (*own, *folders) if rank is not None), None)


def host_in_name(path: PurePath, process: str) -> str:
    """The host part of a file name, empty where there is none; `process` is the file's own id."""
    match = _HANDLER.match(path.name)
    if match is None or _RANK.search(match["host"].casefold()):
        return ""
    is_worker_name = _WORKER.search(path.name.casefold()) and match["pid"] != process
    return "" if is_worker_name else match["host"]


def host_in_folders(path: PurePath) -> str:
    """The innermost folder that may be called after a machine, empty where there is none."""
    for folder in reversed(path.parts[:-1]):
        words = re.findall("[a-z]+", folder.casefold())
        if not all(_KIND.fullmatch(word) for word in words):
            return folder
    return ""


def series_of(path: PurePath) -> str:
    """The name without the moment in it: equal for the captures of one process."""
    return _MOMENT.sub("", path.name.casefold())


def is_front_end(path: PurePath) -> bool:
    """True where the name is that of a process which serves requests but trains nothing."""
    return _FRONT_END.search(path.name.casefold()) is not None


def _rank_word(text: str) -> int | None:
    ranks = [int(rank) for before, rank in _RANK.findall(text) if not _AXIS.fullmatch(before)]
    ranks = ranks or [int(rank) for rank in _WORKER.findall(text)]
    return ranks[-1] if ranks else None


def _short_rank(name: str, process: str) -> int | None:
    match = _SHORT.search(name) or _NUMBERED.search(name)
    return int(match[1]) if match and match[1] != process else None
