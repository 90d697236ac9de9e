"""Influence at the real model: forced likelihoods are those of the free answer, and the note it quotes is first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.builtin_stage import builtin
from tests.fakes.chat_model import FakeModels
from tests.fakes.loop import in_loop
from tests.fakes.served_talk import ServedTalk
from workbench.domain.influence import InfluenceWish
from workbench.domain.workspace import memory_text
from workbench.engine.influence.measuring import Measuring
from workbench.engine.influence.target import find_target, keep, kept_influence
from workbench.engine.tasks import Stopper
from workbench.engine.wire_forms import outgoing_request

pytestmark = pytest.mark.usefixtures("soon")
NOTES = ("The nurse paid 58 euros for a canoe.", "The pilot paid 95 euros for a bicycle.")


@in_loop
async def test_the_real_model_s_answer_is_carried_by_the_note_that_it_quotes():
    model = builtin()
    talk = ServedTalk("builtin", models=FakeModels(model), answer_tokens=8)
    talk.bench.world.parameters.update(temperature=0)
    await talk.start(user_memory=memory_text(NOTES))
    await talk.turn("How much did the pilot pay?")
    world, meter = talk.bench.world, await model.meter()
    assert meter is not None
    turn = await world.store.last_turn("talk")
    assert turn is not None
    target = await find_target(turn, world.store)

    answer = await meter.answer_tokens(target.answer)
    request = outgoing_request(turn.built, world.parameters, {}, world.limits)
    forced = await meter.score(request, answer)
    _, prompt = await meter.prompt(request)
    asked = {
        "prompt": [one.id for one in prompt],
        "n_predict": len(answer.ids),
        "temperature": 0,
        "n_probs": 1,
    }
    assert model._session is not None
    free = (await model._session.client.ask("POST", "/completion", asked))["completion_probabilities"]
    assert [one["id"] for one in free][: len(answer.ids)] == list(answer.ids)
    assert forced.logprobs == pytest.approx([one["logprob"] for one in free], abs=1e-3)
    assert (forced.prompt_tokens, forced.cached_tokens) == (len(prompt), len(prompt) - 1)

    said = replace(target, answer="The pilot paid 95 euros for a bicycle.")
    stopper = Stopper(world.tasks)

    def moved(done: int, planned: int, left_s: float | None) -> None:
        if done == 2 + len(NOTES) + 1:  # the whole request twice, and without each note and the instructions
            stopper.stop()

    found = await Measuring(said, InfluenceWish(), meter, world).run(stopper, moved)
    assert (found.requests, len(found.pieces)) == (5, 3)
    assert found.pieces[0].id == "memory:1"
    assert found.carried
    assert (found.pieces[0].nats or 0) > 5
    assert found.cached_share is not None
    assert found.cached_share > 0.2
    words = [said.answer[one.start : one.end] for one in found.pieces[0].carried]
    assert any("95" in one for one in words)
    await keep(found, target, world)
    assert kept_influence((await world.store.path("talk"))[-1]) == found
    await talk.close()
    await model.close()
