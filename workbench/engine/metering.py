"""Counts every request to a model: reserved against the caps before it is sent, settled with what was reported."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from workbench.context.request_cost import rereading_cost
from workbench.domain.answer import (
    Accepted,
    AnswerPart,
    CallMade,
    Failure,
    Finished,
    ModelFailed,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.caching import ChatFraming, Measurement
from workbench.domain.change import PrefixChange
from workbench.domain.errors import WorkbenchError
from workbench.domain.influence import AnswerScore, AnswerTokens
from workbench.domain.model import ModelCard, ModelListing, ServerLook
from workbench.domain.request import ModelRequest, WireBody
from workbench.domain.spending import (
    CHARS_A_TOKEN,
    CapReached,
    Expected,
    Limit,
    SpendCaps,
    Spent,
    most_tokens,
    most_usd,
    reply_limit,
)
from workbench.domain.usage import Price, Usage, believed, cost_of
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.tasks import Tasks
from workbench.ports.clock import UtcClock
from workbench.ports.models import ChatModel, ModelCatalogue, Models, PriceList, PromptMeter
from workbench.ports.spending import SpendLedger

COLD, ELSEWHERE = "cold", "elsewhere"
"""Causes of a re-read that no change of the request explains: it expired, or the provider did not have it."""


def local_time(utc: str) -> datetime:
    """A stored time in the user's time zone."""
    return datetime.fromisoformat(utc).astimezone()


def expected_of(prepared: Prepared, workspace: str = "", *, over_cap: bool = False) -> Expected:
    """What a request is expected to use, by its count and its cache forecast."""
    inputs, envelope, forecast = prepared.built.inputs, prepared.built.envelope, prepared.forecast
    expected = Expected(
        inputs.model, envelope.total_tokens, envelope.exact, workspace=workspace, over_cap=over_cap
    )
    if forecast is None:
        return expected
    before = prepared.previous
    known = before is not None and forecast.limit != "below_minimum"
    return replace(
        expected,
        read_tokens=forecast.predicted_read_tokens,
        write_tokens=forecast.predicted_write_tokens,
        held_tokens=before.envelope.total_tokens if before is not None and known else 0,
        cause=COLD if prepared.aged_out or inputs.cold else _break_of(prepared.change),
    )


def _break_of(change: PrefixChange) -> str:
    """Why a request does not go on where the one before ended; that a turn's own context leaves it is no reason."""
    causes = change.causes if change.change in ("diverged", "shrunk") else ()
    return next((one.cause for one in causes if one.cause != "turn_context"), "")


class Spending:
    """What is spent, and may be: the ledger with the prices and caps that apply now.

    Attributes:
        caps: read for every request, so that other preferences hold at once.
    """

    def __init__(
        self, ledger: SpendLedger, prices: PriceList, catalogue: ModelCatalogue, utc: UtcClock,
        caps: Callable[[], SpendCaps], tasks: Tasks,
    ) -> None:  # fmt: skip
        self.ledger, self.prices, self.catalogue = ledger, prices, catalogue
        self._utc, self.caps, self._tasks = utc, caps, tasks
        self._passes: set[str] = set()

    def allow_once(self, chat: str) -> None:
        """Let the next turn of a chat pass the caps."""
        self._passes.add(chat)

    def take_pass(self, chat: str) -> bool:
        """Whether the turn that begins may pass the caps; the one after it may not."""
        there = chat in self._passes
        self._passes.discard(chat)
        return there

    async def spent(self, since_utc: str = "") -> tuple[Spent, ...]:
        """All requests since a moment; those that were kept without a price with the one that is known now."""
        found = await self.ledger.spent(since_utc)
        prices = {one.model: self._price(one.model) for one in found if one.price is None and not one.local}
        return tuple(one.priced(prices.get(one.model)) for one in found)

    def _price(self, model: str) -> Price | None:
        return self.prices.price(self.catalogue.find(model))

    def limits(self, chat: str) -> tuple[Limit, ...]:
        """The caps as they hold now for a request of a chat."""
        return limits_at(self.caps(), self._utc.utc_now(), chat)

    def record(self, request: ModelRequest) -> Spent:
        """The record of a request before it is sent, with the most that it can cost."""
        expected = self._expected(request)
        most = most_tokens(expected.tokens, exact=expected.exact)
        limit = reply_limit(expected.card, request.max_output_tokens, expected.tokens)
        return self.reserved(expected, request.model, most, limit, chat=request.conversation)

    def reserved(
        self, expected: Expected, model: str, tokens: int, limit: int, *, chat: str = "", program: str = ""
    ) -> Spent:
        """A record with the most that a request of that many tokens can cost, answer included."""
        price = self.prices.price(expected.card)
        foretold = None if price is None else cost_of(expected.usage, price)
        made = Spent(self._utc.utc_now(), model, chat, expected.workspace, state="reserved", price=price)
        return replace(
            made if not program else replace(made, program=program),
            input_tokens=expected.tokens,
            usd=most_usd(expected.card, price, tokens, limit),
            kind=expected.kind,
            predicted_usd=0.0 if made.local else None if foretold is None else foretold.usd,
        )

    def _expected(self, request: ModelRequest) -> Expected:
        if request.expected is not None:
            return request.expected
        length = sum(len(message.text) for message in request.messages)
        return Expected(self.catalogue.find(request.model), length // CHARS_A_TOKEN)

    async def refusal(self, request: ModelRequest) -> Failure | None:
        """Why a request may not be sent now; None where it may, which only its reservation makes sure."""
        limits = self.limits(request.conversation)
        if not limits or self._expected(request).over_cap:
            return None
        try:
            await self.ledger.settle(await self.ledger.reserve(self.record(request), limits), None)
        except CapReached as reached:
            return Failure("cap", str(reached))
        return None

    async def reserve(self, request: ModelRequest) -> tuple[int, Spent]:
        """Reserve the most that a request can cost; `ModelFailed` where that would pass a cap."""
        limits = () if self._expected(request).over_cap else self.limits(request.conversation)
        record = self.record(request)
        try:
            return await self.ledger.reserve(record, limits), record
        except CapReached as reached:
            raise ModelFailed(Failure("cap", str(reached))) from None
        except WorkbenchError as problem:
            raise ModelFailed(Failure("store", str(problem))) from None

    async def end(self, number: int, record: Spent, request: ModelRequest, heard: Heard) -> None:
        """Settle a request to the end, also where its answer was stopped.

        What the store refuses stays reserved as long as this program runs.
        """
        settling = self._tasks.spawn("count a request", self._settle(number, record, request, heard))
        await asyncio.shield(settling)

    async def _settle(self, number: int, record: Spent, request: ModelRequest, heard: Heard) -> None:
        with suppress(WorkbenchError):
            await self.settle(number, record, request, heard)

    async def settle(self, number: int, record: Spent, request: ModelRequest, heard: Heard) -> None:
        """Keep what a request has used, as reported or else as predicted; nothing where it was not sent."""
        if not heard.sent:
            await self.ledger.settle(number, None)
            return
        expected, told = self._expected(request), believed(heard.usage)
        answer = heard.chars // CHARS_A_TOKEN if told.completion_tokens is None else told.completion_tokens
        foretold = replace(expected.usage, completion_tokens=answer)
        reported = told.prompt_tokens is not None and told.completion_tokens is not None
        used = foretold if told.prompt_tokens is None else replace(told, completion_tokens=answer)
        ended = record.with_usage(used, "reported" if reported else "predicted")
        lost = _reread_tokens(expected, used)
        await self.ledger.settle(number, replace(
            ended,
            predicted_usd=record.with_usage(foretold, "predicted").usd,
            reread_tokens=lost,
            reread_usd=rereading_cost(expected.card, record.price, lost),
            cause=(expected.cause or ELSEWHERE) if lost else "",
        ))  # fmt: skip


def _reread_tokens(expected: Expected, used: Usage) -> int:
    """What a warm cache would have served of the request before, and this one had to read again."""
    cached = expected.read_tokens if used.cached_tokens is None else used.cached_tokens
    if not expected.cause and cached >= expected.read_tokens:
        return 0  # it goes on where the one before ended; what is not served is less than a step of the cache
    return max(0, min(expected.held_tokens, used.prompt_tokens or 0) - cached)


def limits_at(caps: SpendCaps, now_utc: str, chat: str = "") -> tuple[Limit, ...]:
    """The caps as they hold at a moment: a local day begins at midnight, a month with its first."""
    midnight = local_time(now_utc).replace(hour=0, minute=0, second=0, microsecond=0)
    starts = {"day": utc_text(midnight), "month": utc_text(midnight.replace(day=1))}
    found = (
        None if caps.day_usd is None else Limit("day", caps.day_usd, starts["day"]),
        None if caps.month_usd is None else Limit("month", caps.month_usd, starts["month"]),
        None if caps.chat_usd is None or not chat else Limit("chat", caps.chat_usd, chat=chat),
    )
    return tuple(one for one in found if one is not None)


def utc_text(moment: datetime) -> str:
    """A local moment as stored times are compared with: without its zone, it comes before all times of that second."""
    wall = moment.replace(
        tzinfo=None
    ).astimezone()  # with the offset of that very day, which may not be that of today
    return wall.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds")


@dataclass(slots=True)
class Heard:
    """What came of a request: whether it was sent at all, how much text, and its usage."""

    sent: bool = True
    chars: int = 0
    usage: Usage = field(default_factory=Usage)
    _accepted: bool = False

    def take(self, part: AnswerPart) -> None:
        match part:
            case TextGrew(text) | ThinkingGrew(text, _):
                self.chars += len(text)
            case CallMade(call):
                self.chars += len(call.name) + len(call.arguments)
            case UsageReported(usage):
                self.usage = usage
            case _:
                pass
        self._accepted |= isinstance(
            part, Accepted | TextGrew | ThinkingGrew | CallMade | UsageReported | Finished
        )

    def failed(self, failure: Failure) -> None:
        """It ended so; one that nobody accepted was not read, unless it was only not answered in time."""
        self.sent = self._accepted or failure.kind == "timeout"


class MeteredModels:
    """Models whose requests are counted, whoever sends them → Models."""

    def __init__(self, models: Models, spending: Spending) -> None:
        self._models, self._spending = models, spending
        self._opened: dict[str, tuple[ChatModel, ChatModel]] = {}

    def open(self, name: str) -> ChatModel:
        model = self._models.open(name)
        known = self._opened.get(name)
        if known is None or known[0] is not model:
            known = self._opened[name] = model, MeteredModel(model, self._spending)
        return known[1]

    async def available(self) -> tuple[ModelListing, ...]:
        return await self._models.available()

    async def look(self, *, hosted: bool) -> tuple[ServerLook, ...]:
        return await self._models.look(hosted=hosted)

    async def close(self) -> None:
        await self._models.close()


class MeteredModel:
    """A model whose requests are counted → ChatModel."""

    def __init__(self, model: ChatModel, spending: Spending) -> None:
        self._model, self._spending = model, spending

    async def card(self, known: ModelCard) -> ModelCard:
        return await self._model.card(known)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        number, record = await self._spending.reserve(request)
        heard = Heard()
        try:
            async with aclosing(self._model.stream(request)) as parts:
                async for part in parts:
                    heard.take(part)
                    yield part
        except ModelFailed as failed:
            heard.failed(failed.failure)
            raise
        finally:
            await self._spending.end(number, record, request, heard)

    def wire(self, request: ModelRequest) -> WireBody:
        return self._model.wire(request)

    async def meter(self) -> PromptMeter | None:
        found = await self._model.meter()
        return None if found is None else _MeteredMeter(found, self._spending)

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        await self._model.ready(progress)

    async def close(self) -> None:
        await self._model.close()


class _MeteredMeter:
    """A token counter whose scored answers are counted as requests → PromptMeter."""

    def __init__(self, meter: PromptMeter, spending: Spending) -> None:
        self._meter, self._spending = meter, spending

    @property
    def name(self) -> str:
        return self._meter.name

    async def framing(self) -> ChatFraming | None:
        return await self._meter.framing()

    async def count(self, texts: Sequence[str]) -> tuple[int, ...]:
        return await self._meter.count(texts)

    async def measure(self, request: ModelRequest) -> Measurement:
        return await self._meter.measure(request)

    async def answer_tokens(self, text: str) -> AnswerTokens:
        return await self._meter.answer_tokens(text)

    async def score(self, request: ModelRequest, answer: AnswerTokens) -> AnswerScore:
        number, record = await self._spending.reserve(request)
        heard = Heard()
        try:
            return await self._meter.score(request, answer)
        except ModelFailed as failed:
            heard.failed(failed.failure)
            raise
        finally:
            await self._spending.end(number, record, request, heard)
