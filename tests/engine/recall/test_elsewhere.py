"""What was said in other chats of a workspace: found there, told with its chat, and gone when it is gone there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from tests.fakes.loop import in_loop
from tests.fakes.turns import assistant, user
from workbench.domain.message import Message
from workbench.domain.preferences import ContextSettings, HistorySettings
from workbench.domain.recall import Found, Wanted
from workbench.domain.record import Chat, Record
from workbench.domain.turn import Tuning
from workbench.domain.workspace import Filed
from workbench.engine.recall.elsewhere import Place, SaidElsewhere
from workbench.engine.recall.finding import Recall
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
    return SaidElsewhere(store, Recall(), dict[str, Place]())


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
