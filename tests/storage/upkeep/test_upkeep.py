"""Every damage is found, and none ends the check."""

from __future__ import annotations

import random  # noqa: TID251 - seeded: the same places every time
from pathlib import Path

import pytest

from tests.fakes.kept_turns import asked, built_turn
from tests.fakes.loop import in_loop
from tests.fakes.stores import WHEN, chat, connect, open_store, said
from tests.fakes.turns import user
from workbench.domain.message import Message, ToolCall
from workbench.domain.record import Record
from workbench.storage.history import SqlCipherHistory

SHORT, LONG = "short", "long " * 20


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
        ("UPDATE turn SET reply = 999", "refers to a row of message"),
        (
            "INSERT INTO provider_key VALUES ('https://x.example:443', x'')",
            "key for 'https://x.example:443' is",
        ),
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
