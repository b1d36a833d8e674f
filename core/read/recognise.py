"""What a file is, by its content; the name only breaks ties (trace-format section 15).

Nothing is executed: pickles are known by words among their bytes. What may hold trace events is
left to the parsers, which know better once they have read it.
"""

import re
from pathlib import Path, PurePath
from typing import Final, Literal

import msgspec

from vpstop.read.capture import TraceWarning, WarningKind
from vpstop.read.compression import GZIP_MAGIC
from vpstop.read.damage import Damaged
from vpstop.read.inflate import chunks
from vpstop.read.json_kinds import JsonKind, array_kind, has_events, object_kind

BinaryKind = Literal[
    "memory-snapshot",
    "flight-recorder",
    "perfetto",
    "xplane",
    "tensorflow-events",
    "nsys",
    "sqlite",
    "pickle",
    "archive",
    "unknown",
]
TextKind = Literal["nodes", "stacks", "memory-timeline", "html", "json", "text", "empty", "unknown"]
Format = JsonKind | BinaryKind | TextKind

PARSED: Final[frozenset[Format]] = frozenset({"kineto", "legacy-autograd", "chrome"})
"""Formats that may give a capture."""

SIDECARS: Final[frozenset[str]] = frozenset({"nodes"})
"""Formats that belong to traces without being one."""

NODES_FILE: Final = "nodes.toml"
"""What the user says of the nodes, beside their traces: the one file that is known by its name."""

_HEAD_BYTES: Final = 1 << 16
_SEARCHED_BYTES: Final = 1 << 24
"""So far into a JSON text its kind is looked for."""

_PROMISES_A_TRACE: Final = re.compile(r"\.json(?:\.gz|\.zst)?(?:\.tmp)?$", re.IGNORECASE)
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_OPENING: Final = re.compile(rb'[{\[]\s*(?:["{}\[\]\-\dtfn]|$)')
_CONTROL: Final = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
_STACK: Final = re.compile(rb".+;.+ \d+\r?")
_PICKLE: Final = re.compile(rb"\x80[\x02-\x05]")
_HTML: Final = re.compile(rb"<(?:!doctype|html|head|body)", re.IGNORECASE)

_ARCHIVES: Final = (b"PK\x03\x04", b"\xfd7zXZ\0", b"7z\xbc\xaf\x27\x1c")
_TAR_MAGIC: Final = b"ustar"
_TAR_MAGIC_AT: Final = 257
_MAGIC: Final[dict[bytes, BinaryKind]] = {
    b"SQLite format 3\0": "sqlite",
    b"QDSTRM": "nsys",
}
_ENDINGS: Final[dict[str, BinaryKind]] = {
    ".nsys-rep": "nsys",
    ".qdstrm": "nsys",
    ".pftrace": "perfetto",
    ".perfetto-trace": "perfetto",
    ".xplane.pb": "xplane",
}


def sniff(path: Path) -> Format:
    """What the file is, whatever its name says and whether or not it is compressed.

    Reads 64 KB, of a JSON text whose kind comes later at most 16 MB. Raises `OSError`, and
    `Damaged` where the file cannot be reached in its archive.
    """
    head, _ = _beginning(path, _HEAD_BYTES)
    found = recognise(head, path.name)
    if found is not None:
        return found
    text, is_whole = _beginning(path, _SEARCHED_BYTES)
    found = recognise(text, path.name)
    if found is not None:
        return found
    return "unknown" if is_whole and not _is_json(text) else "json"


def recognise(head: bytes, name: str = "") -> Format | None:
    """What a text that begins like this is; None for JSON that does not tell yet."""
    if name == NODES_FILE:
        return "nodes"
    text = head.removeprefix(_BYTE_ORDER_MARK).lstrip()
    if not text.strip(b"\0"):
        return "empty"
    if _OPENING.match(text):
        return object_kind(text) if text.startswith(b"{") else array_kind(text)
    if _is_archive(head):
        return "archive"
    if has_events(head):
        return "chrome"
    return _binary_kind(head, name) or _text_kind(text, name)


def refusal(path: PurePath, found: Format) -> TraceWarning | None:
    """Why a file of this format gives no capture, None where it may or need not give one.

    Only a name that promises a trace makes a file worth more than a remark.
    """
    if found in PARSED or found in SIDECARS:
        return None
    promises = _PROMISES_A_TRACE.search(path.name) is not None
    kind: WarningKind = "not_a_trace"
    if promises and found == "empty":
        kind = "empty"
    elif promises and found in ("text", "unknown"):
        kind = "unreadable"
    example = "not JSON" if kind == "unreadable" else f"format: {found}"
    return TraceWarning(kind, str(path), example=example)


def _beginning(path: Path, wanted_bytes: int) -> tuple[bytes, bool]:
    """The first bytes of the text, and whether they are all of it."""
    text = bytearray()
    try:
        for chunk in chunks(path):
            text += chunk
            if len(text) >= wanted_bytes:
                return bytes(text), False
    except Damaged as damage:  # what stands before the damage is enough to know
        if damage.kind == "unreadable":
            raise
        return bytes(text) or GZIP_MAGIC, False
    return bytes(text), True


def _is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text.removeprefix(_BYTE_ORDER_MARK), type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _is_archive(head: bytes) -> bool:
    """Traces in it that are not compressed could be taken for the file itself."""
    return head.startswith(_ARCHIVES) or head.startswith(_TAR_MAGIC, _TAR_MAGIC_AT)


def _binary_kind(head: bytes, name: str) -> BinaryKind | None:
    """The kind of something that is not text, None for text."""
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    if _PICKLE.match(head):
        return _pickle_kind(head, name)
    if not _CONTROL.search(head[:4096]):
        return None
    if b"brain.Event:" in head[:256] or ".tfevents." in name:
        return "tensorflow-events"
    if head.startswith(b"\n"):
        return _protobuf_kind(head, name)
    return _kind_by_ending(name)


def _pickle_kind(head: bytes, name: str) -> BinaryKind:
    if b"entries" in head and (b"pg_config" in head or b"profiling_name" in head):
        return "flight-recorder"
    if b"segments" in head or b"device_traces" in head:
        return "memory-snapshot"
    return "flight-recorder" if "trace_rank_" in name else "pickle"


def _protobuf_kind(head: bytes, name: str) -> BinaryKind:
    """Both formats are a list of messages in field 1: a plane begins with its id or its name."""
    message = re.match(rb"\n[\x80-\xff]{0,4}[\x01-\x7f](.)(.?)([ -~]*)", head, re.DOTALL)
    if message is None:
        return _kind_by_ending(name)
    tag, size, said = message.groups()
    is_name = tag == b"\x12" and 4 <= size[0] <= len(said) if size else False
    return "xplane" if tag == b"\x08" or is_name else "perfetto"


def _kind_by_ending(name: str) -> BinaryKind:
    kinds = (kind for ending, kind in _ENDINGS.items() if name.casefold().endswith(ending))
    return next(kinds, "unknown")


def _text_kind(text: bytes, name: str) -> TextKind | BinaryKind:
    if _HTML.match(text):
        about_memory = "memory" in name or re.search(rb"memory[ _-]?timeline", text, re.IGNORECASE)
        return "memory-timeline" if about_memory else "html"
    lines = text[:_HEAD_BYTES].strip().split(b"\n")[:20]
    if all(_STACK.fullmatch(line) for line in lines):
        return "stacks"
    if len(text) < _HEAD_BYTES and _is_json(text):
        return "json"
    kind = _kind_by_ending(name)
    return "text" if kind == "unknown" else kind
