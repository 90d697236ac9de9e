"""Looks into the history for the list of chats alone: unlocked as always, and read with the driver itself.

What the rest of the history is read with takes longer to load than a thousand chats to list.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from workbench.domain.chat_line import TEMPLATE, ChatLine
from workbench.storage.database.cipher import translated_errors
from workbench.storage.database.format import SCHEMA_VERSION, as_text
from workbench.storage.keys.unlocking import UnlockedStore, Unlocker

Execute = Callable[[str], Iterable[Any]]
"""Runs one statement and gives its rows."""

# From the leaf of each chat up to its first message that is not deleted. A turn counts as on the branch with its
# answer where that is on it, too, deleted or not; of several turns of a question, the one that led to an answer.
_LINES = f"""
    WITH RECURSIVE way(chat, sequence, parent, hidden) AS (
      SELECT chat.id, m.sequence, m.parent, m.deleted_utc IS NOT NULL
      FROM chat CROSS JOIN message m ON m.chat = chat.id AND m.id = chat.leaf WHERE chat.deleted_utc IS NULL
      UNION ALL
      SELECT way.chat, m.sequence, m.parent, m.deleted_utc IS NOT NULL
      FROM way CROSS JOIN message m ON m.sequence = way.parent WHERE way.hidden)
    SELECT chat.id, chat.title, chat.created_utc,
      coalesce(
        (SELECT created_utc FROM message WHERE sequence = chat.used AND chat = chat.id),
        (SELECT m.created_utc FROM message m WHERE m.chat = chat.id ORDER BY m.sequence DESC LIMIT 1),
        chat.created_utc),
      json_extract(chat.settings, '$.model'), last.entry, last.state,
      (SELECT turn.state FROM turn WHERE turn.question = last.sequence
         AND (turn.reply IS NULL OR turn.reply IN (SELECT sequence FROM way WHERE way.chat = chat.id))
       ORDER BY turn.reply IS NOT NULL DESC, turn.id DESC LIMIT 1)
    FROM chat LEFT JOIN way ON way.chat = chat.id AND NOT way.hidden
      LEFT JOIN message last ON last.sequence = way.sequence
    WHERE chat.deleted_utc IS NULL AND substr(chat.id, 1, {len(TEMPLATE)}) != '{TEMPLATE}'
    ORDER BY chat.used DESC, chat.number DESC"""


def chat_lines(execute: Execute) -> tuple[ChatLine, ...]:
    """All chats that are not deleted, most recently used first."""
    return tuple(_line(*row) for row in execute(_LINES))


def _line(key: str, title: str | bytes, created: str, used: str, *more: Any) -> ChatLine:
    model, entry, state, turn = more
    ended = state
    # Only a question without an answer does not say it itself.
    if entry is not None and state == "complete" and _is_question(json.loads(entry)):
        ended = turn or state
    return ChatLine(
        key, as_text(title) or "", created, used, _default_model() if model is None else model, ended
    )


def _is_question(entry: dict[str, Any]) -> bool:
    """Whether the entry is a question; a chunk counts only if it came to the agent."""
    return "type" in entry or entry["role"] == "user"


def _default_model() -> str:
    """The model of settings that name none."""
    from workbench.domain.settings.context_settings import ContextSettings

    return ContextSettings().model


def list_chats(unlocker: Unlocker, now: Callable[[], str]) -> tuple[ChatLine, ...]:
    """All chats of a folder with keys, most recently used first; nothing is created or changed."""
    return list_unlocked(unlocker.unlock_existing(), now)


def list_unlocked(unlocked: UnlockedStore, now: Callable[[], str]) -> tuple[ChatLine, ...]:
    """Lists the chats of an unlocked store, and closes it."""
    with unlocked:
        found = _read(unlocked)
        return _list_older(unlocked, now) if found is None else found


def _read(unlocked: UnlockedStore) -> tuple[ChatLine, ...] | None:
    """The chats; None if the store has another version than this program's."""
    connection = unlocked.connect()
    try:
        with translated_errors(unlocked.path):
            connection.execute("PRAGMA query_only = ON")
            if connection.execute("PRAGMA user_version").fetchone()[0] != SCHEMA_VERSION:
                return None
            return chat_lines(connection.execute)
    finally:
        connection.close()


def _list_older(unlocked: UnlockedStore, now: Callable[[], str]) -> tuple[ChatLine, ...]:
    # Late: all of it is what a list does without otherwise.
    import asyncio

    from workbench.storage.opening import open_unlocked

    async def listed() -> tuple[ChatLine, ...]:
        store = open_unlocked(unlocked, False, now)
        try:
            return await store.run(lambda connection: chat_lines(connection.exec_driver_sql))
        finally:
            await store.close()

    return asyncio.run(listed())
