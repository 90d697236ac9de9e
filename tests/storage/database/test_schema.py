"""The tables as the program knows them are those in the file; and text that SQLite alone could not hold."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.dialects.sqlite import dialect as sqlite_dialect
from sqlalchemy.schema import CreateIndex, CreateTable

from tests.fakes.stores import connect, open_store
from workbench.storage.database.format import as_text
from workbench.storage.database.schema import FULL_TEXT, AnyText, metadata


def test_every_table_is_in_the_file_and_nothing_else(tmp_path: Path):
    open_store(tmp_path / "h.db").thread.shutdown()
    connection = connect(tmp_path / "h.db")
    kinds = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%_words_%'"
    names = {name for (name,) in connection.execute(kinds)}
    connection.close()
    assert names == {*metadata.tables, *FULL_TEXT, "store_identity", "sqlite_sequence"}


def test_the_steps_make_what_the_program_knows(tmp_path: Path):
    """Written twice, once as steps and once as tables, the two must not drift apart."""
    open_store(tmp_path / "h.db").thread.shutdown()
    made = connect(tmp_path / "h.db")
    known = sqlite3.connect(":memory:")
    for table in metadata.sorted_tables:
        known.execute(str(CreateTable(table).compile(dialect=sqlite_dialect())))
        for index in table.indexes:
            known.execute(str(CreateIndex(index).compile(dialect=sqlite_dialect())))
        for facts in ("table_info", "foreign_key_list", "index_list"):
            assert facts_of(made, facts, table.name) == facts_of(known, facts, table.name), table.name
    made.close()
    known.close()


def facts_of(connection: Any, facts: str, table: str) -> set[tuple[object, ...]]:
    """What SQLite says about a table; its own numbering says nothing."""
    rows = connection.execute(f"PRAGMA {facts}({table})").fetchall()
    return {
        tuple(row) if facts == "table_info" else tuple(row)[2 if facts != "index_list" else 1 :]
        for row in rows
    }


def test_sequences_are_never_used_again(tmp_path: Path):
    """Order is by sequence: a number that comes back would put a new message among the old ones."""
    open_store(tmp_path / "h.db").thread.shutdown()
    connection = connect(tmp_path / "h.db")
    (sql,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'message'").fetchone()
    connection.close()
    assert "AUTOINCREMENT" in sql


@pytest.mark.parametrize("text", [None, "", "plain", "é日\x00", "\ud800", "a\udfff\ud800z"])
def test_any_text_goes_in_and_out(text: str | None):
    kind = AnyText()
    bound = kind.process_bind_param(text, None)
    assert isinstance(bound, bytes) == (text is not None and any("\ud800" <= c <= "\udfff" for c in text))
    assert kind.process_result_value(bound, None) == as_text(bound) == text
