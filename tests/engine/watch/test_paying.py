"""What watched programs spend is counted by program, and held against the caps before it is sent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.spending import PRICE, MemoryLedger, spent
from tests.fakes.turns import fake_builder
from workbench.domain.model import ModelCard
from workbench.domain.spending import SpendCaps
from workbench.domain.usage import Price, Usage
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import (
    AgainstBefore,
    WatchedAnswer,
    WatchedPiece,
    WatchedRequest,
    WatchedTurn,
)
from workbench.engine.metering import Spending
from workbench.engine.tasks import Tasks
from workbench.engine.watch.paying import PayingPrograms

CARD = replace(
    fake_builder().catalogue.find("anthropic:claude-x"), provider="anthropic", name="claude-x",
    context_window_tokens=200_000, max_output_tokens=8_000,
)  # fmt: skip
BODY = b'{"model":"claude-x","max_tokens":1000,"messages":[{"role":"user","content":"%s"}]}' % (
    b"word " * 600
)
ASKED = Exchange(
    1,
    "anthropic",
    "POST",
    "/v1/messages",
    1_800_000_000.0,
    (("user-agent", "claude-cli/2.1.0 (x)"),),
    BODY,
    len(BODY),
)
REQUEST = WatchedRequest(
    "anthropic", "claude-x", (WatchedPiece("messages[0]", "L5_USER", "question", "word " * 600, tokens=700),)
)


class OnePrice:
    """The same price for every model → PriceList."""

    def price(self, card: ModelCard) -> Price | None:
        return PRICE


class Standing:
    """A clock that stands → UtcClock."""

    def utc_now(self) -> str:
        return "2026-11-18T12:00:00.000Z"


class Copied:
    """A request that has arrived whole → CopiedRequest."""

    n = 1

    def __init__(self, exchange: Exchange = ASKED) -> None:
        self._exchange = exchange

    def begun(self) -> Exchange:
        return self._exchange

    def exchange(self) -> Exchange:
        return self._exchange

    def more(self) -> bytes:
        return b""


def made(caps: SpendCaps) -> tuple[PayingPrograms, MemoryLedger]:
    """A gate with its ledger."""
    ledger, tasks = MemoryLedger(), Tasks(lambda _name, _error: None)
    spending = Spending(ledger, OnePrice(), fake_builder().catalogue, Standing(), lambda: caps, tasks)
    return PayingPrograms(spending, lambda _request: CARD), ledger


def turn(usage: Usage, **more: object) -> WatchedTurn:
    """The request with an answer that used so much."""
    answer = WatchedAnswer((WatchedPiece("content[0]", "L4_STRIP", "answer", "x" * 90),), usage)
    whole = WatchedTurn(
        1, "talk", "claude-cli/2.1.0", 0.0, 9, REQUEST, answer, AgainstBefore("first"), status=200
    )
    return replace(whole, **more)  # type: ignore[arg-type]


@in_loop
async def test_what_was_reported_counts_by_program():
    gate, ledger = made(SpendCaps())
    assert not gate.is_on()
    lost = AgainstBefore("changed", causes=("tools",), lost_tokens=500)
    await gate.ended(replace(ASKED, status=200), turn(Usage(900, 300, None, 40), against=lost))
    (one,) = await ledger.spent()
    assert (one.program, one.model, one.chat, one.state) == (
        "claude-cli",
        "anthropic:claude-x",
        "talk",
        "reported",
    )
    assert one.usd == pytest.approx((600 * 2.5 + 300 * 1.25 + 40 * 10) / 1e6)
    assert (one.reread_tokens, one.cause) == (500, "tools")


@in_loop
async def test_what_was_not_reported_is_predicted_and_what_was_refused_costs_nothing():
    gate, ledger = made(SpendCaps())
    await gate.ended(replace(ASKED, status=200), turn(Usage()))
    await gate.ended(replace(ASKED, status=429), turn(Usage(), status=429))
    await gate.ended(ASKED, None)
    (one,) = await ledger.spent()
    assert (one.state, one.input_tokens, one.output_tokens) == ("predicted", 700, 30)


@in_loop
async def test_a_request_that_could_pass_a_cap_is_refused_before_it_is_sent():
    gate, ledger = made(SpendCaps(day_usd=1.0))
    await ledger.add(spent(0.99))
    assert gate.is_on()
    assert await gate.refusal(Copied()) == (
        "$0.01 of $1.00 left today; this one may cost $0.01. Nothing was sent."
    )
    assert len(ledger.kept) == 1


@in_loop
async def test_a_request_that_passes_is_reserved_until_its_end():
    gate, ledger = made(SpendCaps(month_usd=1.0))
    assert await gate.refusal(Copied()) == ""
    most = ledger.kept[1].usd
    # 3,000 characters are at most 1,250 tokens, and the answer has at most as many as were asked for.
    assert most == pytest.approx((1_250 * 2.5 + 1_000 * 10) / 1e6)
    assert await ledger.spent() == ()
    await gate.ended(replace(ASKED, status=200), turn(Usage(900, 300, None, 40)))
    (one,) = await ledger.spent()
    assert (one.state, one.program) == ("reported", "claude-cli")


@in_loop
async def test_what_is_no_question_passes_and_what_cannot_be_read_does_not():
    gate, _ = made(SpendCaps(day_usd=0.0))
    counting = replace(ASKED, path="/v1/messages/count_tokens")
    assert await gate.refusal(Copied(counting)) == ""
    huge = replace(ASKED, request=b"", unread="too_large")
    assert "too large to tell" in await gate.refusal(Copied(huge))
