"""Counting with the server: every text, the whole prompt character by character, and what the cache will serve."""

from __future__ import annotations

import asyncio

import pytest

from tests.fakes.llama_double import double, pieces
from tests.fakes.llama_runs import chat, llama_client
from tests.fakes.loop import in_loop
from workbench.domain.answer import ModelFailed, UsageReported
from workbench.providers.builtin.client import BuiltinMeter, LlamaClient
from workbench.providers.builtin.stream import answer_parts, chat_body
from workbench.providers.served.slot import LlamaSlot

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
        await meter.score(TALK, await meter.answer_tokens("\u6f22 twice over"))
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
