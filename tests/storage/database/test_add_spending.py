"""The step that keeps what requests cost: those before it are counted from the notes of their turns."""

from __future__ import annotations

import json
from pathlib import Path

from tests.fakes.loop import in_loop
from tests.fakes.stores import IDENTITY, RAW_KEY, connect, open_store
from workbench.domain.spending import OWN
from workbench.storage.database.cipher import create_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import MIGRATIONS, add_spending, migrate
from workbench.storage.spending import StoredSpending

WHEN = "2026-11-17T09:00:00Z"
CLAUDE = json.dumps({"workspace": "", "watched": {"client": "claude-cli/2.1", "imported_utc": ""}})
READ = json.dumps({"workspace": "", "watched": {"client": "claude-cli/2.1", "imported_utc": WHEN}})
ONE = {"prompt_tokens": 1000, "cached_tokens": 400, "completion_tokens": 10}
REQUEST = {"request": {"model": "openai:gpt-4o"}}


@in_loop
async def test_turns_of_an_old_store_are_counted_once_each(tmp_path: Path):
    old_store(
        tmp_path / "h.db",
        ('{"workspace":"w"}', {**ONE, **REQUEST, "cost": {"usd": 0.5, "as_of": "2026-01-01"}}),
        ("{}", {**ONE, **REQUEST, "requests": [ONE, ONE], "cost": {"usd": 0.5}}),
        ("{}", {**ONE, "request": {"model": "builtin", "local": True}}),
        (CLAUDE, {**ONE, "request": {"model": "anthropic:claude-x"}, "imported": "watched"}),
        (READ, {**ONE, **REQUEST, "imported": "watched"}),
        ("{}", {**ONE, **REQUEST, "imported": "file"}),
        ("{}", {"request": "odd", "cost": 3, "requests": [1], "prompt_tokens": "many"}),
    )
    store = open_store(tmp_path / "h.db")
    found = await StoredSpending(store, "me").spent()
    assert [(one.model, one.program, one.workspace, one.usd) for one in found] == [
        ("openai:gpt-4o", OWN, "w", 0.5),
        ("openai:gpt-4o", OWN, "", 0.25),
        ("openai:gpt-4o", OWN, "", 0.25),
        ("builtin", OWN, "", 0.0),
        ("anthropic:claude-x", "claude-cli", "", None),
    ]
    assert {(one.at_utc, one.input_tokens, one.cached_tokens, one.output_tokens) for one in found} == {
        (WHEN, 1000, 400, 10)
    }
    await store.close()


def old_store(path: Path, *turns: tuple[str, dict[str, object]]) -> None:
    """A store of version 4 with a chat and a turn for each pair of what is filed and what is noted."""
    create_encrypted(path, RAW_KEY, IDENTITY)
    database = Database(lambda: connect(path))
    migrate(database, lambda version: None, MIGRATIONS[: MIGRATIONS.index(add_spending)])
    with database.transaction() as connection:
        for number, (filed, notes) in enumerate(turns, 1):
            connection.exec_driver_sql(
                "INSERT INTO chat(number, id, title, created_utc, used, settings, parameters, attached, tuning, draft,"
                " filed) VALUES (?, ?, '', '', 0, '{}', '{}', '[]', '{}', '', ?)",
                (number, f"c{number}", filed),
            )
            connection.exec_driver_sql(
                "INSERT INTO turn(chat, number, inputs, envelope, standing, started_utc, state, usage)"
                " VALUES (?, 1, x'', x'', x'', ?, 'complete', ?)",
                (f"c{number}", WHEN, json.dumps(notes)),
            )
    database.close()
