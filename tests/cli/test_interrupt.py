"""Ctrl-C while a passphrase is asked for ends the command at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

BEGUN = """
import os, sys
from workbench.__main__ import main
os.write(2, b"begun\\n")
sys.exit(main())
"""
"""The program, which says when it begins."""


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is needed")
def test_the_prompt_can_be_left(tmp_path: Path) -> None:
    """Inside an event loop the first Ctrl-C only asks the task to end, which a waiting prompt never hears of."""
    master, slave = os.openpty()
    command = [sys.executable, "-m", "workbench", "ask", "Why?", "--data-dir", str(tmp_path / "data")]
    environment = {"PATH": os.defpath, "HOME": str(tmp_path)}
    with subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True, env=environment,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - the test has no threads
    ) as process:  # fmt: skip
        os.close(slave)
        shown = b""
        while b"passphrase" not in shown:
            shown += os.read(master, 1024)
        os.write(master, b"\x03")
        assert process.wait(timeout=250) == 130
    os.close(master)


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another thing there")
@pytest.mark.parametrize("after_s", [0.05, 0.5, 1.2])
def test_at_no_moment_there_is_a_traceback_or_an_empty_chat(tmp_path: Path, after_s: float) -> None:
    """Ctrl-C while files were attached left a chat without a message; while things were loaded, a traceback."""
    (tmp_path / "says.txt").write_text("word " * 30)
    (tmp_path / "long.md").write_text("a line of text\n" * 30_000)
    data = ["--data-dir", str(tmp_path / "data")]
    start = [sys.executable, "-c", BEGUN]
    ask = [
        "ask",
        "Why?",
        "--attach",
        str(tmp_path / "long.md"),
        "--set",
        f"model=scripted:{tmp_path}/says.txt",
    ]
    environment = {"PATH": os.defpath, "HOME": str(tmp_path), "WORKBENCH_PASSPHRASE": "words to open it with"}
    with subprocess.Popen(
        [*start, *ask, *data], env=environment, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        # Before, Python itself is still starting, for as long as a busy machine takes.
        assert process.stderr is not None
        assert process.stderr.readline() == "begun\n"
        with suppress(subprocess.TimeoutExpired):
            process.wait(after_s)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=240)[1]
    assert process.returncode in (0, 130, -signal.SIGINT)
    assert "Traceback" not in said
    listed = subprocess.run(
        [*start, "history", "list", "--json", *data], env=environment, capture_output=True, text=True
    )
    for one in json.loads(listed.stdout) if listed.returncode == 0 else ():
        shown = [*start, "history", "show", one["id"], "--json", *data]
        done = subprocess.run(shown, env=environment, capture_output=True, text=True, check=True)
        assert json.loads(done.stdout)["messages"]
