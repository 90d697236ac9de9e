"""Rotates copies of a data folder in child processes and kills each at another moment; run as a program.

Killed at every file operation (an audit hook counts them, and the process kills itself before the n-th), or by the
clock, from outside. Forking from one small process is what makes hundreds of kills affordable.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.fakes.keys import WORDS, unlocker_of
from workbench.storage.keys.keeper import FolderKeyKeeper
from workbench.storage.keys.unlocking import GivenCredentials

OPERATIONS = ("open", "os.rename", "os.remove", "sqlite3.connect", "sqlite3.connect/handle")


def rotate(folder: Path) -> None:
    unlocker, _ = unlocker_of(folder, GivenCredentials(folder.parent / "raw.key", WORDS))
    FolderKeyKeeper(unlocker).rotate()


def run_in_child(work: Callable[[], None], kill_after_s: float | None = None) -> bool:
    """Whether the child came to its end."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0 if sys.exc_info()[0] is None else 1)
    if kill_after_s is not None:
        select.select([], [], [], kill_after_s)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL), status
    return status == 0


def rotate_until(folder: Path, operation: int) -> None:
    seen = 0

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        if event in OPERATIONS and str(folder) in str(arguments[0]):
            seen += 1
            if seen == operation:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    rotate(folder)


def leave_log(folder: Path) -> None:
    """Write rows that are in the write-ahead log only, as a killed window leaves them."""
    unlocker, _ = unlocker_of(folder, GivenCredentials(folder.parent / "raw.key"))
    connection = unlocker.unlock().connect()
    connection.execute("INSERT INTO words VALUES (?)", ("only in the log",))
    connection.commit()
    os.kill(os.getpid(), signal.SIGKILL)


def main(template: Path, kills_by_clock: int) -> None:
    run_in_child(lambda: leave_log(template))
    copies = template.parent
    operation, ended = 0, False
    while not ended:
        operation += 1
        copy = copies / f"operation-{operation}"
        shutil.copytree(template, copy)
        ended = run_in_child(lambda copy=copy, n=operation: rotate_until(copy, n))  # type: ignore[misc]
    began = time.monotonic()
    shutil.copytree(template, copies / "whole")
    assert run_in_child(lambda: rotate(copies / "whole"))
    duration_s = time.monotonic() - began
    for kill in range(kills_by_clock):
        copy = copies / f"clock-{kill}"
        shutil.copytree(template, copy)
        run_in_child(lambda copy=copy: rotate(copy), kill_after_s=duration_s * (kill + 0.5) / kills_by_clock)  # type: ignore[misc]
    print(operation, duration_s)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
