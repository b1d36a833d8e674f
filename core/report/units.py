"""Numbers as people read them: the one place where nanoseconds, bytes and shares become text."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

_DURATIONS: Final = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"))
_SIZES: Final = ((1024**4, "TiB"), (1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB"))
_MINUTES_FROM_S: Final = 120
_HOURS_FROM_S: Final = 7200


def duration(ns: float) -> str:
    """`0`, `412 ns`, `12.34 µs`, `1.234 ms`, `98.76 s`, `12 min 05 s`, `3 h 20 min`."""
    if not ns:
        return "0"
    seconds = round(abs(ns) / 1e9)
    sign = "-" if ns < 0 else ""
    if seconds >= _HOURS_FROM_S:
        hours, minutes = divmod(round(seconds / 60), 60)
        return f"{sign}{hours} h {minutes:02d} min"
    if seconds >= _MINUTES_FROM_S:
        return f"{sign}{seconds // 60} min {seconds % 60:02d} s"
    for scale, unit in _DURATIONS:
        if abs(ns) >= 0.9995 * scale:
            return f"{_digits(ns / scale)} {unit}"
    return f"{ns:.0f} ns"


def size(count_bytes: float) -> str:
    """`512 B`, `1.023 MiB`, `31.74 GiB`: powers of 1024."""
    for scale, unit in _SIZES:
        if abs(count_bytes) >= scale:
            return f"{_digits(count_bytes / scale)} {unit}"
    return f"{count_bytes:.0f} B"


def percent(share: float) -> str:
    """`45.1 %` for 0.451; what is not zero never looks like it."""
    if 0 < abs(share) < 0.0005:
        return "< 0.1 %"
    return f"{100 * share:.1f} %"


def plural(number: int, noun: str, nouns: str = "") -> str:
    """`1 rank`, `8 ranks`."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def count(number: int) -> str:
    """`1,234,567`."""
    return f"{number:,}"


def moment(ns: int) -> str:
    """`2024-04-04 01:51:35.502 UTC` for nanoseconds since 1970."""
    seconds, rest = divmod(ns, 10**9)
    try:
        when = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return f"{ns} ns since 1970"
    return f"{when:%Y-%m-%d %H:%M:%S}.{rest // 10**6:03d} UTC"


def ranges(numbers: Iterable[int]) -> str:
    """`0-7, 9` for a sorted list."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def _digits(value: float) -> str:
    """Four digits: `1.234`, `12.34`, `123.4`, `1234`."""
    for limit, places in ((9.9995, 3), (99.995, 2), (999.95, 1)):
        if abs(value) < limit:
            return f"{value:.{places}f}"
    return f"{value:.0f}"
