"""The list of chats in one query says what reading each chat would say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sqlalchemy import Connection

from tests.fakes.archives import WHEN, full_archive, plain_archive
from tests.fakes.chat_model import words
from tests.fakes.engine import fake_bench
from tests.fakes.history_access import last_turn
from tests.fakes.loop import in_loop
from tests.fakes.stores import open_store
from tests.fakes.turns import assistant, user
from workbench.domain.answer import Failure
from workbench.domain.chat_line import TEMPLATE, ChatLine
from workbench.domain.chunk import EnvironmentChunk, WorkingFlowChunk
from workbench.domain.record import Chat
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.intents import SendMessage
from workbench.storage.history import SqlCipherHistory
from workbench.storage.listing import chat_lines

FULL = full_archive()


async def chats_of_all_kinds(store: SqlCipherHistory) -> None:
    """Answered, failed, asked without a turn, deleted in parts or as a whole, chunks, no message, a template."""
    bench = fake_bench(words("Yes."), [Failure("server", "busy")], words("No."), store=store)
    for chat in ("fine", "broken", "cut"):
        await bench.start(chat)
        await bench.do(SendMessage(chat, f"Is {chat} well?"))
    (question, answer) = await store.path("cut")
    await store.delete_message("cut", answer.id, WHEN)
    assert question.state == "complete"
    await store.adopt(FULL)
    await store.adopt(plain_archive(user("q", "And?"), chat="asked", title="lone \ud800 half"))
    await store.adopt(plain_archive(user("q", "?"), assistant("a", "!"), chat="half", state="interrupted"))
    came, did = (
        EnvironmentChunk("e", "found", "tool_result"),
        WorkingFlowChunk("w", "thought", action="user_intervention"),
    )
    await store.adopt(plain_archive(came, chat="chunk"))
    await store.adopt(plain_archive(did, chat="flow"))
    await store.create_chat(Chat("empty", WHEN, "Nothing yet", ContextSettings(model="other-1")))
    await store.create_chat(Chat(f"{TEMPLATE}w", WHEN))
    await store.adopt(plain_archive(user("q", "gone"), chat="gone"))
    await store.save_chat(replace(await store.chat("gone"), deleted_utc=WHEN))


@in_loop
async def test_one_query_says_what_the_chats_themselves_say(tmp_path: Path):
    store = open_store(tmp_path / "h.db")
    await chats_of_all_kinds(store)
    wanted = [
        ChatLine(
            chat.id, chat.title, chat.created_utc, chat.used_utc, chat.settings.model, await last_turn(store, chat.id)
        )
        for chat in await store.chats()
    ]  # fmt: skip
    found = await store.run(lambda connection: chat_lines(connection.exec_driver_sql))
    assert list(found) == wanted
    assert {line.id: line.last_turn for line in found}["broken"] == "failed"
    assert {line.last_turn for line in found} >= {None, "complete", "failed", "interrupted"}
    await store.close()


def forget_settings(connection: Connection) -> None:
    connection.exec_driver_sql("UPDATE chat SET settings = '{}'")


@in_loop
async def test_settings_that_name_no_model_mean_the_usual_one(tmp_path: Path):
    store = open_store(tmp_path / "h.db")
    await store.create_chat(Chat("old", WHEN))
    await store.run(forget_settings)
    (line,) = await store.run(lambda connection: chat_lines(connection.exec_driver_sql))
    assert line.model == ContextSettings().model
    await store.close()
