"""Messages in their table: parts, growing answers, what the index knows, and reading only the tail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event, text

from tests.fakes.stores import IDENTITY, RAW_KEY, WHEN, chat, connect, said
from workbench.domain.chunk import AgentChunk, DelegationChunk, EnvironmentChunk
from workbench.domain.errors import NotKept
from workbench.domain.message import Entry, Image, Message, ToolCall
from workbench.domain.record import Record
from workbench.storage.chats import chats, messages
from workbench.storage.database.cipher import create_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import migrate


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    create_encrypted(tmp_path / "h.db", RAW_KEY, IDENTITY)
    database = Database(lambda: connect(tmp_path / "h.db"))
    migrate(database, lambda version: None)
    with database.transaction() as opened:
        chats.create(opened, chat())
        yield opened
    database.close()


def indexed(connection: Connection, word: str) -> int:
    query = text("SELECT count(*) FROM message_words WHERE message_words MATCH :word")
    return int(connection.execute(query, {"word": word}).scalar_one())


ENTRIES: tuple[Entry, ...] = (
    Message("m", "system", ("rules",)),
    Message("m", "user", ()),
    Message("m", "user", ("",)),
    Message("m", "user", ("", "", "x\n\ny", "\n\n")),
    Message("m", "user", ("👩‍👩‍👧", "\ud800", "\x00"), (Image("d" * 64, 5), Image("e" * 64))),
    Message("m", "assistant", ("",), tool_calls=(ToolCall("c", "read", "{}" * 99), ToolCall("d", "ls", ""))),
    Message("m", "tool", ("r",), tool_call_id=""),
    EnvironmentChunk("m", "body" * 30, "tool_result", "read", "c1", False, "no", (("k", "v"),)),
    AgentChunk("m", "", "user", "clarification"),
    DelegationChunk("m", "\ud800", "spawn_subagent", success=True),
)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: type(entry).__name__)
@pytest.mark.parametrize("state", ["complete", "running"])
def test_an_entry_comes_back_as_it_was(connection: Connection, entry: Entry, state: str):
    record = Record(
        "c", entry, WHEN, state=state, attached=("a.md",), metadata={"a": [1]}, hints={"b": None}  # type: ignore[arg-type]
    )  # fmt: skip
    messages.append(connection, [record])
    assert messages.branch(connection, "c", None, None) == (replace(record, sequence=1),)
    assert messages.everything(connection, "c") == messages.siblings(connection, "c", "m")


def test_what_messages_of_a_branch_have_in_common_is_kept_once(connection: Connection):
    """Each row had its own chat, parent, role, state and empty notes: 9 MB of a chat of 10,000 turns."""
    messages.append(
        connection, [said(*each) for each in (("a", "Yes."), ("b", "No.", "a"), ("c", "So.", "b"))]
    )
    first, second, third = messages.branch(connection, "c", None, None)
    assert second.parent is not None
    assert second.parent is first.id
    assert second.chat is third.chat
    assert second.state is third.state
    assert second.metadata is third.hints
    assert isinstance(second.entry, Message)
    assert isinstance(third.entry, Message)
    assert second.entry.role is third.entry.role


def test_a_growing_answer_leaves_no_trail(connection: Connection):
    """Rewritten several times a second, each version kept would be a copy of the whole answer."""
    running = replace(said("a", "", role="assistant"), state="running")
    messages.append(connection, [running])
    for length in range(1, 50):
        messages.renew(connection, replace(said("a", "word " * length), state="running"))
    assert connection.execute(text("SELECT count(*) FROM content")).scalar() == 1
    assert indexed(connection, "word") == 0
    messages.renew(connection, said("a", "word " * 50))
    assert indexed(connection, "word") == 1
    with pytest.raises(NotKept, match="not an answer in progress"):
        messages.renew(connection, said("a", "changed"))


def test_an_answer_deleted_while_it_grows_stays_deleted(connection: Connection):
    """Otherwise the next word that arrives brings back what the user has just removed."""
    running = replace(said("a", "one", role="assistant"), state="running")
    messages.append(connection, [running])
    messages.hide(connection, "c", "a", WHEN)
    messages.renew(connection, replace(running, entry=Message("a", "assistant", ("one two",))))
    messages.renew(connection, said("a", "one two three"))
    assert messages.branch(connection, "c", None, None) == ()
    assert messages.everything(connection, "c")[0].deleted_utc == WHEN
    assert indexed(connection, "three") == 0


def test_only_the_tail_is_read(connection: Connection):
    records = [said(f"m{n}", f"text {n}", f"m{n - 1}" if n else None) for n in range(500)]
    messages.append(connection, records)
    for hidden in range(450, 490):
        messages.hide(connection, "c", f"m{hidden}", WHEN)
    read: list[int] = []

    def seen(sequence: int) -> int:
        read.append(sequence)
        return sequence

    raw: Any = connection.connection.dbapi_connection
    raw.create_function("seen", 1, seen)

    def watched(conn: object, cursor: object, sql: str, *rest: object) -> tuple[str, object]:
        return sql.replace("SELECT m.sequence, m.parent,", "SELECT seen(m.sequence), m.parent,"), rest[0]

    event.listen(connection.engine, "before_cursor_execute", watched, retval=True)
    tail = messages.branch(connection, "c", None, 15)
    event.remove(connection.engine, "before_cursor_execute", watched)
    assert [record.id for record in tail] == [f"m{n}" for n in (*range(445, 450), *range(490, 500))]
    assert len(read) == 54


@pytest.mark.parametrize("query", [messages._BRANCH, messages._WAY], ids=["branch", "way"])
@pytest.mark.parametrize("join", ["CROSS JOIN", "JOIN"])
def test_a_branch_is_read_along_the_branch(connection: Connection, query: str, join: str):
    """Left to itself SQLite goes through all messages in order: 280 ms for the last fifty of 100,000."""
    sql = query.replace("CROSS JOIN", join)
    plan = connection.execute(text(f"EXPLAIN QUERY PLAN {sql}"), {"chat": "c", "leaf": "m", "number": 5})
    steps = [row.detail for row in plan]
    scans = [step for step in steps if step.startswith("SCAN") and step not in ("SCAN branch", "SCAN way")]
    assert (scans == []) == (join == "CROSS JOIN" or query == messages._WAY), steps


def test_messages_by_sequence(connection: Connection):
    messages.append(connection, [said(f"m{n}", str(n)) for n in range(1200)])
    assert [one.id for one in messages.load(connection, range(1, 1201))] == [f"m{n}" for n in range(1200)]
    assert messages.load(connection, []) == []


def test_a_message_that_is_not_there_is_named(connection: Connection):
    with pytest.raises(NotKept, match="'c' has no message 'x'"):
        messages.sequence_of(connection, "c", "x")
