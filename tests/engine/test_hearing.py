"""What is heard of a request that is asked beside a chat."""

from __future__ import annotations

from tests.engine.experiment.test_trial import asked_once, said
from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.loop import in_calm_loop
from workbench.engine.hearing import hear
from workbench.engine.wire_forms import outgoing_request


@in_calm_loop
async def test_an_answer_comes_with_what_it_took_and_no_turn_is_kept():
    bench, turn = await asked_once(said("Beta.", 80, 4))
    request = outgoing_request(turn.built, {}, {}, bench.world.limits)
    heard = await hear(bench.world.models.open(WORD_MODEL.name), request, bench.world.builder.clock)
    assert (heard.text, heard.usage.prompt_tokens, heard.usage.completion_tokens) == ("Beta.", 80, 4)
    assert heard.first_ms is not None
    assert heard.first_ms <= heard.total_ms
    assert len(await bench.world.store.turns("talk")) == 1
