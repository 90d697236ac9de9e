"""A chat whose answer quotes one of its files, kept in a store, and a server that scores answers by their words."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from tests.fakes.chat_model import FakeModel, FakeModels, words
from tests.fakes.engine import Bench, fake_world
from tests.fakes.meter import SERVED_MODEL, FakeMeter
from tests.fakes.turns import fake_builder
from workbench.domain.influence import Influence, InfluenceWish
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.influence.running import measuring_for
from workbench.engine.influence.target import Target, find_target
from workbench.engine.intents import AttachFiles, SendMessage
from workbench.engine.tasks import Stopper

NOTES = {
    "baker.md": "The baker hides flour under the staircase.",
    "nurse.md": "The nurse owns seven canaries.",
    "pilot.md": "The pilot lost a compass near Tromsø.",
    "judge.md": "The judge collects umbrellas.",
    "sailor.md": "The sailor whistles every Tuesday.",
}
ANSWER = "A compass near Tromsø."
SETTINGS = ContextSettings(model=SERVED_MODEL.name, system_prompt="Answer briefly.")


@dataclass
class InfluenceStage:
    """One chat, `talk`, with a question that was answered; more turns may follow."""

    meter: FakeMeter | None = field(default_factory=FakeMeter)
    answers: tuple[str, ...] = (ANSWER,)
    settings: ContextSettings = SETTINGS
    notes: dict[str, str] = field(default_factory=lambda: dict(NOTES))
    changes: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        model = FakeModel([words(one) for one in self.answers], counts=self.meter)
        given = {"builder": fake_builder(SERVED_MODEL), "models": FakeModels(model), **self.changes}
        self.bench = Bench(fake_world(**given))
        self.bench.world.attachments.files.update(self.notes)  # type: ignore[attr-defined]

    async def begin(self, question: str = "What did the pilot lose?") -> None:
        """Attach every note and ask."""
        await self.bench.start(settings=self.settings)
        if self.notes:
            await self.bench.workbench.dispatch(AttachFiles("talk", tuple(self.notes)))
        await self.ask(question)

    async def ask(self, question: str) -> None:
        """One turn more."""
        await self.bench.do(SendMessage("talk", question))

    async def target(self) -> Target:
        """The newest answer."""
        store = self.bench.world.store
        turn = await store.last_turn("talk")
        assert turn is not None
        return await find_target(turn, store)

    async def measure(self, stop_after: int | None = None, **wish: Any) -> Influence:
        """What carried the newest answer; stopped after so many requests."""
        world = self.bench.world
        stopper = Stopper(world.tasks)

        def moved(done: int, planned: int, left_s: float | None) -> None:
            if done == stop_after:
                stopper.stop()

        way = await measuring_for(await self.target(), replace(InfluenceWish(), **wish), world)
        return await way.run(stopper, moved)
