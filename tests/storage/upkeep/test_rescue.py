"""A new store from a damaged one: what refers to lost rows is mended, and never stands in the way of the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.kept_turns import asked, built_turn
from tests.fakes.loop import in_loop
from tests.fakes.stores import IDENTITY, RAW_KEY, WHEN, chat, connect, open_store, said
from tests.fakes.turns import artifact, user
from workbench.domain.record import Chat, Snapshot
from workbench.domain.secrets import Secret
from workbench.storage.database.cipher import create_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import migrate
from workbench.storage.database.pages import Pages
from workbench.storage.history import SqlCipherHistory
from workbench.storage.provider_keys import StoreProviderKeys
from workbench.storage.upkeep.rescue import LOST, Rescued, rescue


async def fill(path: Path) -> None:
    store = open_store(path)
    await store.create_chat(chat("c", "Title"))
    await store.append(
        [said("m1", "first words"), said("m2", "second words, which are longer than forty", "m1")]
    )
    await store.append([said("m3", "third words", "m2")])
    question = user("u1", "why? " * 30)
    await store.begin_turn(built_turn(question, [user("m1"), user("m2"), user("m3")]), asked(question, "m3"))
    await store.keep_snapshot(Snapshot("c", artifact("a.md", "text " * 30), WHEN, b"bytes"))
    await store.create_chat(Chat("only", WHEN))
    await store.keep_snapshot(Snapshot("only", artifact("b.md"), WHEN))
    await store.save_counts("words", {b"d": 1})
    await StoreProviderKeys(store, None).keep("https://api.example:443", Secret.of_text("sk"))
    await store.close()


async def rescued(folder: Path, *damage: str) -> tuple[SqlCipherHistory, Rescued]:
    """The store made from a filled one in which these statements stand for what cannot be read."""
    await fill(folder / "old.db")
    connection = connect(folder / "old.db")
    connection.execute("PRAGMA foreign_keys = OFF")
    for statement in damage:
        connection.execute(statement)
    connection.commit()
    connection.close()
    create_encrypted(folder / "new.db", RAW_KEY, IDENTITY)
    database = Database(lambda: connect(folder / "new.db"))
    migrate(database, lambda version: None)
    with Pages(folder / "old.db", RAW_KEY) as pages:
        found = rescue(pages, database)
    database.close()
    return open_store(folder / "new.db"), found


@in_loop
async def test_a_sound_store_comes_over_whole(tmp_path: Path):
    new, found = await rescued(tmp_path)
    old = open_store(tmp_path / "old.db")
    assert found.messages == 4
    assert await new.path("c") == await old.path("c")
    assert len(await new.turns("c")) == 1
    assert await new.snapshots("c") == await old.snapshots("c")
    for query in ("words", "title", "a.md"):
        assert {hit.subject for hit in await new.search(query)} == {
            hit.subject for hit in await old.search(query)
        }
    assert await new.counts("words", [b"d"]) == {b"d": 1}
    assert await StoreProviderKeys(new, None).find("https://api.example:443") == Secret.of_text("sk")
    assert (await new.verify()).problems == ()
    await old.close()
    await new.close()


@pytest.mark.parametrize(
    ("damage", "ids"),
    [
        ("DELETE FROM message WHERE id = 'm2'", ["m1", "m3", "u1"]),
        ("DELETE FROM message WHERE id = 'm1'", ["m2", "m3", "u1"]),
        ("DELETE FROM message WHERE id = 'u1'", ["m1", "m2", "m3"]),
        ("DELETE FROM chat WHERE id = 'c'", ["m1", "m2", "m3", "u1"]),
        ("DELETE FROM turn", ["m1", "m2", "m3", "u1"]),
        ("UPDATE turn SET reply = 99", ["m1", "m2", "m3", "u1"]),
        ("DELETE FROM provider_key", ["m1", "m2", "m3", "u1"]),
        ("DELETE FROM segment", ["m1", "m2", "m3", "u1"]),
        ("DELETE FROM content WHERE CAST(body AS TEXT) = 'first words'", ["m1", "m2", "m3", "u1"]),
    ],
)
@in_loop
async def test_what_is_left_can_be_read(tmp_path: Path, damage: str, ids: list[str]):
    new, _ = await rescued(tmp_path, damage)
    assert [one.id for one in await new.path("c")] == ids
    assert (await new.verify()).problems == ()
    await new.append([said("next", "goes on", ids[-1])])
    await new.close()


@in_loop
async def test_a_chat_of_which_only_requests_are_left_does_not_stop_the_others(tmp_path: Path):
    """Its turns and segments refer to a row that is lost; refused at the end, they would take everything along."""
    new, _ = await rescued(
        tmp_path,
        "INSERT INTO turn SELECT 99, 'ghost', NULL, NULL, NULL, number, inputs, envelope, standing, started_utc, "
        "state, usage, finished_utc FROM turn",
        "INSERT INTO segment SELECT 99, 'ghost', x'00', body FROM segment LIMIT 1",
        "INSERT INTO snapshot SELECT 99, 'ghost', key, artifact, content, taken_utc, modified_utc "
        "FROM snapshot LIMIT 1",
    )
    assert [one.id for one in await new.path("c")] == ["m1", "m2", "m3", "u1"]
    assert (await new.verify()).problems == ()
    await new.close()


@in_loop
async def test_lost_text_says_so(tmp_path: Path):
    new, _ = await rescued(tmp_path, "DELETE FROM content WHERE CAST(body AS TEXT) LIKE '%words%'")
    texts = [getattr(one.entry, "text", "") for one in await new.path("c")]
    assert texts[:3] == [LOST] * 3
    await new.close()
