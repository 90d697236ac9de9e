"""What a turn came to, in the names of the headless contract."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import Step, words
from tests.fakes.clock import SteppingClock
from tests.fakes.engine import SETTINGS, fake_bench
from tests.fakes.loop import in_calm_loop
from tests.fakes.turns import fake_builder, user
from workbench.domain.answer import Failure, UsageReported
from workbench.domain.caching import CacheForecast
from workbench.domain.model import ModelCard
from workbench.domain.outcome import CacheResult, Timings, TurnOutcome
from workbench.domain.usage import Cost, Price, Usage
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation
from workbench.engine.intents import SendMessage
from workbench.engine.turn.outcome import (
    TurnStopwatch,
    cache_note,
    error_note,
    refused,
    timings_ms,
    usage_notes,
)

CACHE = CacheResult(CacheForecast("builtin", 10, 5), 9, "expired")


class OnePrice:
    """Everything costs the same → PriceList."""

    def price(self, card: ModelCard) -> Price | None:
        """A dollar a million in, two out."""
        return Price(card.name, 1.0, 2.0, "2026-01-01")


def test_what_nobody_reported_is_not_noted():
    notes = usage_notes(TurnOutcome("complete", usage=Usage(prompt_tokens=1), finish_reason="stop"))
    assert notes == {
        "prompt_tokens": 1, "finish_reason": "stop",
        "timings_ms": {"build": 0.0, "first_token": None, "total": 0.0},
    }  # fmt: skip


def test_everything_that_is_known_is_noted():
    requests = (Usage(1), Usage(2))
    outcome = TurnOutcome(
        "failed", failure=Failure("rate", "Busy.", retry_after_s=3.0), usage=Usage(3), requests=requests,
        cache=CACHE, cost=Cost(0.5, "2026-01-01"), timings=Timings(1.26, 2.0, 3.0),
    )  # fmt: skip
    notes = usage_notes(outcome)
    assert notes["error"] == {"kind": "rate", "message": "Busy.", "retry_after_s": 3.0}
    assert notes["cache"] == {
        "predicted_read_tokens": 10, "predicted_write_tokens": 5, "fresh_tokens": 0,
        "reported_read_tokens": 9, "verdict": "expired",
    }  # fmt: skip
    assert notes["cost"] == {"usd": 0.5, "as_of": "2026-01-01"}
    assert notes["timings_ms"] == {"build": 1.3, "first_token": 2.0, "total": 3.0}
    assert [request["prompt_tokens"] for request in notes["requests"]] == [1, 2]
    assert notes["error"] == error_note(outcome.failure or Failure("internal", ""))
    assert notes["cache"] == cache_note(CACHE)


def test_times_are_measured_from_the_beginning():
    watch = TurnStopwatch(SteppingClock())
    watch.built()
    assert watch.timings(None) == Timings(1.0, None, 2.0)
    assert timings_ms(watch.timings(5.0)) == {"build": 1.0, "first_token": 4.0, "total": 3.0}


def test_a_request_that_does_not_fit_says_by_how_much_and_what_to_do():
    settings = replace(SETTINGS, context_window=20, reserved_output_tokens=0)
    prepared = prepare_turn(
        Conversation("talk"), Ask(settings, user("q", "word" + " word" * 29)), fake_builder()
    )
    outcome = refused(prepared, TurnStopwatch(SteppingClock()))
    assert outcome.failure is not None
    assert (outcome.state, outcome.failure.kind) == ("failed", "context")
    assert (outcome.failure.limit_tokens, outcome.failure.asked_tokens) == (20, 42)
    assert outcome.failure.message.startswith("The request is 22 tokens over the 20 it may have")
    assert "Detach something" in outcome.failure.message


@pytest.mark.parametrize(
    ("answer", "cost"),
    [
        (
            [UsageReported(Usage(1_000_000, completion_tokens=1_000_000)), *words("x")],
            Cost(3.0, "2026-01-01"),
        ),
        (words("x"), None),
    ],
)
def test_a_cost_is_told_where_tokens_and_prices_are_known(answer: list[Step], cost: Cost | None):
    @in_calm_loop
    async def turn() -> None:
        bench = fake_bench(answer, prices=OnePrice())
        await bench.start()
        assert (await bench.do(SendMessage("talk", "?"))).outcome.cost == cost

    turn()


@in_calm_loop
async def test_a_forecast_is_compared_with_what_the_first_request_reported():
    card = replace(WORD_MODEL, provider="builtin", cache_rules="llamacpp")
    read = [UsageReported(Usage(14, cached_tokens=12)), *words("x")]
    bench = fake_bench(
        [UsageReported(Usage(9, cached_tokens=0)), *words("x")], read, builder=fake_builder(card)
    )
    await bench.start()
    first = (await bench.do(SendMessage("talk", "?"))).outcome.cache
    second = (await bench.do(SendMessage("talk", "??"))).outcome.cache
    assert first is not None
    assert second is not None
    assert (first.forecast.predicted_read_tokens, first.verdict) == (0, "as_predicted")
    # The system message 6, the question 5, what opens the answer 2, its word 1.
    assert (second.forecast.predicted_read_tokens, second.reported_read_tokens) == (14, 12)
    assert second.verdict == "less"
