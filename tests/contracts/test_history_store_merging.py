"""What every history does with chats that are there already when they are imported again, or taken back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.archives import full_archive, plain_archive
from tests.fakes.loop import in_loop
from tests.fakes.turns import artifact, assistant, user
from workbench.domain.errors import NotKept
from workbench.domain.record import ChatArchive, Record, Snapshot
from workbench.domain.workspace import Brought
from workbench.ports.history import HistoryStore

WHEN, LATER = "2026-01-01T12:00:00Z", "2026-01-02T12:00:00Z"
CHAT = plain_archive(user("q", "alpha"), assistant("a", "beta"), chat="c")
NEW = (
    Record("c", user("q2", "gamma"), LATER, "a", attached=("n.md",)),
    Record("c", assistant("a2", "delta"), LATER, "q2"),
)
FULL = full_archive("talk")
MARK = Brought("files", LATER, messages=("q2", "a2"))


def more(*records: Record, leaf: str = "a2", **changes: object) -> ChatArchive:
    chat = replace(
        CHAT.chat, leaf=leaf, title="not taken over", filed=replace(CHAT.chat.filed, brought=(MARK,))
    )
    return ChatArchive(replace(chat, **changes), records)  # type: ignore[arg-type]


@in_loop
async def test_those_that_are_there_are_given_with_their_messages(store: HistoryStore):
    for archive in (CHAT, FULL):
        await store.adopt(archive)
    await store.save_chat(replace(await store.chat("c"), deleted_utc=LATER))
    kept = await store.kept(("c", "nobody", "talk"))
    assert set(kept) == {"c", "talk"}
    assert [record.id for record in kept["c"].records] == ["q", "a"]
    assert kept["c"].chat.deleted_utc == LATER
    whole = await store.archive("talk")
    assert kept["talk"].records == whole.records
    assert (kept["talk"].turns, kept["talk"].snapshots) == ((), ())
    assert await store.kept(()) == {}


@in_loop
async def test_new_messages_are_added_with_what_was_attached(store: HistoryStore):
    await store.adopt(CHAT)
    taken = Snapshot("elsewhere", artifact("n.md", "note"), LATER, b"note", place="/etc/passwd")
    await store.merge_all([replace(more(*NEW), snapshots=(taken,))])
    chat = await store.chat("c")
    assert (chat.leaf, chat.title, chat.filed.brought) == ("a2", "A title", (MARK,))
    assert [record.id for record in await store.path("c")] == ["q", "a", "q2", "a2"]
    assert [(one.artifact.text, one.place) for one in await store.snapshots("c")] == [("note", "")]
    assert [hit.subject for hit in await store.search("gamma")] == ["q2"]
    assert (await store.verify()).problems == ()


@in_loop
async def test_messages_are_hidden_and_shown_again(store: HistoryStore):
    await store.adopt(CHAT)
    await store.merge_all([more(*NEW)])
    await store.merge_all([more(*(replace(record, deleted_utc=LATER) for record in NEW), leaf="a")])
    assert [record.id for record in await store.path("c")] == ["q", "a"]
    assert await store.search("gamma") == ()
    await store.merge_all([more(*NEW)])
    assert [record.id for record in await store.path("c")] == ["q", "a", "q2", "a2"]
    assert [hit.subject for hit in await store.search("gamma")] == ["q2"]


@in_loop
async def test_a_chat_is_deleted_and_back(store: HistoryStore):
    await store.adopt(CHAT)
    await store.merge_all([more(leaf="a", deleted_utc=LATER)])
    assert await store.chats() == ()
    await store.merge_all([more(leaf="a")])
    assert [chat.id for chat in await store.chats()] == ["c"]


@in_loop
async def test_all_or_none(store: HistoryStore):
    await store.adopt(CHAT)
    lost = Record("c", user("x"), LATER, "nobody")
    with pytest.raises(NotKept):
        await store.merge_all([more(*NEW), more(lost)])
    with pytest.raises(NotKept):
        await store.merge_all([more(*NEW), ChatArchive(replace(CHAT.chat, id="nobody"))])
    assert [record.id for record in await store.path("c")] == ["q", "a"]
    assert (await store.chat("c")).filed.brought == ()
