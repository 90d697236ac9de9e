"""What a begun answer and probabilities are on each provider's wire; without them not a byte is other than before."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.llama_runs import chat
from tests.fakes.loop import in_loop
from tests.fakes.served_talk import ServedTalk
from tests.fakes.vllm_server import vllm_double
from workbench.domain.parameters import Parameters
from workbench.domain.request import ModelRequest
from workbench.engine.intents import SendMessage
from workbench.providers.anthropic import messages as anthropic
from workbench.providers.builtin.stream import chat_body
from workbench.providers.gemini import messages as gemini
from workbench.providers.ollama.messages import ollama_body
from workbench.providers.openai.body import dialect_of, request_body
from workbench.providers.wire.endpoint import Endpoint

BEGUN = chat(("user", "Why?"), ("assistant", "Because "))
PLAIN = chat(("user", "Why?"))
AT_OPENAI = Endpoint("https://api.openai.com/v1", "gpt-4.1")
BODIES: dict[str, Callable[[ModelRequest], dict[str, Any]]] = {
    "openai": lambda request: request_body(request, AT_OPENAI, dialect_of(AT_OPENAI)),
    "builtin": chat_body,
    "ollama": lambda request: ollama_body(request, "m"),
    "anthropic": lambda request: anthropic.request_body(request, "m"),
    "gemini": lambda request: gemini.written(request, "m")[0],
}


def body(name: str, request: ModelRequest) -> dict[str, Any]:
    return BODIES[name](request)


@pytest.mark.parametrize("name", ["builtin", "ollama", "anthropic"])
def test_a_begun_answer_is_the_last_message(name: str):
    last = body(name, BEGUN)["messages"][-1]
    assert last["role"] == "assistant"
    content = last["content"]
    # Anthropic refuses blanks at its end.
    assert content in ("Because ", [{"type": "text", "text": "Because"}])


@pytest.mark.parametrize("name", BODIES)
def test_probabilities_are_asked_for_only_where_they_are_wanted(name: str):
    wanted = replace(PLAIN, chosen=Parameters(probabilities=True))
    asked = body(name, wanted)
    expected = {"logprobs": True, "top_logprobs": 5} if name in ("openai", "builtin", "ollama") else {}
    assert {key: asked[key] for key in ("logprobs", "top_logprobs") if key in asked} == expected
    assert "probabilities" not in json.dumps(asked)
    for off in (Parameters(), Parameters(probabilities=False)):
        assert json.dumps(body(name, replace(PLAIN, chosen=off))) == json.dumps(body(name, PLAIN))


@in_loop
async def test_vllm_is_told_to_go_on_and_counts_the_open_answer():
    async with vllm_double() as server:
        talk = ServedTalk(f"server:http://127.0.0.1:{server.port}#m")
        await talk.start()
        turn = await talk.ask(SendMessage("talk", "Why?", prefill="Because"))
        answered = [sent for path, sent in server.asked if path == "/v1/chat/completions"][-1]
        await talk.ask(SendMessage("talk", "And?"))
        then = [sent for path, sent in server.asked if path == "/v1/chat/completions"][-1]
        text = [record.entry for record in await talk.bench.world.store.path("talk")][1]
        await talk.close()
    assert answered["messages"][-1] == {"role": "assistant", "content": "Because"}
    assert (answered["continue_final_message"], answered["add_generation_prompt"]) == (True, False)
    assert not {"continue_final_message", "add_generation_prompt"} & then.keys()
    assert then["messages"][-2]["content"].startswith("Because")
    assert str(getattr(text, "text", "")).startswith("Because")
    assert turn.counted == turn.prompt
