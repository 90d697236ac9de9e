"""What was said in other chats of a workspace: found there, told with its chat, and gone when it is gone there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from tests.fakes.loop import in_loop
from tests.fakes.turns import assistant, user
from workbench.context.recall.index import Passage, PassageIndex
from workbench.domain.message import Message
from workbench.domain.recall import Found, Wanted
from workbench.domain.record import Chat, Record
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.domain.turn import Tuning
from workbench.domain.workspace import Filed
from workbench.engine.recall.elsewhere import SaidElsewhere, WorkspaceIndex
from workbench.engine.recall.finding import Recall
from workbench.engine.tasks import Tasks
from workbench.ports.history import HistoryStore
from workbench.storage.scratch import ScratchHistory

RULES = ContextSettings(history=HistorySettings(recall=True, recall_chats=True))
ASKED = Wanted("here", "Where is the spare key?", RULES, room=1000, workspace="home")
NOW = "2026-01-01T08:00:00Z"


@asynccontextmanager
async def scratch() -> AsyncIterator[HistoryStore]:
    """A real store in a temporary folder."""
    with ScratchHistory() as folder:
        store = await folder.open()
        yield store
        await store.close()


async def kept(store: HistoryStore, chat: str, workspace: str, *said: Message) -> None:
    await store.create_chat(Chat(chat, NOW, title=f"about {chat}", filed=Filed(workspace)))
    parent = None
    for message in said:
        await store.append([Record(chat, message, NOW, parent)])
        parent = message.id


async def filled(store: HistoryStore) -> SaidElsewhere:
    await kept(store, "here", "home", user("q", "the spare key of this very chat"))
    await kept(
        store, "keys", "home", user("m1", "The spare key lies under the stone"), assistant("m2", "Noted.")
    )
    await kept(store, "rivers", "home", user("m1", "Tell me about rivers"), assistant("m2", "They are wet."))
    await kept(store, "office", "work", user("m1", "The spare key is in the safe"))
    return SaidElsewhere(store, Recall(), dict[str, WorkspaceIndex]())


def told(found: tuple[Found, ...]) -> list[tuple[str, str, str]]:
    return [(one.id, one.title, one.text) for one in found]


@in_loop
async def test_only_chats_of_the_same_workspace_are_heard():
    async with scratch() as store:
        provider = await filled(store)
        found = await provider.context(ASKED)
        assert told(found)[0] == ("keys/m1", "about keys", "The spare key lies under the stone")
        assert {one.chat for one in found} == {"keys"}
        assert await provider.context(replace(ASKED, workspace="")) == ()
        off = replace(RULES, history=HistorySettings(recall=True))
        assert await provider.context(replace(ASKED, settings=off)) == ()


@in_loop
async def test_it_follows_what_is_said_deleted_and_moved():
    async with scratch() as store:
        provider = await filled(store)
        await provider.context(ASKED)
        await store.append([Record("rivers", user("m3", "By the way, the spare key is lost"), NOW, "m2")])
        assert "rivers/m3" in [one.id for one in await provider.context(ASKED)]
        await store.delete_message("rivers", "m3", NOW)
        assert "rivers/m3" not in [one.id for one in await provider.context(ASKED)]
        moved = replace(await store.chat("keys"), filed=Filed("work"))
        await store.save_chat(moved)
        assert "keys/m1" not in [one.id for one in await provider.context(ASKED)]


@in_loop
async def test_what_was_left_out_in_its_own_chat_is_not_quoted_in_another():
    async with scratch() as store:
        provider = await filled(store)
        await store.append([Record("rivers", user("m3", "The spare key is lost"), NOW, "m2")])
        archived = Filed("home", archived_utc=NOW)
        await store.save_chat(replace(await store.chat("rivers"), filed=archived))

        async def keyed() -> set[str]:
            return {one.id for one in await provider.context(ASKED) if "key" in one.text}

        assert await keyed() == {"keys/m1", "rivers/m3"}
        await store.save_tuning("keys", Tuning(excluded=frozenset({"m1"})))
        assert await keyed() == {"rivers/m3"}
        await store.save_tuning("rivers", Tuning(unrecalled=frozenset({"m3"})))
        assert await keyed() == set()


@in_loop
async def test_what_stands_between_a_message_with_its_own_words_and_the_best_does_not_hide_it():
    said = {n: f"Tell me about river {n} and its fish" for n in range(20)}
    said |= dict.fromkeys((0, 13, 19), "Another key of the river house")
    said[7] = "The spare key lies under the stone"
    async with scratch() as store:
        await kept(store, "keys", "home", *(user(f"m{n}", text) for n, text in said.items()))
        found = await SaidElsewhere(store, Recall(), {}).context(ASKED)
        assert [one.id for one in found] == [f"keys/m{n}" for n in (7, 6, 8, 0, 13, 19)]


class CountedIndex(PassageIndex):
    """An index that notes what is added to it; `after` is told of each."""

    def __init__(self, after: Callable[[int], None] = lambda added: None) -> None:
        super().__init__()
        self.added: list[str] = []
        self._after = after

    def add(self, passage: Passage) -> None:
        self.added.append(passage.key)
        super().add(passage)
        self._after(len(self.added))


async def long_talk(store: HistoryStore) -> list[str]:
    """A chat that takes many slices to read; the keys of its messages."""
    said = [
        user(f"m{n}", f"The spare key number {n}. " + f"Of river {n} and its many stones. " * 50)
        for n in range(30)
    ]
    await kept(store, "long", "home", *said)
    return [f"long/{message.id}" for message in said]


@in_loop
async def test_two_lookups_at_once_index_every_message_once():
    """Each indexed all of them, and a key that was there already rebuilt the index: 13 s for 300 messages."""
    async with scratch() as store:
        keys, index = await long_talk(store), CountedIndex()
        places = {"home": WorkspaceIndex(index)}
        providers = [SaidElsewhere(store, Recall(), places) for _ in range(2)]
        first, second = await asyncio.gather(*(one.context(ASKED) for one in providers))
        assert index.added == keys
        assert (len(first), first) == (30, second)


@in_loop
async def test_a_lookup_that_was_stopped_is_gone_on_with_where_it_stopped():
    async with scratch() as store:
        keys = await long_talk(store)

        def stop(added: int) -> None:
            if added == 20:
                looking.cancel()

        index = CountedIndex(stop)
        provider = SaidElsewhere(store, Recall(), {"home": WorkspaceIndex(index)})
        looking = Tasks(lambda name, error: None).start("a look", provider.context(ASKED))
        await asyncio.wait([looking])
        await provider.context(ASKED)
        assert index.added == keys
