"""Small chats for the tests of the transcript."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.message import Message, ToolCall
from workbench.domain.record import Record, TurnState
from workbench.domain.shown.turn_view import TurnRow
from workbench.engine.state import ChatState

MODEL = "openai:gpt-4.1-mini"


def sample() -> ChatState:
    """The chat of the pictures: two turns, an answer with two siblings, thoughts and code."""
    return sample_state().open[CHAT]


def asked(key: str, text: str = "Why?", **more: Any) -> Record:
    return Record(CHAT, Message(key, "user", (text,)), "2026-11-12T14:08:00Z", **more)


def answered(
    key: str,
    text: str = "Because.",
    state: TurnState = "complete",
    calls: tuple[ToolCall, ...] = (),
    **more: Any,
) -> Record:
    return Record(
        CHAT,
        Message(key, "assistant", (text,), tool_calls=calls),
        "2026-11-12T14:08:00Z",
        state=state,
        **more,
    )


def result(key: str, call: str, text: str = "done", **notes: Any) -> Record:
    return Record(
        CHAT, Message(key, "tool", (text,), tool_call_id=call), "2026-11-12T14:09:00Z", metadata=notes
    )


def turn(
    number: int, question: str, reply: str | None, state: TurnState = "complete", **more: Any
) -> TurnRow:
    row = TurnRow(
        number=number,
        question=question,
        reply=reply,
        asked="",
        sent_utc="2026-11-12T14:08:00Z",
        model=MODEL,
        state=state,
        total_tokens=4_310,
        prompt_tokens=4_275,
        cached_tokens=3_200,
        predicted_tokens=3_200,
        completion_tokens=312,
        verdict="as_predicted",
        cost_usd=0.0027,
        total_ms=13_400,
    )
    return replace(row, **more)


def chat_of(*records: Record, turns: tuple[TurnRow, ...] = (), **more: Any) -> ChatState:
    """A chat with exactly these messages, whose next request says nothing about them."""
    return replace(sample(), records=records, turns=turns, versions={}, view=None, **more)


def long_chat(messages: int, text: str = "Some words, `code` and **more** of them.") -> ChatState:
    """Questions and answers in turn."""
    records = (
        asked(f"x{n}", f"Question {n}") if n % 2 == 0 else answered(f"x{n}", f"{text} ({n})")
        for n in range(messages)
    )
    return chat_of(*records)
