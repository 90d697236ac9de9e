"""Models beside any chat: listed, and got ready once however often that is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from tests.fakes.chat_model import FakeModel, FakeModels, words
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.provider_keys import MemoryProviderKeys
from workbench.domain.answer import Failure
from workbench.domain.model import ModelListing
from workbench.domain.secrets import Secret
from workbench.engine.events import ModelReadied
from workbench.engine.program_intents import KeepProviderKey, ListModels, WarmModel
from workbench.engine.state import Readiness
from workbench.engine.tasks import Tasks


@dataclass
class LoadingModel(FakeModel):
    """Takes until it is let go on to get ready."""

    begun: int = 0
    error: Exception | None = None

    def __post_init__(self) -> None:
        self.go_on = asyncio.Event()

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        """Says how far it is."""
        self.begun += 1
        for part in (0.5, 0.5, 1.0):
            progress("loading", part)
        await self.go_on.wait()
        if self.error is not None:
            raise self.error
        await super().ready(progress)


def bench_of(model: FakeModel, **changes: object) -> Bench:
    return fake_bench(models=FakeModels(model), **changes)


def readiness(bench: Bench, name: str = "m") -> Readiness:
    return bench.workbench.state.readiness[name]


@in_calm_loop
async def test_what_can_be_used_is_listed():
    class Listed(FakeModels):
        async def available(self) -> tuple[ModelListing, ...]:
            return (ModelListing("builtin", None, True),)

    bench = fake_bench(models=Listed(FakeModel([words("x")])))
    before = bench.workbench.state
    await bench.workbench.dispatch(ListModels())
    assert before.models is None
    assert bench.workbench.state.models == (ModelListing("builtin", None, True),)


@in_calm_loop
async def test_a_model_tells_how_far_it_is_until_it_is_ready():
    bench = bench_of(model := LoadingModel([words("x")]))
    await bench.workbench.dispatch(WarmModel("m"))
    assert readiness(bench) == Readiness(False)
    await until(lambda: readiness(bench).fraction == 1.0)
    assert readiness(bench) == Readiness(False, "loading", 1.0)
    model.go_on.set()
    await until(lambda: readiness(bench).ready)
    assert (readiness(bench).problem, (readiness(bench).took_ms or 0) > 0) == ("", True)
    # The same word twice is one event.
    assert len(bench.told(ModelReadied)) == 4


@in_calm_loop
async def test_a_model_that_is_on_its_way_is_not_begun_again():
    bench = bench_of(model := LoadingModel([words("x")]))
    for _ in range(3):
        await bench.workbench.dispatch(WarmModel("m"))
    await until(lambda: model.begun == 1)
    model.go_on.set()
    await until(lambda: readiness(bench).ready)
    assert model.begun == 1
    await bench.workbench.dispatch(WarmModel("m"))
    await until(lambda: readiness(bench).ready)
    assert model.begun == 2


@in_calm_loop
async def test_why_a_model_cannot_be_used_is_said():
    bench = bench_of(FakeModel([words("x")], unready=Failure("unavailable", "Install it first.")))
    await bench.workbench.dispatch(WarmModel("m"))
    await until(lambda: readiness(bench).problem == "Install it first.")
    await bench.workbench.dispatch(WarmModel("nonsense:"))
    await until(lambda: "names no model" in readiness(bench, "nonsense:").problem)
    assert not readiness(bench).ready


@in_calm_loop
async def test_a_key_that_is_given_or_taken_is_seen_at_the_model_at_once():
    """The dot stayed as it was until the model was chosen again."""
    model = FakeModel([words("x")], unready=Failure("auth", "There is no key."))
    bench = bench_of(model, keys=MemoryProviderKeys())
    await bench.workbench.dispatch(WarmModel("m"))
    await until(lambda: readiness(bench).problem == "There is no key.")
    model.unready = None
    await bench.workbench.dispatch(KeepProviderKey("https://a", Secret.of_text("sk-1")))
    await until(lambda: readiness(bench).ready)
    model.unready = Failure("auth", "There is no key.")
    await bench.workbench.dispatch(KeepProviderKey("https://a", None))
    await until(lambda: readiness(bench).problem == "There is no key.")


@in_calm_loop
async def test_a_bug_is_reported_and_nobody_waits_for_ever():
    reported: list[str] = []
    tasks = Tasks(lambda name, error: reported.append(name))
    bench = bench_of(model := LoadingModel([words("x")], error=ZeroDivisionError()), tasks=tasks)
    model.go_on.set()
    await bench.workbench.dispatch(WarmModel("m"))
    await until(lambda: readiness(bench).problem.startswith("The program failed."))
    await until(lambda: reported == ["get m ready"])


@in_calm_loop
async def test_closing_the_program_ends_it():
    bench = bench_of(model := LoadingModel([words("x")]))
    await bench.workbench.dispatch(WarmModel("m"))
    await until(lambda: model.begun == 1)
    await bench.workbench.close()
    assert readiness(bench) == Readiness(False)
