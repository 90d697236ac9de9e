"""The same export again, a newer one, one that was cut off: only what is new comes in, and what was here stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import exports
from tests.fakes.archives import fresh
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop
from tests.fakes.turns import user
from workbench.domain.record import Record
from workbench.engine.exchange.importing import read_groups
from workbench.engine.program.adopting import Adoption, groups
from workbench.engine.program.taking_back import take_back_import
from workbench.engine.stored_conversation import load_conversation
from workbench.sources.exchange_files import read_paths

WHEN, LATER = "2026-01-01T12:00:00Z", "2026-02-01T12:00:00Z"


async def taken(store: MemoryHistory, folder: Path, name: str, body: bytes, now: str = WHEN) -> Adoption:
    """An import from the disk into the store."""
    (folder / name).write_bytes(body)
    found = read_paths([str(folder / name)])
    adoption = Adoption(store, fresh().new_id, lambda wanted, when: "it is gone", now_utc=now)
    for part in read_groups(found.groups, fresh()):
        for some in groups(part.archives):
            await adoption.take_all(some, part)
    found.close()
    return adoption


@pytest.mark.parametrize("name", exports.EXPORTS)
@in_calm_loop
async def test_the_same_export_again_adds_nothing(name: str, tmp_path: Path):
    """A monthly export of ChatGPT doubled the archive."""
    store = MemoryHistory()
    first = await taken(store, tmp_path, *exports.EXPORTS[name])
    before = [await store.archive(chat.id) for chat in await store.chats()]
    again = await taken(store, tmp_path, *exports.EXPORTS[name], LATER)
    assert (again.adopted, again.there, again.problems) == ([], len(first.adopted), [])
    assert [await store.archive(chat.id) for chat in await store.chats()] == before
    for chat in await store.chats():
        assert (await load_conversation(store, chat.id)).history


@pytest.mark.parametrize(
    ("name", "older", "newer", "more"),
    [
        ("conversations.json", exports.chatgpt(), exports.chatgpt(3), 4),
        ("chatgpt.zip", exports.chatgpt_zip(), exports.chatgpt_zip(2), 2),
        ("conversations.json", exports.claude(), exports.claude(6), 1),
        ("x.conversation.json", exports.lmstudio(), exports.lmstudio(3), 4),
        ("takeout.zip", exports.takeout_zip(), exports.takeout_zip(5), 2),
    ],
    ids=["chatgpt", "chatgpt .zip", "claude", "lm-studio", "gemini"],
)
@in_calm_loop
async def test_a_chat_that_grew_goes_on(name: str, older: bytes, newer: bytes, more: int, tmp_path: Path):
    store = MemoryHistory()
    await taken(store, tmp_path, name, older)
    chats = await store.chats()
    grown = await taken(store, tmp_path, name, newer, LATER)
    assert [(one.how, one.messages) for one in grown.adopted] == [("grown", more)]
    chat = await store.chat(grown.adopted[0].id)
    assert len(await store.chats()) == len(chats)
    path = await store.path(chat.id)
    assert len(path) > more
    assert path[-1].id == chat.leaf
    assert chat.filed.brought[-1].messages == tuple(record.id for record in path[-more:])


@in_calm_loop
async def test_beside_what_was_written_here_it_is_a_branch(tmp_path: Path):
    store = MemoryHistory()
    await taken(store, tmp_path, "c.json", exports.chatgpt())
    (chat,) = await store.chats()
    await store.append([Record(chat.id, user("mine", "My own question"), LATER, "a3")])
    grown = await taken(store, tmp_path, "c.json", exports.chatgpt(2), LATER)
    assert [record.id for record in await store.path(chat.id)][-1] == "mine"
    assert [record.id for record in await store.siblings(chat.id, "mine")] == ["mine", "q1-more"]
    assert (grown.branched, grown.sentences()) == (
        1, ["1 chat was continued here too: its new messages are a branch, and the one in view stays."],
    )  # fmt: skip


@in_calm_loop
async def test_what_was_deleted_here_does_not_come_back(tmp_path: Path):
    store = MemoryHistory()
    await taken(store, tmp_path, "c.json", exports.chatgpt())
    (chat,) = await store.chats()
    await store.save_chat(replace(chat, deleted_utc=LATER))
    again = await taken(store, tmp_path, "c.json", exports.chatgpt(2), LATER)
    assert (again.adopted, again.deleted, await store.chats()) == ([], 1, ())
    assert "stays deleted" in again.sentences()[0]


@in_calm_loop
async def test_an_import_is_taken_back_as_one_step_and_comes_again(tmp_path: Path):
    store = MemoryHistory()
    await taken(store, tmp_path, "old.json", exports.claude())
    (kept,) = await store.chats()
    await taken(store, tmp_path, "c.json", exports.chatgpt(), LATER)
    back = await take_back_import(store, LATER)
    assert (len(back.chats), back.messages, back.kept, back.when_utc) == (1, 0, (), LATER)
    assert await store.chats() == (kept,)
    again = await taken(store, tmp_path, "c.json", exports.chatgpt(), LATER)
    assert [(one.how, one.messages) for one in again.adopted] == [("new", 7)]
    assert len(await store.chats()) == 2


@in_calm_loop
async def test_what_a_chat_grew_by_is_taken_back_alone(tmp_path: Path):
    store = MemoryHistory()
    await taken(store, tmp_path, "c.json", exports.chatgpt())
    (chat,) = await store.chats()
    before = [record.id for record in await store.path(chat.id)]
    await taken(store, tmp_path, "newer.json", exports.chatgpt(2), LATER)
    back = await take_back_import(store, LATER)
    assert (back.chats, back.messages) == ((), 2)
    assert [record.id for record in await store.path(chat.id)] == before
    grown = await taken(store, tmp_path, "newer.json", exports.chatgpt(2), LATER)
    assert [(one.how, one.messages) for one in grown.adopted] == [("grown", 2)]
    assert len(await store.path(chat.id)) == len(before) + 2
    whole = await take_back_import(store, LATER)
    assert whole.messages == 2
    assert (await take_back_import(store, LATER)).chats == (chat.id,)
    assert await store.chats() == ()


@in_calm_loop
async def test_an_id_that_is_twice_in_an_export_is_known_again(tmp_path: Path):
    store = MemoryHistory()
    twice = exports.dumped([exports.chatgpt_chat(), exports.chatgpt_chat(turns=2)])
    await taken(store, tmp_path, "c.json", twice)
    sizes = [len((await store.archive(chat.id)).records) for chat in await store.chats()]
    assert sorted(sizes) == [7, 9]
    assert (await taken(store, tmp_path, "c.json", twice, LATER)).adopted == []


@in_calm_loop
async def test_pictures_that_come_later_are_told_of(tmp_path: Path):
    """The list of chats first, and then the archive that has their pictures, too."""
    store = MemoryHistory()
    await taken(store, tmp_path, "conversations.json", exports.chatgpt())
    again = await taken(store, tmp_path, "chatgpt.zip", exports.chatgpt_zip(), LATER)
    assert (again.there, again.richer) == (1, 1)
    assert "1 message that was already here has pictures" in again.sentences()[1]
