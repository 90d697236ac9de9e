"""The tables of version 1, and text that SQLite alone could not hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.stores import connect, open_store
from workbench.storage.schema import FULL_TEXT, AnyText, as_text, metadata


def test_every_table_is_in_the_file_and_nothing_else(tmp_path: Path):
    open_store(tmp_path / "h.db").thread.shutdown()
    connection = connect(tmp_path / "h.db")
    kinds = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%_words_%'"
    names = {name for (name,) in connection.execute(kinds)}
    connection.close()
    indexes = {statement.split()[3] for statement in FULL_TEXT}
    assert names == {*metadata.tables, *indexes, "store_identity", "sqlite_sequence"}


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
