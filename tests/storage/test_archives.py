"""A whole chat goes out of one store and into another, and is the same there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.archives import plain_archive
from tests.fakes.kept_turns import asked, built_turn, bytes_of
from tests.fakes.loop import in_loop
from tests.fakes.stores import WHEN, chat, connect, open_store, said
from tests.fakes.turns import artifact, assistant, user
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


ROWS = (
    "SELECT * FROM chat",
    """SELECT sequence, chat, m.id, parent, entry, body, growing, created_utc, state, notes, deleted_utc
       FROM message m JOIN content ON content.id = content""",
    "SELECT * FROM turn",
    "SELECT * FROM segment",
    "SELECT snapshot.id, chat, key, artifact, body FROM snapshot JOIN content ON content.id = content",
    "SELECT digest FROM content ORDER BY digest",
    "SELECT rowid FROM message_words WHERE message_words MATCH 'yes'",
)


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


@in_loop
async def test_chats_that_come_together_are_kept_as_one_by_one(tmp_path: Path):
    """What a step for each chat wrote: the same rows, in the same order."""
    here = open_store(tmp_path / "here.db")
    first = await fill(here)
    await here.close()
    others = [plain_archive(user("q", f"Is it {key}?"), assistant("a", "Yes."), chat=key) for key in "xyz"]
    archives = [others[0], first, ChatArchive(chat("empty")), *others[1:]]
    rows = []
    for name in ("together", "alone"):
        store = open_store(tmp_path / f"{name}.db")
        if name == "together":
            assert not any(await store.adopt_all(archives))
        else:
            for archive in archives:
                await store.adopt(archive)
        await store.close()
        connection = connect(tmp_path / f"{name}.db")
        rows.append([connection.execute(sql).fetchall() for sql in ROWS])
        connection.close()
    assert rows[0] == rows[1]
    assert all(rows[0])
