"""Ollama: chat and generate, with thinking, calls and pictures."""

from __future__ import annotations

from typing import Any

from tests.context.watch.test_anthropic import PIXEL
from workbench.context.watch.ollama import fold, is_question, read_request
from workbench.context.watch.pieces import Pieces
from workbench.domain.usage import Usage


def test_a_chat_is_read():
    into = Pieces()
    talk = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Look.", "images": [PIXEL]},
        {
            "role": "assistant",
            "content": "",
            "thinking": "Hm.",
            "tool_calls": [{"function": {"name": "see", "arguments": {"n": 1}}}],
        },
        {"role": "tool", "tool_name": "see", "content": "A dot."},
    ]
    read_request(
        {"model": "m", "messages": talk, "tools": [{"type": "function", "function": {"name": "see"}}]}, into
    )

    assert [(one.kind, one.name, one.text) for one in into.all() if one.kind != "tool"] == [
        ("system", "", "Be brief."),
        ("question", "", "Look."),
        ("picture", "", ""),
        ("thought", "", "Hm."),
        ("call", "see", '{"n":1}'),
        ("result", "see", "A dot."),
    ]


def test_a_prompt_is_a_question_and_a_model_that_is_only_loaded_is_not():
    into = Pieces()
    read_request({"model": "m", "system": "Be brief.", "prompt": "Why?", "context": [1, 2]}, into)

    assert [(one.kind, one.text) for one in into.all()] == [
        ("system", "Be brief."),
        ("reminder", "[1,2]"),
        ("question", "Why?"),
    ]
    assert not is_question({"model": "m", "keep_alive": 0})
    assert not is_question({"model": "m", "messages": []})


def test_lines_become_one_answer():
    lines: list[dict[str, Any]] = [
        {"message": {"role": "assistant", "thinking": "H"}},
        {"message": {"role": "assistant", "thinking": "m.", "content": "So"}},
        {"message": {"content": ".", "tool_calls": [{"function": {"name": "see", "arguments": {"n": 1}}}]}},
        {
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": 20,
            "prompt_eval_cached_count": 8,
            "eval_count": 3,
        },
    ]
    found = fold(lines).answer()

    assert [(one.kind, one.text) for one in found.pieces] == [
        ("thought", "Hm."),
        ("answer", "So."),
        ("call", '{"n":1}'),
    ]
    assert found.usage == Usage(20, 8, None, 3)
    assert (found.finish_reason, found.cut) == ("stop", False)
    assert fold([{"response": "So"}, {"response": "."}]).answer().pieces[0].text == "So."
    assert fold([{"error": "model not found"}]).answer().error == "model not found"
