"""Cells of timeline rows: which glyph and which style shows what ran in each column.

A slice of at least a column's width is a run of coloured cells with its name. Columns of narrower
slices show their busy share as a block, in the colour of the activity that has most of the column.
All tracks of a pane are painted at once: a frame has time for few numpy calls only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from vpstop.measure.window import Window
from vpstop.read.activity import Activity
from vpstop.read.coverage import busy_ns
from vpstop.read.segments import Segments
from vpstop.tui.labels import SHADES, label_codes
from vpstop.tui.scale import column_edges
from vpstop.tui.theme import BLOCKS, DENSITY, EDGE, ELLIPSIS, IDLE, SOLID
from vpstop.tui.track import Track

Int64 = npt.NDArray[np.int64]
UInt32 = npt.NDArray[np.uint32]
UInt8 = npt.NDArray[np.uint8]
Bool = npt.NDArray[np.bool_]
Float = npt.NDArray[np.float64]

LABEL_COLUMNS: Final = 4
"""Narrower runs show no name."""

EXACT_PER_COLUMN: Final = 200
"""So many slices per column are drawn in all tracks together; of others sums are."""

NO_SLICE: Final = -1

_BLOCK_CODES: Final = np.array([ord(block) for block in BLOCKS], np.uint32)


@dataclass(frozen=True, slots=True)
class Picture:
    """Cells of tracks in a window; arrays of shape (tracks, columns)."""

    window: Window
    glyphs: UInt32
    styles: UInt8
    slices: Int64
    """Row of the slice that has most of the cell; -1 where that is none, or not known."""


class Pieces(NamedTuple):
    """Segments of all exact tracks, cut to the window; columns of shape (n,).

    Places are counted in units of which a column has `unit`: no column is wider than another.
    """

    track: Int64
    first: Int64
    last: Int64
    slice: Int64
    style: UInt8
    activity: UInt8
    is_wide: Bool
    """At least as wide as a column."""


class Overlaps(NamedTuple):
    """What each piece has of each cell that it touches; columns of shape (m,), by cell."""

    cell: Int64
    piece: Int64
    units: Int64


def paint(tracks: Sequence[Track], window: Window, columns: int) -> Picture:
    """What the tracks show in the window."""
    share, pieces, overlaps = _measured(tracks, window, columns)
    picture = _blocks(share, window)
    _draw_runs(picture, share.sum(axis=2), tracks, pieces, overlaps)
    return picture


def busy_shares(tracks: Sequence[Track], window: Window, columns: int) -> Float:
    """Share of each column that each activity has, shape (tracks, columns, activities)."""
    return _measured(tracks, window, columns)[0]


def exact_tracks(tracks: Sequence[Track], window: Window, columns: int) -> list[int]:
    """Places of the tracks whose slices are drawn; of the others sums of busy time are.

    Where a column is much finer than a bucket of the sums, there are few slices anyway. Of the
    others those with few come first, as far as the frame has time for them.
    """
    column_ns = (window.end_ns - window.start_ns) // columns
    fine = [place for place, track in enumerate(tracks) if 2 * column_ns < track.bucket_ns]
    counts = [track.count(window) for track in tracks]
    rest = sorted(set(range(len(tracks))).difference(fine), key=counts.__getitem__)
    room = EXACT_PER_COLUMN * columns - sum(counts[place] for place in fine)
    total = np.cumsum([counts[place] for place in rest])
    return sorted([*fine, *rest[: int(np.searchsorted(total, room, "right"))]])


def _measured(
    tracks: Sequence[Track], window: Window, columns: int
) -> tuple[Float, Pieces, Overlaps]:
    """Shares of all tracks, and of the exact ones the segments and where they lie."""
    share = np.zeros((len(tracks), columns, len(Activity)))
    exact = exact_tracks(tracks, window, columns)
    _add_sums(share, tracks, set(range(len(tracks))).difference(exact), window)
    unit, pieces = _cut(tracks, exact, window, columns)
    overlaps = _overlaps(pieces, unit, columns)
    key = overlaps.cell * len(Activity) + pieces.activity[overlaps.piece]
    share += _summed(key, overlaps.units / unit, share.size).reshape(share.shape)
    return share, pieces, overlaps


def _add_sums(share: Float, tracks: Sequence[Track], places: set[int], window: Window) -> None:
    edges_ns = column_edges(window, share.shape[1])
    width_ns = np.maximum(np.diff(edges_ns), 1)[:, None]
    for place in places:
        track = tracks[place]
        local_ns = edges_ns - track.rank.shift_ns
        share[place] = busy_ns(track.capture.coverage, track.coverage_row, local_ns) / width_ns


def _cut(
    tracks: Sequence[Track], exact: Sequence[int], window: Window, columns: int
) -> tuple[int, Pieces]:
    """The unit of places, and the segments of the exact tracks."""
    found = [tracks[place].segments(window) for place in exact]
    counts = [len(segments.slice) for segments in found]
    looks = [_looks(tracks[place], one) for place, one in zip(exact, found, strict=True)]
    start_ns = _joined([one.start_ns for one in found], np.int64)
    end_ns = _joined([one.end_ns for one in found], np.int64)
    width_ns = window.end_ns - window.start_ns
    # Coarser than a nanosecond only where a window of years would overflow 64 bits.
    shift = max(0, (width_ns * columns).bit_length() - 62)
    first, last = (
        ((np.clip(times_ns, *window) - window.start_ns) >> shift) * columns
        for times_ns in (start_ns, end_ns)
    )
    unit = max(1, width_ns >> shift)
    pieces = Pieces(
        track=np.repeat(np.array(exact, np.int64), counts),
        first=first,
        last=last,
        slice=_joined([one.slice for one in found], np.int64),
        style=_joined([style for style, _ in looks], np.uint8),
        activity=_joined([activity for _, activity in looks], np.uint8),
        is_wide=((end_ns - start_ns) >> shift) * columns >= unit,
    )
    visible = first < last
    return unit, Pieces(*(column[visible] for column in pieces))


def _looks(track: Track, segments: Segments) -> tuple[UInt8, UInt8]:
    """Style and activity of every segment."""
    slices = track.capture.slices
    activity = slices.activity[segments.slice]
    shade = track.rank.index.name_shades[slices.name[segments.slice]]
    return SOLID + activity * np.uint8(SHADES) + shade, activity


def _joined(arrays: Sequence[npt.NDArray[Any]], dtype: type[Any]) -> npt.NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *arrays], dtype=dtype)


def _overlaps(pieces: Pieces, unit: int, columns: int) -> Overlaps:
    """Pieces of a track are disjoint and in order, so the cells come out sorted."""
    first = pieces.first // unit
    count = (pieces.last - 1) // unit - first + 1
    piece = np.repeat(np.arange(len(first)), count)
    column = np.arange(len(piece)) - np.repeat(np.cumsum(count) - count - first, count)
    left = column * unit
    units = np.minimum(pieces.last[piece], left + unit) - np.maximum(pieces.first[piece], left)
    return Overlaps(pieces.track[piece] * columns + column, piece, units)


def _summed(key: Int64, weights: npt.NDArray[np.floating[Any]], size: int) -> Float:
    return np.bincount(key, weights, size).astype(np.float64, copy=False)


def _blocks(share: Float, window: Window) -> Picture:
    """A block of the busy share in every cell, coloured by the activity that has most of it."""
    total = share.sum(axis=2)
    level = np.clip(np.rint(total * 8), total > 0, 8).astype(np.intp)
    styles = np.where(total > 0, DENSITY + share.argmax(axis=2), IDLE).astype(np.uint8)
    return Picture(window, _BLOCK_CODES[level], styles, np.full(total.shape, NO_SLICE))


def _draw_runs(
    picture: Picture, total: Float, tracks: Sequence[Track], pieces: Pieces, overlaps: Overlaps
) -> None:
    """Cells of slices that are wide enough to have cells of their own."""
    if not len(overlaps.cell):
        return
    cell, piece = _winners(overlaps)
    picture.slices.reshape(-1)[cell] = pieces.slice[piece]
    narrow = _summed(overlaps.cell, 1.0 - pieces.is_wide[overlaps.piece], total.size)
    is_run = pieces.is_wide[piece] & (total.reshape(-1)[cell] >= 0.5)
    is_rest = pieces.is_wide[piece] & ~is_run & (narrow[cell] == 0)
    _fill(picture, cell[is_rest], np.uint8(IDLE))
    cell, piece = cell[is_run], piece[is_run]
    _fill(picture, cell, pieces.style[piece])
    starts = np.flatnonzero(np.diff(piece, prepend=-1))
    _mark_edges(picture, cell[starts])
    lengths = np.diff(starts, append=len(piece))
    named = lengths >= LABEL_COLUMNS
    first, length, piece = cell[starts][named], lengths[named], piece[starts][named]
    _write_names(picture, first, length, tracks, pieces.track[piece], pieces.slice[piece])


def _winners(overlaps: Overlaps) -> tuple[Int64, Int64]:
    """The cells that have pieces, and of each the first of the pieces that have most of it."""
    first = np.flatnonzero(np.diff(overlaps.cell, prepend=-1))
    most = np.maximum.reduceat(overlaps.units, first)
    count = np.diff(first, append=len(overlaps.cell))
    best = np.flatnonzero(overlaps.units == np.repeat(most, count))
    best = best[np.diff(overlaps.cell[best], prepend=-1) != 0]
    return overlaps.cell[best], overlaps.piece[best]


def _fill(picture: Picture, cell: Int64, styles: UInt8 | np.uint8) -> None:
    picture.glyphs.reshape(-1)[cell] = ord(" ")
    picture.styles.reshape(-1)[cell] = styles


def _mark_edges(picture: Picture, cell: Int64) -> None:
    """A line between neighbours that look the same."""
    columns = picture.glyphs.shape[1]
    styles = picture.styles.reshape(-1)
    inner = cell[cell % columns > 0]
    alike = (styles[inner] >= SOLID) & (styles[inner] == styles[inner - 1])
    picture.glyphs.reshape(-1)[inner[alike]] = ord(EDGE)


def _write_names(
    picture: Picture,
    first: Int64,
    length: Int64,
    tracks: Sequence[Track],
    track: Int64,
    slices: Int64,
) -> None:
    """The name of every run, a cell from its start: that cell is for the line between runs."""
    glyphs = picture.glyphs.reshape(-1)
    runs = (first + 1, length - 1, track, slices)
    for start, room, place, row in zip(*(column.tolist() for column in runs), strict=True):
        capture = tracks[place].capture
        codes = label_codes(capture.names[capture.slices.name[row]])
        if len(codes) <= room:
            glyphs[start : start + len(codes)] = codes
        else:
            glyphs[start : start + room - 1] = codes[: room - 1]
            glyphs[start + room - 1] = ord(ELLIPSIS)
