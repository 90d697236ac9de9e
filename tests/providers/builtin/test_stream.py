"""One answer from the server: its parts in order, its progress, and what is remembered of it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.llama_double import pieces
from tests.fakes.llama_runs import chat, llama_client
from tests.fakes.loop import in_loop
from workbench.domain.answer import Accepted, Finished, Progressed, TextGrew, UsageReported
from workbench.domain.request import ModelRequest, RequestMessage
from workbench.domain.secrets import Secret
from workbench.domain.usage import Usage
from workbench.providers.builtin.client import BuiltinMeter, LlamaClient
from workbench.providers.builtin.model import BuiltinModel, gguf_source
from workbench.providers.builtin.server import LlamaRun
from workbench.providers.builtin.stream import answer_parts, chat_body
from workbench.providers.harness.harness import RawPart
from workbench.providers.served.slot import LlamaSlot
from workbench.providers.wire.body import body_bytes, digest_of
from workbench.providers.wire.faults import Refused

ASKED = chat(("system", "s"), ("user", "say one 漢\ntwo"))


async def answered(client: LlamaClient, request: ModelRequest, slot: LlamaSlot) -> list[RawPart]:
    _, prompt = await BuiltinMeter(client, slot, "server:double", chat_body).prompt(request)
    return [part async for part in answer_parts(client, request, prompt, slot)]


@in_loop
async def test_an_answer_has_progress_text_usage_and_an_end():
    async with llama_client() as client:
        parts = await answered(client, ASKED, LlamaSlot())
        total = len(pieces(await client.rendered(chat_body(ASKED))))
        assert parts[:3] == [
            Accepted(digest_of(body_bytes(chat_body(ASKED)))),
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
        assert isinstance(parts[1], Progressed)
        assert parts[1].what.startswith("Reading 1 new tokens, ")


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


@in_loop
async def test_the_server_gets_what_the_model_shows():
    """Headers and bytes; the key is another one in every run, and is not shown."""

    async def act(connection: Connection) -> None:
        await connection.head()
        await connection.send(
            b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
        )

    shown = BuiltinModel(gguf_source("gguf:nowhere.gguf")).wire(ASKED)
    async with FaultServer({"x": act}) as server:
        client = LlamaClient(LlamaRun(1, server.url("x"), Secret.of_text("run-key"), 4096))
        parts = [part async for part in answer_parts(client, ASKED, (), LlamaSlot())]
        await client.close()
    (arrived,) = server.asked
    assert json.loads(arrived.body) == shown.body
    assert digest_of(arrived.body) == shown.digest
    assert parts[0] == Accepted(shown.digest)
    sent = {name: value.replace("run-key", "•••") for name, value in arrived.headers.items()}
    assert {name: sent[name] for name, _ in shown.headers} == dict(shown.headers)
    assert set(sent) - set(dict(shown.headers)) == {"host", "content-length", "connection"}
    assert (shown.url, arrived.path) == (
        "http://127.0.0.1:PORT/v1/chat/completions",
        "/x/v1/chat/completions",
    )


def test_the_beginning_of_an_answer_that_has_none_is_not_sent_and_not_found():
    empty = replace(ASKED, messages=(*ASKED.messages, RequestMessage("a", "assistant", "")))
    shown = BuiltinModel(gguf_source("gguf:nowhere.gguf")).wire(empty)
    assert len(shown.body["messages"]) == 2
    assert [len(places) for places in shown.stretches] == [1, 1, 0]
