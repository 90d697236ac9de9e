"""Every request is counted, whoever sends it: as reported, else as predicted; one over a cap is not sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModel, FakeModels, Step, words
from tests.fakes.engine import SETTINGS, Bench, TickingUtc, fake_world
from tests.fakes.loop import in_loop
from tests.fakes.spending import PRICE, MemoryLedger, spent
from tests.fakes.turns import fake_builder
from workbench.domain.answer import (
    Accepted,
    AnswerPart,
    Failure,
    Finished,
    ModelFailed,
    TextGrew,
    UsageReported,
)
from workbench.domain.model import ModelCard
from workbench.domain.request import ModelRequest
from workbench.domain.spending import Expected, SpendCaps, Spent
from workbench.domain.usage import Price, Usage
from workbench.engine.intents import SendMessage
from workbench.engine.metering import MeteredModels, Spending, limits_at
from workbench.engine.program_intents import AllowOverCap, LookAtSpending
from workbench.engine.tasks import Tasks
from workbench.engine.turn.small_request import SmallRequest, ask_small_request, build_small_request

HOSTED = replace(WORD_MODEL, provider="openai", context_window_tokens=9_000, max_output_tokens=1_000)
REQUEST = ModelRequest("openai:m", "talk", (), 9_000, max_output_tokens=500)
ONE = replace(REQUEST, expected=Expected(HOSTED, 1_000, exact=True, read_tokens=600, held_tokens=700))
USED = Usage(900, 300, None, 40)


class OnePrice:
    """The same price for every model → PriceList."""

    def price(self, card: ModelCard) -> Price | None:
        return PRICE


class Failing(FakeModel):
    """A model whose server need not have taken the request → ChatModel."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        async with aclosing(super().stream(request)) as parts:
            await anext(parts)  # that it was accepted
            async for part in parts:
                yield part


def raise_it(name: str, error: BaseException) -> None:
    raise AssertionError(name) from error


class Counted:
    """A fake model behind the meter, with its ledger."""

    def __init__(self, *answers: Sequence[Step], caps: SpendCaps | None = None) -> None:
        self.ledger, self.model, self.caps = MemoryLedger(), FakeModel(answers), caps or SpendCaps()
        catalogue = fake_builder(WORD_MODEL).catalogue
        utc, tasks = TickingUtc("2026-11-18"), Tasks(raise_it)
        self.spending = Spending(self.ledger, OnePrice(), catalogue, utc, lambda: self.caps, tasks)
        self.models = MeteredModels(FakeModels(self.model), self.spending)

    async def hear(self, request: ModelRequest = ONE, most: int = 99) -> None:
        """Listen to an answer, or to its first parts."""
        async with aclosing(self.models.open("openai:m").stream(request)) as parts:
            async for _ in parts:
                most -= 1
                if not most:
                    break

    async def last(self) -> Spent:
        return (await self.ledger.spent())[-1]


@in_loop
async def test_what_was_reported_counts():
    it = Counted([TextGrew("Hello."), UsageReported(USED), Finished("stop")])
    await it.hear()
    one = await it.last()
    assert (one.state, one.input_tokens, one.cached_tokens, one.output_tokens) == ("reported", 900, 300, 40)
    assert one.usd == pytest.approx((600 * 2.5 + 300 * 1.25 + 40 * 10) / 1e6)
    assert one.predicted_usd == pytest.approx((400 * 2.5 + 600 * 1.25 + 40 * 10) / 1e6)
    assert (one.chat, one.model, one.price) == ("talk", "openai:m", PRICE)
    # 700 were held, the cache was warm and nothing had changed, and 300 came of it: the provider had lost the rest.
    assert (one.reread_tokens, one.cause) == (400, "elsewhere")
    assert one.reread_usd == pytest.approx(400 * 1.25 / 1e6)


@pytest.mark.parametrize(
    ("cached", "cause", "expected"),
    [(600, "", (0, "")), (704, "", (0, "")), (0, "cold", (700, "cold")), (100, "tools", (600, "tools"))],
)
@in_loop
async def test_what_is_read_again_is_told_with_its_cause(cached: int, cause: str, expected: tuple[int, str]):
    it = Counted([UsageReported(replace(USED, cached_tokens=cached)), Finished("stop")])
    assert ONE.expected is not None
    await it.hear(replace(ONE, expected=replace(ONE.expected, cause=cause)))
    one = await it.last()
    assert (one.reread_tokens, one.cause) == expected


@in_loop
async def test_what_was_not_reported_is_predicted_from_the_count_and_the_answer():
    it = Counted([TextGrew("x" * 300), Finished("stop")])
    await it.hear()
    one = await it.last()
    assert (one.state, one.input_tokens, one.cached_tokens, one.output_tokens) == (
        "predicted",
        1_000,
        600,
        100,
    )
    assert one.usd == one.predicted_usd == pytest.approx((400 * 2.5 + 600 * 1.25 + 100 * 10) / 1e6)


@in_loop
async def test_an_answer_that_is_stopped_was_paid_all_the_same():
    it = Counted([TextGrew("x" * 30), TextGrew("never heard"), Finished("stop")])
    await it.hear(most=2)
    assert [(one.state, one.output_tokens) for one in await it.ledger.spent()] == [("predicted", 10)]


@pytest.mark.parametrize(
    ("before", "kind", "counted"),
    [([], "network", 0), ([], "auth", 0), ([], "timeout", 1), ([Accepted("d")], "network", 1)],
)
@in_loop
async def test_a_request_that_nobody_took_costs_nothing(before: list[Any], kind: Any, counted: int):
    it = Counted()
    it.models = MeteredModels(FakeModels(Failing([(*before, Failure(kind, "It failed."))])), it.spending)
    with pytest.raises(ModelFailed):
        await it.hear()
    assert len(await it.ledger.spent()) == len(it.ledger.kept) == counted


@in_loop
async def test_a_request_that_could_pass_a_cap_is_not_sent():
    it = Counted([TextGrew("Hello."), UsageReported(USED), Finished("stop")], caps=SpendCaps(day_usd=0.007))
    with pytest.raises(ModelFailed) as refused:
        await it.hear()
    assert refused.value.failure.kind == "cap"
    assert refused.value.failure.message == (
        "$0.0070 of $0.0070 left today; this one may cost $0.0075. Nothing was sent."
    )
    assert (it.model.requests, it.ledger.kept) == ([], {})
    assert ONE.expected is not None
    await it.hear(replace(ONE, expected=replace(ONE.expected, over_cap=True)))
    assert len(it.model.requests) == len(it.ledger.kept) == 1


@in_loop
async def test_of_two_at_once_only_one_passes_a_cap_that_allows_one():
    it = Counted([TextGrew("Hello."), UsageReported(USED), Finished("stop")], caps=SpendCaps(chat_usd=0.01))
    ends = await asyncio.gather(it.hear(), it.hear(), return_exceptions=True)
    assert sum(isinstance(one, ModelFailed) for one in ends) == 1
    assert len(it.model.requests) == 1


def test_a_day_and_a_month_begin_at_local_midnight(monkeypatch: pytest.MonkeyPatch):
    import time

    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        found = limits_at(SpendCaps(1, 2, 3), "2026-11-03T03:00:00Z", "c")
    finally:
        monkeypatch.undo()
        time.tzset()
    # The third of November there has not begun yet; on the first, clocks were put back.
    assert [(one.cap, one.since_utc, one.chat) for one in found] == [
        ("day", "2026-11-02T05:00:00", ""),
        ("month", "2026-11-01T04:00:00", ""),
        ("chat", "", "c"),
    ]


def bench(caps: SpendCaps, *answers: Sequence[Step]) -> tuple[Bench, MemoryLedger, FakeModel]:
    """A workbench whose requests are counted."""
    world = fake_world()
    model, ledger = FakeModel(answers or [words("An answer.")]), MemoryLedger()
    spending = Spending(ledger, OnePrice(), world.builder.catalogue, world.utc, lambda: caps, world.tasks)
    models = MeteredModels(FakeModels(model), spending)
    return Bench(replace(world, models=models, spending=spending, prices=OnePrice())), ledger, model


@in_loop
async def test_a_turn_over_a_cap_is_not_sent_and_its_words_come_back_until_it_is_allowed_once():
    it, ledger, model = bench(SpendCaps(day_usd=0.0001))
    await it.start()
    ended = await it.do(SendMessage("talk", "Hello?"))
    assert ended.outcome.failure is not None
    assert (ended.outcome.state, ended.outcome.failure.kind) == ("failed", "cap")
    assert (model.requests, ledger.kept, await it.texts()) == ([], {}, [])
    await it.workbench.dispatch(AllowOverCap("talk"))
    assert (await it.do(SendMessage("talk", "Hello?"))).outcome.state == "complete"
    again = (await it.do(SendMessage("talk", "And again?"))).outcome
    assert (again.state, len(model.requests), len(ledger.kept)) == ("failed", 1, 1)


@in_loop
async def test_small_requests_of_the_program_count_and_are_capped():
    it, ledger, model = bench(SpendCaps(day_usd=0.0001))
    small = await build_small_request(
        SmallRequest("title", SETTINGS.model, "Be short.", "Words", 20), it.world
    )
    with pytest.raises(Exception, match="left today"):
        await ask_small_request(small, it.world)
    assert (model.requests, ledger.kept) == ([], {})
    free, ledger, model = bench(SpendCaps())
    await ask_small_request(small, free.world)
    assert (len(model.requests), len(ledger.kept)) == (1, 1)


@in_loop
async def test_what_was_spent_is_in_the_state_while_it_is_looked_at():
    it, ledger, _ = bench(SpendCaps(month_usd=60.0))
    await ledger.add(spent(0.5))
    await it.start()
    await it.workbench.dispatch(LookAtSpending())
    view = it.workbench.state.spending
    assert view is not None
    assert ([one.usd for one in view.spent], view.caps.month_usd) == ([0.5], 60.0)
    await it.do(SendMessage("talk", "Hello?"))
    await it.calm()
    assert it.workbench.state.spending is not None
    await it.workbench.dispatch(LookAtSpending(on=False))
    assert it.workbench.state.spending is None
