"""Version 1 of the store's tables, as it was released; never changed, so that old stores and new ones go one way."""

from __future__ import annotations

from sqlalchemy import Connection

_STATEMENTS = (
    """CREATE TABLE content (
         id INTEGER NOT NULL, digest BLOB NOT NULL, body BLOB NOT NULL, PRIMARY KEY (id), UNIQUE (digest))""",
    """CREATE TABLE chat (
         number INTEGER NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL, created_utc TEXT NOT NULL,
         used INTEGER NOT NULL, settings TEXT NOT NULL, parameters TEXT NOT NULL, leaf TEXT, deleted_utc TEXT,
         attached TEXT NOT NULL, tuning TEXT NOT NULL, draft TEXT NOT NULL, PRIMARY KEY (number), UNIQUE (id))""",
    "CREATE TABLE preset (name TEXT NOT NULL, settings TEXT NOT NULL, PRIMARY KEY (name))",
    """CREATE TABLE token_count (
         encoding TEXT NOT NULL, digest BLOB NOT NULL, tokens INTEGER NOT NULL, PRIMARY KEY (encoding, digest))
       WITHOUT ROWID""",
    """CREATE TABLE message (
         sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, chat TEXT NOT NULL, id TEXT NOT NULL, parent INTEGER,
         entry TEXT NOT NULL, content INTEGER NOT NULL, growing TEXT, created_utc TEXT NOT NULL,
         state TEXT NOT NULL, notes TEXT NOT NULL, deleted_utc TEXT, UNIQUE (chat, id),
         FOREIGN KEY(chat) REFERENCES chat (id) ON DELETE CASCADE,
         FOREIGN KEY(parent) REFERENCES message (sequence),
         FOREIGN KEY(content) REFERENCES content (id))""",
    "CREATE INDEX message_parent ON message (parent)",
    """CREATE TABLE segment (
         id INTEGER NOT NULL, chat TEXT NOT NULL, digest BLOB NOT NULL, body TEXT NOT NULL, PRIMARY KEY (id),
         UNIQUE (chat, digest), FOREIGN KEY(chat) REFERENCES chat (id) ON DELETE CASCADE)""",
    """CREATE TABLE snapshot (
         id INTEGER NOT NULL, chat TEXT NOT NULL, "key" TEXT NOT NULL, artifact TEXT NOT NULL,
         content INTEGER NOT NULL, taken_utc TEXT NOT NULL, modified_utc TEXT, PRIMARY KEY (id),
         FOREIGN KEY(chat) REFERENCES chat (id) ON DELETE CASCADE,
         FOREIGN KEY(content) REFERENCES content (id))""",
    "CREATE INDEX snapshot_chat ON snapshot (chat)",
    """CREATE TABLE turn (
         id INTEGER NOT NULL, chat TEXT NOT NULL, parent INTEGER, question INTEGER, number INTEGER NOT NULL,
         inputs BLOB NOT NULL, envelope BLOB NOT NULL, standing BLOB NOT NULL, started_utc TEXT NOT NULL,
         state TEXT NOT NULL, usage TEXT, finished_utc TEXT, PRIMARY KEY (id),
         FOREIGN KEY(chat) REFERENCES chat (id) ON DELETE CASCADE,
         FOREIGN KEY(parent) REFERENCES message (sequence) ON DELETE SET NULL,
         UNIQUE (question),
         FOREIGN KEY(question) REFERENCES message (sequence) ON DELETE CASCADE)""",
    "CREATE INDEX turn_chat ON turn (chat)",
    "CREATE VIRTUAL TABLE message_words USING fts5(words, content='', contentless_delete=1, tokenize='ascii')",
    "CREATE VIRTUAL TABLE title_words USING fts5(words, content='', contentless_delete=1, tokenize='ascii')",
    "CREATE VIRTUAL TABLE name_words USING fts5(words, content='', contentless_delete=1, tokenize='ascii')",
)


def create_tables(connection: Connection) -> None:
    """Version 1: the first one."""
    for statement in _STATEMENTS:
        connection.exec_driver_sql(statement)
