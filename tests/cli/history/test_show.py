"""What is kept, shown: foreign text is neutralised for people and exact for machines."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.cli.history.test_command import history
from tests.fakes.archives import WHEN, full_archive, plain_archive
from tests.fakes.chat_model import Forever, Step, words
from tests.fakes.engine import fake_bench
from tests.fakes.history_access import MemoryAccess
from tests.fakes.turns import assistant, user
from workbench.domain.answer import Failure, TextGrew
from workbench.engine.events import AnswerGrew
from workbench.engine.intents import SendMessage

EVIL = "\x1b]0;owned\x07 \u202etxt.exe\nuser  2026-01-01\nforged"


@pytest.fixture
def access() -> MemoryAccess:
    made = MemoryAccess()
    asyncio.run(made.store.adopt(full_archive()))
    asyncio.run(
        made.store.adopt(plain_archive(user("q", EVIL), assistant("a", "fine"), chat="evil", title=EVIL))
    )
    return made


def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


async def chats_that_ended(access: MemoryAccess) -> None:
    """Three chats: one answered, one failed, one asked again after it was stopped; each in its own second."""
    answers: list[Sequence[Step]] = [
        words("Yes."), [Failure("server", "It is \x1bbusy.")], [TextGrew("So f"), Forever()],
    ]  # fmt: skip
    bench = fake_bench(*answers, store=access.store)
    for chat in ("fine", "broken", "halted"):
        await bench.start(chat)
        if chat == "halted":
            bench.workbench.subscribe(
                lambda event, state: bench.workbench.stop("halted") if isinstance(event, AnswerGrew) else None
            )
        await bench.do(SendMessage(chat, f"Is {chat} well?"))


def test_a_question_without_an_answer_says_why(capsys: pytest.CaptureFixture[str]):
    made = MemoryAccess()
    asyncio.run(chats_that_ended(made))
    assert history(made, "show", "broken") == 0
    asked, *rest = capsys.readouterr().out.splitlines()[-3:]
    assert asked.endswith("Z  (failed)")
    assert rest == [
        "  Is broken well?", "  → It is \\u001bbusy.",
    ]  # fmt: skip
    assert history(made, "show", "broken", "--json") == 0
    assert printed(capsys)["messages"][0]["turn"] == {"state": "failed", "reason": "It is \x1bbusy."}


def test_no_text_can_pass_for_another_speaker(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert history(access, "show", "evil") == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "", f"user  {WHEN}", "  \\u001b]0;owned\\u0007 \\u202etxt.exe", "  user  2026-01-01", "  forged",
        "", f"assistant  {WHEN}", "  fine",
    ]  # fmt: skip


def test_a_chat_is_shown_with_calls_and_attachments(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert history(access, "show", "ta") == 0
    shown = capsys.readouterr().out
    assert "  attached: notes/a.md, selection\n" in shown
    assert "  → read({})  c1\n" in shown
    assert "progress" not in shown


def test_a_chat_for_machines_is_exact(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert history(access, "show", "evil", "--json") == 0
    document = printed(capsys)
    assert document["messages"][0] == {
        "id": "q", "role": "user", "text": EVIL, "created_utc": WHEN, "state": "complete", "attached": [],
            "commands": [],        "metadata": {}, "tool_calls": [], "tool_call_id": None,
    }  # fmt: skip


def test_chunks_are_shown_with_their_role(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    asyncio.run(access.store.save_chat(replace(full_archive().chat, leaf="chunk")))
    assert history(access, "show", "talk") == 0
    assert f"assistant  {WHEN}\n  did things\n" in capsys.readouterr().out
    assert history(access, "show", "talk", "--json") == 0
    assert printed(capsys)["messages"][-1]["chunk"] == "working_flow"


def test_a_turn_is_a_table_of_its_request(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert history(access, "show", "talk", "--turn", "2") == 0
    shown = capsys.readouterr().out
    assert "L2_PREVIOUS" in shown
    assert "notes/a.md" in shown
    assert history(access, "show", "talk", "--turn", "2", "--json") == 0
    document = printed(capsys)
    assert (document["turn"], document["question"]) == (2, "q2")
    assert sum(layer["tokens"] for layer in document["layers"]) == document["total_tokens"]


def test_a_turn_that_is_not_there_fails(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert history(access, "show", "talk", "--turn", "9") == 1
    assert capsys.readouterr() == ("", "workbench: The chat 'talk' has no turn 9.\n")


def test_matches_are_marked(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert history(access, "search", "forged") == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"evil  message q  {WHEN}" in lines
    assert any(line.endswith("2026-01-01 [forged]") for line in lines)


def test_search_for_machines(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert history(access, "search", "question", "3", "--newest", "--limit", "1", "--json") == 0
    hit = printed(capsys)[0]
    assert (hit["chat"], hit["where"], hit["subject"]) == ("talk", "message", "q3")
    assert hit["snippet"][slice(*hit["marks"][0])] == "question"


def test_nothing_found_is_no_failure(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert history(access, "search", "zebra") == 0
    assert capsys.readouterr() == ("", "Nothing was found.\n")
