"""The forecast that is shown is what the server knows, and it is the one that is judged."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModel, FakeModels, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.meter import SERVED_MODEL, FakeMeter
from tests.fakes.turns import fake_builder
from workbench.domain.answer import Failure
from workbench.domain.caching import Measurement
from workbench.domain.request import ModelRequest
from workbench.engine.intents import (
    ChangeSettings,
    EditDraft,
    EditInPlace,
    EditQuestion,
    SendMessage,
    StartChat,
    TrySettings,
)
from workbench.engine.open_chat.requests import CacheAhead
from workbench.ports.models import PromptMeter


async def served(meter: PromptMeter | None) -> Bench:
    model = FakeModel([words("An answer.") for _ in range(4)], counts=meter)
    builder = fake_builder(SERVED_MODEL, WORD_MODEL)
    bench = fake_bench(builder=builder, models=FakeModels(model))
    await bench.start()
    await bench.workbench.dispatch(ChangeSettings("talk", replace(SETTINGS, model="served-1")))
    return bench


def shown(bench: Bench, chat: str = "talk") -> int | None:
    view = bench.workbench.state.open[chat].view
    return None if view is None else view.cached_tokens


@in_calm_loop
async def test_before_the_server_was_asked_nothing_is_foretold_and_then_what_it_says():
    """By the rules alone everything up to the last answer would be cached; the server holds seven tokens."""
    meter = FakeMeter(cached_tokens=7)
    bench = await served(meter)
    await bench.do(SendMessage("talk", "one two three"))
    await bench.workbench.dispatch(EditDraft("talk", "four five"))
    assert shown(bench) is None
    await until(lambda: shown(bench) == 7)
    await bench.workbench.dispatch(EditDraft("talk", "four five six"))
    assert shown(bench) == 7


@in_calm_loop
async def test_what_is_tried_out_is_asked_of_the_same_server():
    """By the rules alone, the ghost had a cache that the request beside it did not have."""
    bench = await served(None)
    await bench.do(SendMessage("talk", "one two three"))
    other = replace(SETTINGS, model="served-1", system_prompt="Be kind, please.")
    await bench.workbench.dispatch(EditDraft("talk", "four"), TrySettings("talk", other))

    def tried() -> int | None:
        trial = bench.workbench.state.open["talk"].trial
        return None if trial is None else trial.view.cached_tokens

    assert tried() is None
    await until(lambda: (shown(bench), tried()) == (0, 0))
    await bench.workbench.close()


@in_calm_loop
async def test_a_server_that_does_not_run_holds_nothing():
    """756 of 830 were shown after a restart."""
    bench = await served(None)
    await bench.do(SendMessage("talk", "one two three"))
    await bench.workbench.dispatch(EditDraft("talk", "four five"))
    await until(lambda: shown(bench) == 0)


@in_calm_loop
async def test_a_server_that_does_not_say_foretells_nothing():
    bench = await served(FakeMeter(fails=Failure("network", "Nobody answers.")))
    await bench.workbench.dispatch(EditDraft("talk", "four five"))
    await bench.calm()
    assert shown(bench) is None


@in_calm_loop
async def test_another_chat_s_turn_makes_it_ask_again():
    meter = FakeMeter(cached_tokens=7)
    bench = await served(meter)
    await bench.workbench.dispatch(EditDraft("talk", "one two three four five six seven"))
    await until(lambda: shown(bench) == 7)
    await bench.workbench.dispatch(StartChat("other", replace(SETTINGS, model="served-1")))
    meter.cached_tokens = 2
    await bench.do(SendMessage("other", "something else"))
    await until(lambda: shown(bench) == 2)


@in_calm_loop
async def test_what_is_judged_is_what_was_seen():
    """344 were shown, 29 silently expected at sending, and 29 called as predicted."""
    meter = FakeMeter(cached_tokens=7)
    bench = await served(meter)
    await bench.workbench.dispatch(EditDraft("talk", "one two three four five six seven"))
    await until(lambda: shown(bench) == 7)
    meter.cached_tokens = 2
    end = await bench.do(SendMessage("talk", "one two three four five six seven", drafted=True))
    assert end.outcome.cache is not None
    assert end.outcome.cache.forecast.predicted_read_tokens == 7


@in_calm_loop
async def test_an_edit_is_asked_about_and_judged_by_itself():
    meter = FakeMeter(cached_tokens=7)
    bench = await served(meter)
    await bench.do(SendMessage("talk", "one two three four five six"))
    question = bench.workbench.state.open["talk"].records[0].id
    meter.cached_tokens = 3
    await bench.workbench.dispatch(EditInPlace("talk", question, "one two three four five six seven"))

    def edited() -> int | None:
        edit = bench.workbench.state.open["talk"].edits.get(question)
        return None if edit is None or edit.view is None else edit.view.cached_tokens

    await until(lambda: edited() == 3)
    meter.cached_tokens = 1
    end = await bench.do(EditQuestion("talk", question, "one two three four five six seven"))
    assert end.outcome.cache is not None
    assert end.outcome.cache.forecast.predicted_read_tokens == 3


@in_calm_loop
async def test_a_chat_that_is_closed_is_forgotten():
    bench = await served(FakeMeter(cached_tokens=7))
    await bench.workbench.dispatch(EditDraft("talk", "one two"))
    await bench.calm()
    told: list[str] = []
    scope = bench.scope()
    ahead = CacheAhead(scope, lambda: told.append("news"))
    prepared = bench.workbench.state.open["talk"].prepared
    assert prepared is not None
    ahead.foretold(prepared)
    scope.close()
    await bench.calm()
    assert told == []


class SlowMeter(FakeMeter):
    """Takes its time, so that something can happen meanwhile → PromptMeter."""

    async def measure(self, request: ModelRequest) -> Measurement:
        """What it held when it was asked."""
        found = await super().measure(request)
        await asyncio.sleep(0.1)
        return found


@in_calm_loop
async def test_what_was_measured_before_the_server_moved_on_is_asked_again():
    meter = SlowMeter(cached_tokens=7)
    bench = await served(meter)
    await bench.workbench.dispatch(EditDraft("talk", "one two three four five six seven"))
    await until(lambda: len(meter.measured) == 1)
    meter.cached_tokens = 0
    await bench.workbench._open.answered("elsewhere", learnt=False)
    await bench.calm()
    assert (shown(bench), len(meter.measured)) == (0, 2)
