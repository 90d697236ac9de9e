"""Chats and what is kept with each, seen from the tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from tests.fakes.stores import IDENTITY, RAW_KEY, WHEN, chat, connect
from tests.fakes.turns import artifact
from workbench.domain.errors import NotKept
from workbench.domain.record import Snapshot
from workbench.domain.settings.context_settings import ContextSettings
from workbench.storage.chats import chats
from workbench.storage.database.cipher import create_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import migrate


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    create_encrypted(tmp_path / "h.db", RAW_KEY, IDENTITY)
    database = Database(lambda: connect(tmp_path / "h.db"))
    migrate(database, lambda version: None)
    with database.transaction() as opened:
        yield opened
    database.close()


def count(connection: Connection, table: str) -> int:
    return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())


def test_a_chat_comes_back_with_all_it_was_set_to(connection: Connection):
    settings = ContextSettings(model="word-1", system_prompt="Be brief. " * 20)
    made = replace(chat("c", "Title 日本"), settings=settings, parameters={"temperature": 0.5, "stop": ["x"]})
    chats.create(connection, made)
    assert chats.one(connection, "c") == made
    changed = replace(made, title="Other", deleted_utc=WHEN)
    chats.save(connection, changed)
    assert (chats.one(connection, "c"), chats.listed(connection)) == (changed, ())


def test_a_new_title_replaces_the_old_one_in_the_index(connection: Connection):
    chats.create(connection, chat("c", "old"))
    chats.save(connection, chat("c", "new"))
    matching = text("SELECT count(*) FROM title_words WHERE title_words MATCH :word")
    assert [connection.execute(matching, {"word": word}).scalar() for word in ("old", "new")] == [0, 1]


def test_the_same_bytes_are_kept_once(connection: Connection):
    chats.create(connection, chat())
    taken = Snapshot("c", artifact("a.md", "text " * 50), WHEN, b"bytes " * 50)
    for _ in range(5):
        chats.keep_snapshot(connection, taken)
    assert (count(connection, "snapshot"), count(connection, "content")) == (5, 2)
    assert chats.snapshots(connection, "c") == (taken,) * 5


def test_counts_that_are_known_stay(connection: Connection):
    chats.save_counts(connection, "words", {b"a" * 32: 1})
    chats.save_counts(connection, "words", {b"a" * 32: 9, b"b" * 32: 2})
    chats.save_counts(connection, "other", {})
    asked = [b"b" * 32, b"a" * 32, b"c" * 32]
    assert chats.counts(connection, "words", asked) == {b"a" * 32: 1, b"b" * 32: 2}
    assert chats.counts(connection, "words", asked[1:]) == {b"a" * 32: 1}
    assert chats.counts(connection, "other", asked) == {}


def test_however_many_counts_are_asked_for_at_once(connection: Connection):
    many = {number.to_bytes(32): number for number in range(2_345)}
    chats.save_counts(connection, "words", many)
    assert chats.counts(connection, "words", many) == many


@pytest.mark.parametrize("text_given", ["lone \ud800", "nul \x00 inside", "\ud83d\ude00 as two", ""])
def test_whatever_can_be_typed_is_kept(connection: Connection, text_given: str):
    """A lone surrogate comes out of a cut emoji; it must not make the draft or the title unkeepable."""
    chats.create(connection, chat("c", text_given))
    chats.save_field(connection, "c", draft=text_given)
    assert chats.draft(connection, "c") == text_given
    assert chats.one(connection, "c").title == text_given


def test_of_nobodys_chat_nothing_is_changed(connection: Connection):
    for work in (
        lambda: chats.save(connection, chat("x")),
        lambda: chats.save_field(connection, "x", draft=""),
        lambda: chats.save_attached(connection, "x", ()),
        lambda: chats.draft(connection, "x"),
        lambda: chats.tuning(connection, "x"),
        lambda: chats.attached(connection, "x"),
        lambda: chats.one(connection, "x"),
    ):
        with pytest.raises(NotKept, match="'x'"):
            work()
