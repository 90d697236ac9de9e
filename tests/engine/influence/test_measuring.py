from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import pytest

from tests.engine.influence.test_asking import PerMillion
from tests.fakes.influence_stage import ANSWER, NOTES, SETTINGS, InfluenceStage
from tests.fakes.loop import in_loop
from tests.fakes.meter import SERVED_MODEL, FakeMeter
from tests.fakes.turns import fake_builder
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.influence import AnswerScore, AnswerTokens, InfluenceWish
from workbench.domain.request import ModelRequest
from workbench.engine.influence.measuring import Measuring, plan_of
from workbench.engine.influence.running import measuring_for
from workbench.engine.influence.subject import Progress, Subject, row_of
from workbench.engine.influence.target import NothingToMeasure, keep

__all__ = ["Measuring", "Progress", "Subject", "plan_of", "row_of"]


@in_loop
@pytest.mark.parametrize("layout", ["layered", "append_only"])
async def test_the_file_that_the_answer_quotes_is_first(layout: str):
    stage = InfluenceStage(settings=replace(SETTINGS, layout=layout))  # type: ignore[arg-type]
    await stage.begin()
    found = await stage.measure()
    first, *others = found.pieces
    assert first.id == "pilot.md"
    # Every word of the answer stands in that file only, and is 4.9 nats less likely where it is not in the request.
    assert first.nats == pytest.approx(4 * 4.9)
    assert all(one.nats == pytest.approx(0.0) for one in others if one.id.endswith(".md"))
    assert found.answer_tokens == 4
    assert first.per_answer_token == pytest.approx((first.nats or 0) / 4)
    assert found.drift == 0.0
    assert found.carried
    assert found.complete
    assert {one.id for one in found.pieces} == {*NOTES, "system"}


@in_loop
async def test_requests_are_those_that_would_be_sent_and_the_question_is_in_all_of_them():
    stage = InfluenceStage()
    await stage.begin()
    found = await stage.measure()
    meter = stage.meter
    assert meter is not None
    asked = [request.messages for request in meter.scored]
    assert len(asked) == found.requests == found.planned
    sent = stage.bench.model.requests[-1].messages
    assert asked[0] == asked[2] == sent
    assert all("What did the pilot lose?" in messages[-1].text for messages in asked)
    alone = [
        sum(text not in "".join(one.text for one in messages) for text in NOTES.values())
        for messages in asked
    ]
    assert alone[1:7].count(1) == len(NOTES)


@in_loop
async def test_runs_share_the_longest_beginnings_and_what_was_cached_is_as_measured():
    stage = InfluenceStage()
    await stage.begin()
    found = await stage.measure()
    assert stage.meter is not None
    texts = ["".join(one.text for one in request.messages) for request in stage.meter.scored[1:7]]
    common = [
        next((n for n, (a, b) in enumerate(zip(x, y, strict=False)) if a != b), 0) for x, y in pairwise(texts)
    ]
    assert common == sorted(common, reverse=True)
    assert found.cached_share is not None
    assert 0.2 < found.cached_share < 1.0


@in_loop
async def test_the_words_that_a_file_carried_add_up_to_its_influence():
    stage = InfluenceStage()
    await stage.begin()
    first = (await stage.measure()).pieces[0]
    words = [ANSWER[one.start : one.end] for one in first.carried]
    assert any("compass" in one for one in words)
    assert sum(one.nats for one in first.carried) == pytest.approx(first.nats)


@in_loop
async def test_masks_find_the_same_first_and_are_tested_on_others():
    stage = InfluenceStage(notes={**NOTES, "extra.md": "The chemist paints.", "more.md": "The miner sings."})
    await stage.begin()
    found = await stage.measure(masks=32)
    assert (found.method, found.pieces[0].id) == ("masks", "pilot.md")
    assert found.reliability.held_out == 16
    assert found.reliability.trust == "reliable"
    assert found.requests == found.planned == 1 + 32 + 16 + 1 + 1  # the last one for the words
    first = found.pieces[0]
    assert [ANSWER[one.start : one.end] for one in first.carried] == [ANSWER]


@in_loop
async def test_an_answer_that_owes_nothing_to_its_context_says_so():
    stage = InfluenceStage(answers=("Good morning to you!",))
    await stage.begin("Say good morning to you!")
    found = await stage.measure()
    assert not found.carried


@in_loop
async def test_copies_of_one_text_are_left_out_together():
    stage = InfluenceStage(notes={**NOTES, "copy.md": NOTES["pilot.md"]})
    await stage.begin()
    found = await stage.measure()
    first = found.pieces[0]
    assert set(first.members) == {"pilot.md", "copy.md"}
    assert (first.nats or 0) > 4
    assert first.grouped == 1


@in_loop
async def test_a_stop_keeps_what_there_is():
    stage = InfluenceStage()
    await stage.begin()
    found = await stage.measure(stop_after=4)
    assert (found.requests, found.complete) == (4, False)
    assert len(found.pieces) == 2
    assert found.notes == (f"Stopped. 4 of {found.planned} requests were run; what they gave is kept.",)


@in_loop
async def test_a_server_that_dies_after_the_whole_request_gave_nothing_to_keep():
    """It was said to be kept, and there was no piece in it."""
    stage = InfluenceStage(meter=FakeMeter(scores=1))
    await stage.begin()
    found = await stage.measure()
    assert found.pieces == ()
    assert found.notes[0].endswith("requests were run; too few to say anything, so nothing is kept.")


@in_loop
async def test_a_server_that_dies_halfway_keeps_what_there_is():
    stage = InfluenceStage(meter=FakeMeter(scores=5))
    await stage.begin()
    found = await stage.measure()
    assert found.requests == 5
    assert found.notes[0].startswith("The server is gone. 5 of ")


@in_loop
async def test_a_server_that_is_gone_from_the_start_is_said():
    stage = InfluenceStage(meter=FakeMeter(scores=0))
    await stage.begin()
    with pytest.raises(WorkbenchError, match="The server is gone"):
        await stage.measure()


@in_loop
async def test_a_question_alone_has_nothing_that_could_be_left_out():
    stage = InfluenceStage(notes={}, settings=replace(SETTINGS, system_prompt=""))
    await stage.begin()
    with pytest.raises(NothingToMeasure, match="nothing but the question"):
        await stage.measure()


@in_loop
async def test_too_many_pieces_are_grouped_and_the_finer_look_has_its_price():
    notes = {f"note{number:02}.md": f"Fact {number} is about thing{number}." for number in range(30)}
    stage = InfluenceStage(notes=notes, answers=("It is about thing21.",))
    await stage.begin("Which?")
    found = await stage.measure(most_pieces=6)
    assert len(found.pieces) <= 6
    assert sum(one.grouped for one in found.pieces) == 31
    assert "note21.md" in found.pieces[0].members
    assert found.finer is not None
    assert (found.finer.pieces, found.finer.requests) == (31, 31 + 1 + 16 + 1)
    assert (
        found.finer.prompt_tokens
        == found.finer.requests * (await stage.target()).turn.built.envelope.total_tokens
    )


@in_loop
async def test_the_longest_idle_file_could_go():
    long = "Plain words about the weather in spring. " * 30
    stage = InfluenceStage(notes={**NOTES, "weather.md": long})
    await stage.begin()
    found = await stage.measure()
    assert found.could_go is not None
    assert found.could_go.id == "weather.md"
    assert found.could_go.saved_usd == 0.0  # it runs here


@in_loop
@pytest.mark.parametrize("layout", ["layered", "append_only"])
async def test_earlier_turns_are_pieces(layout: str):
    stage = InfluenceStage(
        answers=("Fine weather.", "It barked loudly.", "The parrot barked loudly."),
        settings=replace(SETTINGS, layout=layout),  # type: ignore[arg-type]
        notes={"pilot.md": NOTES["pilot.md"]},
    )
    await stage.begin("How is it?")
    await stage.ask("What did the parrot do?")
    await stage.ask("And now?")
    found = await stage.measure()
    first = found.pieces[0]
    assert (first.kind, first.first_turn, first.layer) == ("exchange", 2, "L4_STRIP")
    assert (first.nats or 0) > 4
    assert {(one.kind, one.name) for one in found.pieces} == {
        ("exchange", "turn 1"), ("exchange", "turn 2"), ("artifact", "pilot.md"), ("instruction", "system"),
    }  # fmt: skip
    assert stage.meter is not None
    whole = "".join(one.text for one in stage.meter.scored[0].messages)
    without = ["".join(one.text for one in request.messages) for request in stage.meter.scored[1:5]]
    assert all(whole.startswith(text[:8]) or "Answer briefly" not in text for text in without)
    assert any("parrot do" not in text and NOTES["pilot.md"] in text for text in without)


@in_loop
@pytest.mark.parametrize("layout", ["layered", "append_only"])
@pytest.mark.parametrize("turns", [1, 2])
async def test_sentences_inside_the_strongest_file_are_looked_at_in_a_second_round(layout: str, turns: int):
    notes = {**NOTES, "pilot.md": "The pilot likes maps.\nA compass lay near Tromsø. It was blue.\n"}
    answers = (*["Hm."] * (turns - 1), "A compass near Tromsø.")
    stage = InfluenceStage(notes=notes, answers=answers, settings=replace(SETTINGS, layout=layout))  # type: ignore[arg-type]
    await stage.begin()
    for _ in range(turns - 1):
        await stage.ask("Tell me.")
    found = await stage.measure(sentences=True)
    first = found.pieces[0]
    assert first.id == "pilot.md"
    assert [(one.line, one.text) for one in first.sentences] == [(2, "A compass lay near Tromsø.")]
    assert first.more_sentences == 2
    shown = sum(one.nats for one in first.sentences)
    assert shown + first.more_nats == pytest.approx(first.nats)
    assert shown == pytest.approx(first.nats, abs=0.5)
    assert found.complete
    assert not found.pieces[1].sentences


@in_loop
async def test_sentences_of_an_earlier_turn_are_looked_at_too():
    stage = InfluenceStage(
        answers=("It rained all day. The parrot barked loudly.", "The parrot barked loudly."), notes={}
    )
    await stage.begin("How was it?")
    await stage.ask("Again?")
    first = (await stage.measure(sentences=True)).pieces[0]
    assert first.kind == "exchange"
    assert [one.text for one in first.sentences] == ["The parrot barked loudly."]


@in_loop
async def test_the_second_round_goes_on_from_a_first_one_that_is_kept():
    notes = {**NOTES, "pilot.md": "The pilot likes maps. A compass lay near Tromsø. It was blue."}
    stage = InfluenceStage(notes=notes)
    await stage.begin()
    at_once = await stage.measure(sentences=True)
    first = await stage.measure()
    await keep(first, await stage.target(), stage.bench.world)
    way = await measuring_for(await stage.target(), InfluenceWish(sentences=True), stage.bench.world)
    assert stage.meter is not None
    stage.meter.scored.clear()
    found = await stage.measure(sentences=True)
    assert len(stage.meter.scored) == way.price.requests == 4  # three sentences, and the whole request
    assert not way.price.open_end
    assert found.pieces == at_once.pieces
    assert (found.requests, found.planned) == (first.requests + 4, first.planned + 4)
    assert (found.reliability, found.drift) == (first.reliability, first.drift)
    stopped = await stage.measure(stop_after=1, sentences=True)
    assert not stopped.complete
    assert [one.nats for one in stopped.pieces] == [one.nats for one in first.pieces]
    again = await measuring_for(
        await stage.target(), InfluenceWish(sentences=True, masks=8), stage.bench.world
    )
    assert again.price.open_end
    await keep(await stage.measure(masks=8), await stage.target(), stage.bench.world)
    either = [InfluenceWish(sentences=True, masks=masks) for masks in (0, 8)]
    ways = [await measuring_for(await stage.target(), wish, stage.bench.world) for wish in either]
    assert [way.price.open_end for way in ways] == [False, False]


@in_loop
async def test_a_stop_in_the_second_round_keeps_the_first():
    notes = {**NOTES, "pilot.md": "The pilot likes maps. A compass lay near Tromsø. It was blue."}
    stage = InfluenceStage(notes=notes)
    await stage.begin()
    whole = await stage.measure()
    found = await stage.measure(stop_after=whole.requests + 1, sentences=True)
    assert found.requests == whole.requests + 1
    assert not found.complete
    assert [one.id for one in found.pieces] == [one.id for one in whole.pieces]


@in_loop
async def test_scoring_at_a_server_that_has_a_price_is_paid_and_stays_under_its_cap():
    """A server that scores may be somebody else's: what it reads and writes has a price then."""
    hosted = replace(SERVED_MODEL, provider="openai")
    changes = {"builder": fake_builder(hosted), "prices": PerMillion(10.0, 30.0)}
    stage = InfluenceStage(changes=changes)
    await stage.begin()
    free = await stage.measure()
    assert free.cost_usd is not None
    assert free.cost_usd > 0
    found = await stage.measure(cap_usd=free.cost_usd / 3)
    assert 1 < found.requests < free.requests
    assert (found.cost_usd or 0) <= free.cost_usd / 3
    assert found.notes[-1].startswith("The next request could pass the cap.")
    with pytest.raises(WorkbenchError, match="A cap of \\$0 allows no request"):
        await stage.measure(cap_usd=0.0)
    unpriced = InfluenceStage(changes={"builder": fake_builder(hosted)})
    await unpriced.begin()
    assert (await unpriced.measure()).cost_usd is None
    with pytest.raises(InvalidInput, match="no price is known"):
        await unpriced.measure(cap_usd=1.0)


@dataclass
class CachedAtFirst(FakeMeter):
    """Its first score is a little off, since all of the request was cached then."""

    async def score(self, request: ModelRequest, answer: AnswerTokens) -> AnswerScore:
        found = await super().score(request, answer)
        off = 0.25 if len(self.scored) == 1 else 0.0
        return replace(found, logprobs=(found.logprobs[0] + off, *found.logprobs[1:]))


@in_loop
async def test_a_first_score_that_is_off_is_told_as_drift_and_moves_no_piece():
    stage = InfluenceStage(meter=CachedAtFirst())
    await stage.begin()
    found = await stage.measure()
    assert found.drift == pytest.approx(0.25)
    assert found.pieces[0].nats == pytest.approx(4 * 4.9)
    assert [one.nats for one in found.pieces[1:]] == pytest.approx([0.0] * 5)
