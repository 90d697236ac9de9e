"""Questions to the server: what goes out, what comes back, and what a dead server looks like."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.llama_double import DEFAULT_SYSTEM
from tests.fakes.llama_runs import llama_client
from tests.fakes.loop import in_loop
from workbench.domain.answer import ModelFailed
from workbench.domain.secrets import Secret
from workbench.providers.builtin.client import LlamaClient
from workbench.providers.builtin.server import LlamaRun
from workbench.providers.served.framing import TemplateRefused
from workbench.providers.served.slot import Token
from workbench.providers.wire.body import body_bytes
from workbench.providers.wire.faults import Refused

ASKED = {"messages": [{"role": "user", "content": "say one two"}], "stream": True}


@in_loop
async def test_a_chat_is_written_by_the_template():
    async with llama_client() as client:
        assert await client.rendered(ASKED) == (
            f"{DEFAULT_SYSTEM}<|im_start|>user\nsay one two<|im_end|>\n<|im_start|>assistant\n"
        )


@in_loop
async def test_tokens_come_with_their_bytes_whole_characters_or_not():
    async with llama_client() as client:
        assert [token.piece for token in await client.tokens("a b\né")] == [
            b"a", b" b", b"\n", b"\xc3", b"\xa9",
        ]  # fmt: skip
        assert (await client.tokens("a"))[0] == Token(97, b"a")
        assert await client.count("<|im_end|>\n") == 2


@in_loop
async def test_lone_surrogates_are_repaired_not_refused():
    async with llama_client() as client:
        assert await client.count("a\n\ud800") == 5


@in_loop
async def test_what_the_server_holds_is_told():
    async with llama_client() as client:
        assert await client.held() == (0, False)
        async with client.streamed(body_bytes(ASKED)) as pieces:
            content = b"".join([piece async for piece in pieces])
        assert content.endswith(b"data: [DONE]\n\n")
        held, busy = await client.held()
        assert (held > 10, busy) == (True, False)


@in_loop
async def test_properties_are_a_table():
    async with llama_client() as client:
        assert await client.props() == {"chat_template_caps": {"supports_tools": True}}


@in_loop
async def test_a_chat_that_the_template_refuses_says_why():
    async with llama_client() as client:
        with pytest.raises(TemplateRefused, match="no such chat"):
            await client.rendered({"messages": [{"role": "user", "content": "odd"}]})


@in_loop
async def test_an_answer_that_is_refused_comes_with_its_status():
    async with llama_client() as client:
        long = {"messages": [{"role": "user", "content": "word " * 200}]}
        with pytest.raises(Refused) as caught:
            async with client.streamed(body_bytes(long)):
                pass
        assert caught.value.status == 400
        assert b"exceed_context_size_error" in caught.value.body


@in_loop
async def test_a_wrong_key_gets_nothing():
    async with llama_client() as client:
        stranger = LlamaClient(replace(client.run, key=Secret.of_text("guess")))
        with pytest.raises(TemplateRefused, match="Invalid API Key"):
            await stranger.rendered(ASKED)
        await stranger.close()


@in_loop
async def test_a_server_that_is_gone_is_a_failure_with_a_name():
    client = LlamaClient(LlamaRun(1, "http://127.0.0.1:9", Secret.of_text("sesame"), 64))
    with pytest.raises(ModelFailed) as caught:
        await client.count("a")
    assert caught.value.failure.kind == "network"
    assert "sesame" not in caught.value.failure.message
    await client.close()


@in_loop
async def test_closed_it_can_be_used_again():
    async with llama_client() as client:
        await client.count("a")
        await client.close()
        assert await client.count("a b") == 2
