"""A chat knows how long its provider's cache lasts, and shows its next request anew when that time is over."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import Forever, Step, calls, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import fake_builder
from workbench.domain.answer import Failure
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.tool import ToolOutcome
from workbench.engine.intents import ChangeSettings, EditDraft, SendMessage, StopTurn, TrySettings
from workbench.engine.open_chat.requests import Warm, Warmth
from workbench.providers.cache_rules import Rulebook, load_rules
from workbench.sources.resources import resource_path

OPENAI = load_rules(resource_path("cache-rules.toml")).by_id["openai"]
CARD = replace(WORD_MODEL, cache_rules="openai")


class SetClock:
    """A clock that stands where it is put."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, 12, tzinfo=UTC)

    def utc_now(self) -> str:
        """The moment it stands at."""
        return self.now.isoformat().replace("+00:00", "Z")

    def monotonic_ms(self) -> float:
        """Nothing takes time."""
        return 0.0


def bench_of(lifetime_s: int, clock: SetClock) -> Bench:
    rules = replace(OPENAI, minimum_tokens=1, step_tokens=1, lifetime_s=lifetime_s)
    builder = replace(fake_builder(CARD), rulebook=Rulebook({"openai": rules}))
    return fake_bench(words("One."), words("Two."), builder=builder, utc=clock)


def view_of(bench: Bench) -> EnvelopeView:
    view = bench.workbench.state.open["talk"].view
    assert view is not None
    return view


@in_calm_loop
async def test_a_chat_is_warm_for_a_while_and_then_cold():
    clock = SetClock()
    bench = bench_of(300, clock)
    await bench.start(settings=replace(SETTINGS, layout="append_only"))
    assert (view_of(bench).cold, view_of(bench).warm_until_utc) == (False, None)
    await bench.do(SendMessage("talk", "one two"))
    await bench.workbench.dispatch(EditDraft("talk", "three"))
    assert (view_of(bench).cold, view_of(bench).warm_until_utc) == (False, "2026-01-01T12:05:00+00:00")
    assert view_of(bench).cached_tokens
    clock.now += timedelta(seconds=300)
    await bench.workbench.dispatch(EditDraft("talk", "three four"))
    assert (view_of(bench).cold, view_of(bench).cached_tokens) == (True, 0)
    # What was shown as free is what is sent.
    prepared = bench.workbench.state.open["talk"].prepared
    assert prepared is not None
    assert prepared.built.envelope.rebuilt == "cold"
    ended = await bench.do(SendMessage("talk", "three four", drafted=True))
    assert ended.outcome.state == "complete"
    last = (await bench.world.store.turns("talk"))[-1]
    assert last.built.envelope.rebuilt == "cold"


@in_calm_loop
async def test_what_a_server_never_answered_is_not_counted_on():
    """A person gave up on a server that was not there, and nearly all of the next request was shown as cached."""
    rules = replace(OPENAI, minimum_tokens=1, step_tokens=1, lifetime_s=300)
    builder = replace(fake_builder(CARD), rulebook=Rulebook({"openai": rules}))
    bench = fake_bench([Forever()], builder=builder, utc=SetClock())
    await bench.start()
    await bench.workbench.dispatch(SendMessage("talk", "one two three four five six"))
    await until(lambda: len(bench.model.requests) == 1)
    await bench.workbench.dispatch(StopTurn("talk"))
    await bench.workbench.until_ended("talk")
    await bench.workbench.dispatch(EditDraft("talk", "seven"))
    await bench.calm()
    assert (await bench.world.store.turns("talk"))[-1].state == "stopped"
    assert view_of(bench).cached_tokens == 0


@in_calm_loop
async def test_what_was_shown_as_warm_is_sent_so_however_late():
    clock = SetClock()
    bench = bench_of(300, clock)
    await bench.start(settings=replace(SETTINGS, layout="append_only"))
    await bench.do(SendMessage("talk", "one two"))
    await bench.workbench.dispatch(EditDraft("talk", "three"))
    clock.now += timedelta(seconds=300)
    await bench.do(SendMessage("talk", "three", drafted=True))
    assert (await bench.world.store.turns("talk"))[-1].built.envelope.rebuilt is None


@in_calm_loop
async def test_what_nobody_saw_is_begun_anew_where_that_is_free():
    clock = SetClock()
    bench = bench_of(300, clock)
    await bench.start(settings=replace(SETTINGS, layout="append_only"))
    await bench.do(SendMessage("talk", "one two"))
    clock.now += timedelta(seconds=300)
    await bench.do(SendMessage("talk", "three"))
    assert (await bench.world.store.turns("talk"))[-1].built.envelope.rebuilt == "cold"


@in_calm_loop
async def test_it_is_shown_by_itself_when_the_time_is_over():
    clock = SetClock()
    bench = bench_of(1, clock)
    await bench.start()
    await bench.do(SendMessage("talk", "one two"))
    await bench.workbench.dispatch(EditDraft("talk", "three"))
    clock.now += timedelta(seconds=2)
    await until(lambda: view_of(bench).cold)


@in_calm_loop
async def test_a_computer_that_slept_finds_the_cache_cold():
    """The loop's own time stands still meanwhile: a share of cached tokens stayed beside a chip that said cold."""
    clock, told = SetClock(), asyncio.Event()
    bench = bench_of(300, clock)
    await bench.start()
    warmth = Warmth(bench.scope(), told.set, look_s=0.001)
    warmth.watch(Warm(False, "2026-01-01T12:05:00+00:00", 300.0))
    await asyncio.sleep(0)
    clock.now += timedelta(seconds=300)
    await until(told.is_set)


@in_calm_loop
async def test_where_nobody_knows_how_long_nothing_is_said():
    clock = SetClock()
    bench = bench_of(300, clock)
    await bench.start()
    await bench.do(SendMessage("talk", "one two"))
    warmth = Warmth(bench.scope(), lambda: None)
    conversation = bench.workbench.state.open["talk"].conversation
    model = SETTINGS.model
    assert warmth.look(conversation, model, replace(CARD, cache_rules=None)) == Warm()
    assert warmth.look(replace(conversation, held=()), model, CARD) == Warm()
    assert warmth.look(conversation, "another", CARD) == Warm()
    assert warmth.look(conversation, model, CARD).until_utc is not None


@in_calm_loop
async def test_a_look_at_another_model_leaves_the_time_of_this_one():
    clock = SetClock()
    bench = bench_of(1, clock)
    await bench.start()
    await bench.do(SendMessage("talk", "one two"))
    await bench.workbench.dispatch(TrySettings("talk", replace(SETTINGS, model="another")))
    clock.now += timedelta(seconds=2)
    await until(lambda: view_of(bench).cold)


class SlowTools(FakeToolbox):
    """Tools that take six minutes each."""

    def __init__(self, clock: SetClock) -> None:
        super().__init__({"a": "hello"})
        self._clock = clock

    def done(self, name: str, arguments: Any) -> ToolOutcome:
        """Time goes by."""
        self._clock.now += timedelta(minutes=6)
        return super().done(name, arguments)


@in_calm_loop
async def test_the_time_is_that_of_the_last_request_of_a_turn():
    clock = SetClock()
    box = SlowTools(clock)
    rules = replace(OPENAI, minimum_tokens=1, step_tokens=1)
    builder = replace(fake_builder(CARD), rulebook=Rulebook({"openai": rules}))
    answers = (calls(("read", '{"path": "a"}')), words("One."))
    bench = fake_bench(*answers, builder=builder, utc=clock, toolbox=box)
    await bench.start(settings=replace(SETTINGS, tools=(box.tools[0].definition,)))
    await bench.do(SendMessage("talk", "one two"))
    clock.now += timedelta(seconds=10)
    await bench.workbench.dispatch(EditDraft("talk", "three"))
    assert (view_of(bench).cold, view_of(bench).warm_until_utc) == (False, "2026-01-01T12:11:00+00:00")


@in_calm_loop
async def test_each_model_has_a_cache_of_its_own():
    """The other one was asked just now; this one nine minutes ago."""
    clock = SetClock()
    bench = bench_of(300, clock)
    await bench.start()
    await bench.do(SendMessage("talk", "one two"))
    clock.now += timedelta(minutes=9)
    await bench.workbench.dispatch(ChangeSettings("talk", replace(SETTINGS, model="another")))
    await bench.do(SendMessage("talk", "three"))
    await bench.workbench.dispatch(ChangeSettings("talk", SETTINGS))
    await bench.workbench.dispatch(EditDraft("talk", "four"))
    assert (view_of(bench).cold, view_of(bench).cached_tokens) == (True, 0)


@in_calm_loop
async def test_failures_since_leave_what_is_held():
    clock = SetClock()
    builder = replace(fake_builder(CARD), rulebook=Rulebook({"openai": OPENAI}))
    gone: list[Step] = [Failure("network", "Gone.")]
    bench = fake_bench(words("One."), *[gone] * 4, builder=builder, utc=clock)
    await bench.start()
    for words_asked in ("one two", *["three"] * 4):
        await bench.do(SendMessage("talk", words_asked))
    assert len(bench.workbench.state.open["talk"].conversation.held) == 1
