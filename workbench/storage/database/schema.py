"""The tables of the store as the newest version has them; all of them live inside the encrypted file.

The steps of `migrations` make them: what is changed here is changed there by a new step.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

from workbench.storage.database.format import as_column, as_text

metadata = MetaData()


class AnyText(TypeDecorator[str]):
    """Column type for arbitrary text, including lone surrogates, which SQLite's text cannot hold."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: object) -> str | bytes | None:
        return as_column(value)

    def process_result_value(self, value: str | bytes | None, dialect: object) -> str | None:
        return as_text(value)


# Text and bytes by digest: what is sent in fifty turns is kept once.
content = Table(
    "content",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("body", LargeBinary, nullable=False),
)

chat = Table(
    "chat",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("title", AnyText, nullable=False),
    Column("created_utc", Text, nullable=False),
    Column("used", Integer, nullable=False),
    Column("settings", Text, nullable=False),
    Column("parameters", Text, nullable=False),
    Column("leaf", Text),
    Column("deleted_utc", Text),
    Column("attached", Text, nullable=False),
    Column("tuning", Text, nullable=False),
    Column("draft", AnyText, nullable=False),
    Column("filed", Text, nullable=False, server_default="{}"),
)

# Named places for chats, and what holds for all of them under an empty id; the body is the whole value.
workspace = Table(
    "workspace",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", AnyText, nullable=False),
    Column("body", Text, nullable=False),
    sqlite_with_rowid=False,
)

# Texts under a name, for all chats or for those of one workspace.
prompt = Table(
    "prompt",
    metadata,
    Column("workspace", Text, primary_key=True),
    Column("name", AnyText, primary_key=True),
    Column("text", AnyText, nullable=False),
    sqlite_with_rowid=False,
)

# A tree: a message points to the one it answers. `growing` holds an answer while it arrives.
message = Table(
    "message",
    metadata,
    Column("sequence", Integer, primary_key=True),
    Column("chat", Text, ForeignKey("chat.id", ondelete="CASCADE"), nullable=False),
    Column("id", Text, nullable=False),
    Column("parent", Integer, ForeignKey("message.sequence")),
    Column("entry", Text, nullable=False),
    Column("content", Integer, ForeignKey("content.id"), nullable=False),
    Column("growing", AnyText),
    Column("created_utc", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("notes", Text, nullable=False),
    Column("deleted_utc", Text),
    UniqueConstraint("chat", "id"),
    sqlite_autoincrement=True,
)
Index("message_parent", message.c.parent)

# A typed segment of some envelope of a chat, kept once however many turns sent it.
segment = Table(
    "segment",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("chat", Text, ForeignKey("chat.id", ondelete="CASCADE"), nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("body", Text, nullable=False),
    UniqueConstraint("chat", "digest"),
)

# Several turns of one question are answers beside each other; `reply` is the first message of this one's.
turn = Table(
    "turn",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("chat", Text, ForeignKey("chat.id", ondelete="CASCADE"), nullable=False),
    Column("parent", Integer, ForeignKey("message.sequence", ondelete="SET NULL")),
    Column("question", Integer, ForeignKey("message.sequence", ondelete="CASCADE")),
    Column("reply", Integer, ForeignKey("message.sequence", ondelete="SET NULL")),
    Column("number", Integer, nullable=False),
    Column("inputs", LargeBinary, nullable=False),
    Column("envelope", LargeBinary, nullable=False),
    Column("standing", LargeBinary, nullable=False),
    Column("started_utc", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("usage", Text),
    Column("finished_utc", Text),
)
Index("turn_chat", turn.c.chat)
Index("turn_question", turn.c.question)
# A question is not answered twice at the same time.
Index("turn_running", turn.c.question, unique=True, sqlite_where=turn.c.state == "running")

snapshot = Table(
    "snapshot",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("chat", Text, ForeignKey("chat.id", ondelete="CASCADE"), nullable=False),
    Column("key", AnyText, nullable=False),
    Column("artifact", Text, nullable=False),
    Column("content", Integer, ForeignKey("content.id"), nullable=False),
    Column("taken_utc", Text, nullable=False),
    Column("modified_utc", Text),
)
Index("snapshot_chat", snapshot.c.chat)

preset = Table(
    "preset", metadata, Column("name", Text, primary_key=True), Column("settings", Text, nullable=False)
)

token_count = Table(
    "token_count",
    metadata,
    Column("encoding", Text, primary_key=True),
    Column("digest", LargeBinary, primary_key=True),
    Column("tokens", Integer, nullable=False),
    sqlite_with_rowid=False,
)

# For which origins (scheme, host and port) there are keys; where the system's keyring has one, its secret is NULL.
provider_key = Table(
    "provider_key",
    metadata,
    Column("origin", Text, primary_key=True),
    Column("secret", LargeBinary),
    sqlite_with_rowid=False,
)

# What requests cost. It outlives the chats: what was spent stays spent. `counted` is what counts against a cap, in
# billionths of a dollar; `owner` is the program that has reserved it, and NULL once it has ended.
spending = Table(
    "spending",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at_utc", Text, nullable=False),
    Column("chat", Text, nullable=False),
    Column("counted", Integer, nullable=False),
    Column("owner", Text),
    Column("body", Text, nullable=False),
)
# It has all that a cap asks for, so that no body is read for one.
Index("spending_at", spending.c.at_utc, spending.c.chat, spending.c.owner, spending.c.counted)

# Full-text indexes hold words only, not text; their rowids are those of the tables they are about. Words are folded
# before they come here; SQLite's own Unicode tables are of 2012, and drop letters that are younger.
FULL_TEXT = ("message_words", "title_words", "attachment_words")

# Folders that are searched for every question: what is known of each, its files, their texts by digest, and the parts
# of its index, each of which holds some files.
searched_folder = Table(
    "searched_folder",
    metadata,
    Column("path", AnyText, primary_key=True),
    Column("body", Text, nullable=False),
    sqlite_with_rowid=False,
)
folder_segment = Table(
    "folder_segment",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("folder", AnyText, nullable=False),
    Column("body", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)
folder_file = Table(
    "folder_file",
    metadata,
    Column("folder", AnyText, primary_key=True),
    Column("path", AnyText, primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("stamp", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("segment", Integer),
    Column("number", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    sqlite_with_rowid=False,
)
folder_text = Table(
    "folder_text",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    Column("body", LargeBinary, nullable=False),
)
