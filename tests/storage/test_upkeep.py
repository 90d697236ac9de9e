"""What is purged is gone, everywhere; and every damage is found without being stopped by it."""

from __future__ import annotations

import random  # noqa: TID251 - seeded: the same places every time
from pathlib import Path

import pytest

from tests.fakes.kept_turns import asked, built_turn, bytes_of
from tests.fakes.loop import in_loop
from tests.fakes.stores import WHEN, chat, connect, open_store, said
from tests.fakes.turns import assistant, user
from workbench.domain.message import Message, ToolCall
from workbench.domain.record import Record
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


def everything(path: Path) -> bytes:
    """All that the key can bring back, page by page."""
    import sqlcipher3.dbapi2 as driver

    source = connect(path)
    source.execute("ATTACH DATABASE ? AS plain KEY ''", (str(path) + ".plain",))
    source.execute("SELECT sqlcipher_export('plain')")
    source.execute("DETACH DATABASE plain")
    source.close()
    assert driver.sqlite_version
    return Path(str(path) + ".plain").read_bytes()


@in_loop
async def test_purged_text_is_nowhere(tmp_path: Path):
    """Short texts stand in the segments themselves, and words stay in an index until its parts are merged."""
    store = await with_turns(tmp_path / "h.db")
    for key in ("u1", "a1", "t1"):
        await store.delete_message("c", key, WHEN)
    assert await store.purge() == 3
    turn = await store.last_turn("c")
    assert "zebra" not in bytes_of(turn)
    assert bytes_of(turn).count("[purged]") > 3
    assert (await store.verify()).problems == ()
    await store.close()
    assert b"zebra" not in everything(tmp_path / "h.db")


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
async def test_a_sound_store_is_counted(tmp_path: Path):
    store = await with_turns(tmp_path / "h.db")
    found = await store.verify()
    assert (found.chats, found.messages, found.turns, found.locked, found.problems) == (1, 4, 2, 0, ())
    assert found.pages > 10
    await store.close()


@in_loop
async def test_every_flipped_bit_is_found_and_none_ends_the_check(tmp_path: Path):
    """`verify` is what the message about damage tells people to run: it must not answer with that message."""
    store = await with_turns(tmp_path / "h.db")
    await store.append([said(f"m{n}", f"text {n} " * 40, "u2") for n in range(150)])
    await store.close()
    sound = (tmp_path / "h.db").read_bytes()
    choice = random.Random(5)
    for _ in range(25):
        flipped = bytearray(sound)
        flipped[choice.randrange(8192, len(flipped))] ^= 1 << choice.randrange(8)
        (tmp_path / "h.db").write_bytes(flipped)
        damaged = open_store(tmp_path / "h.db")
        found = await damaged.verify()
        assert found.problems
        assert found.pages > 10
        await damaged.close()


@pytest.mark.parametrize(
    ("damage", "finding"),
    [
        ("UPDATE message SET content = 999 WHERE id = 'u2'", "refers to a row of content"),
        ("DELETE FROM message_words WHERE rowid = 1", "knows 3 messages of 4"),
        ("UPDATE turn SET envelope = x'00'", "unreadable (error)"),
        ("UPDATE chat SET settings = '[]'", "unreadable (InvalidInput)"),
        ("DELETE FROM segment", "unreadable (KeyError)"),
    ],
)
@in_loop
async def test_what_does_not_fit_together_is_named(tmp_path: Path, damage: str, finding: str):
    store = await with_turns(tmp_path / "h.db")
    await store.close()
    connection = connect(tmp_path / "h.db")
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute(damage)
    connection.commit()
    connection.close()
    again = open_store(tmp_path / "h.db")
    assert any(finding in problem for problem in (await again.verify()).problems)
    await again.close()
