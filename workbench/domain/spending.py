"""Money: a record for each request that was sent, sums of these by day, model or program, and caps on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import ceil, fsum
from typing import Annotated, Literal, get_args

from workbench.domain.errors import WorkbenchError
from workbench.domain.model import ModelCard
from workbench.domain.provider import KEYED, RUN_HERE
from workbench.domain.reading.constraints import Within
from workbench.domain.translation import tr
from workbench.domain.usage import Price, Usage, cost_of

Grouping = Literal["day", "week", "month", "model", "workspace", "program"]
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)
TIMES: tuple[Grouping, ...] = ("day", "week", "month")
SpentState = Literal["reserved", "reported", "predicted"]
SpentKind = Literal["", "refresh"]
"""What a request was for: an answer, or only that a cache does not forget what it holds."""
CapName = Literal["day", "month", "chat"]
OWN = "workbench"
"""The program of requests that this one sent."""
CHARS_A_TOKEN = 3
"""An answer that nobody has counted is taken to have more tokens rather than fewer."""
_UNSURE = 1.25
"""An estimated count may be off by as much."""

CapUsd = Annotated[float, Within(0, 1_000_000)]


@dataclass(frozen=True, slots=True)
class SpendCaps:
    """How many dollars may be spent in a local day, a local month, and a chat; None is unlimited."""

    day_usd: CapUsd | None = None
    month_usd: CapUsd | None = None
    chat_usd: CapUsd | None = None

    @property
    def any(self) -> bool:
        return self != SpendCaps()


@dataclass(frozen=True, slots=True)
class Expected:
    """What a request is expected to use before it is sent, and whom it is charged to; nothing of it is sent.

    Attributes:
        tokens: of the whole request as counted; `exact` where its server counted.
        read_tokens, write_tokens: what a cache is expected to serve of it, and to be given.
        held_tokens: the request before it, which a warm cache would serve; cause: why it serves less.
        workspace: the id of the chat's; over_cap: whether the user lets this one pass the caps.
        kind: what it is for.
    """

    card: ModelCard
    tokens: int
    exact: bool = False
    read_tokens: int = 0
    write_tokens: int = 0
    held_tokens: int = 0
    cause: str = ""
    workspace: str = ""
    over_cap: bool = False
    kind: SpentKind = ""

    @property
    def usage(self) -> Usage:
        """Its usage by the forecast, without an answer."""
        return Usage(self.tokens, self.read_tokens, self.write_tokens or None, 0)


@dataclass(frozen=True, slots=True)
class Spent:
    """One request: what it used, and what that cost.

    Attributes:
        state: whether its provider reported it, or what is here is the forecast; `reserved` until its end.
        usd: None where no price is known, which is not 0; while reserved, the most that it can cost.
        predicted_usd: by the forecast before it was sent. price: as it was then.
        reread_tokens: what a cache would have served of it, had nothing before it changed; cause: why it did not.
    """

    at_utc: str
    model: str
    chat: str = ""
    workspace: str = ""
    program: str = OWN
    state: SpentState = "reported"
    input_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int | None = None
    output_tokens: int = 0
    usd: float | None = None
    predicted_usd: float | None = None
    price: Price | None = None
    reread_tokens: int = 0
    reread_usd: float | None = None
    cause: str = ""
    kind: SpentKind = ""

    @property
    def local(self) -> bool:
        """Whether its model ran on this computer, so that nothing was paid."""
        return self.model.partition(":")[0] in RUN_HERE

    def with_usage(self, usage: Usage, state: SpentState) -> Spent:
        """The record with this usage, at its price."""
        used = replace(
            self,
            state=state,
            input_tokens=usage.prompt_tokens or 0,
            cached_tokens=min(usage.cached_tokens or 0, usage.prompt_tokens or 0),
            written_tokens=usage.cache_write_tokens,
            output_tokens=usage.completion_tokens or 0,
        )
        return replace(used, usd=used._usd(used._usage))

    @property
    def _usage(self) -> Usage:
        return Usage(self.input_tokens, self.cached_tokens, self.written_tokens, self.output_tokens)

    def _usd(self, usage: Usage) -> float | None:
        if self.local:
            return 0.0
        cost = None if self.price is None else cost_of(usage, self.price)
        return None if cost is None else cost.usd

    @property
    def saved_usd(self) -> float | None:
        """How much more it would have cost without a cache; negative where writing to it cost more than it saved."""
        whole = self._usd(Usage(self.input_tokens, 0, None, self.output_tokens))
        paid = self._usd(self._usage)
        return None if whole is None or paid is None else whole - paid

    @property
    def output_usd(self) -> float:
        """What its answer cost."""
        return self._usd(Usage(0, 0, None, self.output_tokens)) or 0.0

    @property
    def cached_usd(self) -> float:
        """What was paid for reading from the cache."""
        return self._usd(Usage(self.cached_tokens, self.cached_tokens, None, 0)) or 0.0

    def priced(self, price: Price | None) -> Spent:
        """The record with a price, if it has none yet: one of an earlier version, or of a model new at that time."""
        if self.price is not None or price is None or self.state == "reserved":
            return self
        found = replace(self, price=price)
        return found if self.usd is not None else replace(found, usd=found._usd(found._usage))


# The most that a request can cost, which is what counts against a cap until its end.


def most_usd(card: ModelCard, price: Price | None, prompt_tokens: int, answer_tokens: int) -> float | None:
    """Maximum cost of a request: nothing cached, and the longest answer; None if no price is known."""
    if card.provider in RUN_HERE:
        return 0.0
    if price is None:
        return None
    dearer = max(price.input, price.cache_write or 0.0)
    return (prompt_tokens * dearer + answer_tokens * price.output) / 1_000_000


def most_tokens(tokens: int, *, exact: bool) -> int:
    """How many tokens a request has at most, by its count."""
    return tokens if exact else ceil(tokens * _UNSURE)


def reply_limit(card: ModelCard, asked_tokens: int | None, prompt_tokens: int) -> int:
    """How long an answer can be: as asked for, as its model allows, or what is left of the window."""
    left = max(0, card.context_window_tokens - prompt_tokens)
    return min(one for one in (asked_tokens or left, card.max_output_tokens or left, left))


@dataclass(frozen=True, slots=True)
class Limit:
    """A cap as it holds for one request: what was spent since a moment, or in a chat, counts towards it."""

    cap: CapName
    usd: float
    since_utc: str = ""
    chat: str = ""

    def covers(self, spent: Spent) -> bool:
        return spent.chat == self.chat if self.cap == "chat" else spent.at_utc >= self.since_utc


_LEFT: dict[CapName, str] = {"day": tr("today"), "month": tr("this month"), "chat": tr("in this chat")}


class CapReached(WorkbenchError):
    """Raised where a request is not sent, because it could pass a cap."""

    def __init__(self, limit: Limit, spent_usd: float, most: float | None, model: str) -> None:
        self.limit = limit
        why = tr("this one may cost {dollars}", dollars=dollars(most or 0.0))
        if most is None:
            why = tr("no price is known for {model}, so this cap cannot be kept", model=model)
        super().__init__(
            tr("{left_words}; {why}. Nothing was sent.", left_words=left_words(limit, spent_usd), why=why)
        )


def left_words(limit: Limit, spent_usd: float) -> str:
    """What is left of a cap: `$0.12 of $5.00 left today`."""
    left = dollars(max(0.0, limit.usd - spent_usd), down=True)
    return tr(
        "{left} of {dollars} left {left_2}", left=left, dollars=dollars(limit.usd), left_2=_LEFT[limit.cap]
    )


def check_limits(limits: Sequence[Limit], spent_usd: Callable[[Limit], float], new: Spent) -> None:
    """Raise `CapReached` for the first limit that a new request could pass.

    Models of one's own servers have no price and pass; one of a hosted provider without a price does not.
    """
    unknown = new.usd is None
    if new.local or (unknown and new.model.partition(":")[0] not in KEYED):
        return
    for limit in limits:
        before = spent_usd(limit)
        if unknown or before + (new.usd or 0.0) > limit.usd:
            raise CapReached(limit, before, new.usd, new.model)


def dollars(usd: float, *, down: bool = False) -> str:
    """An amount in cents; below one cent with four places. `down`: never more than there is."""
    places = 2 if usd >= 0.01 or not usd else 4
    scale = 10**places
    shown = int(usd * scale + 1e-6) / scale if down else usd
    return tr("${usd:,.4f}", usd=shown) if shown and places > 2 else tr("${usd:,.2f}", usd=shown)


# Sums.


@dataclass(frozen=True, slots=True)
class SpendSum:
    """The sum of some requests; amounts are None where no price is known of any of them.

    Attributes:
        refreshes: those that only kept a cache warm, which are counted with all others, too.
        unpriced_requests: those of which no price is known; predicted_requests: those that no provider reported.
        predicted_usd: what all of them were expected to cost without their answers, and `usd` beside it with them.
    """

    key: str
    requests: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = None
    saved_usd: float | None = None
    reread_tokens: int = 0
    reread_usd: float | None = None
    unpriced_requests: int = 0
    predicted_requests: int = 0
    predicted_usd: float | None = None
    cached_usd: float = 0.0
    output_usd: float = 0.0
    local: bool = False
    refreshes: int = 0
    refresh_usd: float | None = None

    @property
    def fresh_usd(self) -> float:
        """What was paid for input that no cache served."""
        return max(0.0, (self.usd or 0.0) - self.cached_usd - self.output_usd)


def sum_of(key: str, some: Sequence[Spent]) -> SpendSum:
    """The sum of requests under a key."""
    ended = [one for one in some if one.state != "reserved"]
    return SpendSum(
        key,
        len(ended),
        sum(one.input_tokens for one in ended),
        sum(one.cached_tokens for one in ended),
        sum(one.output_tokens for one in ended),
        _known(one.usd for one in ended),
        _known(one.saved_usd for one in ended),
        sum(one.reread_tokens for one in ended),
        _known(one.reread_usd for one in ended if one.reread_tokens or one.usd is not None),
        sum(one.usd is None for one in ended),
        sum(one.state == "predicted" for one in ended),
        _known(one.predicted_usd for one in ended),
        fsum(one.cached_usd for one in ended),
        fsum(one.output_usd for one in ended),
        bool(ended) and all(one.local for one in ended),
        sum(one.kind == "refresh" for one in ended),
        _known(one.usd for one in ended if one.kind == "refresh"),
    )


def grouped(some: Iterable[Spent], by: Grouping, local: Callable[[str], datetime]) -> tuple[SpendSum, ...]:
    """Sums by one of the groupings: those of times in their order, others by what they cost.

    `local` gives a UTC time in the user's time zone.
    """
    groups: dict[str, list[Spent]] = {}
    for one in some:
        groups.setdefault(key_of(one, by, local), []).append(one)
    rows = (sum_of(key, group) for key, group in groups.items())
    found = [row for row in rows if row.requests]
    if by in TIMES:
        return tuple(sorted(found, key=lambda row: row.key))
    return tuple(sorted(found, key=lambda row: (-(row.usd or 0.0), -row.input_tokens, row.key)))


def key_of(one: Spent, by: Grouping, local: Callable[[str], datetime]) -> str:
    """What a request is counted under: `2026-11-18`, `2026-W47`, `2026-11`, or a name."""
    if by == "model":
        return one.model
    if by == "workspace":
        return one.workspace
    if by == "program":
        return one.program
    return time_key(local(one.at_utc), by)


def time_key(when: datetime, by: Grouping) -> str:
    """The day, ISO week or month of a local time."""
    if by == "week":
        year, week, _ = when.isocalendar()
        return f"{year:04}-W{week:02}"
    return when.strftime("%Y-%m" if by == "month" else "%Y-%m-%d")


def _known(amounts: Iterable[float | None]) -> float | None:
    known = [one for one in amounts if one is not None]
    return fsum(known) if known else None


@dataclass(frozen=True, slots=True)
class RereadCause:
    """What was read again for one cause: how often, and what that cost."""

    cause: str
    times: int
    tokens: int
    usd: float


def reread_causes(some: Iterable[Spent]) -> tuple[RereadCause, ...]:
    """What was read again, by its causes, the dearest first."""
    found: dict[str, list[Spent]] = {}
    for one in some:
        if one.reread_tokens:
            found.setdefault(one.cause, []).append(one)
    causes = (
        RereadCause(cause, len(group), sum(one.reread_tokens for one in group), _known(
            one.reread_usd for one in group
        ) or 0.0)
        for cause, group in found.items()
    )  # fmt: skip
    return tuple(sorted(causes, key=lambda one: (-one.usd, -one.tokens, one.cause)))
