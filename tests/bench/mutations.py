"""Ways in which a trace file comes to harm: each changes one place of a text, at random.

All take the text, a generator of random numbers and another text; a seed gives the same harm again.
"""

import gzip
from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple

_LONGEST: Final = 4096
_DEEPEST: Final = 20_000
_BAD_UTF8: Final = (b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\xf0\x9f", b"\xb5\xe4", b"\xfe\xff\x00")
_HUGE: Final = (b"1e400", b"-1e999", b"9" * 400, b"18446742361468804.7", b"-9223372036854775809")
_MARKS: Final = (b'"', b"\\", b"\n", b"{", b"}", b"[", b"]", b",", b":", b"\\u", b'\\"', b"},{")
_WORDS: Final = (b"inf", b"nan", b"-nan", b"N/A", b"null", b'"inf"', b"0x1F", b"", b"1.5e-7")
_NUMBER: Final = b"0123456789.-"


class Harmed(NamedTuple):
    """A text that came to harm, and which part of the old one is no longer as it was."""

    text: bytes
    start: int
    end: int


Mutation = Callable[[bytes, Random, bytes], Harmed]


def cut(text: bytes, random: Random, _: bytes) -> Harmed:
    """The end is missing."""
    place = random.randrange(len(text))
    return Harmed(text[:place], place, len(text))


def cut_begin(text: bytes, random: Random, _: bytes) -> Harmed:
    """The beginning is missing."""
    place = random.randrange(len(text))
    return Harmed(text[place:], 0, place)


def flip(text: bytes, random: Random, _: bytes) -> Harmed:
    """One bit is another."""
    place = random.randrange(len(text))
    changed = bytes([text[place] ^ 1 << random.randrange(8)])
    return Harmed(text[:place] + changed + text[place + 1 :], place, place + 1)


def delete(text: bytes, random: Random, _: bytes) -> Harmed:
    """A range is missing."""
    start, end = _range(text, random)
    return Harmed(text[:start] + text[end:], start, end)


def duplicate(text: bytes, random: Random, _: bytes) -> Harmed:
    """A range is there twice."""
    start, end = _range(text, random)
    return Harmed(text[:end] + text[start:], end, end)


def overwrite(text: bytes, random: Random, other: bytes) -> Harmed:
    """Bytes of this or of another file stand in the place of others."""
    start, end = _range(text, random)
    begin, stop = _range(random.choice((text, other)), random)
    return Harmed(text[:start] + other[begin:stop] + text[end:], start, end)


def splice(text: bytes, random: Random, other: bytes) -> Harmed:
    """Bytes of this or of another file stand between others."""
    source = random.choice((text, other))
    start, end = _range(source, random)
    return _inserted(text, random, source[start:end])


def bad_utf8(text: bytes, random: Random, _: bytes) -> Harmed:
    """Bytes that are no UTF-8."""
    return _inserted(text, random, random.choice(_BAD_UTF8))


def nul_run(text: bytes, random: Random, _: bytes) -> Harmed:
    """A page that never reached the disk."""
    start, end = _range(text, random)
    return Harmed(text[:start] + bytes(end - start) + text[end:], start, end)


def mark(text: bytes, random: Random, _: bytes) -> Harmed:
    """A quote, a backslash or a bracket too many."""
    return _inserted(text, random, random.choice(_MARKS) * random.choice((1, 1, 2, 50)))


def noise(text: bytes, random: Random, _: bytes) -> Harmed:
    """Random bytes."""
    return _inserted(text, random, random.randbytes(random.randrange(1, 300)))


def deep(text: bytes, random: Random, _: bytes) -> Harmed:
    """Brackets nested deeper than anybody reads."""
    depth = random.randrange(1, _DEEPEST)
    opening = random.choice((b"[", b'{"a":', b'{"args":[', b'{"ph":"X","args":'))
    closing = random.choice((b"", b"]" * depth, b"}" * depth))
    return _inserted(text, random, opening * depth + closing)


def huge_number(text: bytes, random: Random, _: bytes) -> Harmed:
    """A number that no column holds."""
    return _for_a_number(text, random, random.choice(_HUGE))


def word(text: bytes, random: Random, _: bytes) -> Harmed:
    """Something that is no number where one was."""
    return _for_a_number(text, random, random.choice(_WORDS))


MUTATIONS: Final[tuple[Mutation, ...]] = (
    cut,
    cut_begin,
    flip,
    flip,
    delete,
    duplicate,
    overwrite,
    splice,
    bad_utf8,
    nul_run,
    mark,
    mark,
    noise,
    deep,
    huge_number,
    word,
)


def compressed(text: bytes, random: Random) -> bytes:
    """As gzip, in one or two members, with what may stand behind them."""
    half = random.choice((0, len(text) // 2))
    members = [part for part in (text[:half], text[half:]) if part]
    return b"".join(gzip.compress(part, 1) for part in members) + random.choice((b"", bytes(512)))


def _range(text: bytes, random: Random) -> tuple[int, int]:
    """A short range, rarely one of any length."""
    start = random.randrange(len(text))
    longest = random.choice((8, 64, 512, _LONGEST, len(text)))
    return start, min(start + random.randrange(1, longest + 1), len(text))


def _inserted(text: bytes, random: Random, what: bytes) -> Harmed:
    place = random.randrange(len(text))
    return Harmed(text[:place] + what + text[place:], place, place)


def _for_a_number(text: bytes, random: Random, what: bytes) -> Harmed:
    """Takes the place of the first number behind a random one."""
    start = text.find(b": ", random.randrange(len(text))) + 2
    while start < len(text) and text[start] not in _NUMBER:
        start = text.find(b": ", start) + 2
        if start == 1:
            return _inserted(text, random, what)
    end = start
    while end < len(text) and text[end] in _NUMBER:
        end += 1
    return Harmed(text[:start] + what + text[end:], start, end)
