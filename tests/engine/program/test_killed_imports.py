"""An import that is killed: what was said to be taken over is there, every chat is whole, and it goes on from there."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.archives import plain_archive
from tests.fakes.stores import open_store
from tests.fakes.turns import user
from workbench.domain.record import Verification
from workbench.engine.exchange.openai_format import export_openai
from workbench.engine.program.taking_back import TakenBack, take_back_import

CHATS, MESSAGES, FEWER = 300, 20, 60
CHILD = """
import asyncio, sys
from pathlib import Path
from tests.fakes.engine import Bench, fake_world
from tests.fakes.stores import open_store
from workbench.engine.program_intents import ImportChats
from workbench.sources.exchange_files import FolderExchange

async def main(folder):
    store = open_store(folder / "history.db")
    bench = Bench(fake_world(store=store, exchange=FolderExchange()))
    bench.workbench.subscribe(lambda event, state: [print(job.done, flush=True) for job in state.jobs])
    await bench.workbench.dispatch(ImportChats("in", (str(folder / "chats.json"),)))
    while bench.workbench.state.jobs[0].state == "running":
        await asyncio.sleep(0.001)

asyncio.run(main(Path(sys.argv[1])))
"""


def killed_after(folder: Path, chats: int) -> int:
    """Import in a child and kill it as soon as it says that so many are taken over; how many it said last."""
    said = 0
    command = [sys.executable, "-c", CHILD, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            said = int(line)
            if said >= chats:
                child.kill()
                break
    return said


async def found(folder: Path) -> tuple[list[int], Verification]:
    store = open_store(folder / "history.db")
    try:
        sizes = [len(await store.path(chat.id)) for chat in await store.chats()]
        return sizes, await store.verify()
    finally:
        await store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
@pytest.mark.parametrize("chats", [1, CHATS // 2])
def test_killed_in_the_middle_of_an_import_there_are_whole_chats_only(tmp_path: Path, chats: int):
    some = [
        plain_archive(*(user(f"m{n}", f"{n} said in {key}") for n in range(MESSAGES)), chat=f"c{key}")
        for key in range(CHATS)
    ]
    (tmp_path / "chats.json").write_bytes(export_openai(some))
    said = killed_after(tmp_path, chats)
    sizes, verified = asyncio.run(found(tmp_path))
    assert chats <= said <= len(sizes) <= CHATS
    assert set(sizes) == {MESSAGES}
    assert verified.problems == ()


def written(folder: Path, messages: int) -> None:
    """An export of many chats, each so long."""
    some = [
        plain_archive(*(user(f"m{n}", f"{n} said in {key}") for n in range(messages)), chat=f"c{key}")
        for key in range(FEWER)
    ]
    (folder / "chats.json").write_bytes(export_openai(some))


async def undone(folder: Path) -> TakenBack:
    store = open_store(folder / "history.db")
    try:
        return await take_back_import(store, "2026-03-01T00:00:00Z")
    finally:
        await store.close()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_killed_and_begun_again_it_goes_on_and_nothing_is_there_twice(tmp_path: Path):
    """First new chats, then chats that have grown; what both runs brought is one import, and is taken back as one."""
    written(tmp_path, MESSAGES)
    killed_after(tmp_path, 1)
    killed_after(tmp_path, 10**9)
    sizes, verified = asyncio.run(found(tmp_path))
    assert (sizes, verified.problems) == ([MESSAGES] * FEWER, ())
    written(tmp_path, MESSAGES + 2)
    killed_after(tmp_path, 1)
    sizes, verified = asyncio.run(found(tmp_path))
    assert {MESSAGES + 2} <= set(sizes) <= {MESSAGES, MESSAGES + 2}
    assert (len(sizes), verified.problems) == (FEWER, ())
    killed_after(tmp_path, 10**9)
    assert asyncio.run(found(tmp_path))[0] == [MESSAGES + 2] * FEWER
    assert asyncio.run(undone(tmp_path)).messages == 2 * FEWER
    assert asyncio.run(found(tmp_path))[0] == [MESSAGES] * FEWER
    assert len(asyncio.run(undone(tmp_path)).chats) == FEWER
    assert asyncio.run(found(tmp_path)) == ([], asyncio.run(found(tmp_path))[1])
