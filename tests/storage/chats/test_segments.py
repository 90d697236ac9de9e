"""Segments are kept once a chat, read together, and written anew only where they are new."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, text

from tests.fakes.stores import IDENTITY, RAW_KEY, chat, connect
from tests.fakes.turns import segment
from workbench.domain.message import Image, ToolCall
from workbench.storage.chats import chats
from workbench.storage.chats.turns import Segments, keep_segments
from workbench.storage.database.cipher import create_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import migrate


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    create_encrypted(tmp_path / "h.db", RAW_KEY, IDENTITY)
    database = Database(lambda: connect(tmp_path / "h.db"))
    migrate(database, lambda version: None)
    with database.transaction() as opened:
        chats.create(opened, chat("c"))
        chats.create(opened, chat("d"))
        yield opened
    database.close()


def rows(connection: Connection, table: str) -> int:
    return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())


MIXED = (
    segment("a", "short"),
    segment("b", "long " * 30, original="longer " * 30),
    segment("i" * 80, "\ud800", tool_calls=(ToolCall("c", "read", "{}"),), images=(Image("d"),)),
    segment("a", "short"),
)


def test_they_come_back_in_order(connection: Connection):
    keys = keep_segments(connection, "c", MIXED)
    assert (keys[0], len(set(keys))) == (keys[3], 3)
    assert Segments(connection).read(keys) == MIXED
    assert keep_segments(connection, "c", MIXED) == keys


def test_another_chat_has_its_own_but_the_text_is_kept_once(connection: Connection):
    first, second = (keep_segments(connection, key, MIXED) for key in "cd")
    assert set(first).isdisjoint(second)
    # Two long texts, and the long id.
    assert (rows(connection, "segment"), rows(connection, "content")) == (6, 3)


def test_a_long_request_is_kept_and_read_in_few_statements(connection: Connection):
    """A statement a segment made keeping the thousandth turn take a second, and an export minutes."""
    many = [segment(f"s{number}", f"text {number} " * 20) for number in range(1200)]
    keys = keep_segments(connection, "c", many)
    statements: list[str] = []
    event.listen(connection, "before_cursor_execute", lambda *args: statements.append(args[2]))
    again = keep_segments(connection, "c", [*many, segment("new")])
    assert again[:-1] == keys
    assert Segments(connection).read(keys) == tuple(many)
    assert len(statements) < 15


def test_what_is_written_of_a_long_request_is_let_go_of(connection: Connection):
    """Its texts and documents stayed until the next one was kept: another copy of the chat, and more."""
    many = [segment(f"s{number}", f"text {number} " * 200) for number in range(200)]
    tracemalloc.start()
    keep_segments(connection, "c", many)
    gc.collect()
    left, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert left < sum(len(one.text) for one in many)


def test_a_row_that_is_not_there_is_an_error(connection: Connection):
    with pytest.raises(KeyError):
        Segments(connection).read([99])
