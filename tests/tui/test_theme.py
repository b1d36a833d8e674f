"""The palette can be read and told apart."""

import pytest
from rich.style import Style

from vpstop.read.activity import Activity
from vpstop.tui.labels import SHADES
from vpstop.tui.theme import (
    BACKGROUNDS,
    BRIGHT,
    CURSOR,
    DARK,
    DENSITY,
    HUES,
    ON_BACKGROUND,
    SELECTED,
    SOLID,
    cell_styles,
)

STYLES = cell_styles()


def luminance(style: Style, *, foreground: bool) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    color = style.color if foreground else style.bgcolor
    assert color is not None
    linear = [
        value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
        for value in (part / 255 for part in color.get_truecolor(foreground=foreground))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(style: Style) -> float:
    """Contrast ratio of text on its background, 1 to 21."""
    text, ground = luminance(style, foreground=True), luminance(style, foreground=False)
    return (max(text, ground) + 0.05) / (min(text, ground) + 0.05)


@pytest.mark.parametrize("number", range(SOLID, CURSOR))
def test_names_can_be_read_on_every_colour(number: int) -> None:
    assert contrast(STYLES[number]) >= 4.5


@pytest.mark.parametrize("number", range(CURSOR, 2 * CURSOR))
def test_the_cursor_line_is_seen_on_every_colour(number: int) -> None:
    assert contrast(STYLES[number]) >= 4.5


@pytest.mark.parametrize("activity", Activity)
@pytest.mark.parametrize("background", range(len(BACKGROUNDS)))
def test_shares_of_busy_time_are_seen_on_every_background(
    activity: Activity, background: int
) -> None:
    assert contrast(STYLES[background * ON_BACKGROUND + DENSITY + activity]) >= 1.25


def test_no_two_looks_of_slices_are_the_same() -> None:
    colours = [colour for hue in HUES.values() for colour in hue]
    assert len(set(colours)) == len(colours) == SHADES * len(Activity)
    assert not {BRIGHT, DARK, *BACKGROUNDS} & set(colours)


def test_the_numbers_of_styles_fit_into_a_byte() -> None:
    assert SELECTED < CURSOR
    assert len(STYLES) == 2 * CURSOR <= 256
