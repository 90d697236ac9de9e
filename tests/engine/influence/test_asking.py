from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace

import pytest

from tests.fakes.chat_model import FakeModel, FakeModels
from tests.fakes.influence_stage import ANSWER, NOTES, SETTINGS, InfluenceStage
from tests.fakes.loop import in_loop
from tests.fakes.meter import SERVED_MODEL
from tests.fakes.turns import fake_builder
from workbench.domain.answer import AnswerPart, Failure, Finished, ModelFailed, TextGrew, UsageReported
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.influence import InfluenceWish
from workbench.domain.model import ModelCard
from workbench.domain.request import ModelRequest
from workbench.domain.usage import Price, Usage
from workbench.engine.influence.asking import InfluenceByAsking

HOSTED = replace(SERVED_MODEL, provider="openai", tokenizer="words", cache_rules=None, exact=True)


@dataclass(frozen=True)
class PerMillion:
    """One price for every model → PriceList."""

    input: float
    output: float
    cached: float | None = None

    def price(self, card: ModelCard) -> Price | None:
        return Price(card.name, self.input, self.output, "2026-01-01", self.cached)


@dataclass
class ReadingModel(FakeModel):
    """Answers what the pilot lost where it is told; without that, something else.

    Attributes:
        cached: the share of each request that its cache serves. dies_after: requests after which it is gone.
    """

    cached: float = 0.0
    dies_after: int | None = None

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        if len(self.requests) == self.dies_after:
            raise ModelFailed(Failure("network", "No response from the server."))
        self.requests.append(request)
        told = any(NOTES["pilot.md"] in message.text for message in request.messages)
        yield TextGrew(ANSWER if told else "Nothing at all.")
        tokens = sum(len(message.text.split()) for message in request.messages)
        yield UsageReported(Usage(tokens, int(tokens * self.cached), 0, request.max_output_tokens))
        yield Finished("stop")


def hosted(prices: PerMillion | None = None, **how: object) -> tuple[InfluenceStage, ReadingModel]:
    model = ReadingModel([[]], **how)  # type: ignore[arg-type]
    changes = {"models": FakeModels(model), "builder": fake_builder(HOSTED)}
    stage = InfluenceStage(
        meter=None, changes={**changes, **({} if prices is None else {"prices": prices})}, settings=SETTINGS
    )
    return stage, model


@in_loop
async def test_the_file_without_which_other_words_come_is_first():
    stage, model = hosted()
    await stage.begin()
    found = await stage.measure()
    assert (found.method, found.pieces[0].id, found.carried) == ("asking", "pilot.md", True)
    assert found.pieces[0].nats is None
    assert found.pieces[0].lost == pytest.approx(1.0)
    assert {one.lost for one in found.pieces[1:]} == {0.0}
    assert (found.requests, found.planned, found.drift) == (7, 7, 0.0)
    assert found.cost_usd is None
    assert "rougher" in found.notes[0]
    assert len(model.requests) == 1 + 7


@in_loop
async def test_each_request_is_repeated_as_often_as_is_wished_and_the_longest_answer_is_bounded():
    stage, model = hosted()
    await stage.begin()
    found = await stage.measure(repeats=3)
    assert found.requests == 21
    assert {request.max_output_tokens for request in model.requests[1:]} == {64}


@in_loop
async def test_a_server_that_scores_can_be_asked_all_the_same():
    stage = InfluenceStage(answers=(ANSWER, "Something else."))
    await stage.begin()
    found = await stage.measure(asking=True)
    assert found.method == "asking"
    assert found.drift == pytest.approx(1.0)
    assert not found.carried  # even with everything it answers otherwise


@in_loop
@pytest.mark.parametrize("requests", [1, 1.5, 3, 6.99, 100])
async def test_the_cap_is_never_passed(requests: float):
    """Whatever fits is asked, at the longest answer each time, and not a cent more is spent."""
    stage, model = hosted(PerMillion(10.0, 30.0))
    await stage.begin()
    price = InfluenceByAsking(await stage.target(), InfluenceWish(), model, stage.bench.world).price
    assert price.cost_usd is not None
    cap = price.cost_usd / price.requests * requests * 1.0001
    found = await stage.measure(cap_usd=cap)
    assert found.requests == len(model.requests) - 1
    assert min(7, int(requests)) <= found.requests <= 7
    assert found.cost_usd is not None
    assert 0 < found.cost_usd <= cap
    stopped = found.notes[-1].startswith("The next request could pass the cap.")
    assert stopped == (found.requests < 7)


@in_loop
async def test_what_is_reported_as_cached_makes_room_for_more():
    stage, model = hosted(PerMillion(10.0, 1.0, cached=0.1))
    await stage.begin()
    price = InfluenceByAsking(await stage.target(), InfluenceWish(), model, stage.bench.world).price
    cap = (price.cost_usd or 0) / price.requests * 3
    dear = await stage.measure(cap_usd=cap)
    model.cached = 0.9
    cheap = await stage.measure(cap_usd=cap)
    assert dear.requests < cheap.requests
    assert (cheap.cost_usd or 0) <= cap
    assert cheap.cached_share == pytest.approx(0.9, abs=0.02)


@in_loop
async def test_a_cap_of_nothing_allows_no_request_and_asks_nothing():
    stage, model = hosted(PerMillion(10.0, 30.0))
    await stage.begin()
    with pytest.raises(WorkbenchError, match="A cap of \\$0 allows no request") as said:
        await stage.measure(cap_usd=0.0)
    assert "Nothing was asked." in str(said.value)
    assert len(model.requests) == 1


@in_loop
async def test_a_model_without_a_price_is_refused_under_a_cap():
    stage, model = hosted()
    await stage.begin()
    with pytest.raises(InvalidInput, match="no price is known"):
        await stage.measure(cap_usd=1.0)
    assert len(model.requests) == 1


@in_loop
async def test_a_server_that_dies_halfway_keeps_what_there_is():
    stage, _ = hosted(dies_after=4)
    await stage.begin()
    found = await stage.measure()
    assert (found.requests, len(found.pieces)) == (3, 2)
    assert found.notes[-1] == (
        "No response from the server. 3 of 7 requests were run; what they gave is kept."
    )


@in_loop
async def test_groups_say_how_many_answers_a_finer_look_takes():
    """It counted the masks that are held out where answers are scored."""
    stage, _ = hosted()
    await stage.begin()
    found = await stage.measure(most_pieces=3, repeats=2)
    assert found.finer is not None
    assert (found.finer.pieces, found.finer.requests) == (6, 14)


@in_loop
async def test_masks_and_sentences_are_said_to_need_more_than_answers():
    stage, _ = hosted()
    await stage.begin()
    notes = [(await stage.measure(**wish)).notes for wish in ({"masks": 3}, {"sentences": True}, {})]
    assert [any("need log-probabilities" in note for note in some) for some in notes] == [True, True, False]


@in_loop
async def test_a_stop_keeps_what_there_is():
    stage, _ = hosted()
    await stage.begin()
    found = await stage.measure(stop_after=3)
    assert (found.requests, found.complete, len(found.pieces)) == (3, False, 2)


@in_loop
async def test_a_model_that_does_not_answer_at_all_is_said():
    stage, _ = hosted(dies_after=1)
    await stage.begin()
    with pytest.raises(WorkbenchError, match="No response"):
        await stage.measure()
