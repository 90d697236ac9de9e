"""From version 1 to version 2: a question may be answered again, and keys of providers have a place."""

from __future__ import annotations

from sqlalchemy import Connection

# SQLite cannot take a UNIQUE away from a table: it is made anew. Nothing refers to turns, so none is lost with the old.
_STATEMENTS = (
    """CREATE TABLE new_turn (
         id INTEGER NOT NULL, chat TEXT NOT NULL, parent INTEGER, question INTEGER, reply INTEGER,
         number INTEGER NOT NULL, inputs BLOB NOT NULL, envelope BLOB NOT NULL, standing BLOB NOT NULL,
         started_utc TEXT NOT NULL, state TEXT NOT NULL, usage TEXT, finished_utc TEXT, PRIMARY KEY (id),
         FOREIGN KEY(chat) REFERENCES chat (id) ON DELETE CASCADE,
         FOREIGN KEY(parent) REFERENCES message (sequence) ON DELETE SET NULL,
         FOREIGN KEY(question) REFERENCES message (sequence) ON DELETE CASCADE,
         FOREIGN KEY(reply) REFERENCES message (sequence) ON DELETE SET NULL)""",
    # The answer was added right after its question, so it is the first that the assistant said to it.
    """INSERT INTO new_turn SELECT id, chat, parent, question,
         (SELECT min(said.sequence) FROM message said WHERE said.parent = turn.question
            AND CASE WHEN json_valid(said.entry) THEN json_extract(said.entry, '$.role') END = 'assistant'),
         number, inputs, envelope, standing, started_utc, state, usage, finished_utc FROM turn""",
    "DROP TABLE turn",
    "ALTER TABLE new_turn RENAME TO turn",
    "CREATE INDEX turn_chat ON turn (chat)",
    "CREATE INDEX turn_question ON turn (question)",
    "CREATE UNIQUE INDEX turn_running ON turn (question) WHERE state = 'running'",
    "CREATE TABLE provider_key (origin TEXT NOT NULL, secret BLOB, PRIMARY KEY (origin)) WITHOUT ROWID",
)


def answer_again(connection: Connection) -> None:
    """Version 2."""
    for statement in _STATEMENTS:
        connection.exec_driver_sql(statement)
