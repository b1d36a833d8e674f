"""A damaged record made to parse: it is written anew while it is read once, from left to right."""

import math
import re
from typing import Final, NamedTuple

import msgspec

from vpstop.read.capture import WarningKind
from vpstop.read.escapes import ESCAPE, escaped
from vpstop.read.findings import Findings, note_bad_text
from vpstop.read.quotes import FIELD, ITEM, KEY, NEXT_KEY, VALUE, WHOLE, Ends, closing_quote

LONGEST_BYTES: Final = 1 << 20
"""Longer records are not repaired."""
_DEEPEST: Final = 64
_MOST_DAMAGED: Final = 1000
"""More damaged strings are no record: each is compared with quotes far behind it."""

_BLANK: Final = re.compile(rb"[ \t\r\n]*+")
_STRING: Final = re.compile(rb'"((?:[^"\\\x00-\x1f]|%b)*+)"' % ESCAPE)
_WORD: Final = re.compile(rb'[^\s,:{}\[\]"]++')
_LITERAL: Final = re.compile(
    rb"true|false|null|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?"
)
_OPENING: Final = {b"}": b"{", b"]": b"["}

_TEXT: Final = rb'"[^"\\\x00-\x1f]*+"'
_SCALAR: Final = rb"(?:%b|-?(?:0|[1-9]\d{0,40}+)(?:\.\d{1,40}+)?|true|false|null)" % _TEXT
_LIST: Final = rb"\[\s*+(?:%b(?:\s*+,\s*+%b)*+\s*+)?+\]"
_SCALARS: Final = _LIST % (_SCALAR, _SCALAR)
_SCALAR_OR_LIST: Final = rb"(?:%b|%b)" % (_SCALAR, _SCALARS)
_LISTS: Final = _LIST % (_SCALAR_OR_LIST, _SCALAR_OR_LIST)
_PLAIN: Final = rb'\s*+("[^"\\\x00-\x1f]*+")\s*+:\s*+(?:%b|%b)\s*+,' % (_SCALAR, _LISTS)
"""A pair that needs no repair, as most do, and the comma behind it."""
_PLAIN_PAIR: Final = re.compile(_PLAIN)
_PLAIN_PAIRS: Final = re.compile(rb"(?:%b(?=%b))++" % (_PLAIN, NEXT_KEY))

_STRICT: Final = msgspec.json.Decoder()


class Repaired(NamedTuple):
    """Text with repairs, and what they were."""

    text: bytes
    findings: Findings


def repair(record: bytes) -> Repaired | None:
    """The record, or another JSON value, as strict JSON; None where no sense can be made of it.

    Values that are missing or no JSON become `null`, texts are escaped and made UTF-8. Takes time
    in proportion to the length. Records of more than 1 MB or 64 levels are given up.
    """
    if len(record) > LONGEST_BYTES:
        return None
    findings = Findings()
    note_bad_text(record, findings)
    if findings:
        record = record.decode(errors="replace").encode()
    rebuild = _Rebuild(record, findings)
    try:
        text = rebuild.whole()
        _STRICT.decode(text)
    except (_Hopeless, msgspec.DecodeError):
        return None
    return Repaired(text, findings)


class _Hopeless(Exception):
    """No way is known to go on."""


class _Rebuild:
    """Reads from `_at` on; what is before it has been written to `_out`."""

    def __init__(self, text: bytes, findings: Findings) -> None:
        self._text = text
        self._findings = findings
        self._at = 0
        self._key_at = 0
        self._damaged = 0
        self._out: list[bytes] = []

    def whole(self) -> bytes:
        """The text written anew; raises `_Hopeless`."""
        self._value(WHOLE, 0)
        if self._next():
            raise _Hopeless
        return b"".join(self._out)

    def _value(self, ends: Ends, depth: int) -> None:
        if depth > _DEEPEST:
            raise _Hopeless
        first = self._next()
        if first == b"{":
            self._members(b"}", FIELD if depth == 0 else VALUE, depth)
        elif first == b"[":
            self._members(b"]", ITEM, depth)
        elif first == b'"':
            self._string(ends)
        else:
            self._word(first)

    def _members(self, close: bytes, ends: Ends, depth: int) -> None:
        """Writes an object or a list."""
        keys: set[bytes] | None = set() if close == b"}" else None
        self._expect(_OPENING[close])
        more = True
        while more:
            if keys is not None:
                self._plain_pairs(keys)
            if self._next() == close:
                self._drop_comma()
                break
            if keys is not None:
                self._key(keys)
            self._value(ends, depth + 1)
            more = self._next() == b","
            if more:
                self._expect(b",")
        self._expect(close)

    def _drop_comma(self) -> None:
        if self._out[-1] == b",":
            self._note("bad_record")
            self._out.pop()

    def _plain_pairs(self, keys: set[bytes]) -> None:
        """Copies pairs that need no repair: a fifth of the time that one by one would take."""
        pairs = _PLAIN_PAIRS.match(self._text, self._at)
        if pairs is not None:
            self._key_at, self._at = self._at, pairs.end()
            self._out.append(pairs[0])
            for key in _PLAIN_PAIR.findall(pairs[0]):
                self._count_key(key, keys)

    def _key(self, keys: set[bytes]) -> None:
        if self._text[self._at : self._at + 1] != b'"':
            raise _Hopeless
        self._key_at = self._at
        self._string(KEY)
        self._count_key(self._out[-1], keys)
        self._next()
        self._expect(b":")

    def _count_key(self, key: bytes, keys: set[bytes]) -> None:
        if key in keys:
            self._note("duplicate_key")
        keys.add(key)

    def _word(self, first: bytes) -> None:
        """Writes a number or a literal, `null` for what is none."""
        word = _WORD.match(self._text, self._at)
        if word is not None:
            self._at = word.end()
        elif first not in (b",", b"}", b"]"):
            raise _Hopeless
        literal = word[0] if word else b""
        if not _is_literal(literal):
            self._note("bad_number" if literal else "bad_record")
            literal = b"null"
        self._out.append(literal)

    def _string(self, ends: Ends) -> None:
        """Writes a string with its quotes."""
        start = self._at + 1
        sound = _STRING.match(self._text, self._at)
        if sound is not None and ends.any.match(self._text, sound.end()):
            end = sound.end(1)
        else:
            end = self._closing_quote(start, ends)
        content = self._text[start:end]
        written = escaped(content)
        self._at = end + 1
        if written != content:
            self._note("bad_text")
        self._out.append(b'"%b"' % written)

    def _closing_quote(self, start: int, ends: Ends) -> int:
        self._damaged += 1
        quote = closing_quote(self._text, start, ends)
        if quote is None or self._damaged > _MOST_DAMAGED:
            raise _Hopeless
        return quote

    def _next(self) -> bytes:
        """Skips blanks; the byte behind them, nothing at the end."""
        blank = _BLANK.match(self._text, self._at)
        self._at = blank.end() if blank else self._at
        return self._text[self._at : self._at + 1]

    def _expect(self, byte: bytes) -> None:
        if self._text[self._at : self._at + 1] != byte:
            raise _Hopeless
        self._out.append(byte)
        self._at += 1

    def _note(self, kind: WarningKind) -> None:
        self._findings.note(kind, self._text, self._key_at, self._at)


def _is_literal(word: bytes) -> bool:
    """Whether a word is a literal of JSON, or a number that a double can hold."""
    is_json = _LITERAL.fullmatch(word) is not None
    return is_json and (word[-1:].isalpha() or math.isfinite(float(word)))
