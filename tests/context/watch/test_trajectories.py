"""A watched request as a trajectory, replayed: the same texts, the same tools, the same count."""

from __future__ import annotations

from typing import Any

from tests.context.watch.test_anthropic import PIXEL
from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.passing import call, messages, passed, result, said, text, tool, understanding
from tests.fakes.tokenizer import WordTokenizer
from tests.fakes.turns import fake_builder
from workbench.cli.replay.trajectory import parse_trajectory
from workbench.context.watch.exports import as_trajectory
from workbench.domain.watch.exchange import Exchange
from workbench.engine.replay import replay

FUNCTION = {"name": "read", "description": "Reads.", "parameters": {"type": "object"}}


def replayed(exchange: Exchange) -> tuple[dict[str, Any], int]:
    """The report of the last turn, and what the watch counted."""
    turn = understanding(WordTokenizer()).take(exchange)
    assert turn is not None
    document = as_trajectory(turn)
    report = replay(parse_trajectory(document), fake_builder(WORD_MODEL))
    return report["turns"][-1], turn.request.tokens


def said_in(report: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["role"], one["content"]) for one in report["messages"]]


def test_a_chat_has_the_same_texts_and_the_same_count():
    talk = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "One two?"},
        {"role": "assistant", "content": "Three."},
        {"role": "user", "content": "Four five six?"},
    ]
    report, tokens = replayed(passed(1, "openai", {"model": "gpt-4o", "messages": talk}))

    assert said_in(report) == [(one["role"], one["content"]) for one in talk]
    assert report["total_tokens"] == tokens + WORD_MODEL.reply_tokens
    assert report["violations"] == []


def test_tools_calls_and_results_stand_where_they_stood():
    body = messages(
        said("user", "What does a.py do?"),
        said(
            "assistant", {"type": "thinking", "thinking": "Hm."}, "I look.", call("Read", "t1", path="a.py")
        ),
        said("user", result("t1", "pass")),
        tools=[tool("Read"), tool("Grep")],
        system=[text("Be kind."), text("Be brief.")],
    )
    report, _ = replayed(passed(1, "anthropic", body))

    assert [(one["role"], one["content"]) for one in report["messages"]] == [
        ("system", "Be kind.\n\nBe brief."),
        ("user", "What does a.py do?"),
        ("assistant", "I look."),
        ("tool", "pass"),
    ]
    assert report["messages"][2]["tool_calls"][0]["name"] == "Read"
    segments = [
        one["id"] for layer in report["layers"] if layer["name"] == "L1_SYSTEM" for one in layer["segments"]
    ]
    assert len(segments) == 3
    assert report["violations"] == []


def test_a_question_keeps_its_answer():
    turn = understanding().take(
        passed(1, "openai", {"model": "m", "messages": [{"role": "user", "content": "Why?"}]},
               b'{"choices": [{"message": {"content": "So."}, "finish_reason": "stop"}]}')
    )  # fmt: skip
    assert turn is not None

    assert as_trajectory(turn)["turns"] == [
        {"user": "Why?", "reply": [{"role": "assistant", "content": "So."}]}
    ]


def test_a_picture_is_history_with_its_price():
    source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    exchange = passed(1, "anthropic", messages(said("user", "Look.", {"type": "image", "source": source})))
    report, _ = replayed(exchange)

    assert report["messages"][0]["content"][1]["type"] == "image"


def test_servers_without_ids_still_tie_calls_and_results():
    talk = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "see", "arguments": {}}}]},
        {"role": "tool", "tool_name": "see", "content": "A dot."},
    ]
    report, _ = replayed(passed(1, "ollama", {"model": "m", "messages": talk}))

    assert report["messages"][-1]["tool_call_id"] == report["messages"][-2]["tool_calls"][0]["id"]


def test_a_tool_that_is_none_of_the_usual_keeps_its_definition():
    body = {
        "model": "m",
        "input": "Why?",
        "tools": [{"type": "web_search", "context": "low"}, {"type": "function", **FUNCTION}],
    }
    turn = understanding().take(passed(1, "responses", body))
    assert turn is not None

    assert as_trajectory(turn)["settings"]["tools"] == [
        {"name": "web_search", "description": "", "input_schema": {"context": "low"}},
        {"name": "read", "description": "Reads.", "input_schema": {"type": "object"}},
    ]
