"""Ctrl-C while a passphrase is asked for ends the command at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is needed")
def test_the_prompt_can_be_left(tmp_path: Path) -> None:
    """Inside an event loop the first Ctrl-C only asks the task to end, which a waiting prompt never hears of."""
    master, slave = os.openpty()
    command = [sys.executable, "-m", "workbench", "history", "list", "--data-dir", str(tmp_path / "data")]
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
        assert process.wait(timeout=60) == 130
    os.close(master)


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
