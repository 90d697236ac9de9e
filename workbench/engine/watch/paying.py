"""Counts the requests of watched programs, and refuses those that could pass a cap on spending."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from workbench.context.request_cost import rereading_cost
from workbench.context.watch.reading import body_of, purpose_of, read_request
from workbench.domain.errors import WorkbenchError
from workbench.domain.model import ModelCard
from workbench.domain.spending import (
    CHARS_A_TOKEN,
    CapReached,
    Expected,
    Spent,
    most_tokens,
    reply_limit,
)
from workbench.domain.translation import tr
from workbench.domain.usage import believed
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedRequest, WatchedTurn
from workbench.engine.metering import COLD, Spending
from workbench.engine.watch.turn_of import asked_tokens, program_of, request_model_name
from workbench.ports.watching import CopiedRequest

CardOf = Callable[[WatchedRequest], ModelCard]
_PICTURE_TOKENS = 2_000
_REFUSED = 400
_TOO_LARGE = tr(
    "This request is too large to tell what it may cost, and there is a cap on spending. Nothing was sent."
)


@dataclass(slots=True)
class _Reserved:
    number: int
    record: Spent
    card: ModelCard


class PayingPrograms:
    """The gate that requests of other programs pass, and where they are counted at their end → Gate."""

    def __init__(self, spending: Spending, card_of: CardOf) -> None:
        self._spending, self._card_of = spending, card_of
        self._reserved: dict[int, _Reserved] = {}

    def is_on(self) -> bool:
        """Whether there is a cap on what a day or a month may cost."""
        caps = self._spending.caps()
        return caps.day_usd is not None or caps.month_usd is not None

    async def refusal(self, copied: CopiedRequest) -> str:
        """Why a request may not be sent on; empty where it may, and is reserved."""
        exchange = await asyncio.to_thread(copied.begun)
        if exchange.unread:
            return _TOO_LARGE if exchange.unread in ("too_large", "encoding") else ""
        body = await asyncio.to_thread(body_of, exchange)
        if purpose_of(exchange, body) != "turn":
            return ""
        request = await asyncio.to_thread(read_request, exchange, body)
        card = self._card_of(request)
        tokens = _tokens_of(request)
        limit = reply_limit(card, asked_tokens(request.parameters), tokens)
        record = self._spending.reserved(
            Expected(card, tokens), request_model_name(request, card), most_tokens(tokens, exact=False), limit,
            program=program_of(exchange),
        )  # fmt: skip
        try:
            number = await self._spending.ledger.reserve(record, self._spending.limits(""))
        except CapReached as reached:
            return str(reached)
        except WorkbenchError as problem:
            return str(problem)
        self._reserved[exchange.n] = _Reserved(number, record, card)
        return ""

    async def ended(self, exchange: Exchange, turn: WatchedTurn | None) -> None:
        """Count a request at its end, as reported or else as predicted; one that was refused was not paid."""
        held = self._reserved.pop(exchange.n, None)
        answered = exchange.status is not None and exchange.status < _REFUSED
        with suppress(WorkbenchError):
            if held is not None:
                ended = None if not answered else self._spent(held.record, held.card, turn)
                await self._spending.ledger.settle(held.number, ended)
            elif turn is not None and turn.request.pieces and answered:
                card = self._card_of(turn.request)
                model = request_model_name(turn.request, card)
                made = self._spending.reserved(
                    Expected(card, turn.request.tokens),
                    model,
                    turn.request.tokens,
                    0,
                    program=program_of(exchange),
                )
                await self._spending.ledger.add(self._spent(made, card, turn))

    def _spent(self, record: Spent, card: ModelCard, turn: WatchedTurn | None) -> Spent:
        if turn is None:
            return replace(record, state="predicted", usd=record.predicted_usd)
        told, forecast, against = believed(turn.answer.usage), turn.forecast, turn.against
        text = sum(len(one.text) for one in turn.answer.pieces)
        answer = text // CHARS_A_TOKEN if told.completion_tokens is None else told.completion_tokens
        foretold = Expected(
            card,
            turn.request.tokens,
            read_tokens=0 if forecast is None else forecast.predicted_read_tokens,
            write_tokens=0 if forecast is None else forecast.predicted_write_tokens,
        ).usage
        foretold = replace(foretold, completion_tokens=answer)
        reported = None not in (told.prompt_tokens, told.completion_tokens) and not turn.answer.cut
        used = foretold if told.prompt_tokens is None else replace(told, completion_tokens=answer)
        lost = min(against.lost_tokens, max(0, (used.prompt_tokens or 0) - (used.cached_tokens or 0)))
        cause = against.causes[0] if against.causes else ""
        ended = replace(record, chat=turn.conversation, price=self._spending.prices.price(card))
        ended = ended.with_usage(used, "reported" if reported else "predicted")
        return replace(
            ended,
            predicted_usd=ended.with_usage(foretold, "predicted").usd,
            reread_tokens=lost,
            reread_usd=rereading_cost(card, record.price, lost),
            cause="" if not lost else COLD if cause == "expired" else cause,
        )


def _tokens_of(request: WatchedRequest) -> int:
    """About how many tokens a request has, rather more than fewer: it waits while it is counted."""
    text = sum(len(one.text) for one in request.pieces)
    return text // CHARS_A_TOKEN + _PICTURE_TOKENS * sum(one.image is not None for one in request.pieces)
