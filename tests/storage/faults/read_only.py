"""Opens a history in a folder, as somebody who may not write there; run as a program, because root always may."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

from tests.fakes.keys import WORDS, unlocker_of
from tests.fakes.stores import WHEN, chat, said
from workbench.domain.errors import WorkbenchError
from workbench.storage.folder import DataFolder
from workbench.storage.keys.unlocking import GivenCredentials
from workbench.storage.opening import HistoryFolder

NOBODY = 65534


def history(path: Path) -> HistoryFolder:
    offered = GivenCredentials(passphrase=WORDS)
    return HistoryFolder(lambda folder: unlocker_of(folder.path, offered)[0], DataFolder(path), lambda: WHEN)


async def fill(path: Path) -> None:
    store = await history(path).open(writable=True)
    await store.create_chat(chat())
    await store.append([said("m1", "kept")])
    await store.close()


async def attempt(path: Path) -> str:
    """What the first refusal was, or what was read and written."""
    try:
        store = await history(path).open(writable=True)
    except WorkbenchError as refusal:
        return f"open: {type(refusal).__name__}: {refusal}"
    try:
        await store.append([said("m2", "more", "m1")])
    except WorkbenchError as refusal:
        kept = [record.id for record in await store.path("c")]
        return f"append: {type(refusal).__name__}: {refusal} {kept}"
    finally:
        await store.close()
    return "written"


async def look(path: Path) -> str:
    """What somebody reads who only wants to read."""
    try:
        store = await history(path).open(writable=False)
    except WorkbenchError as refusal:
        return f"open: {type(refusal).__name__}: {refusal}"
    try:
        checked = await store.verify()
        found = await store.search("kept", False, 5)
        chats = [one.id for one in await store.chats()]
        return f"{chats} {[one.id for one in await store.path('c')]} {len(found)} {list(checked.problems)}"
    finally:
        await store.close()


def main(path: Path, what: str) -> None:
    asyncio.run(fill(path))
    for file in path.iterdir():
        os.chown(file, NOBODY, NOBODY) if os.geteuid() == 0 else None
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    if what == "folder":
        path.chmod(0o500)
    else:
        (path / "store.db").chmod(0o400)
    before = {file.name: file.read_bytes().hex() for file in path.iterdir() if file.stat().st_size}
    read = asyncio.run(look(path))
    beside = sorted(file.name for file in path.iterdir() if file.name not in before and file.stat().st_size)
    told = asyncio.run(attempt(path))
    after = {name: (path / name).read_bytes().hex() for name in before}
    path.chmod(0o700)
    (path / "store.db").chmod(0o600)
    later = asyncio.run(attempt(path))
    unchanged = all(after[name] == before[name] for name in ("store.db", "keys.json"))
    print(json.dumps({"told": told, "read": read, "beside": beside, "unchanged": unchanged, "later": later}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
