"""Which copies of the store's key are in a running program's memory, looked for as a thief of that memory would."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.keys import BY_PASSPHRASE, WORDS, current_key, new_vault, unlocker_of
from workbench.domain.secrets import Secret
from workbench.storage.keys.unlocking import GivenCredentials
from workbench.storage.memory import overwrite, secret_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads another process's memory by /proc")

# Opens the store, then closes it; waits after each of the two.
OPENS = """
import gc, sys
from pathlib import Path
from tests.fakes.keys import WORDS, unlocker_of
from workbench.storage.keys.unlocking import GivenCredentials
from workbench.storage.memory import overwrite, secret_of
store = unlocker_of(Path(sys.argv[1]), GivenCredentials(passphrase=WORDS))[0].unlock_existing()
connection = store.connect()
print("open", flush=True)
input()
connection.close()
store.close()
del store, connection
gc.collect()
print("closed", flush=True)
input()
"""


def places(process: int, secret: bytes) -> Iterator[str]:
    """For each copy of these bytes in what the process can write: the flags of that part of its memory."""
    with (
        open(f"/proc/{process}/smaps", encoding="utf-8") as maps,
        open(f"/proc/{process}/mem", "rb", 0) as memory,
    ):
        start = end = 0
        for line in maps:
            first, *others = line.split()
            if "-" in first and not first.endswith(":"):
                start, end = (int(number, 16) for number in first.split("-")) if "w" in others[0] else (0, 0)
            elif first == "VmFlags:" and end:
                memory.seek(start)
                yield from [line] * memory.read(end - start).count(secret)


def test_the_key_of_a_closed_store_is_no_longer_in_memory_and_that_of_an_open_one_not_in_swap(tmp_path: Path):
    """Python leaves what it frees as it was: the key would be found long after the store was closed.

    One copy cannot be reached: the text of the statement that sets the key, in memory that SQLite frees.
    """
    vault, _ = new_vault(tmp_path / "data", BY_PASSPHRASE)
    unlocker_of(tmp_path / "data", GivenCredentials(passphrase=WORDS))[0].unlock().close()
    key = current_key(vault).key.reveal()
    with subprocess.Popen(
        [sys.executable, "-c", OPENS, tmp_path / "data"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == b"open\n"
        while_open, spelled = list(places(child.pid, key)), len(list(places(child.pid, key.hex().encode())))
        os.write(child.stdin.fileno(), b"\n")
        assert child.stdout.readline() == b"closed\n"
        afterwards = len(list(places(child.pid, key)))
        os.write(child.stdin.fileno(), b"\n")
    assert (len(while_open), afterwards) == (1, 0)
    assert spelled <= 1
    if resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] >= 1 << 16:
        assert " lo" in while_open[0]


def test_a_system_that_locks_no_memory_is_no_error():
    limits = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, limits[1]))
    try:
        assert secret_of(bytes(bytearray(b"a key that was just made"))) == Secret(b"a key that was just made")
    finally:
        resource.setrlimit(resource.RLIMIT_MEMLOCK, limits)


def test_what_was_made_for_one_call_is_overwritten():
    made, text = bytes(bytearray(b"some key")), "-".join(["some", "words"])
    overwrite(made, text)
    assert (made, text) == (bytes(8), "\0" * 10)


def test_a_view_outlives_its_secret():
    """A cipher that looks at the key later would encrypt with zeros otherwise, and open what it sealed with them."""
    assert bytes(Secret(b"some key").view()) == b"some key"
