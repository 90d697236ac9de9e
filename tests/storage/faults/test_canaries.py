"""Nothing that was said is readable in any file, temporary file, log or message of the program."""

from __future__ import annotations

import base64
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.keys import WORDS
from tests.storage.faults.canaries import CANARY

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are needed")


def traces(folder: Path, how: str) -> dict[str, bytes]:
    """Every file the child left, killed with everything open, and what it said."""
    (folder / "temporary").mkdir()
    environment = {
        **os.environ,
        "TMPDIR": str(folder / "temporary"),
        "SQLITE_TMPDIR": str(folder / "temporary"),
    }
    command = [sys.executable, "-m", "tests.storage.faults.canaries", str(folder / "data"), how]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=100)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {**files, "standard output": done.stdout, "standard error": done.stderr}


def with_canary(found: dict[str, bytes]) -> set[str]:
    """Where it is, in any of the ways text is written down."""
    spellings = [
        CANARY.encode(), CANARY.upper().encode(), CANARY.encode("utf-16-le"), CANARY.encode().hex().encode(),
        base64.b64encode(CANARY.encode())[:-4], CANARY[::-1].encode(), WORDS.reveal(),
    ]  # fmt: skip
    return {name for name, content in found.items() if any(one in content for one in spellings)}


def test_no_file_and_no_message_shows_what_was_said(tmp_path: Path) -> None:
    found = traces(tmp_path, "encrypted")
    left = {name for name in found if name.startswith(("data/", "backup/"))}
    assert {
        "data/store.db",
        "data/store.db-wal",
        "data/store.db-shm",
        "data/keys.json",
        "backup/store.db",
    } <= left
    assert found["standard error"].count(b"errors.NotKept: ") == 5
    # Ids are named in refusals, so that something can be done about them; what is said is not.
    assert with_canary(found) == set()


def test_the_looking_finds_what_a_careless_program_leaves(tmp_path: Path) -> None:
    """Without this the test above could pass because it looks in the wrong places."""
    places = with_canary(traces(tmp_path, "plain"))
    assert {place.split("/")[0] for place in places} == {"data", "temporary", "standard output"}
