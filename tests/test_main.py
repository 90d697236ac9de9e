"""Starting the program: as a module, by its commands, with and without somebody reading what it prints."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import workbench

PROGRAMS = Path(sys.executable).parent


@pytest.fixture(autouse=True)
def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)


def start(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize(
    "program",
    [[sys.executable, "-m", "workbench"], [str(PROGRAMS / "workbench")], [str(PROGRAMS / "workbench-gui")]],
    ids=["module", "workbench", "workbench-gui"],
)
def test_every_way_to_start_shows_the_same_version(program: list[str]):
    shown = start(*program, "--version").stdout
    version, _, around = shown.partition(" (")
    assert version == f"workbench {workbench.__version__}"
    assert re.fullmatch(r"commit ([0-9a-f]{12}|unknown), Python 3\.\d+\.\d+, Qt 6\.\d+\.\d+\)\n", around), (
        shown
    )


def test_without_a_display_one_line_says_what_works():
    done = start(sys.executable, "-m", "workbench")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("workbench: there is no display here")
    assert done.stderr.count("\n") == 1


def test_wrong_usage_exits_with_two():
    assert start(sys.executable, "-m", "workbench", "nonsense").returncode == 2


def test_a_reader_that_leaves_causes_no_traceback():
    """`workbench … | head` closes the pipe early; Python would print a traceback and another one at exit."""
    with subprocess.Popen(
        [sys.executable, "-m", "workbench", "--help"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        words = process.stderr.read()
    assert words == ""
    assert process.returncode in (
        0,
        1,
    )  # 0 where nothing is buffered: argparse itself overlooks the closed pipe


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full is needed")
@pytest.mark.parametrize("arguments", [["--help"], ["--version"]], ids=["help", "version"])
def test_a_full_disk_is_said_in_one_line(arguments: list[str]):
    with open("/dev/full", "wb") as full:
        # Without buffering argparse meets the error itself, and overlooks it.
        command = [sys.executable, "-E", "-m", "workbench", *arguments]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == "workbench: not finished: [Errno 28] No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a shell that closes streams is needed")
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ("replay - >&-", 1, "workbench: not finished: standard output is closed\n"),
        ("replay - <&-", 2, "-: standard input is closed\n"),
        ("--version <&-", 0, ""),
    ],
)
def test_a_closed_stream_matters_only_where_it_is_needed(arguments: str, code: int, words: str):
    done = start("sh", "-c", f'"{sys.executable}" -m workbench {arguments}')
    assert (done.returncode, done.stderr) == (code, words)
