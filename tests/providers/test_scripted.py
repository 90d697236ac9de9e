"""The scripted model: the file's words, one answer a call, and every way of failing on request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.answers import Kept, keep, question
from tests.fakes.loop import in_loop
from workbench.domain.answer import Finished, ModelFailed, TextGrew, ThinkingGrew, UsageReported
from workbench.domain.model import ModelCard
from workbench.domain.usage import Usage
from workbench.ports.models import ChatModel
from workbench.providers.scripted import ScriptedModel


def scripted(tmp_path: Path, steps: str | list[dict[str, Any]]) -> ChatModel:
    path = tmp_path / ("a.txt" if isinstance(steps, str) else "a.json")
    path.write_text(steps if isinstance(steps, str) else json.dumps(steps), encoding="utf-8")
    return ScriptedModel(path)


async def answers(model: ChatModel, number: int) -> list[Kept]:
    return [await keep(model.stream(question())) for _ in range(number)]


@in_loop
async def test_a_file_comes_back_word_by_word(tmp_path: Path):
    model = scripted(tmp_path, "  Some ünï\n\n words. \n")
    (kept,) = await answers(model, 1)
    assert kept.parts == [
        *(TextGrew("  Some"), TextGrew(" ünï"), TextGrew("\n\n words."), TextGrew(" \n")),
        Finished("stop"),
    ]


@in_loop
async def test_one_answer_a_call_and_again_from_the_beginning(tmp_path: Path):
    model = scripted(tmp_path, "one\n---\ntwo\n")
    assert [kept.text for kept in await answers(model, 3)] == ["one", "two", "one"]
    await model.close()
    assert [kept.text for kept in await answers(model, 1)] == ["one"]


@in_loop
async def test_a_loop_with_tools(tmp_path: Path):
    model = scripted(
        tmp_path,
        [
            {
                "thinking": "Hm hm",
                "tool_calls": [{"name": "ls", "arguments": {}}, {"name": "ls", "arguments": {}}],
            },
            {"text": "Done.", "usage": {"prompt_tokens": 9, "completion_tokens": 1}, "delay_ms": 1},
        ],
    )
    first, second = await answers(model, 2)
    assert (first.thinking, first.parts[-1]) == ("Hm hm", Finished("tool_calls"))
    assert ThinkingGrew("Hm") in first.parts
    assert len({made.call.id for made in first.calls}) == 2
    assert second.usage == [UsageReported(Usage(9, completion_tokens=1))]


@pytest.mark.parametrize(
    ("step", "state", "kind"),
    [
        ({"text": "Some words", "cut": True}, "interrupted", "protocol"),
        ({"cut": True}, "failed", "protocol"),
        ({"error": {"kind": "rate", "retry_after_s": 3}}, "failed", "rate"),
        ({"text": "Some", "error": {"kind": "server"}}, "interrupted", "server"),
        ({}, "failed", "empty"),
    ],
)
@in_loop
async def test_it_fails_on_request(step: dict[str, Any], state: str, kind: str, tmp_path: Path):
    (kept,) = await answers(scripted(tmp_path, [step]), 1)
    assert (kept.state, kept.kind) == (state, kind)
    assert kept.failure is not None
    assert kept.failure.retry_after_s == (3.0 if kind == "rate" else None)


@in_loop
async def test_a_file_that_is_not_there_is_said_when_it_is_needed(tmp_path: Path):
    model = ScriptedModel(tmp_path / "none.txt")
    (kept,) = await answers(model, 1)
    assert (kept.state, kept.kind) == ("failed", "unavailable")
    with pytest.raises(ModelFailed, match=r"none\.txt does not exist"):
        await model.ready(lambda what, fraction: None)
    (tmp_path / "none.txt").write_text("Here now.")
    assert [kept.text for kept in await answers(model, 1)] == ["Here now."]


@in_loop
async def test_it_knows_nothing_and_counts_nothing(tmp_path: Path):
    model = scripted(tmp_path, "x")
    card = ModelCard("m", "scripted", 1000, None, "o200k_base", False, 3, 3, None, "2026-01-01")
    assert await model.card(card) is card
    assert await model.meter() is None
    (kept,) = await answers(model, 1)
    assert kept.usage == []


def test_what_it_is_asked_can_be_looked_at_though_it_goes_nowhere(tmp_path: Path):
    shown = scripted(tmp_path, "one").wire(question("Why?"))
    assert (shown.url, shown.headers) == ("", ())
    assert shown.body == {"model": "fake", "messages": [{"role": "user", "content": "Why?"}]}
    assert shown.places == (("messages", 0, "content"),)
