"""The step that makes attachments and results of commands findable: everything that was kept before is indexed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection

from tests.fakes.stores import IDENTITY, RAW_KEY, connect
from workbench.storage.database.cipher import create_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import MIGRATIONS, find_in_attachments

COMMANDS = '{"attached":[],"metadata":{},"hints":{},"commands":[{"type":"EnvironmentChunk","body":"flux capacitor"}]}'


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Connection]:
    """A store as it was before: two copies of a file, and questions with a command, one of them deleted."""
    create_encrypted(tmp_path / "h.db", RAW_KEY, IDENTITY)
    database = Database(lambda: connect(tmp_path / "h.db"))
    with database.transaction() as connection:
        for step in MIGRATIONS[: MIGRATIONS.index(find_in_attachments)]:
            step(connection)
        connection.exec_driver_sql("INSERT INTO content VALUES (1, x'ab', CAST('a question' AS BLOB))")
        connection.exec_driver_sql(
            "INSERT INTO chat(number, id, title, created_utc, used, settings, parameters, attached, tuning, draft)"
            " VALUES (1, 'c', '', '', 0, '', '', '', '', '')"
        )
        for number, deleted in ((1, None), (2, "then")):
            sql = "INSERT INTO message VALUES (?, 'c', ?, NULL, '{}', 1, NULL, '', 'complete', ?, ?)"
            connection.exec_driver_sql(sql, (number, f"q{number}", COMMANDS, deleted))
        connection.exec_driver_sql("INSERT INTO message_words(rowid, words) VALUES (1, 'a question')")
        for number, words in ((1, '"an old gramophone"'), (2, '{"\\u00a7":"ab"}')):
            artifact = f'{{"key":"lab.md","title":"","text":{words}}}'
            sql = "INSERT INTO snapshot VALUES (?, 'c', 'lab.md', ?, 1, '', NULL)"
            connection.exec_driver_sql(sql, (number, artifact))
        yield connection
    database.close()


def found(connection: Connection, table: str, words: str) -> list[int]:
    sql = f"SELECT rowid FROM {table} WHERE {table} MATCH ?"
    return list(connection.exec_driver_sql(sql, (words,)).scalars())


def test_everything_that_was_kept_is_indexed_once(old: Connection):
    find_in_attachments(old)
    assert found(old, "attachment_words", "lab") == [2]
    assert found(old, "attachment_words", "question") == [2]
    assert found(old, "attachment_words", "gramophone") == []
    assert found(old, "message_words", "question") == [1]
    assert found(old, "message_words", "capacitor") == [1]
