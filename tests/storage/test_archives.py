"""A whole chat goes out of one store and into another, and is the same there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.kept_turns import asked, built_turn, bytes_of
from tests.fakes.loop import in_loop
from tests.fakes.stores import WHEN, chat, connect, open_store, said
from tests.fakes.turns import artifact, user
from workbench.domain.errors import NotKept
from workbench.domain.record import ChatArchive, Snapshot
from workbench.domain.turn import Tuning
from workbench.ports.history import HistoryStore


async def fill(store: HistoryStore) -> ChatArchive:
    """A chat with a bit of everything."""
    await store.create_chat(replace(chat("c", "Title"), parameters={"temperature": 0.5}))
    await store.append([said("h1", "hidden", None), said("h2", "first", "h1", "assistant")])
    await store.delete_message("c", "h1", WHEN)
    question, files = user("u1", "why " * 30), (artifact("a.md", "text " * 50),)
    turn = built_turn(question, [entry.entry for entry in await store.path("c")], files)
    await store.begin_turn(turn, asked(question, "h2", attached=("a.md",)))
    await store.finish_turn(
        replace(turn, state="stopped", usage={"in": 3}, finished_utc=WHEN), [said("a1", "part", "u1")]
    )
    await store.append([said("v1", "edited", "h2")])
    await store.keep_snapshot(Snapshot("c", files[0], WHEN, b"\x00bytes", WHEN))
    await store.save_attached("c", files)
    await store.save_tuning("c", Tuning(frozenset({"h2"})))
    await store.save_draft("c", "not sent")
    await store.save_chat(replace(await store.chat("c"), leaf="a1"))
    return await store.archive("c")


def without_sequences(archive: ChatArchive) -> str:
    records = tuple(replace(record, sequence=0) for record in archive.records)
    snapshots = [
        (one.artifact, one.content.hex(), one.taken_utc, one.modified_utc) for one in archive.snapshots
    ]
    return bytes_of(replace(archive, records=records, snapshots=())) + bytes_of(snapshots)


@in_loop
async def test_everything_is_the_same_elsewhere(tmp_path: Path):
    here, there = open_store(tmp_path / "here.db"), open_store(tmp_path / "there.db")
    await there.create_chat(chat("other"))
    await there.append([replace(said("x", "earlier"), chat="other")])
    archive = await fill(here)
    await there.adopt(archive)
    assert without_sequences(await there.archive("c")) == without_sequences(archive)
    assert [one.id for one in await there.path("c")] == [one.id for one in await here.path("c")]
    assert (await there.verify()).problems == ()
    await here.close()
    await there.close()


@in_loop
async def test_a_chat_that_is_there_already_is_not_mixed_with_another(tmp_path: Path):
    store = open_store(tmp_path / "here.db")
    archive = await fill(store)
    with pytest.raises(NotKept):
        await store.adopt(archive)
    assert without_sequences(await store.archive("c")) == without_sequences(archive)
    await store.close()


@in_loop
async def test_an_archive_that_does_not_fit_leaves_nothing_behind(tmp_path: Path):
    store = open_store(tmp_path / "here.db")
    broken = ChatArchive(chat(), (said("m1", "one"), said("m2", "two", "nobody")))
    with pytest.raises(NotKept, match="nobody"):
        await store.adopt(broken)
    await store.close()
    connection = connect(tmp_path / "here.db")
    for table in ("chat", "message", "content", "message_words", "title_words"):
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
    connection.close()
