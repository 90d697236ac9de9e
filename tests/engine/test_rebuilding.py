"""A window that turns out smaller than was thought."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.chat_model import Step, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop
from workbench.domain.answer import Failure, TextGrew
from workbench.domain.errors import NotKept
from workbench.engine.events import RebuildProposed
from workbench.engine.intents import AcceptRebuild, SendMessage
from workbench.engine.running_turns import narrowed


async def refused(failure: Failure, *before: Step) -> Bench:
    """A chat whose request of 14 tokens the provider did not take."""
    bench = fake_bench([*before, failure], words("Fits."))
    await bench.start(settings=replace(SETTINGS, reserved_output_tokens=10))
    await bench.do(SendMessage("talk", "Well then?"))
    return bench


@pytest.mark.parametrize(
    ("limit", "asked", "window"),
    [
        (100, None, 100),
        # They count twice what we count, so that we may fill half of what they have.
        (100, 28, 50),
        (None, None, 750),
        # A limit that is no news is no help.
        (4000, None, 750),
        (4000, 14, 750),
    ],
)
def test_the_request_is_built_again_in_the_window_the_provider_has(
    limit: int | None, asked: int | None, window: int
):
    @in_calm_loop
    async def turn() -> None:
        bench = await refused(Failure("context", "Too long.", limit_tokens=limit, asked_tokens=asked))
        (proposed,) = bench.told(RebuildProposed)
        assert proposed.prepared.built.envelope.budget.context_window_tokens == window
        end = await bench.do(AcceptRebuild("talk"))
        assert end.outcome.state == "complete"
        kept = (await bench.world.store.chat("talk")).settings
        assert (kept.context_window, kept.model) == (window, SETTINGS.model)
        assert [text for _, text, _ in await bench.texts()] == ["Well then?", "Fits."]

    turn()


@in_calm_loop
async def test_an_answer_to_a_request_that_lost_its_front_leads_to_one_that_fits():
    """Ollama answers all the same when it has silently dropped the front; only its numbers tell."""
    bench = await refused(Failure("context", "It was cut."), TextGrew("Half"))
    assert len(bench.told(RebuildProposed)) == 1


@pytest.mark.parametrize("failure", [Failure("rate", "Busy."), Failure("request", "Wrong.")])
def test_what_is_not_about_the_window_is_not_built_again(failure: Failure):
    @in_calm_loop
    async def turn() -> None:
        bench = await refused(failure)
        assert bench.told(RebuildProposed) == []
        with pytest.raises(NotKept):
            await bench.workbench.dispatch(AcceptRebuild("talk"))
        # Refused, it leaves the chat free.
        assert (await bench.do(SendMessage("talk", "?"))).outcome.state == "complete"

    turn()


@in_calm_loop
async def test_a_request_that_was_never_sent_is_not_built_again():
    bench = fake_bench()
    await bench.start(settings=replace(SETTINGS, context_window=10, reserved_output_tokens=0))
    await bench.do(SendMessage("talk", "word " * 20))
    assert bench.told(RebuildProposed) == []


@pytest.mark.parametrize(("reserve", "smaller"), [(None, None), (10, 10), (90, 25)])
def test_a_reserve_leaves_room_for_the_request(reserve: int | None, smaller: int | None):
    settings = narrowed(replace(SETTINGS, reserved_output_tokens=reserve), 100)
    assert (settings.context_window, settings.reserved_output_tokens) == (100, smaller)
