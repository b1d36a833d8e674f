"""Operators and kernels of a run as columns: for all ranks together, by node, or by rank."""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from itertools import groupby
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from vpstop.measure.kernels import kernel_table
from vpstop.measure.operators import OPERATORS, OperatorTable, merged, operator_table
from vpstop.read.capture import Capture
from vpstop.report import units
from vpstop.run import Member, Run
from vpstop.tui.columns import Column, number_column, text_column
from vpstop.tui.labels import short_name

Numbers = npt.NDArray[Any]

_NO_RANK: Final = -1
_LEAST_NAME: Final = 20
_LEAST_NODE: Final = 6
_BAR_WIDTH: Final = 10
_EIGHTHS: Final[tuple[str, ...]] = ("", *"▏▎▍▌▋▊▉")


class Grouping(StrEnum):
    """Which captures share a row."""

    ALL = "all ranks together"
    NODE = "by node"
    RANK = "by rank"


class _Part(NamedTuple):
    """Captures that share their rows, and where they come from."""

    host: str
    rank: int
    captures: tuple[Capture, ...]


def operator_columns(
    run: Run, grouping: Grouping, operators_of: Callable[[Capture], OperatorTable] = operator_table
) -> list[Column]:
    """The operator table; `operators_of` may remember what it measured before."""
    parts = _parts(run, grouping)
    tables = [
        merged(operators_of(capture) for capture in part.captures).only(OPERATORS) for part in parts
    ]
    return [
        *_labels(parts, [table.names for table in tables], grouping),
        number_column("calls", _joined(table.calls for table in tables), units.count),
        _times("self", [table.self_ns for table in tables]),
        *_shares("of self", [_share(table.self_ns) for table in tables]),
        _times("total", [table.total_ns for table in tables], expendable=1),
        _times("mean", [table.mean_ns for table in tables], expendable=2),
        *_device_times(tables),
    ]


def kernel_columns(run: Run, grouping: Grouping) -> list[Column]:
    """The kernel table; shares are those of all work of the devices, copies included."""
    parts = _parts(run, grouping)
    tables = [kernel_table(part.captures) for part in parts]
    kind = _joined(table.is_communication for table in tables).astype(np.intp)
    return [
        *_labels(
            parts, [[_kernel_name(name) for name in table.names] for table in tables], grouping
        ),
        number_column("calls", _joined(table.calls for table in tables), units.count),
        _times("total", [table.total_ns for table in tables]),
        *_shares("of work", [table.share for table in tables]),
        _times("mean", [table.mean_ns for table in tables], expendable=1),
        _times("p50", [table.p50_ns for table in tables], expendable=3),
        _times("p99", [table.p99_ns for table in tables], expendable=2),
        text_column("kind", kind, ["compute", "communication"], expendable=4),
    ]


def _parts(run: Run, grouping: Grouping) -> list[_Part]:
    """Members stand in the order of their hosts and ranks: those of a part follow each other."""

    def key(member: Member) -> tuple[object, ...]:
        if grouping is Grouping.ALL:
            return ()
        if grouping is Grouping.NODE:
            return (member.host,)
        return (member.host, member.rank, member.rank is None and member.capture.facts.path)

    parts = []
    for _, group in groupby(run.members, key):
        members = list(group)
        rank = _NO_RANK if members[0].rank is None else members[0].rank
        parts.append(_Part(members[0].host, rank, tuple(member.capture for member in members)))
    return parts


def _device_times(tables: Sequence[OperatorTable]) -> list[Column]:
    """Nothing for runs without a device."""
    if not any(table.device_self_ns.any() for table in tables):
        return []
    return [
        _times("device self", [table.device_self_ns for table in tables], expendable=3),
        _times("device total", [table.device_total_ns for table in tables], expendable=4),
    ]


def _kernel_name(name: str) -> str:
    """C++ templates begin all alike: what tells them apart goes first."""
    return f"{short_name(name)} · {name}" if "<" in name else name


def _labels(
    parts: Sequence[_Part], names: Sequence[Sequence[str]], grouping: Grouping
) -> list[Column]:
    """The name of each row, and the node or rank that it belongs to."""
    part_of_row = np.repeat(np.arange(len(parts)), [len(part) for part in names])
    labels = [_texts("name", [name for part in names for name in part], least=_LEAST_NAME)]
    if grouping is not Grouping.ALL:
        hosts = [parts[part].host for part in part_of_row.tolist()]
        expendable = 0 if grouping is Grouping.NODE else 5
        labels.append(_texts("node", hosts, least=_LEAST_NODE, expendable=expendable))
    if grouping is Grouping.RANK:
        ranks = np.array([part.rank for part in parts], np.int64)
        labels.append(number_column("rank", ranks[part_of_row], _rank))
    return labels


def _texts(title: str, texts: Sequence[str], *, least: int, expendable: int = 0) -> Column:
    distinct = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    codes = np.array([distinct[text] for text in texts], np.intp)
    return text_column(title, codes, list(distinct), minimum_width=least, expendable=expendable)


def _times(title: str, columns: Iterable[Numbers], *, expendable: int = 0) -> Column:
    return number_column(title, _joined(columns), units.duration, expendable=expendable)


def _shares(title: str, columns: Iterable[Numbers]) -> list[Column]:
    shares = _joined(columns)
    return [
        number_column(title, shares, units.percent),
        number_column("", shares, _bar, tone="bar", expendable=6),
    ]


def _share(self_ns: Numbers) -> Numbers:
    return self_ns / max(int(self_ns.sum()), 1)


def _joined(columns: Iterable[Numbers]) -> Numbers:
    return np.concatenate([np.empty(0, np.int64), *columns])


def _rank(rank: int) -> str:
    return "none" if rank == _NO_RANK else str(rank)


def _bar(share: float) -> str:
    """A bar in eighths of a cell; the smallest is visible where there is a share at all."""
    eighths = max(round(8 * _BAR_WIDTH * share), 1 if share > 0 else 0)
    whole, rest = divmod(eighths, 8)
    return "█" * whole + _EIGHTHS[rest]
