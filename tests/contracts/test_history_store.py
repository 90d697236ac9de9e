"""Chats, messages in a tree, and what hangs on a chat: facts of every HistoryStore."""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import sha256

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.stores import WHEN, chat, said
from tests.fakes.turns import artifact
from workbench.domain.chunk import CHUNK_KINDS, AgentChunk, EnvironmentChunk, OutputChunk, SystemChunk
from workbench.domain.errors import NotKept
from workbench.domain.files.attached import KeptCopy
from workbench.domain.files.document import ReadAs, Reading
from workbench.domain.files.folder import FolderRules, FollowedFolder
from workbench.domain.message import Entry, Image, Message, ToolCall
from workbench.domain.record import Record, Snapshot
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.side import SideQuestion
from workbench.domain.summary import Summary
from workbench.domain.turn import Tuning
from workbench.ports.history import HistoryStore

LATER = "2026-01-02T12:00:00Z"
UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


async def grow(store: HistoryStore, *ids: str) -> None:
    """A chat `c` with these messages, one after the other."""
    await store.create_chat(chat())
    parents = (None, *ids)
    await store.append([said(key, f"text of {key}", parents[n]) for n, key in enumerate(ids)])


async def ids(store: HistoryStore, leaf: str | None = None) -> list[str]:
    return [record.id for record in await store.path("c", leaf)]


@in_loop
async def test_a_chat_comes_back_as_it_was_and_as_it_was_changed(store: HistoryStore):
    made = replace(
        chat("c", "Title"), settings=ContextSettings(system_prompt="Be brief."), parameters={"t": 0.5}
    )
    await store.create_chat(made)
    assert (await store.chat("c"), await store.chats()) == (made, (replace(made, used_utc=WHEN),))
    changed = replace(made, title="Other", parameters={"stop": ["a", None]})
    await store.save_chat(changed)
    assert await store.chat("c") == changed
    with pytest.raises(NotKept):
        await store.create_chat(chat("c", "again"))
    assert await store.chat("c") == changed


@in_loop
async def test_chats_are_ordered_by_use(store: HistoryStore):
    for key in "abc":
        await store.create_chat(chat(key))
    assert [one.id for one in await store.chats()] == ["c", "b", "a"]
    await store.append([replace(said("m", "hi"), chat="a")])
    assert [one.id for one in await store.chats()] == ["a", "c", "b"]
    await store.append([replace(said("m", "hi"), chat="b")])
    await store.create_chat(chat("d"))
    assert [one.id for one in await store.chats()] == ["d", "b", "a", "c"]


@in_loop
async def test_a_listed_chat_says_when_it_was_last_written_in(store: HistoryStore):
    await store.create_chat(chat())
    soon = "2026-01-01T18:00:00Z"
    await store.append([replace(said("m1", "soon"), created_utc=soon)])
    await store.append([replace(said("m2", "later", "m1"), created_utc=LATER)])
    await store.create_chat(chat("new"))
    assert [(one.id, one.used_utc) for one in await store.chats()] == [("new", WHEN), ("c", LATER)]
    # It is not kept with the chat: who renames one does not write in it.
    await store.save_chat(replace((await store.chats())[1], title="Other"))
    assert (await store.chat("c")).used_utc == ""
    await store.delete_message("c", "m2", LATER)
    await store.purge()
    assert [(one.id, one.used_utc) for one in await store.chats()] == [("new", WHEN), ("c", soon)]


@in_loop
async def test_a_deleted_chat_is_there_until_it_is_purged(store: HistoryStore):
    await grow(store, "m1")
    await store.create_chat(chat("d"))
    await store.save_chat(replace(await store.chat("c"), deleted_utc=LATER))
    assert [one.id for one in await store.chats()] == ["d"]
    assert (await store.chat("c")).deleted_utc == LATER
    assert await store.purge() == 1
    with pytest.raises(NotKept):
        await store.chat("c")
    assert (await store.chat("d")).id == "d"


@in_loop
async def test_a_branch_is_read_from_its_leaf(store: HistoryStore):
    await grow(store, "m1", "m2", "m3")
    await store.append([said("v2", "edited", "m1"), said("v3", "answer", "v2")])
    assert await ids(store) == ["m1", "v2", "v3"]
    assert await ids(store, "m3") == ["m1", "m2", "m3"]
    assert await ids(store, "m1") == ["m1"]
    assert (await store.chat("c")).leaf == "v3"
    await store.save_chat(replace(await store.chat("c"), leaf="m3"))
    assert await ids(store) == ["m1", "m2", "m3"]


@in_loop
async def test_editing_makes_a_sibling(store: HistoryStore):
    await grow(store, "m1", "m2")
    await store.append([said("v2", "edited", "m1"), said("w1", "another start")])
    assert [one.id for one in await store.siblings("c", "v2")] == ["m2", "v2"]
    assert [one.id for one in await store.siblings("c", "m1")] == ["m1", "w1"]
    await store.delete_message("c", "m2", WHEN)
    assert [one.id for one in await store.siblings("c", "v2")] == ["v2"]


@in_loop
async def test_a_tail_is_the_end_of_the_branch(store: HistoryStore):
    await grow(store, *(f"m{number}" for number in range(10)))
    for deleted in ("m5", "m8", "m9"):
        await store.delete_message("c", deleted, LATER)
    whole = await store.path("c")
    for number in range(12):
        assert await store.tail("c", number) == (whole[-number:] if number else ())
    assert [one.id for one in await store.tail("c", 2, "m6")] == ["m4", "m6"]
    assert await store.tail("c", -3) == ()


@in_loop
async def test_order_is_by_sequence_not_by_clock(store: HistoryStore):
    await store.create_chat(chat())
    days = ("2026-03-01", "2020-01-01", "2024-01-01")
    await store.append(
        [replace(said(f"m{n}", "x"), created_utc=f"{day}T00:00:00Z") for n, day in enumerate(days)]
    )
    assert [one.id for one in await store.siblings("c", "m0")] == ["m0", "m1", "m2"]
    sequences = [one.sequence for one in await store.siblings("c", "m0")]
    assert sequences == sorted(set(sequences))


@in_loop
async def test_what_does_not_fit_is_refused_whole(store: HistoryStore):
    await grow(store, "m1")
    for wrong in (
        [said("m2", "new", "m1"), said("m1", "again", "m2")],
        [said("m2", "new", "m1"), said("m3", "new", "nobody")],
        [said("m2", "new", "m1"), replace(said("m3", "new"), chat="nobody's")],
    ):
        with pytest.raises(NotKept):
            await store.append(wrong)
        assert await ids(store) == ["m1"]
    assert (await store.chat("c")).leaf == "m1"
    await store.append([])


@in_loop
async def test_an_answer_grows_and_ends(store: HistoryStore):
    await grow(store, "m1")
    growing = replace(said("a1", "", "m1", "assistant"), state="running")
    await store.append([growing])
    for text in ("Once", "Once upon", "Once upon a time"):
        grown = replace(growing, entry=Message("a1", "assistant", (text,)))
        await store.update(grown)
        (_, found) = await store.path("c")
        assert (found.state, found.entry) == ("running", grown.entry)
    ended = replace(growing, entry=Message("a1", "assistant", ("The end.",)), state="interrupted")
    await store.update(ended)
    assert replace((await store.path("c"))[1], sequence=0) == ended
    for late in (growing, ended, said("m1", "changed"), said("nobody", "new")):
        with pytest.raises(NotKept):
            await store.update(late)
    assert replace((await store.path("c"))[1], sequence=0) == ended


@in_loop
async def test_a_deleted_message_is_hidden_and_then_gone(store: HistoryStore):
    await grow(store, "m1", "m2", "m3", "m4")
    await store.append([said("v3", "edited", "m2")])
    await store.delete_message("c", "m2", LATER)
    assert await ids(store, "m4") == ["m1", "m3", "m4"]
    hidden = {one.id: one.deleted_utc for one in (await store.archive("c")).records}
    assert hidden == {"m1": None, "m2": LATER, "m3": None, "m4": None, "v3": None}
    assert await store.purge() == 1
    assert await store.purge() == 0
    assert await ids(store, "m4") == ["m1", "m3", "m4"]
    assert await ids(store, "v3") == ["m1", "v3"]
    assert [one.parent for one in await store.siblings("c", "m3")] == ["m1", "m1"]
    with pytest.raises(NotKept):
        await store.path("c", "m2")


@in_loop
async def test_purging_the_end_of_a_branch_leaves_its_beginning(store: HistoryStore):
    await grow(store, "m1", "m2", "m3")
    for key in ("m2", "m3"):
        await store.delete_message("c", key, LATER)
    await store.purge()
    assert (await ids(store), (await store.chat("c")).leaf) == (["m1"], "m1")


ENTRIES: tuple[Entry, ...] = (
    Message("m", "system", ("rules",)),
    Message("m", "user", ("one", "", "two\n\nthree"), (Image("d" * 64, 5), Image("e" * 64))),
    Message("m", "user", ("one", "two"), (Image("d" * 64, None, 640, 400, 1, "shot.png"),)),
    Message("m", "assistant", (), tool_calls=(ToolCall("c", "read", '{"a": "é"}'),)),
    Message("m", "tool", ("\ud800\x00",), tool_call_id="c"),
    SystemChunk("m", "body", 3, (("k", "v"),)),
    AgentChunk("m", "body", "assistant", "clarification"),
    EnvironmentChunk("m", "body" * 40, "tool_result", "read", "c", False, "no"),
    OutputChunk("m", "", "task_abandoned", "why"),
)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda one: f"{type(one).__name__} {getattr(one, 'role', '')}")
@in_loop
async def test_whatever_is_said_comes_back(store: HistoryStore, entry: Entry):
    assert len(CHUNK_KINDS) == 7
    record = Record("c", entry, WHEN, attached=("a", "b"), metadata={"x": [1, None]}, hints={"tone": "dry"})
    await store.create_chat(chat())
    await store.append([record])
    assert [replace(one, sequence=0) for one in await store.path("c")] == [record]


@in_loop
async def test_what_hangs_on_a_chat(store: HistoryStore):
    await store.create_chat(chat())
    files = (artifact("b.md", "text " * 50, title="B", most_tokens=400), artifact("a.md"))
    assert (await store.attached("c"), await store.tuning("c"), await store.draft("c")) == ((), Tuning(), "")
    await store.save_attached("c", files)
    await store.save_tuning("c", Tuning(frozenset({"m1"}), frozenset({"m2", "m3"})))
    await store.save_draft("c", "Dear \ud800\x00")
    assert await store.attached("c") == files
    assert await store.tuning("c") == Tuning(frozenset({"m1"}), frozenset({"m2", "m3"}))
    assert await store.draft("c") == "Dear \ud800\x00"
    of_file = Summary("f", "Short.", ("m1",), content_digest="d")
    told = (Summary("s", "They said secret.", ("m0", "m1")), Summary("t", "More.", ("m2",)), of_file)
    await store.append([said("m1", "secret")])
    await store.save_tuning("c", Tuning(summaries=told))
    await store.delete_message("c", "m1", LATER)
    assert (await store.tuning("c")).summaries == told[1:], "the words of a deleted message go with it"
    await store.save_attached("c", ())
    await store.save_draft("c", "")
    assert (await store.attached("c"), await store.draft("c")) == ((), "")


@in_loop
async def test_side_questions_are_kept_beside_the_tuning_and_leave_with_no_archive(store: HistoryStore):
    await store.create_chat(chat())
    assert await store.sides("c") == ()
    told = (
        SideQuestion("s2", "Why?", "So.", WHEN, "m", cost_usd=0.1),
        SideQuestion("s1", "q", "a", WHEN, "m"),
    )
    await store.save_sides("c", told)
    await store.save_tuning("c", Tuning(frozenset({"m1"})))
    assert await store.sides("c") == told
    archive = await store.archive("c")
    await store.adopt(replace(archive, chat=replace(archive.chat, id="d")))
    assert await store.sides("d") == ()
    await store.save_sides("c", ())
    assert await store.sides("c") == ()


@in_loop
async def test_what_is_queued_is_kept_beside_tuning_and_folders(store: HistoryStore):
    """Each is written by itself, and none takes another away."""
    await store.create_chat(chat())
    assert await store.queued("c") == ()
    folder = FollowedFolder("/p", FolderRules(), "*.py", (), 3, frozenset())
    await store.save_followed("c", (folder,))
    await store.save_queued("c", ("one", "two \ud800"))
    await store.save_tuning("c", Tuning(frozenset({"m1"})))
    await store.save_followed("c", (folder,))
    assert await store.queued("c") == ("one", "two \ud800")
    await store.save_queued("c", ())
    assert (await store.queued("c"), await store.followed("c")) == ((), (folder,))
    assert await store.tuning("c") == Tuning(frozenset({"m1"}))


@in_loop
async def test_steps_that_can_be_taken_back_are_kept_and_a_purge_forgets_them(store: HistoryStore):
    await store.create_chat(chat())
    await store.create_chat(replace(chat(), id="gone"))
    assert await store.steps("c") == ()
    kept = ("short", "long \ud800 " * 40)
    await store.save_steps("c", kept)
    await store.save_queued("c", ("one",))
    await store.save_tuning("c", Tuning(frozenset({"m1"})))
    assert (await store.steps("c"), await store.queued("c")) == (kept, ("one",))
    await store.purge()
    assert await store.steps("c") == kept, "nothing was deleted, and they need their texts"
    await store.save_chat(replace(await store.chat("gone"), deleted_utc=LATER))
    assert await store.purge() == 1
    assert (await store.steps("c"), await store.queued("c")) == ((), ("one",))


@in_loop
async def test_followed_folders_are_kept_beside_the_tuning_and_leave_with_no_archive(store: HistoryStore):
    """Whoever wrote an archive must not choose what is read on this computer."""
    await store.create_chat(chat())
    assert await store.followed("c") == ()
    folder = FollowedFolder(
        "/p/\udce9", FolderRules(hidden=True), "*.py", ("code",), 3, frozenset({"a.py", "b.py"})
    )
    await store.save_followed("c", (folder,))
    await store.save_tuning("c", Tuning(frozenset({"m1"})))
    assert await store.followed("c") == (folder,)
    assert await store.tuning("c") == Tuning(frozenset({"m1"}))
    archive = await store.archive("c")
    await store.adopt(replace(archive, chat=replace(archive.chat, id="d")))
    assert await store.followed("d") == ()
    await store.save_followed("c", ())
    assert (await store.followed("c"), await store.tuning("c")) == ((), Tuning(frozenset({"m1"})))


@in_loop
async def test_snapshots_are_kept_in_the_order_they_were_taken(store: HistoryStore):
    await store.create_chat(chat())
    taken = [Snapshot("c", artifact("a.md", f"text {n} " * 20), WHEN, bytes([n]) * 99, LATER) for n in (2, 1)]
    for one in (*taken, taken[0]):
        await store.keep_snapshot(one)
    assert await store.snapshots("c") == (*taken, taken[0])


@in_loop
async def test_copies_of_files_are_known_without_their_bytes(store: HistoryStore):
    """A path and a text may be long or short, and a store may keep each of them in its own way."""
    await store.create_chat(chat())
    named = replace(artifact("/home/ada/a.md", "short"), name="a.md")
    files = [named, artifact(f"{'deep/' * 30}b.md", "long " * 50)]
    for number, one in enumerate(files):
        await store.keep_snapshot(Snapshot("c", one, WHEN, b"bytes" * number, LATER))
    await store.keep_snapshot(Snapshot("c", artifact("clipboard", "pasted"), WHEN, b"pasted"))
    assert await store.copies("c") == tuple(
        KeptCopy(
            one.key,
            one.content_digest,
            5 * number,
            sha256(b"bytes" * number).hexdigest(),
            name=one.name,
            taken_utc=WHEN,
        )
        for number, one in enumerate(files)
    )
    assert await store.copies("nowhere") == ()


@in_loop
async def test_how_a_file_was_read_is_kept_with_each_copy(store: HistoryStore):
    """Without it a file would be read again as what it was first taken for."""
    await store.create_chat(chat())
    wanted = Reading("text", "cp1252")
    known = [
        ReadAs("pdf", "", 84, ("page 7 has no text",)),
        ReadAs("text", "cp1252", chosen=wanted),
        ReadAs(),
    ]
    taken = [
        Snapshot("c", artifact("a.txt", f"text {n}"), WHEN, b"bytes", LATER, read_as=one, bound="/papers")
        for n, one in enumerate(known)
    ]
    for one in taken:
        await store.keep_snapshot(one)
    assert [(copy.read_as, copy.bound) for copy in await store.copies("c")] == [
        (one, "/papers") for one in known
    ]
    assert await store.snapshots("c") == tuple(taken)
    assert await store.newest_snapshot("c", "a.txt") == taken[-1]
    assert await store.newest_snapshot("c", "b.txt") is None
    archive = await store.archive("c")
    await store.adopt(replace(archive, chat=replace(archive.chat, id="d")))
    assert [(copy.read_as, copy.bound) for copy in await store.copies("d")] == [(one, "") for one in known]


@in_loop
async def test_where_a_file_lies_is_kept_and_comes_from_no_archive(store: HistoryStore):
    """Whoever wrote an archive must not choose what is read on this computer."""
    await store.create_chat(chat())
    place = f"/home/{'deep/' * 30}a.md"
    taken = Snapshot("c", artifact("a.md", "text " * 50), WHEN, b"bytes", LATER, place, "ab" * 32)
    await store.keep_snapshot(taken)
    (copy,) = await store.copies("c")
    assert (await store.snapshots("c"), copy.place, copy.refused) == ((taken,), place, "ab" * 32)
    archive = await store.archive("c")
    await store.adopt(replace(archive, chat=replace(archive.chat, id="d")))
    (other,) = await store.copies("d")
    assert (other.key, other.sha256, other.place, other.refused) == (copy.key, copy.sha256, "", "")


@in_loop
async def test_presets_and_counts(store: HistoryStore):
    await store.save_preset("b", ContextSettings(user_memory="tea"))
    await store.save_preset("a", ContextSettings())
    await store.save_preset("b", ContextSettings(user_memory="coffee"))
    await store.save_preset("a", None)
    await store.save_preset("never", None)
    assert dict(await store.presets()) == {"b": ContextSettings(user_memory="coffee")}
    await store.save_counts("words", {b"x" * 32: 1})
    await store.save_counts("words", {b"x" * 32: 2, b"y" * 32: 3})
    asked = [letter * 32 for letter in (b"x", b"y", b"z")]
    assert dict(await store.counts("words", asked)) == {b"x" * 32: 1, b"y" * 32: 3}
    assert dict(await store.counts("words", asked[1:])) == {b"y" * 32: 3}
    assert dict(await store.counts("other", asked)) == {}


@in_loop
async def test_what_nobody_kept_is_named(store: HistoryStore):
    await grow(store, "m1")
    for asked in (
        store.chat("x"), store.save_chat(chat("x")), store.draft("x"), store.save_draft("x", ""),
        store.tuning("x"), store.save_tuning("x", Tuning()), store.attached("x"),
        store.save_attached("x", ()), store.keep_snapshot(Snapshot("x", artifact("a"), WHEN)),
        store.path("c", "x"), store.tail("c", 1, "x"), store.siblings("c", "x"), store.siblings("x", "m1"),
        store.delete_message("c", "x", WHEN), store.turn("c", "x"), store.last_turn("c", "x"),
        store.archive("x"),
    ):  # fmt: skip
        with pytest.raises(NotKept):
            await asked


@in_loop
async def test_every_moment_is_utc(store: HistoryStore):
    await grow(store, "m1")
    await store.keep_snapshot(Snapshot("c", artifact("a.md"), WHEN, b"", LATER))
    await store.delete_message("c", "m1", LATER)
    archive = await store.archive("c")
    moments = [
        archive.chat.created_utc, archive.records[0].created_utc, archive.records[0].deleted_utc,
        archive.snapshots[0].taken_utc, archive.snapshots[0].modified_utc,
    ]  # fmt: skip
    assert all(UTC.fullmatch(moment or "") for moment in moments)
    assert moments == [WHEN, WHEN, LATER, WHEN, LATER]


@in_loop
async def test_what_is_read_at_once_is_what_is_read_value_by_value(store: HistoryStore):
    await grow(store, "u1", "a1")

    async def read(within: HistoryStore, key: str) -> tuple[object, ...]:
        return await within.chat(key), await within.path(key), await within.draft(key)

    assert await store.at_once(read, "c") == await read(store, "c")
    with pytest.raises(NotKept):
        await store.at_once(read, "nobody's")
    assert await ids(store) == ["u1", "a1"]
