"""From version 1 to version 2: turns keep everything, and learn which message answers them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from tests.fakes.stores import IDENTITY, RAW_KEY, connect
from workbench.storage.database.cipher import create_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import answer_again, create_tables

MESSAGES = (
    # sequence, id, parent, entry
    (1, "q1", None, '{"role":"user"}'),
    (2, "a1", 1, '{"role":"assistant"}'),
    (3, "b1", 1, '{"role":"assistant"}'),
    (4, "q2", 2, '{"role":"user"}'),
    (5, "q3", 4, '{"role":"user"}'),
    (6, "c3", 5, '{"type":"EnvironmentChunk"}'),
    (7, "t3", 5, "not JSON"),
)


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Connection]:
    """A store of version 1 with three questions: one answered, one failed, one without words for an answer."""
    create_encrypted(tmp_path / "h.db", RAW_KEY, IDENTITY)
    database = Database(lambda: connect(tmp_path / "h.db"))
    with database.transaction() as connection:
        create_tables(connection)
        connection.exec_driver_sql(
            "INSERT INTO chat VALUES (1, 'c', '', '', 0, '', '', NULL, NULL, '', '', '')"
        )
        connection.exec_driver_sql("INSERT INTO content VALUES (1, x'00', x'')")
        for sequence, key, parent, entry in MESSAGES:
            sql = "INSERT INTO message VALUES (?, 'c', ?, ?, ?, 1, NULL, '', 'complete', '', NULL)"
            connection.exec_driver_sql(sql, (sequence, key, parent, entry))
        for number, question in enumerate((1, 4, 5, None, None), start=1):
            sql = "INSERT INTO turn VALUES (?, 'c', NULL, ?, ?, x'01', x'02', x'03', 'then', 'running', 'u', 'end')"
            connection.exec_driver_sql(sql, (number * 10, question, number))
        yield connection
    database.close()


def test_a_turn_learns_its_answer(old: Connection):
    answer_again(old)
    found = old.exec_driver_sql("SELECT id, question, reply FROM turn ORDER BY id").all()
    assert [tuple(row) for row in found] == [
        (10, 1, 2), (20, 4, None), (30, 5, None), (40, None, None), (50, None, None),
    ]  # fmt: skip


def test_everything_else_of_a_turn_stays(old: Connection):
    before = old.exec_driver_sql("SELECT * FROM turn ORDER BY id").all()
    answer_again(old)
    after = old.exec_driver_sql("SELECT * FROM turn ORDER BY id").all()
    assert [(*row[:4], *row[5:]) for row in after] == [tuple(row) for row in before]
    assert old.exec_driver_sql("PRAGMA foreign_key_check").all() == []


def test_a_question_has_several_turns_but_one_that_runs(old: Connection):
    answer_again(old)
    again = (
        "INSERT INTO turn SELECT id + 1, chat, parent, question, reply, number, inputs, envelope, standing, "
    )
    old.exec_driver_sql(again + "started_utc, 'complete', usage, finished_utc FROM turn WHERE id = 10")
    with pytest.raises(IntegrityError, match=r"turn\.question"):
        old.exec_driver_sql(again + "started_utc, 'running', usage, finished_utc FROM turn WHERE id = 20")


def test_a_question_takes_its_turns_along_and_an_answer_only_its_name(old: Connection):
    answer_again(old)
    old.exec_driver_sql("UPDATE message SET parent = NULL")
    old.exec_driver_sql("DELETE FROM message WHERE id IN ('q2', 'a1')")
    found = old.exec_driver_sql("SELECT id, reply FROM turn WHERE question IS NOT NULL ORDER BY id").all()
    assert [tuple(row) for row in found] == [(10, None), (30, None)]
