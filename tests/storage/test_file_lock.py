"""The lock between processes: shared by many or held alone, and gone with its holder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from workbench.domain.errors import StoreInUse
from workbench.storage.file_lock import FileLock

HOLD_AND_DIE = """
import os, sys
from pathlib import Path
from workbench.storage.file_lock import FileLock
lock = FileLock(Path(sys.argv[1]), alone=True, advice="")
print("held", flush=True)
sys.stdin.read()
os._exit(9)
"""


def take(path: Path, *, alone: bool) -> FileLock:
    return FileLock(path, alone=alone, advice="Close it.")


def test_many_share(tmp_path: Path):
    with take(tmp_path / "l", alone=False), take(tmp_path / "l", alone=False):
        pass


@pytest.mark.parametrize(("first", "second"), [(True, True), (True, False), (False, True)])
def test_alone_means_alone(tmp_path: Path, first: bool, second: bool):
    with take(tmp_path / "l", alone=first), pytest.raises(StoreInUse, match="Close it"):
        take(tmp_path / "l", alone=second)
    take(tmp_path / "l", alone=second).close()


def test_giving_back_twice_does_nothing(tmp_path: Path):
    lock = take(tmp_path / "l", alone=True)
    lock.close()
    lock.close()


def test_the_file_is_the_owner_s_alone(tmp_path: Path):
    take(tmp_path / "l", alone=True).close()
    assert (tmp_path / "l").stat().st_mode & 0o777 == 0o600


def test_it_holds_between_processes_and_ends_with_its_holder(tmp_path: Path):
    """A lock that outlived a killed process would lock its user out for good."""
    command = [sys.executable, "-c", HOLD_AND_DIE, str(tmp_path / "l")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(StoreInUse):
            take(tmp_path / "l", alone=False)
        holder.stdin.close()
        assert holder.wait() == 9
        take(tmp_path / "l", alone=True).close()
