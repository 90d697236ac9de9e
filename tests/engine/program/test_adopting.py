"""Chats from elsewhere: each whole or not at all, none over another, with what they name if it is found."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.archives import full_archive, plain_archive
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop
from tests.fakes.turns import artifact, assistant, user
from workbench.domain.errors import NotKept
from workbench.domain.record import IMPORTED, ChatArchive, Snapshot
from workbench.engine.exchange.imported import Imported, Wanted
from workbench.engine.program.adopting import Adopted, Adoption, FindFile

WHEN = "2026-01-01T12:00:00Z"
FULL = full_archive()
CHAT = plain_archive(user("q"), assistant("a"), chat="fine")


def nowhere(wanted: Wanted, when_utc: str) -> str:
    return "it is gone"


def adoption(store: MemoryHistory, find: FindFile = nowhere) -> Adoption:
    return Adoption(store, lambda: "free", find, now_utc=WHEN)


class Refusing(MemoryHistory):
    """Takes no chat `talk`."""

    async def adopt(self, archive: ChatArchive, *, own: bool = False) -> None:
        """Every other one."""
        if archive.chat.id == "talk":
            raise NotKept("This does not fit.")
        await super().adopt(archive)


@in_calm_loop
async def test_a_refused_chat_is_named_and_stops_no_other():
    taking = adoption(Refusing())
    imported = Imported((FULL, CHAT))
    for archive in imported.archives:
        await taking.take(archive, imported)
    assert taking.adopted == [Adopted("fine", CHAT.chat.title, 2)]
    assert (taking.refused, taking.problems) == (
        1, ["talk: the chat was not imported: This does not fit."],
    )  # fmt: skip


@in_calm_loop
async def test_a_taken_id_is_replaced_and_the_old_chat_stays():
    store = MemoryHistory()
    await store.adopt(plain_archive(user("old"), chat="fine"))
    taking = adoption(store)
    await taking.take(CHAT, Imported((CHAT,)))
    (other,) = (one.id for one in taking.adopted)
    assert taking.problems == [f"There is another chat fine; the imported one is kept as {other}."]
    assert [record.id for record in await store.path("fine")] == ["old"]
    assert {record.chat for record in await store.path(other)} == {other}
    await taking.take(CHAT, Imported((CHAT,)))
    assert (taking.there, len(taking.adopted)) == (1, 1)


@in_calm_loop
async def test_what_a_chat_names_is_looked_for_where_it_came_from_first():
    store = MemoryHistory()
    await store.adopt(plain_archive(user("q"), chat="origin"))
    for text, taken in (("old", "2025-01-01T00:00:00Z"), ("newer", "2027-01-01T00:00:00Z")):
        await store.keep_snapshot(Snapshot("origin", artifact("a.md", text), taken, text.encode()))
    wanted = (
        Wanted("fine", "q", "a.md", "file", origin="origin"),
        Wanted("fine", "q", "b.md", "file"),
        Wanted("fine", "q", "c.md", "file"),
        Wanted("fine", "other", "d.md", "file"),
        Wanted("another", "q", "e.md", "file"),
    )

    def find(one: Wanted, when_utc: str) -> Snapshot | str:
        if one.key != "b.md":
            return "it is gone"
        return Snapshot(one.chat, artifact(one.key, "found"), when_utc, b"found", WHEN)

    taking = adoption(store, find)
    imported = Imported((CHAT,), wanted=wanted)
    await taking.take(CHAT, imported)
    kept = await store.snapshots("fine")
    assert [(one.artifact.key, one.artifact.text) for one in kept] == [("a.md", "old"), ("b.md", "found")]
    assert taking.problems == [
        "a.md: attached as it was kept in the chat origin.", "c.md: not attached again: it is gone.",
    ]  # fmt: skip


@in_calm_loop
async def test_of_copies_that_are_all_younger_the_oldest_is_nearest():
    store = MemoryHistory()
    await store.adopt(plain_archive(user("q"), chat="origin"))
    for text in ("first", "second"):
        await store.keep_snapshot(Snapshot("origin", artifact("a.md", text), "2027-01-01T00:00:00Z"))
    taking = adoption(store)
    wanted = Wanted("fine", "q", "a.md", "file", origin="origin")
    await taking.take(CHAT, replace(Imported((CHAT,)), wanted=(wanted, wanted)))
    assert [one.artifact.text for one in await store.snapshots("fine")] == ["first"]


@in_calm_loop
async def test_turns_that_came_along_say_so_and_their_figures_stay():
    store = MemoryHistory()
    taking = adoption(store)
    before = tuple(replace(turn, usage={"prompt_tokens": 5, IMPORTED: False}) for turn in FULL.turns)
    told = replace(FULL, turns=(*before[:-1], replace(before[-1], usage=None)))
    await taking.take(told, Imported((told,)))
    kept = [turn.usage for turn in await store.turns("talk")]
    assert kept == [*({"prompt_tokens": 5, IMPORTED: True} for _ in before[:-1]), None]
