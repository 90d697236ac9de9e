"""Side questions and refreshes at the built-in model's real server: what is foretold is reported, then and next."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Run
from tests.fakes.builtin_stage import builtin
from tests.fakes.chat_model import FakeModels
from tests.fakes.served_talk import ServedTalk
from workbench.engine.intents import SendMessage
from workbench.engine.warming import plan_refresh, send_refresh

pytestmark = pytest.mark.usefixtures("soon")


@pytest.mark.parametrize("layout", ["layered", "append_only"])
def test_what_is_shown_comes_true_for_it_and_for_the_turn_after_it(run: Run, layout: str):
    async def live() -> None:
        model = builtin()
        talk = ServedTalk("builtin", layout=layout, models=FakeModels(model))
        await talk.start()
        await talk.turn("Tell me about locks. " + "word " * 60, typed=True)
        await talk.turn("And about queues?", typed=True)
        aside = "Which version added timeouts?"
        shown = await talk.look(aside)
        outcome = (await talk.bench.do(SendMessage("talk", aside, drafted=True, side=True))).outcome
        assert outcome.failure is None
        (side,) = talk.bench.workbench.state.open["talk"].sides
        print(layout, "side: shown", shown, "reported", side.cached_tokens, "of", side.prompt_tokens)
        assert side.cached_tokens == shown == side.predicted_tokens
        assert (shown or 0) > 0
        after = await talk.turn("And about heaps?", typed=True)
        print(layout, "next: shown", after.shown, "reported", after.cached, "of", after.prompt)
        # The side question read the answer before it: that is served, too.
        assert after.cached == after.shown
        assert (after.cached or 0) > (shown or 0)
        assert after.rebuilt is None
        await talk.bench.workbench.close()
        await model.close()

    run(live())


def test_a_refresh_reads_what_was_foretold_and_leaves_the_next_turn_its_cache(run: Run):
    """One of the last question alone would take the place of its answer, which the next turn would read again."""

    async def live() -> None:
        model = builtin()
        talk = ServedTalk("builtin", layout="append_only", models=FakeModels(model))
        await talk.start()
        await talk.turn("Tell me about locks. " + "word " * 60, typed=True)
        foretold = await talk.look("And about queues?")
        for _ in range(2):
            refresh = await plan_refresh("talk", talk.bench.world)
            usage = await send_refresh(refresh, talk.bench.world)
            assert usage.cached_tokens == refresh.forecast.predicted_read_tokens
            assert usage.prompt_tokens == refresh.built.envelope.total_tokens
            assert (usage.completion_tokens or 0) <= 1
        after = await talk.turn("And about queues?", typed=True)
        print("next:", after.cached, "foretold", foretold)
        # The token that the refresh was answered with may be one that the next turn has, too.
        assert (foretold or 0) > 60
        assert (after.cached or 0) - (foretold or 0) in (0, 1)
        await talk.bench.workbench.close()
        await model.close()

    run(live())
