"""The shelf of a chat's pictures: read when something changed, held by digest."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.pictures import png
from tests.fakes.turns import artifact, user
from workbench.domain.files.attached import KeptCopy
from workbench.domain.message import Image
from workbench.domain.record import Chat, Snapshot
from workbench.engine.assembly.pictures import PictureShelves, digests_in
from workbench.engine.conversation import Conversation

SHOT = artifact("shot.png", "a picture", kind="image")
FIRST, SECOND = png(8, 8, b"first"), png(8, 8, b"second")


class _Store(MemoryHistory):
    reads = 0

    async def snapshots(self, chat: str) -> tuple[Snapshot, ...]:
        self.reads += 1
        return await super().snapshots(chat)

    async def copies(self, chat: str) -> tuple[KeptCopy, ...]:
        """Those of a real store are told without their bytes."""
        self.reads -= 1
        return await super().copies(chat)


async def store_with(*contents: bytes) -> _Store:
    store = _Store()
    await store.create_chat(Chat("talk", "2026-01-01T00:00:00Z"))
    for content in contents:
        await keep(store, content)
    return store


async def keep(store: MemoryHistory, content: bytes) -> None:
    utc = "2026-01-01T00:00:00Z"
    await store.keep_snapshot(Snapshot("talk", SHOT, utc, content, utc))


@in_loop
async def test_another_file_of_the_same_name_and_size_is_another_picture():
    """The words about both are the same, so what is attached looks unchanged."""
    store, shelves, talk = await store_with(FIRST), PictureShelves(), Conversation("talk", attached=(SHOT,))
    first = (await shelves.fill(talk, store)).asked(talk, user("q")).images
    await keep(store, SECOND)
    held = await shelves.fill(talk, store)
    second = held.asked(talk, user("q")).images
    assert [held.found[image.digest].content for image in (*first, *second)] == [FIRST, SECOND]


@in_loop
async def test_what_is_held_is_not_read_again():
    store, shelves, talk = await store_with(FIRST), PictureShelves(), Conversation("talk", attached=(SHOT,))
    once = await shelves.fill(talk, store)
    assert await shelves.fill(talk, store) is once
    assert store.reads == 1


@in_loop
async def test_what_is_gone_is_looked_for_once():
    store, shelves = await store_with(), PictureShelves()
    seen = Conversation("talk", history=(replace(user("q"), images=_images(FIRST)),))
    for _ in range(3):
        assert (await shelves.fill(seen, store)).found == {}
    assert store.reads == 1


@in_loop
async def test_a_chat_without_pictures_reads_nothing_and_a_closed_one_holds_nothing():
    store, shelves = await store_with(FIRST), PictureShelves()
    assert (await shelves.fill(Conversation("talk"), store)).found == {}
    assert store.reads == 0
    await shelves.fill(Conversation("talk", attached=(SHOT,)), store)
    shelves.forget("talk")
    assert shelves.of("talk").found == {}


def _images(content: bytes) -> tuple[Image, ...]:
    return (Image(str(len(content))),)


def test_pictures_of_messages_are_named_by_digest():
    assert digests_in((user("q"), replace(user("r"), images=_images(FIRST)))) == {str(len(FIRST))}
