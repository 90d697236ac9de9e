"""What every chat model does, whoever serves it; `tests/fakes/chat_stages.py` lists those it is tested on."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest

from tests.fakes.answers import keep, question
from tests.fakes.chat_script import Script
from tests.fakes.chat_stages import STAGES, Stage
from tests.fakes.loop import in_loop
from workbench.domain.answer import Accepted, Finished, ModelFailed, TextGrew, UsageReported
from workbench.domain.message import ToolCall
from workbench.domain.model import ModelCard
from workbench.domain.request import RequestMessage
from workbench.domain.tool import ToolDefinition
from workbench.domain.usage import Usage
from workbench.providers.wire.body import text_at

CARD = ModelCard("fake", "fake", 4096, None, "o200k_base", False, 3, 3, None, "2026-01-01")
# A coarse guard: what is waited for comes within milliseconds.
SOON_S = 20.0
UNICODE = ("naïve ", "漢字", "👩\u200d👧", " \u202eאב\u202c ", "\u0000\u0085\u2028", "𝔘𝔫𝔦")
CALLS = (
    ToolCall("call_1", "look", '{"where": "über 漢字"}'),
    ToolCall("call_2", "count", '{"n": [1, 2, {"deep": null}]}'),
)

every_model = pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
every_obeying_model = pytest.mark.parametrize(
    "stage", [stage for stage in STAGES if stage.obeys], ids=lambda stage: stage.name
)


@every_obeying_model
@in_loop
async def test_an_answer_arrives_in_order(stage: Stage):
    async with stage.play(Script()) as played:
        kept = await keep(played.model.stream(question()))
    assert (kept.state, kept.text) == ("complete", "Hello, world")


@every_model
@in_loop
async def test_the_end_comes_once_and_last(stage: Stage):
    async with stage.play(Script(usage=Usage(10, 4, None, 3))) as played:
        kept = await keep(played.model.stream(question()))
    assert [type(part) for part in kept.parts].count(Finished) == 1
    assert isinstance(kept.parts[-1], Finished)


@every_model
@in_loop
async def test_an_answer_is_more_than_its_end(stage: Stage):
    async with stage.play(Script(usage=Usage(10, 4, None, 3))) as played:
        kept = await keep(played.model.stream(question()))
    assert any(isinstance(part, TextGrew) and part.text for part in kept.parts)
    assert kept.usage[-1].usage.prompt_tokens
    assert kept.usage[-1].usage.completion_tokens


@every_obeying_model
@in_loop
async def test_usage_is_reported_before_the_end(stage: Stage):
    async with stage.play(Script(usage=Usage(10, 4, None, 3))) as played:
        kept = await keep(played.model.stream(question()))
    assert kept.parts[-2:] == [UsageReported(Usage(10, 4, None, 3)), Finished("stop")]


@every_obeying_model
@in_loop
async def test_what_was_not_reported_is_not_zero(stage: Stage):
    async with stage.play(Script(usage=Usage(10, None, None, 3))) as played:
        kept = await keep(played.model.stream(question()))
    assert kept.usage[-1].usage.cached_tokens is None


@every_obeying_model
@in_loop
async def test_an_answer_that_was_too_long_says_so(stage: Stage):
    async with stage.play(Script(reason="length")) as played:
        kept = await keep(played.model.stream(question()))
    assert kept.parts[-1] == Finished("length")


@every_obeying_model
@in_loop
async def test_thoughts_are_apart_from_the_answer(stage: Stage):
    async with stage.play(Script(thinking="Let me see.")) as played:
        kept = await keep(played.model.stream(question()))
    assert (kept.thinking, kept.text) == ("Let me see.", "Hello, world")


@every_obeying_model
@in_loop
async def test_calls_arrive_whole_and_can_be_answered(stage: Stage):
    """The ids a model gives must be good for the next request, or its results have no call."""
    request = replace(question(), tools=(ToolDefinition("look"), ToolDefinition("count")))
    async with stage.play(Script(texts=(), calls=CALLS, reason="tool_calls")) as played:
        kept = await keep(played.model.stream(request))
        calls = tuple(part.call for part in kept.calls)
        assert kept.parts[-1] == Finished("tool_calls")
        results = [
            RequestMessage(f"r{n}", "tool", "done", tool_call_id=call.id) for n, call in enumerate(calls)
        ]
        said = RequestMessage("a", "assistant", "", tool_calls=calls)
        again = await keep(
            played.model.stream(replace(request, messages=(*request.messages, said, *results)))
        )
    assert calls == CALLS
    assert again.failure is None
    # The same ids would make two calls one: an id that is taken is replaced.
    assert not {call.id for call in calls} & {part.call.id for part in again.calls}


@every_obeying_model
@in_loop
async def test_all_of_unicode_comes_through(stage: Stage):
    async with stage.play(Script(UNICODE)) as played:
        kept = await keep(played.model.stream(question("".join(UNICODE))))
    assert kept.text == "".join(UNICODE)


@every_obeying_model
@in_loop
async def test_a_long_answer_comes_through(stage: Stage):
    pieces = tuple(f"word {number} " for number in range(5_000))
    async with stage.play(Script(pieces)) as played:
        kept = await keep(played.model.stream(question()))
    assert kept.text == "".join(pieces)


@every_obeying_model
@in_loop
async def test_a_cut_answer_is_never_taken_for_a_whole_one(stage: Stage):
    """pydantic-ai #6610: a cut stream shown as complete."""
    async with stage.play(Script(ending="cut")) as played:
        kept = await keep(played.model.stream(question()))
    assert (kept.state, kept.kind, kept.text) == ("interrupted", "protocol", "Hello, world")


@every_obeying_model
@in_loop
async def test_nothing_at_all_is_a_failure(stage: Stage):
    async with stage.play(Script(texts=())) as played:
        kept = await keep(played.model.stream(question()))
    assert (kept.state, kept.kind) == ("failed", "empty")


@every_obeying_model
@in_loop
async def test_closing_the_stream_closes_the_connection(stage: Stage):
    async with stage.play(Script(ending="stall")) as played:
        async with aclosing(played.model.stream(question())) as parts:
            assert isinstance(await anext(parts), Accepted)
            assert await anext(parts) == TextGrew("Hello")
        await asyncio.wait_for(played.gone.wait(), SOON_S)


@every_obeying_model
@in_loop
async def test_cancelling_the_reader_closes_the_connection(stage: Stage):
    async with stage.play(Script(ending="stall")) as played:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1.0):
                await keep(played.model.stream(question()))
        await asyncio.wait_for(played.gone.wait(), SOON_S)


@every_obeying_model
@in_loop
async def test_a_stalled_answer_fails_with_a_name(stage: Stage):
    hasty = replace(question().timeouts, idle_s=1.0)
    async with stage.play(Script(ending="stall")) as played:
        kept = await keep(played.model.stream(question(timeouts=hasty)))
    assert (kept.state, kept.kind, kept.text) == ("interrupted", "timeout", "Hello, world")


@every_model
@in_loop
async def test_what_was_sent_is_what_was_shown(stage: Stage):
    """The digest that is told with an answer is that of the bytes that went out; a scripted model has none to tell."""
    async with stage.play(Script()) as played:
        shown = played.model.wire(question())
        kept = await keep(played.model.stream(question()))
    told = [part.digest for part in kept.parts if isinstance(part, Accepted)]
    assert told == ([] if stage.name == "scripted" else [shown.digest])


@every_model
@in_loop
async def test_looking_at_a_request_starts_and_asks_nothing(stage: Stage):
    async with stage.play(Script()) as played:
        shown = played.model.wire(question("Why 漢?"))
        assert not played.gone.is_set()
        assert await played.model.meter() is None
    (place,) = shown.places
    assert place is not None
    assert text_at(shown.body, place) == "Why 漢?"


@every_model
@in_loop
async def test_a_card_is_given_even_where_nobody_answers(stage: Stage):
    async with stage.play(Script(ending="cut")) as played:
        await played.model.close()
        card = await played.model.card(CARD)
    assert card.name == CARD.name
    assert card.context_window_tokens > 0


@every_model
@in_loop
async def test_getting_ready_twice_and_closing_twice_do_no_harm(stage: Stage):
    async with stage.play(Script()) as played:
        await played.model.ready(lambda what, fraction: None)
        await played.model.ready(lambda what, fraction: None)
        await played.model.close()
        await played.model.close()


@every_model
@in_loop
async def test_two_answers_can_be_asked_of_one_model(stage: Stage):
    async with stage.play(Script()) as played:
        first = await keep(played.model.stream(question()))
        second = await keep(played.model.stream(question()))
    assert first.state == second.state == "complete"


@every_obeying_model
@in_loop
async def test_a_stream_that_nobody_reads_asks_nothing(stage: Stage):
    async with stage.play(Script()) as played:
        await played.model.stream(question()).aclose()
        assert not played.gone.is_set()


@every_obeying_model
@in_loop
async def test_a_request_that_cannot_be_written_fails_with_a_name(stage: Stage):
    """Whatever goes wrong inside, nothing but `ModelFailed` comes out."""
    odd = replace(question(), parameters={"temperature": object()})
    async with stage.play(Script()) as played:
        with pytest.raises(ModelFailed):
            async for _ in played.model.stream(odd):
                pass
