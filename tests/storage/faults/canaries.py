"""Keeps canaries everywhere, provokes errors about them, and is killed; run as a program whose every trace is read.

`plain` shows that the looking works: the same, by a careless program.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys
import tempfile
import traceback
from dataclasses import replace
from pathlib import Path

from tests.fakes.kept_turns import asked, built_turn
from tests.fakes.stores import WHEN, chat, said
from tests.fakes.turns import artifact, user
from tests.storage.faults.read_only import history
from workbench.domain.errors import WorkbenchError
from workbench.domain.record import Snapshot
from workbench.domain.secrets import Secret
from workbench.domain.settings.context_settings import ContextSettings
from workbench.ports.history import HistoryStore
from workbench.storage.provider_keys import StoreProviderKeys

CANARY = "xanthocanary"


async def keep(store: HistoryStore) -> None:
    long = f"{CANARY} sings " * 5000
    await store.create_chat(replace(chat("c", f"{CANARY} title"), parameters={"note": CANARY}))
    await store.append([said(f"{CANARY}-{n}", f"{CANARY} {n} {long[: n * 10]}") for n in range(300)])
    question, files = user("q", f"{CANARY}?"), (artifact(f"{CANARY}.md", long),)
    turn = built_turn(question, (), files, settings=ContextSettings(model="word-1", user_memory=CANARY))
    await store.begin_turn(turn, asked(question, attached=(f"{CANARY}.md",)))
    await store.finish_turn(turn, [said("a", long, "q")])
    await store.append([replace(said("g", "", "q"), state="running")])
    await store.update(replace(said("g", f"{CANARY} grows", "q"), state="running"))
    await store.keep_snapshot(Snapshot("c", files[0], WHEN, long.encode()))
    await store.save_attached("c", files)
    await store.save_draft("c", f"{CANARY} draft")
    await store.save_preset(CANARY, ContextSettings(system_prompt=CANARY))
    for newest_first in (True, False):
        assert len(await store.search(f"{CANARY} -absent", newest_first, limit=1000)) > 300


async def provoke(store: HistoryStore) -> None:
    """Errors about what is secret, told in full."""
    for wrong in (
        store.append([said("a", CANARY)]),
        store.append([said("x", CANARY, "absent")]),
        store.update(said("a", CANARY)),
        store.create_chat(chat("c", CANARY)),
        store.append([said("y", CANARY, "\ud800")]),
    ):
        try:
            await wrong
        except WorkbenchError:
            traceback.print_exc()


async def maintain(store: HistoryStore, folder: Path) -> None:
    await store.delete_message("c", f"{CANARY}-7", WHEN)
    await store.purge()
    assert (await store.verify()).problems == ()
    await history(folder).backup(str(folder.parent / "backup"))
    await store.save_draft("c", f"{CANARY} in the log")


async def run(folder: Path) -> None:
    store = await history(folder).open(writable=True)
    keys = StoreProviderKeys(store, None)
    for number in (1, 2):
        await keys.keep("https://api.example:443", Secret.of_text(f"sk-{CANARY}-{number}"))
    await keep(store)
    await provoke(store)
    await maintain(store, folder)


def careless(folder: Path) -> None:
    folder.mkdir()
    connection = sqlite3.connect(folder / "store.db")
    connection.execute("CREATE TABLE message (text)")
    connection.execute("INSERT INTO message VALUES (?)", (CANARY,))
    connection.commit()
    with tempfile.NamedTemporaryFile("w", delete=False) as spilled:
        spilled.write(CANARY)
    print(f"kept {CANARY}", flush=True)


if __name__ == "__main__":
    if sys.argv[2] == "plain":
        careless(Path(sys.argv[1]))
    else:
        asyncio.run(run(Path(sys.argv[1])))
    sys.stdout.flush()
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGKILL)
