"""The export key: a file beside the others, or a line that says why not."""

from pathlib import Path

import pytest
from textual.app import App

from build import capture, op
from vpstop.report.markdown import markdown
from vpstop.run import Member, Run
from vpstop.tui.export import export_findings

RUN = Run(
    ("[traces]",), (Member(capture(op("aten::mm", 0, 9)), 0, "metadata", "a", "metadata"),), (), ()
)


class Said(App[None]):
    """An app that remembers its notifications."""

    async def after_exports(self, count: int) -> list[tuple[str, str]]:
        """Severity and text of what was said for `count` exports."""
        async with self.run_test() as pilot:
            for _ in range(count):
                export_findings(self, RUN)
                await self.workers.wait_for_complete()
            await pilot.pause()
            return [(one.severity, one.message) for one in self._notifications]


async def test_the_file_holds_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "vpstop-findings.md"
    assert await Said().after_exports(1) == [("information", f"written to {path}")]
    assert path.read_text() == markdown(RUN)


async def test_every_export_has_its_own_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "vpstop-findings.md").write_text("mine")
    said = await Said().after_exports(2)
    assert [Path(text.split()[-1]).name for _, text in said] == [
        "vpstop-findings-2.md",
        "vpstop-findings-3.md",
    ]
    assert (tmp_path / "vpstop-findings.md").read_text() == "mine"


async def test_a_folder_that_cannot_be_written_is_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    ((severity, text),) = await Said().after_exports(1)
    assert severity == "error"
    assert text == "cannot write vpstop-findings.md here: No such file or directory"
