"""Two programs and one history: the second writer is told who is first, readers read, and nothing is taken away."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from tests.storage.faults.read_only import fill, history
from workbench.domain.errors import StoreInUse

ROOT = Path(__file__).parents[3]
CHILD = """
import asyncio, sys
from pathlib import Path
from tests.fakes.stores import said
from tests.storage.faults.read_only import history

async def main():
    store = await history(Path(sys.argv[1])).open(writable=True)
    parent = "m1"
    for line in sys.stdin:
        await store.append([said(line.strip(), "kept", parent)])
        parent = line.strip()
        print(parent, flush=True)

asyncio.run(main())
"""


class OtherProgram:
    """Writes a message a line, and says so."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-c", CHILD, str(folder)]
        self.child = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def write(self, key: str) -> None:
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.child.stdin.write(f"{key}\n")
        assert self.child.stdout.readline() == f"{key}\n"

    def kill(self) -> None:
        self.child.kill()
        self.child.communicate()


async def read(folder: Path) -> list[str]:
    store = await history(folder).open(writable=False)
    found = [record.id for record in await store.path("c")]
    await store.close()
    return found


def test_one_writes_and_the_other_reads(tmp_path: Path) -> None:
    """A reader that closes must not take the write-ahead log along, in which the writer's next message will be."""
    folder = tmp_path / "data"
    asyncio.run(fill(folder))
    other = OtherProgram(folder)
    try:
        other.write("m2")
        with pytest.raises(StoreInUse, match=rf"process {other.child.pid}\) has it open since"):
            asyncio.run(history(folder).open(writable=True))
        assert asyncio.run(read(folder)) == ["m1", "m2"]
        other.write("m3")
        assert asyncio.run(read(folder)) == ["m1", "m2", "m3"]
        asyncio.run(history(folder).backup(str(tmp_path / "backup")))
        other.write("m4")
    finally:
        other.kill()
    assert asyncio.run(read(folder)) == ["m1", "m2", "m3", "m4"]
    assert asyncio.run(read(tmp_path / "backup")) == ["m1", "m2", "m3"]
    store = asyncio.run(history(folder).open(writable=True))
    asyncio.run(store.close())
