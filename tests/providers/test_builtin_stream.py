"""One answer from the server: its parts in order, its progress, and what is remembered of it."""

from __future__ import annotations

import pytest

from tests.fakes.llama_double import pieces
from tests.fakes.llama_runs import chat, llama_client
from tests.fakes.loop import in_loop
from workbench.domain.answer import Finished, Progressed, TextGrew, UsageReported
from workbench.domain.request import ModelRequest
from workbench.domain.usage import Usage
from workbench.providers.builtin_meter import BuiltinMeter
from workbench.providers.builtin_stream import answer_parts, chat_body
from workbench.providers.faults import Refused
from workbench.providers.harness import RawPart
from workbench.providers.llama_client import LlamaClient
from workbench.providers.llama_slot import LlamaSlot

ASKED = chat(("system", "s"), ("user", "say one 漢\ntwo"))


async def answered(client: LlamaClient, request: ModelRequest, slot: LlamaSlot) -> list[RawPart]:
    _, prompt = await BuiltinMeter(client, slot, "server:double", chat_body).prompt(request)
    return [part async for part in answer_parts(client, request, prompt, slot)]


@in_loop
async def test_an_answer_has_progress_text_usage_and_an_end():
    async with llama_client() as client:
        parts = await answered(client, ASKED, LlamaSlot())
        total = len(pieces(await client.rendered(chat_body(ASKED))))
        assert parts[:2] == [
            Progressed(f"Reading {total} tokens", 0.0),
            Progressed(f"Reading {total} tokens", 1.0),
        ]
        assert "".join(part.text for part in parts if isinstance(part, TextGrew)) == "one 漢\ntwo"
        usage = Usage(total, 0, None, len(pieces("one 漢\ntwo")) + 1, None)
        assert parts[-2:] == [UsageReported(usage), Finished("stop")]


@in_loop
async def test_the_second_time_only_what_is_new_is_read():
    async with llama_client() as client:
        slot = LlamaSlot()
        await answered(client, ASKED, slot)
        parts = await answered(client, ASKED, slot)
        assert isinstance(parts[0], Progressed)
        assert parts[0].what.startswith("Reading 1 new tokens, ")


@in_loop
async def test_a_limit_ends_the_answer():
    async with llama_client() as client:
        parts = await answered(client, chat(("user", "say a b c d"), max_output_tokens=2), LlamaSlot())
        assert [part.text for part in parts if isinstance(part, TextGrew)] == ["a", " b"]
        assert parts[-1] == Finished("length")


@in_loop
async def test_a_refused_request_leaves_what_is_remembered_alone():
    """Too long a prompt never reaches the model: the cache still holds the one before."""
    async with llama_client() as client:
        slot = LlamaSlot()
        await answered(client, ASKED, slot)
        slot.left()
        with pytest.raises(Refused):
            await answered(client, chat(("user", "word " * 100)), slot)
        meter = BuiltinMeter(client, slot, "server:double", chat_body)
        assert (await meter.measure(ASKED)).cached_tokens == len(pieces((await meter.prompt(ASKED))[0])) - 1


@in_loop
async def test_a_prompt_that_the_server_counts_otherwise_is_not_relied_on():
    async with llama_client() as client:
        slot = LlamaSlot()
        wrong = (await client.tokens("something else"))[:1]
        async for _ in answer_parts(client, ASKED, wrong, slot):
            pass
        assert slot.shared_tokens(client.run.number, await client.tokens("something else again")) == 0


def test_what_is_counted_is_what_is_sent():
    body = chat_body(chat(("user", "x"), parameters={"temperature": 0, "seed": 7}, max_output_tokens=9))
    assert body["messages"] == [{"role": "user", "content": "x"}]
    assert (body["temperature"], body["seed"], body["max_tokens"]) == (0, 7, 9)
    assert [body[name] for name in ("stream", "return_progress", "timings_per_token")] == [True, True, True]


def test_the_beginning_of_an_answer_that_has_none_is_left_out():
    """With an empty last message the template would open no answer, and the model would write one for the user."""
    body = chat_body(chat(("user", "x"), ("assistant", "")))
    assert [message["role"] for message in body["messages"]] == ["user"]
    assert [m["role"] for m in chat_body(chat(("user", "x"), ("assistant", "y")))["messages"]] == [
        "user", "assistant",
    ]  # fmt: skip
