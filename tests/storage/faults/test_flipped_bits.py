"""One flipped bit anywhere: never silently wrong, and almost everything can be brought back."""

from __future__ import annotations

import asyncio
import random
import shutil
from pathlib import Path

import pytest

from tests.fakes.effort import tries
from tests.fakes.stores import IDENTITY, RAW_KEY, chat, connect, open_store, said
from workbench.domain.errors import WorkbenchError
from workbench.storage.database.cipher import create_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import migrate
from workbench.storage.database.pages import Pages
from workbench.storage.upkeep.rescue import LOST, rescue

FLIPS = tries(300)
RESCUES = tries(10)
MESSAGES = 1500


async def fill(path: Path) -> None:
    store = open_store(path)
    await store.create_chat(chat())
    await store.append(
        [said(f"m{i}", f"message {i} " + "words " * 80, f"m{i - 1}" if i else None) for i in range(MESSAGES)]
    )
    await store.close()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("original") / "history.db"
    asyncio.run(fill(path))
    return path


def flipped(original: Path, path: Path, choice: random.Random) -> Path:
    content = bytearray(original.read_bytes())
    content[choice.randrange(len(content))] ^= 1 << choice.randrange(8)
    path.write_bytes(content)
    return path


async def texts(path: Path) -> list[str] | None:
    """All messages in order; None where the store said that it is damaged."""
    try:
        store = open_store(path)
    except WorkbenchError:
        return None
    try:
        return [getattr(record.entry, "text", "") for record in await store.path("c")]
    except WorkbenchError:
        return None
    finally:
        await store.close()


def test_no_flipped_bit_gives_wrong_text(original: Path, tmp_path: Path) -> None:
    expected = asyncio.run(texts(original))
    assert expected is not None
    assert len(expected) == MESSAGES
    choice = random.Random(1)
    wrong = 0
    for _ in range(FLIPS):
        found = asyncio.run(texts(flipped(original, tmp_path / "flipped.db", choice)))
        wrong += found is not None and found != expected
        for old in tmp_path.iterdir():
            old.unlink()
    assert wrong == 0


def test_at_least_99_of_100_messages_come_back(original: Path, tmp_path: Path) -> None:
    choice = random.Random(2)
    back = [rescued(original, tmp_path / str(number), choice) for number in range(RESCUES)]
    assert sum(back) / (MESSAGES * RESCUES) >= 0.99


def rescued(original: Path, folder: Path, choice: random.Random) -> int:
    """How many messages are readable, word for word, in the rescued store."""
    folder.mkdir()
    damaged, new = flipped(original, folder / "damaged.db", choice), folder / "new.db"
    create_encrypted(new, RAW_KEY, IDENTITY)
    database = Database(lambda: connect(new))
    migrate(database, lambda version: None)
    with Pages(damaged, RAW_KEY) as pages:
        rescue(pages, database)
    database.close()
    found = asyncio.run(texts(new))
    shutil.rmtree(folder)
    assert found is not None
    return sum(text.startswith("message ") and text != LOST for text in found)
