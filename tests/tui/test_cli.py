"""The command as a shell sees it: words in; files, streams and exit codes out."""

import json
import os
import pty
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from vpstop.tui import commands
from vpstop.tui.cli import main
from vpstop.tui.exits import Exit
from vpstop.tui.options import Options, parse


def write_trace(path: Path, *, rank: int) -> None:
    """A trace of one operator as Kineto writes it."""
    event = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7}
    trace = {
        "schemaVersion": 1,
        "deviceProperties": [],
        "distributedInfo": {"backend": "gloo", "rank": rank, "world_size": 2},
        "baseTimeNanoseconds": 1_700_000_000_000_000_000,
        "traceEvents": [event | {"ts": 10.5, "dur": 20.25}],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(trace))


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """A folder of two ranks."""
    for rank in range(2):
        write_trace(tmp_path / "traces" / f"rank{rank}.json", rank=rank)
    return tmp_path / "traces"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the tests stays in the user's cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def vpstop(*words: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    """Runs the command to its end."""
    command = [sys.executable, "-m", "vpstop", *map(str, words)]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.run(command, text=True, check=False, **(streams | more))


def test_the_version_is_said() -> None:
    done = vpstop("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, "vpstop 0.1.0\n", "")


@pytest.mark.parametrize("words", [["--help"], ["report", "--help"], ["digest", "--help"]])
def test_help_has_the_exit_codes(words: list[str]) -> None:
    done = vpstop(*words)
    assert done.returncode == 0
    assert "1 nothing readable" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["--nonsense"],
        ["report", "--format", "pdf"],
        ["report", "-o"],
        ["report", "-o", "no/such/folder/run.md"],
        ["report", "-o", "."],
        ["--no-cache", "report", "x"],
        ["--rank", "rank0.json"],
        ["--rank", "rank0.json=first"],
        ["--rank", "rank0.json=-1"],
        ["report", "--host", "rank0.json="],
        ["report", "--host", "=fra1"],
        ["--memory", "600"],
        ["--memory", "lots"],
        ["digest", "."],
        ["x", "digest", "-o", "y"],
    ],
)
def test_wrong_usage_is_2_and_a_line(words: list[str], tmp_path: Path) -> None:
    done = vpstop(*words, cwd=tmp_path)
    assert done.returncode == Exit.USAGE
    assert done.stdout == ""
    assert "error:" in done.stderr.splitlines()[-1]


def test_the_report_goes_to_standard_output_alone(traces: Path) -> None:
    done = vpstop("report", traces)
    assert done.returncode == Exit.DONE
    assert "aten::mm" in done.stdout
    assert done.stderr == ""


def test_json_is_valid_and_has_every_rank(traces: Path) -> None:
    done = vpstop("report", "--format", "json", traces)
    assert done.returncode == Exit.DONE
    found = json.loads(done.stdout)
    assert found["version"] == "1"
    assert found["run"]["ranks"] == [0, 1]


@pytest.mark.parametrize("name", ["run.md", "run.json"])
def test_a_file_holds_the_same_as_standard_output(name: str, traces: Path, tmp_path: Path) -> None:
    written = vpstop("report", traces, "-o", tmp_path / name)
    assert (written.returncode, written.stdout, written.stderr) == (0, "", "")
    printed = vpstop("report", traces, "--format", Path(name).suffix[1:])
    assert (tmp_path / name).read_text() == printed.stdout


def test_the_user_overrules_ranks_and_hosts(traces: Path) -> None:
    words = ["--rank", "rank0.json=7", "--host", "rank*=tyo1", "--host", "traces/rank1.json=fra1"]
    done = vpstop("report", traces, "--format", "json", *words)
    found = json.loads(done.stdout)
    assert [(file["rank"], file["rank_source"], file["host"]) for file in found["files"]] == [
        (7, "given", "tyo1"),
        (1, "metadata", "fra1"),
    ]


@pytest.mark.parametrize("command", [[], ["report"]])
def test_a_file_that_is_not_there_is_wrong_usage(command: list[str], traces: Path) -> None:
    controller, terminal = pty.openpty()
    words = ["--rank", "rank1.json=0", "--host", "rnk1.json=a"]
    done = vpstop(
        *command,
        traces,
        *words,
        stdin=terminal,
        stderr=terminal,
        env=os.environ | {"TERM": "xterm"},
    )
    os.close(terminal)
    assert (done.returncode, done.stdout) == (Exit.USAGE, "")
    assert "no file fits rnk1.json" in terminal_text(controller)


def test_the_current_folder_is_the_default(traces: Path) -> None:
    assert "aten::mm" in vpstop("report", cwd=traces).stdout


@pytest.mark.parametrize("format_", ["md", "json"])
@pytest.mark.parametrize("content", [None, "hello"])
def test_nothing_readable_is_1_and_still_a_report(
    format_: str, content: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "not-there" / "x.json"
    if content is not None:
        path.parent.mkdir()
        path.write_text(content)
    done = vpstop("report", path, "--format", format_)
    assert done.returncode == Exit.NOTHING_READABLE
    assert str(path) in done.stdout
    assert format_ == "md" or json.loads(done.stdout)["run"]["ranks"] == []
    assert "nothing readable" in done.stderr
    assert "Traceback" not in done.stderr


def test_one_bad_file_does_not_spoil_the_rest(traces: Path) -> None:
    (traces / "rank2.json").write_bytes(b'{"traceEvents": [{"ph": "X", ')
    done = vpstop("report", traces, "--format", "json")
    assert done.returncode == Exit.DONE
    assert "Traceback" not in done.stderr
    found = json.loads(done.stdout)
    assert found["run"]["ranks"] == [0, 1]
    assert any(warning["file"].endswith("rank2.json") for warning in found["warnings"])


@pytest.mark.skipif(sys.platform != "linux", reason="needs limits as Linux has them")
def test_a_disk_that_takes_no_more_leaves_no_half_digest(traces: Path, tmp_path: Path) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    done = vpstop("digest", traces, "-o", tmp_path / "small", preexec_fn=limited)
    assert done.returncode == Exit.USAGE
    assert "File too large" in done.stderr
    assert list((tmp_path / "small").iterdir()) == []


def test_digests_are_opened_like_traces(traces: Path, tmp_path: Path) -> None:
    expected = json.loads(vpstop("report", traces, "--format", "json").stdout)
    (traces / "README.md").write_text("two ranks\n")
    (traces / "torn.json").write_text("not a trace")
    made = vpstop("digest", traces, "-o", tmp_path / "a/small", "--memory", "200M")
    assert (made.returncode, made.stdout) == (Exit.DONE, "")
    complaint, summary = made.stderr.splitlines()
    assert "torn.json: not JSON" in complaint
    assert summary.startswith(f"vpstop: 2 digests in {tmp_path}/a/small, ")
    found = json.loads(vpstop("report", tmp_path / "a/small", "--format", "json").stdout)
    for key in ("ranks", "operators", "kernels"):
        without_paths = [row | {"file": ""} for row in found[key]]
        assert without_paths == [row | {"file": ""} for row in expected[key]]
    assert found["run"] | {"paths": []} == expected["run"] | {"paths": []}


def test_nothing_to_digest_is_1(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("nothing\n")
    done = vpstop("digest", tmp_path, "-o", tmp_path / "small")
    assert done.returncode == Exit.NOTHING_READABLE
    assert done.stderr == "vpstop: nothing readable there\n"


def test_a_digest_that_cannot_be_written_is_2(traces: Path, tmp_path: Path) -> None:
    done = vpstop("digest", traces, "-o", "/proc/small")
    assert done.returncode == Exit.USAGE
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    assert all("no room for the digest in /proc/small" in line for line in lines)
    (tmp_path / "file").write_text("")
    assert "is a file" in vpstop("digest", traces, "-o", tmp_path / "file").stderr


@pytest.mark.parametrize(
    ("word", "bytes_"),
    [("600M", 600e6), ("1.5G", 1.5e9), ("2gib", 2e9), ("512MB", 512e6), ("0.1T", 1e11)],
)
@pytest.mark.parametrize("command", [[], ["report"], ["digest", "-o", "x"]])
def test_memory_is_a_size(command: list[str], word: str, bytes_: float) -> None:
    assert parse([*command, "--memory", word]).memory_bytes == bytes_


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text elsewhere")
def test_names_of_files_may_be_any_bytes(traces: Path) -> None:
    odd = traces / os.fsdecode(b"rank\xff7.json")
    (traces / "rank1.json").rename(odd)
    done = vpstop("report", traces, "--format", "json")
    assert done.returncode == Exit.DONE
    files = json.loads(done.stdout)["files"]
    assert str(odd) in [file["path"] for file in files]
    assert vpstop("report", traces).returncode == Exit.DONE


def test_a_folder_called_report_is_opened_with_a_dot(traces: Path, tmp_path: Path) -> None:
    (tmp_path / "report").symlink_to(traces)
    assert "aten::mm" in vpstop("report", "report", cwd=tmp_path).stdout
    done = vpstop("./report", cwd=tmp_path)
    assert "aten::mm" in done.stdout


@pytest.mark.parametrize(
    ("environment", "reason"),
    [({}, "standard error is not a terminal"), ({"TERM": "dumb"}, "not a terminal")],
)
def test_without_a_screen_there_is_the_report(
    environment: dict[str, str], reason: str, traces: Path
) -> None:
    done = vpstop(traces, env=os.environ | environment)
    assert done.returncode == Exit.DONE
    assert done.stdout == vpstop("report", traces).stdout
    (line,) = done.stderr.splitlines()
    assert reason in line


def test_a_dumb_terminal_gets_the_report(traces: Path) -> None:
    controller, terminal = pty.openpty()
    done = vpstop(traces, stdin=terminal, stderr=terminal, env=os.environ | {"TERM": "dumb"})
    os.close(terminal)
    assert done.returncode == Exit.DONE
    assert "aten::mm" in done.stdout
    assert terminal_text(controller).splitlines() == [
        "vpstop: no screen, because TERM is dumb; this is the report"
    ]


def test_progress_is_drawn_on_a_terminal_and_wiped_away(traces: Path) -> None:
    controller, terminal = pty.openpty()
    done = vpstop("report", traces, stderr=terminal, env=os.environ | {"TERM": "xterm"})
    os.close(terminal)
    assert done.returncode == Exit.DONE
    drawn = terminal_text(controller)
    assert "of 2 files" in drawn
    assert drawn.endswith("\r\x1b[K")
    assert "\n" not in drawn


def test_a_reader_that_goes_away_is_no_traceback(traces: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = vpstop("report", traces, stdout=writing)
    os.close(writing)
    assert done.returncode == Exit.BROKEN_PIPE
    assert done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_a_line(traces: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = vpstop("report", traces, stdout=full)
    assert done.returncode == Exit.USAGE
    assert done.stderr == "vpstop: cannot write to standard output: No space left on device\n"


def test_a_closed_standard_error_is_no_hindrance(traces: Path, tmp_path: Path) -> None:
    words = f"{sys.executable} -m vpstop report {traces} -o {tmp_path}/run.md 2>&-"
    assert subprocess.run(words, shell=True, check=False).returncode == Exit.DONE
    assert "aten::mm" in (tmp_path / "run.md").read_text()


def test_ctrl_c_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: Options) -> Exit:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "report", interrupted)
    assert main(["report"]) == Exit.INTERRUPTED


@pytest.mark.parametrize(
    ("words", "paths"),
    [
        ([], ["."]),
        (["a", "--no-cache", "b"], ["a", "b"]),
        (["--", "--no-cache"], ["--no-cache"]),
        (["report"], ["."]),
        (["report", "a", "-o", "x.md", "b"], ["a", "b"]),
        (["report", "--", "-o"], ["-o"]),
    ],
)
def test_paths_stand_anywhere(words: Sequence[str], paths: list[str]) -> None:
    assert parse(words).paths == tuple(Path(path) for path in paths)


@pytest.mark.parametrize(
    ("words", "format_"),
    [
        ([], "md"),
        (["-o", "x.json"], "json"),
        (["-o", "x.JSON"], "json"),
        (["-o", "x.txt"], "md"),
        (["-o", "x.json", "--format", "md"], "md"),
        (["--format", "json"], "json"),
    ],
)
def test_the_format_is_as_the_name_says(words: list[str], format_: str) -> None:
    assert parse(["report", *words]).format == format_


def terminal_text(controller: int) -> str:
    """All that was written to a pseudo-terminal whose other side is closed."""
    pieces: list[bytes] = []
    while True:
        try:
            piece = os.read(controller, 4096)
        except OSError:
            piece = b""
        if not piece:
            os.close(controller)
            return b"".join(pieces).decode()
        pieces.append(piece)
