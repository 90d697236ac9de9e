"""What is purged is gone, everywhere; what is left still fits together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.fakes.kept_turns import asked, built_turn, bytes_of
from tests.fakes.loop import in_loop
from tests.fakes.stores import WHEN, chat, connect, decrypted_pages, open_store, said
from tests.fakes.turns import artifact, assistant, result, user
from workbench.domain.change import Built
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.envelope import WireMessage
from workbench.domain.message import Message, Thought, ToolCall
from workbench.domain.record import Record
from workbench.domain.segment import Segment
from workbench.domain.summary import Summary
from workbench.domain.turn import Tuning
from workbench.storage.history import SqlCipherHistory

SHORT, LONG = "zebrashort", "zebralong " * 20


async def with_turns(path: Path) -> SqlCipherHistory:
    """u1 → a1 → u2, with a request for each question."""
    store = open_store(path)
    await store.create_chat(chat())
    u1, u2 = user("u1", SHORT), user("u2", "And then?")
    a1 = Message("a1", "assistant", (LONG,), tool_calls=(ToolCall("c1", "read", SHORT),))
    t1 = Message("t1", "tool", (SHORT,), tool_call_id="c1")
    await store.begin_turn(built_turn(u1), asked(u1))
    await store.append([Record("c", a1, WHEN, "u1"), Record("c", t1, WHEN, "a1")])
    await store.begin_turn(built_turn(u2, [u1, a1, t1], number=2), asked(u2, "t1"))
    return store


@in_loop
async def test_purged_text_is_nowhere(tmp_path: Path):
    """Short texts stand in the segments themselves, and words stay in an index until its parts are merged."""
    store = await with_turns(tmp_path / "h.db")
    await store.settle()
    assert b"zebralong" in decrypted_pages(tmp_path / "h.db")
    for key in ("u1", "a1", "t1"):
        await store.delete_message("c", key, WHEN)
    assert await store.purge() == 3
    turn = await store.last_turn("c")
    assert "zebra" not in bytes_of(turn)
    assert bytes_of(turn).count("[purged]") > 3
    assert (await store.verify()).problems == ()
    await store.close()
    assert b"zebra" not in decrypted_pages(tmp_path / "h.db")


@in_loop
async def test_of_a_removed_chat_not_even_words_stay(tmp_path: Path):
    """What is deleted from an index is only marked so there: the words themselves stayed in the file."""
    store = await with_turns(tmp_path / "h.db")
    await store.create_chat(chat("d"))
    await store.settle()
    assert b"zebrashort" in decrypted_pages(tmp_path / "h.db")
    assert await store.remove_chats(["c"]) == 1
    assert b"zebra" not in decrypted_pages(tmp_path / "h.db")
    await store.close()
    assert b"zebra" not in decrypted_pages(tmp_path / "h.db")


@in_loop
async def test_text_that_another_chat_has_too_stays_there_only(tmp_path: Path):
    store = await with_turns(tmp_path / "h.db")
    await store.create_chat(chat("d"))
    await store.append([Record("d", assistant("x", LONG), WHEN)])
    await store.delete_message("c", "a1", WHEN)
    await store.purge()
    assert LONG not in bytes_of(await store.last_turn("c"))
    assert [getattr(one.entry, "text", "") for one in await store.path("d")] == [LONG]
    await store.close()


@in_loop
async def test_what_stood_on_a_purged_message_moves_up(tmp_path: Path):
    store = open_store(tmp_path / "h.db")
    await store.create_chat(chat())
    await store.append([said("m1", "1"), said("m2", "2", "m1"), said("m3", "3", "m2")])
    standing = built_turn(None, [user("m1"), user("m2"), user("m3")])
    await store.begin_turn(standing, None)
    for key in ("m2", "m3"):
        await store.delete_message("c", key, WHEN)
    await store.purge()
    assert (await store.chat("c")).leaf == "m1"
    assert [one.id for one in await store.path("c")] == ["m1"]
    (turn,) = await store.turns("c")
    assert (turn.parent, [entry.id for entry in turn.built.inputs.history]) == ("m1", ["m1"])
    await store.delete_message("c", "m1", WHEN)
    await store.purge()
    assert ((await store.chat("c")).leaf, await store.path("c")) == (None, ())
    await store.close()


@in_loop
async def test_a_message_with_a_long_id_can_be_purged(tmp_path: Path):
    store = open_store(tmp_path / "h.db")
    await store.create_chat(chat())
    long, next_one = user("i" * 90, "text"), user("u2")
    await store.begin_turn(built_turn(long), asked(long))
    await store.begin_turn(built_turn(next_one, [long], number=2), asked(next_one, long.id))
    await store.delete_message("c", long.id, WHEN)
    assert await store.purge() == 1
    assert [one.id for one in await store.path("c")] == ["u2"]
    await store.close()


@in_loop
async def test_nothing_deleted_nothing_purged(tmp_path: Path):
    store = await with_turns(tmp_path / "h.db")
    before = bytes_of(await store.turns("c"))
    assert await store.purge() == 0
    assert bytes_of(await store.turns("c")) == before
    await store.close()


@in_loop
async def test_what_was_said_within_a_turn_is_purged_with_its_messages(tmp_path: Path):
    """A request that called tools holds them a second time, and among what it was built from a third time."""
    store = open_store(tmp_path / "h.db")
    await store.create_chat(chat())
    question, notes = user("q", "why?"), artifact("zebra.md", "a file that stays " * 9)
    called = replace(assistant("a1", LONG, "c1"), thinking=(Thought(SHORT), Thought(LONG, SHORT)))
    found, kept = result("t1", "c1", SHORT), assistant("a2", "stays")
    turn = built_turn(question, (), [notes], rounds=(called, found, kept))
    await store.begin_turn(turn, asked(question))
    replies = [Record("c", called, WHEN, "q"), Record("c", found, WHEN, "a1"), Record("c", kept, WHEN, "t1")]
    await store.finish_turn(replace(turn, state="complete"), replies)
    for key in ("a1", "t1"):
        await store.delete_message("c", key, WHEN)
    await store.purge()
    left = await store.last_turn("c")
    assert left is not None
    assert [one.id for one in left.built.inputs.rounds] == ["a1", "t1", "a2"]
    assert "a file that stays" in bytes_of(left)
    assert "zebrashort" not in bytes_of(left)
    assert "zebralong" not in bytes_of(left)
    assert left.built.inputs.rounds[2] == kept
    assert left.reply == "a2"
    assert (await store.verify()).problems == ()
    await store.close()
    file = decrypted_pages(tmp_path / "h.db")
    assert b"zebrashort" not in file
    assert b"zebralong" not in file


@in_loop
async def test_a_turn_in_progress_keeps_what_it_said_so_far(tmp_path: Path):
    """Its messages are not kept yet, which does not mean that they were deleted."""
    store = open_store(tmp_path / "h.db")
    await store.create_chat(chat())
    await store.append([said("old", "to be deleted")])
    question = user("q", "why?")
    called = assistant("a1", "let me look", "c1")
    rounds = (called, result("t1", "c1", "what was found"))
    turn = built_turn(question, rounds=rounds)
    await store.begin_turn(turn, asked(question, "old"))
    await store.delete_message("c", "old", WHEN)
    await store.purge()
    assert bytes_of((await store.turns("c"))[0].built.envelope) == bytes_of(turn.built.envelope)
    await store.close()


@in_loop
async def test_what_is_no_message_s_own_stays_as_it_was_sent(tmp_path: Path):
    """A log goes on with the bytes it sent: blanked, the line about what left was sent as `[purged]`."""
    store = open_store(tmp_path / "h.db")
    await store.create_chat(chat())
    commands = (EnvironmentChunk("command", SHORT, "tool_result"),)
    await store.append([said("u1", "one"), replace(said("u2", SHORT, "u1"), commands=commands)])
    beside = [Segment(key, "L4_STRIP", kind, f"{key} stays", "") for key, kind in _BESIDE.items()]
    of_gone = [
        Segment("u2", "L4_STRIP", "user", SHORT, ""),
        Segment("recalled.2:u2", "L4_STRIP", "recalled", SHORT, ""),
        Segment("summary", "L4_STRIP", "progress_summary", SHORT, ""),
        Segment("command", "L4_STRIP", "environment", SHORT, ""),
    ]
    question = user("q", "why?")
    turn = built_turn(question)
    summaries = (Summary("summary", LONG, ("u1", "u2")), Summary("kept", "stays", ("u1",)))
    inputs = replace(turn.built.inputs, tuning=Tuning(summaries=summaries))
    layers = tuple(
        replace(one, segments=(*beside, *of_gone), tokens=(1,) * 8) if one.name == "L4_STRIP" else one
        for one in turn.built.envelope.layers
    )
    quoting = Segment("u2", "L3_TURN", "recalled", SHORT, "")
    layers = tuple(
        replace(one, segments=(quoting,), tokens=(1,)) if one.name == "L3_TURN" else one for one in layers
    )
    sent = tuple(one for layer in layers for one in layer.segments if layer.name != "L1_SYSTEM")
    messages = (turn.built.envelope.messages[0], WireMessage("q", "user", sent))
    envelope = replace(turn.built.envelope, layers=layers, messages=messages)
    await store.begin_turn(replace(turn, built=Built(inputs, envelope)), asked(question, "u1"))
    await store.delete_message("c", "u2", WHEN)
    await store.purge()
    (left,) = await store.turns("c")
    strip = left.built.envelope.layer("L4_STRIP").segments
    assert strip[:4] == tuple(beside)
    assert {one.text for one in (*strip[4:], *left.built.envelope.layer("L3_TURN").segments)} == {"[purged]"}
    assert left.built.inputs.tuning.summaries == summaries[1:]
    await store.close()
    assert b"zebra" not in decrypted_pages(tmp_path / "h.db")


_BESIDE = {"left": "left", "time:u1": "time", "recalled:u1": "recalled", "kept": "progress_summary"}


@in_loop
async def test_provider_keys_are_not_purged(tmp_path: Path):
    store = await with_turns(tmp_path / "h.db")
    connection = connect(tmp_path / "h.db")
    connection.execute("INSERT INTO provider_key VALUES ('https://api.example:443', x'00')")
    connection.commit()
    await store.save_chat(replace(chat(), deleted_utc=WHEN))
    assert await store.purge() == 1
    assert connection.execute("SELECT count(*) FROM provider_key").fetchone() == (1,)
    connection.close()
    await store.close()
