"""Interprets watched exchanges: each becomes a turn of a conversation, compared, forecast, priced and judged."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from workbench.context.cache.forecast import Served, observe, rules_of, verdict
from workbench.context.count.calibration import learn
from workbench.context.request_cost import request_cost, runs_here
from workbench.context.watch.comparing import FIRST, Why, compared, with_cause
from workbench.context.watch.conversations import Conversation, Conversations, removed_text
from workbench.context.watch.findings import Paid, findings
from workbench.context.watch.foreseeing import HOUR_S, Foreseen, Held, Sent, asked_lifetime_s
from workbench.context.watch.habits import Habits
from workbench.context.watch.lines import json_line, summary
from workbench.context.watch.measuring import (
    measured,
    partly_tokens,
    piece_tokens,
    scaled_to_report,
    shared_pieces,
)
from workbench.context.watch.mending import Savings, with_mends
from workbench.context.watch.pieces import layers_of
from workbench.context.watch.prefix import beginnings, telling_parameters
from workbench.context.watch.reading import (
    ReadRequests,
    Sender,
    body_of,
    counted_tokens,
    purpose_of,
    read_answer,
    read_request,
    sender_of,
)
from workbench.domain.caching import OBSERVED, CacheForecast, CacheRules
from workbench.domain.model import CacheLifetime, ModelCard, TurnReport
from workbench.domain.provider import BY_NAME
from workbench.domain.text import digest_chain, digest_text
from workbench.domain.translation import counted, tr
from workbench.domain.usage import Cost, Price, Usage, believed, cost_of
from workbench.domain.watch.exchange import Exchange, WatchedFormat
from workbench.domain.watch.request import (
    AgainstBefore,
    PieceKind,
    WatchedAnswer,
    WatchedPiece,
    WatchedRequest,
    WatchedTurn,
    tokens_of,
)
from workbench.domain.watch.switch import Clients
from workbench.engine.assembly.counters import Counters, counted_alike
from workbench.ports.counting import Tokenizer
from workbench.ports.models import CacheRulebook, ModelCatalogue, PriceList

# What a watched request was worth: its forecast beside what was reported, its cost, and what a log would have cost.


@dataclass(frozen=True, slots=True)
class Priced:
    """A watched request with the model card, cache rules and prices that apply to it."""

    card: ModelCard
    rules: CacheRules | None
    price: Price | None


def judged(turn: WatchedTurn, foreseen: Foreseen | None, priced: Priced) -> WatchedTurn:
    """The turn with its cache forecast, the verdict on it, and its cost."""
    usage, found = turn.answer.usage, None
    forecast: CacheForecast | None = None
    if foreseen is not None:
        forecast = foreseen.forecast
        cost = request_cost(priced.card, priced.price, forecast)
        forecast = replace(forecast, price_usd=cost, exact=turn.request.exact and forecast.exact)
        total = usage.prompt_tokens or turn.request.tokens
        found = verdict(forecast, Served(total, usage.cached_tokens, forecast.limit == "cold"))
        found = "distrusted" if usage.distrusted_tokens is not None else found
    return replace(turn, forecast=forecast, verdict=found, cost=_cost(usage, priced))


def writes(priced: Priced) -> bool:
    """Whether the provider caches up to explicit marks."""
    return priced.rules is not None and priced.rules.match == "breakpoints"


def _cost(usage: Usage, priced: Priced) -> Cost | None:
    if runs_here(priced.card):
        return Cost(0.0, priced.card.as_of)
    return None if priced.price is None else cost_of(usage, priced.price)


def log_cost(turn: WatchedTurn, mine: Conversation, priced: Priced, now: float) -> float | None:
    """Cost of the turns so far, had each request been the one before with messages appended."""
    usage, rules = turn.answer.usage, priced.rules
    total = usage.prompt_tokens
    if mine.log_usd is None or turn.cost is None or total is None:
        return None
    read = 0
    lifetime = rules.lifetime_s if rules is not None else None
    if mine.last is not None and rules is not None and (lifetime is None or now - mine.last_at <= lifetime):
        read = rules.served(min(mine.last.tokens, total))
    writes = priced.price is not None and priced.price.cache_write is not None
    log = replace(usage, cached_tokens=read, cache_write_tokens=total - read if writes else None)
    cost = _cost(log, priced)
    return None if cost is None else mine.log_usd + min(cost.usd, turn.cost.usd)


__all__ = ["Knowledge", "Understanding", "json_line", "summary"]

_PROVIDERS: Mapping[WatchedFormat, str] = {"responses": "openai"}
_ANY = CacheRules(OBSERVED, "prefix", "", "")
_HERE = ("localhost", "127.0.0.1", "::1")
_MOST_COUNTS = 1000
_REFUSED = 400
_PREVIOUS = re.compile(r"previous\[(\d+)\]\.")
_MOST_REPORTS = 64


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Data about models, their caches and prices.

    Attributes:
        upstreams: where the requests of a format go, where that is not its vendor.
        clients: what other programs can be told to do themselves.
    """

    catalogue: ModelCatalogue
    rulebook: CacheRulebook
    prices: PriceList
    load_tokenizer: Callable[[str], Tokenizer]
    upstreams: Mapping[WatchedFormat, str] = field(default_factory=dict)
    clients: Clients = field(default_factory=Clients)

    def card(self, request: WatchedRequest) -> ModelCard:
        """Model card at the server that is asked; a gateway that uses a vendor's names maps to that vendor."""
        provider = _PROVIDERS.get(request.format, request.format)
        address = self.upstreams.get(request.format, "").rstrip("/")
        known, card = BY_NAME.get(provider), self.catalogue.find(f"{provider}:{request.model}")
        if not address or provider == "ollama" or (known is not None and address == known.url):
            return card
        # Servers of one's own take any name, and most clients have one of OpenAI's set.
        here = request.format == "openai" and (urlsplit(address).hostname or "") in _HERE
        if here or self.catalogue.find(request.model).provider != provider:
            return self.catalogue.find(f"server:{address}#{request.model}")
        return card

    def lasting_card(self, request: WatchedRequest) -> ModelCard:
        """The card with the cache lifetime that a request asks for, on which the price of writing depends."""
        lifetimes = {one.mark for one in request.pieces if one.mark}
        held: CacheLifetime | None = "1h" if "1h" in lifetimes else "5m" if lifetimes else None
        return self.card(request).lasting(held)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A parsed request with its bytes, and the conversation it belongs to."""

    read: WatchedRequest
    mine: Conversation
    body: bytes


@dataclass(frozen=True, slots=True)
class _Looked:
    """A request counted, compared with the one before it, and with a forecast.

    Attributes:
        begun: with how many pieces of the one before it begins.
    """

    request: WatchedRequest
    before: WatchedRequest | None
    begun: int
    priced: Priced
    sent: Sent
    foreseen: Foreseen | None
    against: AgainstBefore


class Understanding:
    """Interprets exchanges in the order they end; `json_line` and `summary` report the results."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._counters = Counters(knowledge.load_tokenizer)
        self._conversations = Conversations()
        self._held = Held()
        self._read = ReadRequests()
        self._counted: dict[str, int] = {}
        self._saved: dict[str, int] = {}
        self._reports: dict[str, list[TurnReport]] = {}
        self._begun: dict[int, tuple[_Asked, _Looked]] = {}
        self._savings = Savings()

    def remember(self, turn: WatchedTurn, exchange: Exchange) -> None:
        """Restore the last request of a stored conversation, which may continue in this run."""
        body = body_of(exchange)
        self._savings.remember(turn)
        request = read_request(exchange, body)
        if not request.pieces or len(request.pieces) != len(turn.request.pieces):
            return
        counted = zip(request.pieces, turn.request.pieces, strict=True)
        pieces = tuple(replace(one, tokens=kept.tokens) for one, kept in counted)
        request = replace(request, pieces=pieces, exact=turn.request.exact)
        priced = self._priced(request)
        mine = Conversation(
            turn.conversation, sender_of(exchange, body), turn.parent, turn.call, request, request
        )
        mine.answered, mine.last_at, mine.turns = turn.answer.pieces, turn.started_at, turn.n
        mine.habits.ruled = turn.rules
        mine.log_usd, mine.chain = turn.log_usd, beginnings(request, priced.card.provider)
        self._conversations.note(mine, request, "")
        if turn.status is not None and turn.status < _REFUSED:
            sent = Sent(priced.card.provider, pieces, mine.chain, turn.started_at, 0)
            self._held.take(priced.rules or _ANY, sent, turn.answer.pieces)

    def begin(self, exchange: Exchange) -> WatchedTurn | None:
        """The turn of a request without its answer; None if it asks no model or cannot be read."""
        asked = self._read_request(exchange)
        if asked is None or not asked.read.pieces:
            return None
        looked = self._compare(exchange, asked)
        self._begun[exchange.n] = asked, looked
        while len(self._begun) > _MOST_COUNTS:
            del self._begun[next(iter(self._begun))]
        turn = _turn(exchange, (looked.request, WatchedAnswer()), looked.against, asked.mine)
        turn = replace(judged(turn, looked.foreseen, looked.priced), verdict=None, cost=None)
        turn = self._with_rules(turn, exchange, looked.priced, asked.mine.scale)
        habits = asked.mine.habits.copy()
        habits.take(turn, looked.begun)
        return self._with_findings(turn, exchange, looked, habits)

    def take(self, exchange: Exchange) -> WatchedTurn | None:
        """The turn of a complete exchange; None if no model was asked."""
        asked, looked = self._begun.pop(exchange.n, (None, None))
        asked = asked or self._read_request(exchange)
        if asked is None:
            return None
        if asked.body != exchange.request:  # it was held, and another one was sent
            read = read_request(exchange, body_of(exchange, self._read), self._read)
            asked, looked = _Asked(read, asked.mine, exchange.request), None
        answer = read_answer(exchange)
        answer = replace(answer, usage=believed(answer.usage))
        if not asked.read.pieces:
            return _turn(exchange, (asked.read, answer), FIRST, asked.mine)
        before, _ = self._conversations.before(asked.mine, asked.read)
        if looked is None or looked.before is not before:  # another one has ended meanwhile
            looked = self._compare(exchange, asked)
        return self._build_turn(exchange, asked, looked, answer)

    def _read_request(self, exchange: Exchange) -> _Asked | None:
        """Parse a request that asks a model, and find its conversation."""
        body = body_of(exchange, self._read)
        purpose = purpose_of(exchange, body)
        if purpose == "other":
            return None
        request = read_request(exchange, body, self._read)
        if purpose == "count":
            self._note_count(request, counted_tokens(exchange))
            return None
        seed = f"{exchange.started_at}\0{exchange.n}"
        mine = self._conversations.place(request, sender_of(exchange, body), seed)
        return _Asked(request, mine, exchange.request)

    def _compare(self, exchange: Exchange, asked: _Asked) -> _Looked:
        mine, priced = asked.mine, self._priced(asked.read)
        before, answered = self._conversations.before(mine, asked.read)
        request = _with_stored_part(asked.read, before, answered)
        counter, alike = self._counters.counter("exact", priced.card), _comparable_pieces(before, request)
        begun = shared_pieces(alike, request.pieces)
        request = measured(request, alike[:begun], counter)
        request = scaled_to_report(request, begun, self._server_count(request))
        server, partly = priced.card.provider, partly_tokens(alike, request.pieces, counter)
        chain = beginnings(request, server, mine.chain if before is mine.last else None, begun)
        sent = Sent(server, request.pieces, chain, exchange.started_at, partly)
        foreseen = None if priced.rules is None else self._held.foresee(priced.rules, sent)
        against = FIRST if before is None else compared(before, request, server)
        if "history" in against.causes and before is not None:
            gone = removed_text((*before.pieces, *answered), request.pieces)
            against = replace(against, removed=gone)
        against = _with_time(against, foreseen, mine, (exchange.started_at, priced.rules))
        return _Looked(request, before, begun, priced, sent, foreseen, against)

    def _build_turn(
        self, exchange: Exchange, asked: _Asked, looked: _Looked, answer: WatchedAnswer
    ) -> WatchedTurn:
        mine, request, begun, priced = asked.mine, looked.request, looked.begun, looked.priced
        self._learn(request, begun, answer.usage, priced.card)
        held = (answer.usage.cached_tokens or 0) + (answer.usage.cache_write_tokens or 0)
        request = scaled_to_report(request, begun, answer.usage.prompt_tokens, held if writes(priced) else 0)
        turn = _turn(exchange, (request, answer), looked.against, mine)
        turn = judged(turn, looked.foreseen, priced)
        log = log_cost(turn, mine, priced, exchange.started_at)
        step = None if log is None or mine.log_usd is None else log - mine.log_usd
        if exchange.rules and not begun:  # what left is as long as what stayed: both are fitted to the report
            mine.scale = request.tokens / max(1, looked.request.tokens)
        turn = self._with_rules(replace(turn, log_usd=log, log_step_usd=step), exchange, priced, mine.scale)
        mine.habits.take(turn, begun)
        turn = self._with_findings(turn, exchange, looked, mine.habits)
        if exchange.status is not None and exchange.status < _REFUSED:
            # Where nobody knows the rules, all of it may be held: what the server reports will show.
            sent = replace(looked.sent, pieces=request.pieces)
            self._held.take(priced.rules or _ANY, sent, answer.pieces)
        mine.chain = looked.sent.chain
        self._note(asked, turn)
        return turn

    def _with_findings(
        self, turn: WatchedTurn, exchange: Exchange, looked: _Looked, habits: Habits
    ) -> WatchedTurn:
        priced = looked.priced
        paid = Paid(priced.card, priced.price, exchange.header("anthropic-beta"))
        turn = replace(turn, findings=findings(turn, looked.before, habits, paid))
        turn = with_mends(turn, habits, self._knowledge.clients.switches)
        # What a rule took out on the way is no saving of the program's own.
        ruled = any(one.state == "applied" for one in exchange.rules)
        return turn if ruled else self._savings.take(turn)

    # Counting.

    def _server_count(self, request: WatchedRequest) -> int | None:
        """The token count that the server gave, if the client had asked for one."""
        return self._counted.get(_count_key(request)) if self._counted else None

    def _note_count(self, request: WatchedRequest, tokens: int | None) -> None:
        if tokens is None or not request.pieces:
            return
        if len(self._counted) >= _MOST_COUNTS:
            del self._counted[next(iter(self._counted))]
        self._counted[_count_key(request)] = tokens

    def _learn(self, request: WatchedRequest, begun: int, usage: Usage, card: ModelCard) -> None:
        """Correct the model's counts by the usage that an answer reports for the new part of its request."""
        if usage.prompt_tokens is None:
            return
        known, alike = tokens_of(request.pieces[:begun]), counted_alike(card)
        ratio = None if request.exact else self._counters.ratio("exact", card)
        report = TurnReport(
            request.model, cached_tokens=usage.cached_tokens, prompt_tokens=usage.prompt_tokens
        )
        if ratio is not None:
            new, told = request.tokens - known, usage.prompt_tokens - known
            report = replace(report, card=alike, counted_tokens=new, ratio=ratio, prompt_tokens=told)
        reports = self._reports.setdefault(alike, [])
        reports.append(report)
        del reports[:-_MOST_REPORTS]
        calibration = learn([one for one in reports if one.card])
        if calibration is not None:
            self._counters.calibrate(alike, calibration)

    # What rules saved.

    def _with_rules(self, turn: WatchedTurn, exchange: Exchange, priced: Priced, scale: float) -> WatchedTurn:
        """The turn with what became of each rule, in tokens and in money."""
        warm = turn.forecast is not None and turn.forecast.predicted_read_tokens > 0
        found = []
        for one in exchange.rules:
            kind: PieceKind = "tool" if one.name == "tools.without" else "system"
            removed, added = (
                sum(self._text_tokens(kind, text, priced.card) for text in some)
                for some in (one.removed, one.added)
            )
            saved = round((removed - added) * scale)
            cost = _cost(Usage(abs(saved), abs(saved) if warm else 0, completion_tokens=0), priced)
            usd = None if cost is None else cost.usd if saved >= 0 else -cost.usd
            found.append(replace(one, tokens_saved=saved, usd=usd, removed=(), added=()))
        return replace(turn, rules=tuple(found), sent_bytes=exchange.sent_bytes)

    def _text_tokens(self, kind: PieceKind, text: str, card: ModelCard) -> int:
        key = f"{counted_alike(card)} {kind} {digest_text(text)}"
        if key not in self._saved:
            if len(self._saved) >= _MOST_COUNTS:
                del self._saved[next(iter(self._saved))]
            piece = WatchedPiece("", "L1_SYSTEM", kind, text, "system")
            self._saved[key] = piece_tokens(piece, self._counters.counter("exact", card))
        return self._saved[key]

    # Prices and rules.

    def _priced(self, request: WatchedRequest) -> Priced:
        card = self._knowledge.card(request)
        rules = self._knowledge.rulebook.rules(card) or self._observed_rules(card)
        kept_s = asked_lifetime_s(request)
        rules = replace(rules, lifetime_s=kept_s) if rules is not None and kept_s else rules
        return Priced(card, rules, self._knowledge.prices.price(self._knowledge.lasting_card(request)))

    def _observed_rules(self, card: ModelCard) -> CacheRules | None:
        """Cache rules inferred from a cache whose rules are not documented."""
        seen = observe(self._reports.get(counted_alike(card), ()))
        return None if seen is None else rules_of(seen)

    def _note(self, asked: _Asked, turn: WatchedTurn) -> None:
        mine = asked.mine
        self._read.keep(turn.n, turn.request)
        if mine.newest is asked.read:
            mine.newest = turn.request
        mine.last, mine.answered = turn.request, turn.answer.pieces
        mine.last_at, mine.turns, mine.log_usd = turn.started_at, mine.turns + 1, turn.log_usd
        self._conversations.note(mine, turn.request, turn.answer.id)


def _comparable_pieces(before: WatchedRequest | None, request: WatchedRequest) -> tuple[WatchedPiece, ...]:
    """The pieces of the request before, if its model is counted in the same way."""
    return () if before is None or before.model != request.model else before.pieces


def _count_key(request: WatchedRequest) -> str:
    """Key that matches a count request with the request that is sent later."""
    told = digest_text(repr((request.format, request.model, telling_parameters(request))))
    return digest_chain([told, *(one.digest for one in request.pieces)])


def _with_stored_part(
    request: WatchedRequest, last: WatchedRequest | None, answered: tuple[WatchedPiece, ...]
) -> WatchedRequest:
    """The request completed with what its provider stores, if it only refers to the answer it continues."""
    if not request.previous or last is None:
        return request
    asked = [one for one in last.pieces if one.kind != "tool" and one.layer != "L1_SYSTEM"]
    base = 1 + max((one.message for one in asked), default=-1)
    # What stood there before keeps its path: each request brings its own, under its number.
    known = [int(found[1]) for one in asked if (found := _PREVIOUS.match(one.path))]
    name = f"previous[{max(known, default=-1) + 1}]"
    earlier = [
        one if _PREVIOUS.match(one.path) else replace(one, path=f"{name}.{one.path}")
        for one in (*asked, *(replace(one, message=base) for one in answered))
    ]
    own = [one for one in request.pieces if one.layer == "L1_SYSTEM"]
    new = [one for one in request.pieces if one.layer != "L1_SYSTEM"]
    moved = [replace(one, message=one.message + base + 1) for one in new]
    pieces = (*own, *earlier, *moved)
    layers = layers_of([(one.kind, one.message) for one in pieces])
    placed = (replace(one, layer=layer) for one, layer in zip(pieces, layers, strict=True))
    return replace(request, pieces=tuple(placed))


def _with_time(
    against: AgainstBefore,
    foreseen: Foreseen | None,
    mine: Conversation,
    about: tuple[float, CacheRules | None],
) -> AgainstBefore:
    """The comparison with causes outside the texts: elapsed time, and cache marks that no longer reach."""
    now, rules = about
    if foreseen is None or rules is None or mine.last is None:
        return against
    read, ever = foreseen.forecast.predicted_read_tokens, foreseen.unexpired_tokens
    if ever > read:
        hour = any(one.mark == "1h" for one in mine.last.pieces)
        ago, held = _minutes(now - mine.last_at), _minutes(HOUR_S if hour else rules.lifetime_s or 0)
        words = tr(
            "The last request was {ago} ago; the cache keeps what it read for {held}.", ago=ago, held=held
        )
        return with_cause(against, Why("expired", words), ever - read)
    before = mine.last.tokens
    reached = read or not foreseen.held or before < rules.minimum_tokens
    if against.relation == "changed" or rules.match != "breakpoints" or reached:
        return against
    return with_cause(against, Why("mark", tr("No cache mark reaches what the last request wrote.")), before)


def _minutes(seconds: float) -> str:
    minutes = round(seconds / 60)
    return counted(minutes, "minute")


def _turn(
    exchange: Exchange, said: tuple[WatchedRequest, WatchedAnswer], against: AgainstBefore, mine: Conversation
) -> WatchedTurn:
    request, answer = said
    sender: Sender = mine.sender
    return WatchedTurn(
        exchange.n,
        mine.id,
        exchange.header("user-agent").split(" ")[0] or sender.client,
        exchange.started_at,
        exchange.request_bytes,
        request,
        answer,
        against,
        parent=mine.parent,
        call=mine.call,
        session=sender.session,
        status=exchange.status,
        first_byte_ms=exchange.first_byte_ms,
        total_ms=exchange.total_ms,
    )
