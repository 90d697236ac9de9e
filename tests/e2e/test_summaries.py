"""The real built-in model summarises: what it writes holds, or is refused in words; either way nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

from tests.e2e.conftest import Run
from tests.fakes.chat_model import FakeModel, FakeModels
from tests.fakes.engine import SETTINGS, Bench, fake_world
from tests.fakes.stores import chat, said
from workbench.context.shorten.compact import check
from workbench.domain.answer import AnswerPart
from workbench.domain.message import Message
from workbench.domain.request import ModelRequest
from workbench.domain.summary import SummaryWish
from workbench.engine.intents import OpenChat
from workbench.engine.program_intents import MakeSummary
from workbench.engine.summaries import material_of
from workbench.engine.tuning_intents import TuneSummaries
from workbench.providers.builtin.model import BuiltinModel

ANSWER = "Rounding is done once, at the end of the invoice, and never for a single line of it. " * 3
ENDS = ("ready", "refused", "failed")
ASKED = ("Our invoices are rounded to 2 decimals.", "And tax is 19 %.", "So?")


class Brief(FakeModel):
    """The built-in model, kept short: what it is cut off in may be refused, and that is as good."""

    def __init__(self, model: BuiltinModel) -> None:
        super().__init__(())
        self._model = model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        async for part in self._model.stream(replace(request, max_output_tokens=48)):
            yield part


async def summarised(model: BuiltinModel) -> None:
    world = fake_world(models=FakeModels(Brief(model)))
    bench = Bench(world)
    await world.store.create_chat(replace(chat("talk"), settings=SETTINGS))
    parent = None
    for number, words in enumerate(ASKED):
        asked = replace(said(f"q{number}", words, parent), chat="talk")
        answered = replace(said(f"a{number}", "", f"q{number}"), chat="talk")
        parent = f"a{number}"
        await world.store.append([asked, replace(answered, entry=Message(parent, "assistant", (ANSWER,)))])
    await bench.workbench.dispatch(OpenChat("talk"))
    await bench.calm()
    wish = SummaryWish("builtin", 1, 2)
    done = asyncio.Event()
    bench.workbench.subscribe(
        lambda event, state: done.set() if state.summary and state.summary.stage in ENDS else None
    )
    await bench.workbench.dispatch(MakeSummary("talk", wish))
    await done.wait()
    view = bench.workbench.state.summary
    assert view is not None
    conversation = bench.workbench.state.open["talk"].conversation
    material = material_of(conversation, SETTINGS, wish, world)
    assert view.stage in ("ready", "refused"), view.problem
    if view.summary is None:
        assert view.problem
    else:
        assert check(view.summary.text, material.original).holds
        await bench.workbench.dispatch(TuneSummaries("talk", (view.summary,)))
        await bench.calm()
    assert len(bench.workbench.state.open["talk"].records) == 6
    await world.tasks.close()


def test_what_it_writes_holds_or_is_refused_in_words(run: Run, model: BuiltinModel):
    """Were a summary of a small model trusted, a chat would go on from numbers that nobody said."""
    run(summarised(model))
