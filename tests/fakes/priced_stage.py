"""The whole window over a real store, with a model whose server holds what it answered last: so a cache is warm."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from pathlib import Path

from tests.fakes.chat_model import FakeModel, FakeModels, words
from tests.fakes.engine import fake_world
from tests.fakes.meter import SERVED_MODEL, HoldingMeter
from tests.fakes.qt_loop import until
from tests.fakes.turns import fake_builder
from tests.fakes.window_stage import WindowStage
from workbench.domain.answer import AnswerPart
from workbench.domain.model import ModelListing
from workbench.domain.request import ModelRequest
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.intents import SendMessage
from workbench.engine.world import World
from workbench.ports.history import HistoryStore
from workbench.ui.given import Report

OTHER = replace(SERVED_MODEL, name="served-2")
LOG = ContextSettings(
    model="served-1", system_prompt="Be kind.", layout="append_only", reserved_output_tokens=0
)


@dataclass
class HoldingModel(FakeModel):
    """A model that keeps what it was asked and what it answered, as a server with a cache does."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        """The next answer; then the server holds all of it."""
        said = ""
        async for part in super().stream(request):
            said += getattr(part, "text", "")
            yield part
        assert isinstance(self.counts, HoldingMeter)
        self.counts.hold(request, said)


@dataclass
class ListedModels(FakeModels):
    """Both models can be chosen."""

    async def available(self) -> tuple[ModelListing, ...]:
        """What there is."""
        return tuple(ModelListing(card.name, card, True) for card in (SERVED_MODEL, OTHER))


def warm_world(store: HistoryStore, report: Report) -> World:
    """A world whose model answers at some length, and whose server is asked what it holds."""
    model = HoldingModel(
        [words(f"Answer {n}. " + "So it is. " * 20) for n in range(1, 20)], counts=HoldingMeter()
    )
    other = FakeModel([words("Hi.")], counts=HoldingMeter("served-2"))
    models = ListedModels(model, {"served-2": other})
    builder = fake_builder(SERVED_MODEL, OTHER)
    builder.guard.prefer("warn")
    return fake_world(store=store, models=models, builder=builder)


async def open_warm(folder: Path, settings: ContextSettings = LOG) -> WindowStage:
    """A window with a new chat in view."""
    stage = await WindowStage.open(folder, warm_world)
    stage.window.resize(1600, 1000)
    stage.session.start_chat(settings)
    await until(lambda: stage.chat is not None and stage.chat.chat.settings.model == "served-1")
    return stage


async def ask(stage: WindowStage, text: str) -> None:
    """Ask, and wait until it is answered and the cache was looked at."""
    turns = stage.open_chat.conversation.turn
    stage.session.send(SendMessage(stage.session.chat_id, text))
    await until(lambda: stage.open_chat.conversation.turn > turns and stage.open_chat.running is None)
    await warm(stage)


async def warm(stage: WindowStage) -> None:
    """Wait until it is known what the cache holds of the request in view."""
    await until(
        lambda: stage.open_chat.view is not None and stage.open_chat.view.cached_tokens is not None,
    )
    await stage.settle()
