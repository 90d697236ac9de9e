"""Questions to the server: what goes out, what comes back, and what a dead server looks like."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.fakes.llama_double import DEFAULT_SYSTEM, double, pieces
from tests.fakes.llama_runs import chat, llama_client
from tests.fakes.loop import in_loop
from workbench.domain.answer import ModelFailed, UsageReported
from workbench.domain.secrets import Secret
from workbench.providers.builtin.client import BuiltinMeter, LlamaClient
from workbench.providers.builtin.server import LlamaRun
from workbench.providers.builtin.stream import answer_parts, chat_body
from workbench.providers.served.framing import TemplateRefused
from workbench.providers.served.slot import LlamaSlot, Token
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


# Counting with the server: every text, the whole prompt character by character, and what the cache will serve.


TALK = chat(("system", "Be kind."), ("user", "say 漢 twice"))


def meter_of(client: LlamaClient, slot: LlamaSlot | None = None) -> BuiltinMeter:
    return BuiltinMeter(client, slot or LlamaSlot(), "server:double", chat_body)


@in_loop
async def test_many_texts_are_counted_in_order():
    async with llama_client() as client:
        texts = ["word " * number for number in range(20)]
        assert await meter_of(client).count(texts) == tuple(len(pieces(text)) for text in texts)
        assert await meter_of(client).count([]) == ()


@in_loop
async def test_a_prompt_is_measured_as_it_will_be_sent():
    async with llama_client() as client:
        measured = await meter_of(client).measure(TALK)
        expected = "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nsay 漢 twice<|im_end|>\n"
        assert measured.prompt == f"{expected}<|im_start|>assistant\n"
        assert measured.prompt_tokens == len(pieces(measured.prompt))
        assert measured.cached_tokens == 0


@in_loop
async def test_after_an_answer_the_forecast_is_what_the_server_reports():
    async with llama_client() as client:
        slot = LlamaSlot()
        meter = meter_of(client, slot)
        _, prompt = await meter.prompt(TALK)
        async for _ in answer_parts(client, TALK, prompt, slot):
            pass
        slot.left()
        longer = chat(*((m.role, m.text) for m in TALK.messages), ("assistant", "漢 twice"), ("user", "more"))
        assert (await meter.measure(longer)).cached_tokens == len(prompt) + len(pieces("漢 twice"))
        assert (await meter.measure(TALK)).cached_tokens == len(prompt) - 1


@in_loop
async def test_the_template_s_parts_are_found_once():
    async with llama_client() as client:
        meter = meter_of(client)
        meter.control_tokens = ("<|im_end|>",)
        framing = await meter.framing()
        assert framing is not None
        assert (framing.reply, framing.control_tokens) == ("<|im_start|>assistant\n", ("<|im_end|>",))
        assert framing.default_system.startswith("<|im_start|>system\nBe a double.")
        assert await meter.framing() is framing


@in_loop
async def test_a_template_without_such_parts_has_none():
    async with llama_client(double(no_framing=True)) as client:
        assert await meter_of(client).framing() is None


@in_loop
async def test_a_chat_the_template_refuses_is_a_failed_request():
    async with llama_client() as client:
        with pytest.raises(ModelFailed) as caught:
            await meter_of(client).measure(chat(("user", "odd")))
        assert caught.value.failure.kind == "request"
        assert "no such chat" in caught.value.failure.message


@in_loop
async def test_a_server_that_is_gone_fails_by_name_not_as_a_group():
    async with llama_client() as client:
        meter = meter_of(client)
    with pytest.raises(ModelFailed):
        await meter.count(["a", "b"])


@in_loop
async def test_only_a_few_prompts_are_remembered():
    async with llama_client() as client:
        meter = meter_of(client)
        for number in range(12):
            await meter.measure(chat(("user", f"question {number}")))
        assert len(client._prompts) == 8


@in_loop
async def test_an_answer_is_scored_under_the_prompt_that_the_server_makes():
    async with llama_client() as client:
        slot = LlamaSlot()
        meter = meter_of(client, slot)
        _, prompt = await meter.prompt(TALK)
        answer = await meter.answer_tokens("twice kind")
        score = await meter.score(TALK, answer)
        assert answer.pieces == (b"twice", b" kind")
        assert score.logprobs == (-5.0, -5.0)
        assert (score.prompt_tokens, score.cached_tokens) == (len(prompt), 0)
        again = await meter.score(TALK, await meter.answer_tokens(" twice"))
        assert (again.logprobs, again.cached_tokens) == ((-0.125,), len(prompt) - 1)


@in_loop
async def test_after_a_score_the_forecast_is_what_the_server_reports():
    async with llama_client() as client:
        slot = LlamaSlot()
        meter = meter_of(client, slot)
        await meter.score(TALK, await meter.answer_tokens("\u6f22 twice over, as you asked me to"))
        longer = chat(
            *((m.role, m.text) for m in TALK.messages), ("assistant", "\u6f22 twice"), ("user", "say more")
        )
        foretold = (await meter.measure(longer)).cached_tokens
        _, prompt = await meter.prompt(longer)
        parts = [part async for part in answer_parts(client, longer, prompt, slot)]
        told = [part.usage.cached_tokens for part in parts if isinstance(part, UsageReported)]
        assert foretold == told[-1]
        assert foretold


@in_loop
async def test_a_server_without_token_grammars_is_said_and_what_it_holds_is_unknown():
    async with llama_client(double(no_grammar=True)) as client:
        slot = LlamaSlot()
        meter = meter_of(client, slot)
        with pytest.raises(ModelFailed, match="failed to parse grammar"):
            await meter.score(TALK, await meter.answer_tokens("twice"))
        assert slot.tokens == 0


@in_loop
async def test_a_score_waits_for_its_turn():
    async with llama_client() as client:
        meter, held = meter_of(client), asyncio.Lock()
        meter.reading = lambda: held
        answer = await meter.answer_tokens("twice")
        async with held, asyncio.TaskGroup() as group:
            scoring = group.create_task(meter.score(TALK, answer))
            await asyncio.sleep(0)
            assert not scoring.done()
            held.release()
            await scoring
            await held.acquire()
