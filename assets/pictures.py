"""Takes the pictures of the README from the sample traces: `make pictures`."""

import asyncio
from pathlib import Path
from typing import Final, NamedTuple

from vpstop.tui.app import VpstopApp

HERE: Final = Path(__file__).parent


class Picture(NamedTuple):
    """A screen to be: what is opened, how large, and which keys are pressed before."""

    name: str
    traces: str
    size: tuple[int, int]
    keys: tuple[str, ...] = ()


PICTURES: Final = (
    Picture("timeline", "cross-region", (120, 30), ("}", "j", "right_parenthesis", "2")),
)


async def take(picture: Picture) -> None:
    """Writes `<name>.svg` beside this file."""
    app = VpstopApp([HERE.parent / "sample_traces" / picture.traces], use_cache=False)
    async with app.run_test(size=picture.size) as pilot:
        await app.workers.wait_for_complete()
        for key in picture.keys:
            await pilot.press(key)
        await app.workers.wait_for_complete()
        await pilot.pause()
        app.save_screenshot(str(HERE / f"{picture.name}.svg"))


if __name__ == "__main__":
    for wanted in PICTURES:
        asyncio.run(take(wanted))
