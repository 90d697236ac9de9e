"""Requests counted by the model's own server, and as good as can be where it does not answer."""

from __future__ import annotations

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModel, FakeModels, words
from tests.fakes.engine import SETTINGS, fake_bench
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop
from tests.fakes.meter import SERVED_MODEL, FakeMeter
from tests.fakes.turns import assistant, fake_builder, user
from workbench.domain.answer import Failure
from workbench.domain.caching import CacheForecast
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.assembly.exact_counts import learn_counts, prepare_exactly
from workbench.engine.assembly.prepare import Ask, Prepared, prepare_turn
from workbench.engine.conversation import Conversation
from workbench.engine.events import EnvelopeBuilt
from workbench.engine.intents import SendMessage
from workbench.ports.models import PromptMeter

SERVED = ContextSettings(model="served-1", system_prompt="Be kind.")
TALK = Conversation("talk", turn=1, history=(user("q1", "one two"), assistant("a1", "three")))
ASK = Ask(SERVED, user("q2", "four five six"))
DOWN = Failure("network", "Nobody answers.")


async def prepared(meter: PromptMeter | None, ask: Ask = ASK) -> Prepared:
    model = FakeModel([words("x")], counts=meter)
    return await prepare_exactly(TALK, ask, model, fake_builder(SERVED_MODEL, WORD_MODEL), MemoryHistory())


@in_calm_loop
async def test_a_request_is_what_its_server_counts():
    meter = FakeMeter(cached_tokens=7)
    found = await prepared(meter)
    # A message is its words, its head and its end; one more opens the answer.
    assert (found.built.envelope.total_tokens, found.built.envelope.exact) == (4 + 4 + 3 + 5 + 1, True)
    assert found.forecast == CacheForecast("builtin", 7, 10, price_usd=0.0, exact=True)
    assert found.report["violations"] == []
    (asked,) = meter.measured
    assert [message.text for message in asked.messages] == ["Be kind.", "one two", "three", "four five six"]


@in_calm_loop
async def test_a_template_that_says_nothing_about_single_messages_is_measured_as_a_whole():
    found = await prepared(FakeMeter(alone=False))
    assert (found.built.envelope.total_tokens, found.built.envelope.exact) == (17, True)
    assert sum(layer.total_tokens for layer in found.built.envelope.layers) == 17


@in_calm_loop
async def test_what_was_counted_once_is_not_asked_again():
    meter, builder = FakeMeter(), fake_builder(SERVED_MODEL)
    model = FakeModel([words("x")], counts=meter)
    for _ in range(2):
        await prepare_exactly(TALK, ASK, model, builder, MemoryHistory())
    assert len(meter.counted) == len(set(meter.counted))


@in_calm_loop
async def test_without_an_answer_the_request_is_as_it_can_be_built_here():
    here = prepare_turn(TALK, ASK, fake_builder(SERVED_MODEL, WORD_MODEL))
    for meter in (None, FakeMeter(fails=DOWN)):
        found = await prepared(meter)
        assert found.report["messages"] == here.report["messages"]
        assert found.report["count"] == "estimated"


@in_calm_loop
async def test_a_server_that_counts_for_a_model_with_a_tokenizer_of_its_own_is_asked_for_the_whole():
    found = await prepared(FakeMeter(), Ask(ContextSettings(model=WORD_MODEL.name), user("q", "one two")))
    assert found.built.envelope.total_tokens == 4 + 3 + 4 + 1


@in_calm_loop
async def test_who_wants_an_estimate_gets_one():
    meter = FakeMeter()
    await prepared(meter, Ask(ContextSettings(model="served-1", counter="chars4"), user("q")))
    assert (meter.measured, meter.counted) == ([], [])


@in_calm_loop
async def test_learning_says_whether_anything_was_new():
    builder = fake_builder(SERVED_MODEL)
    first = prepare_turn(TALK, ASK, builder)
    model = FakeModel([words("x")], counts=FakeMeter())
    # First how messages are written, then what stands in them; then there is nothing left.
    learnt = [
        await learn_counts(prepare_turn(TALK, ASK, builder), model, builder, MemoryHistory())
        for _ in range(3)
    ]
    assert learnt == [True, True, False]
    assert prepare_turn(TALK, ASK, builder).built.envelope.exact
    assert not await learn_counts(
        first, FakeModel([], counts=FakeMeter(fails=DOWN)), fake_builder(SERVED_MODEL), MemoryHistory()
    )
    assert not await learn_counts(first, FakeModel([]), builder, MemoryHistory())


@in_calm_loop
async def test_what_is_sent_is_counted_by_the_server_and_told():
    model = FakeModel([words("Hi.")], counts=FakeMeter(cached_tokens=3))
    bench = fake_bench(models=FakeModels(model), builder=fake_builder(SERVED_MODEL))
    await bench.start(settings=ContextSettings(model="served-1", system_prompt=SETTINGS.system_prompt))
    end = await bench.do(SendMessage("talk", "Well then?"))
    sent = next(event.prepared for event in bench.told(EnvelopeBuilt))
    assert (sent.report["count"], sent.report["total_tokens"]) == ("exact", 9)
    assert end.outcome.cache is not None
    assert (end.outcome.cache.forecast.predicted_read_tokens, end.outcome.cache.verdict) == (
        3,
        "not_reported",
    )
