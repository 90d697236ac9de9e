"""Forecasts what a provider's cache will do with a request, by its published or measured rules."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from workbench.context.assembly.log import is_same_turn
from workbench.context.cache.breakpoints import Seen, Walks
from workbench.context.compare import Shared, shared_beginning
from workbench.domain.caching import OBSERVED, CacheForecast, CacheRules, Limit, Verdict
from workbench.domain.change import Built
from workbench.domain.envelope import WireMessage
from workbench.domain.model import CacheSeen, TurnReport
from workbench.domain.translation import tr
from workbench.ports.counting import TokenCounter

MOST_HELD = 3
"""How many of a chat's last requests are compared: the newest ones have most in common with the next."""


class Beginnings:
    """Remembers the common prefix of pairs of sent requests."""

    def __init__(self) -> None:
        self._known: list[tuple[Built, Built, TokenCounter, Shared]] = []
        self.walks = Walks()

    def shared(self, one: Built, other: Built, counter: TokenCounter) -> Shared:
        """The common prefix of two sent requests."""
        for left, right, by, shared in self._known:
            if left is one and right is other and by is counter:
                return shared
        found = shared_beginning(one, other, counter)
        self._known = [*self._known[-2 * MOST_HELD :], (one, other, counter, found)]
        return found


@dataclass(frozen=True, slots=True)
class Cache:
    """What is known of a provider's cache before a request.

    Attributes:
        rules: how it behaves; None where that is unknown.
        held: the requests of the chat that it may still hold, the newest last.
        known: what the request has in common with one of them, as it was found already.
    """

    rules: CacheRules | None
    held: tuple[Built, ...] = ()
    known: tuple[Built, Shared] | None = None

    def shared(self, one: Built, current: Built, counter: TokenCounter) -> Shared:
        """The common prefix of a held request and the next one."""
        if self.known is not None and self.known[0] is one:
            return self.known[1]
        return shared_beginning(one, current, counter)


def forecast(
    cache: Cache, current: Built, counter: TokenCounter, memory: Beginnings | None = None
) -> CacheForecast | None:
    """Forecast what the cache will do with a request; None where its rules are unknown.

    A server that has restarted, or served others since, holds less: where it can be asked, the caller asks it.
    """
    rules = cache.rules
    if rules is None:
        return None
    asked = tuple(one for one in cache.held if one.inputs.question is not None)
    cache = Cache(rules, asked[-1:] if rules.newest_only else asked, cache.known)
    if rules.match == "breakpoints":
        reply_tokens = counter.total(counter.reply_cost)
        return _by_marks(rules, cache.held, current, (reply_tokens, (memory or Beginnings()).walks))
    total = current.envelope.total_tokens
    read, limit = _tokens_read(cache, rules, current, (counter, memory or Beginnings()))
    held_after = rules.served(total) if rules.match == "prefix" else total
    written = max(0, held_after - read)
    fresh, provider = total - read - written, current.inputs.model.provider
    step, observed = rules.step_tokens, rules.observed
    return CacheForecast(provider, read, written, fresh, limit=limit, step_tokens=step, observed=observed)


def _tokens_read(
    cache: Cache, rules: CacheRules, current: Built, by: tuple[TokenCounter, Beginnings]
) -> tuple[int, Limit | None]:
    counter, memory = by
    found = []
    for one in reversed(cache.held):
        shared = cache.shared(one, current, counter)
        found.append((one, shared, _with_answer(rules, one, current, (shared, counter))))
        if shared.extends and rules.match == "prefix":
            break  # older requests are beginnings of this one, or have less in common with the next
    most = current.envelope.total_tokens - (1 if rules.rereads else 0)
    if rules.match == "prefix":
        shared_tokens = min(max((tokens for _, _, tokens in found), default=0), most)
        read = max(0, rules.served(shared_tokens))
        return read, "below_minimum" if 0 < shared_tokens < rules.minimum_tokens else None
    # Whole units: an earlier request to its end, or what two earlier ones had in common.
    units = [tokens for one, shared, tokens in found if shared.whole and _is_answered(one, current)]
    for place, (one, shared, _) in enumerate(found):
        for other, _, _ in found[place + 1 :]:
            common = memory.shared(other, one, counter).tokens
            units += [common] if common <= shared.tokens else []
    longest = min(max(units, default=0), most)
    read = rules.served(longest)
    return read, "below_minimum" if longest and not read else None


def _by_marks(
    rules: CacheRules, held: Sequence[Built], current: Built, by: tuple[int, Walks]
) -> CacheForecast:
    reply_tokens, walks = by
    now = walks.draft(current, rules, reply_tokens)
    written = {place.chain for one in held for place in walks.written(one, rules, reply_tokens)}
    return by_marks(rules, written, now, (current.inputs.model.provider, current.envelope.total_tokens))


def by_marks(rules: CacheRules, written: Collection[str], now: Seen, about: tuple[str, int]) -> CacheForecast:
    """Forecast by cache marks: reads end at a mark that an earlier request wrote, writes at this request's last mark.

    `about` is the provider, and how many tokens the request has.
    """
    provider, total = about
    marks = now.marks
    read = far = 0
    limit: Limit | None = None
    for chain in written:
        place = now.at(chain)
        if place is None:
            continue
        near = any(not rules.lookback or 0 <= mark.blocks - place.blocks < rules.lookback for mark in marks)
        if place.tokens < rules.minimum_tokens:
            limit = "below_minimum"
        elif near:
            read = max(read, place.tokens)
        else:
            far = max(far, place.tokens)
    if far > read:  # else more is read than what lies too far back
        limit = "lookback_exceeded"
    read = min(read, total)
    held_after = max((mark.tokens for mark in marks if mark.tokens >= rules.minimum_tokens), default=0)
    wrote = max(0, min(held_after, total) - read)
    found = limit if limit == "lookback_exceeded" or not read else None
    return CacheForecast(provider, read, wrote, total - read - wrote, limit=found)


def _with_answer(rules: CacheRules, one: Built, current: Built, by: tuple[Shared, TokenCounter]) -> int:
    """Tokens that a request and the next one share, with the answer where the cache holds that."""
    shared, counter = by
    if not rules.keeps_answers or not shared.whole:
        return shared.tokens
    place, messages = len(one.envelope.messages), current.envelope.messages
    if place >= len(messages) or not _answers(messages[place], one, current):
        return shared.tokens
    return shared.tokens + counter.total(_text_cost(messages[place], counter))


def _is_answered(one: Built, current: Built) -> bool:
    """Whether a request continues another with its answer, or ends with it."""
    place, messages = len(one.envelope.messages), current.envelope.messages
    return place == len(messages) or messages[place].role == "assistant"


def _answers(message: WireMessage, one: Built, current: Built) -> bool:
    """Whether a message is the model's unchanged answer to that request."""
    said = message.segments[0]
    if message.role != "assistant" or said.form != "full" or one.inputs.question is None:
        return False
    rounds = len(one.inputs.rounds)
    if is_same_turn(current.inputs, one):
        return (
            current.inputs.rounds[rounds : rounds + 1] != () and current.inputs.rounds[rounds].id == said.id
        )
    spoken = iter(entry.id for entry in current.inputs.history)
    asked = one.inputs.question.id
    if asked not in spoken:
        return False
    after = list(islice(spoken, rounds + 1))
    return len(after) > rounds and after[rounds] == said.id


def _text_cost(message: WireMessage, counter: TokenCounter) -> int:
    """The cost of a message's first text without framing; it may be merged with later ones."""
    said = replace(message.segments[0], lead="")
    bare = replace(said, text="", tool_calls=(), images=())
    whole, empty = (WireMessage(message.id, message.role, (one,)) for one in (said, bare))
    return max(0, sum(counter.costs(whole)) - sum(counter.costs(empty)))


# Whether a provider's cache did what was forecast.


_NEAR = 100
"""A forecast within 1/n of its request counts as right."""
_LITTLE = 4
"""Where less than 1/n is missing, the cache was warm, and only shorter."""


@dataclass(frozen=True, slots=True)
class Served:
    """What is known of a request after its answer.

    Attributes:
        total_tokens: of the request. reported_tokens: what the provider says that its cache served; None: nothing.
        aged_out: whether the lifetime of the cache had passed when it was sent, whatever was said before.
        sent_tokens: what was foretold of the request as it was sent, where another one was shown before; None where
            that is the same.
    """

    total_tokens: int
    reported_tokens: int | None
    aged_out: bool = False
    sent_tokens: int | None = None


def is_near(predicted: int, reported: int, total_tokens: int) -> bool:
    """Whether a forecast was right, within one token or a hundredth of the request."""
    return abs(reported - predicted) <= max(1, total_tokens // _NEAR)


def _tolerance(foretold: CacheForecast, total_tokens: int) -> int:
    """The tolerated error of a forecast: one step of the rules, and for estimates a hundredth of the request."""
    guessed = 0 if foretold.exact or not foretold.predicted_read_tokens else total_tokens // _NEAR
    return max(1, foretold.step_tokens, guessed)


def verdict(foretold: CacheForecast, served: Served) -> Verdict:
    """Compare a forecast with what the provider reported.

    The cost of our own changes is in the forecast already: they are the cause only where they came after it was shown.
    """
    predicted, reported, total = foretold.predicted_read_tokens, served.reported_tokens, served.total_tokens
    if reported is None:
        return "not_reported"
    slack = _tolerance(foretold, total)
    if abs(reported - predicted) <= slack:
        if foretold.limit in ("below_minimum", "lookback_exceeded") and reported <= predicted:
            return foretold.limit
        return "as_predicted"
    if reported > predicted:
        return "more"
    if served.sent_tokens is not None and reported >= served.sent_tokens - slack:
        return "our_change"
    if served.aged_out:
        return "expired"
    # What was only seen so far is no rule that a server could break.
    little = foretold.observed or (predicted - reported) * _LITTLE < predicted
    return "less" if little else "elsewhere"


LAST_JUDGED = 100
"""How many of the newest forecasts are judged: old errors say nothing about today."""


def accuracy(reports: Sequence[TurnReport]) -> tuple[int, int]:
    """How many forecasts could be judged, and how many of them came true."""
    judged = [
        is_near(one.predicted_tokens, one.served_tokens, one.prompt_tokens or one.counted_tokens)
        for one in reports
        if one.predicted_tokens is not None and one.served_tokens is not None
    ][-LAST_JUDGED:]
    return len(judged), sum(judged)


LEAST_AMOUNTS = 3
"""Fewer different amounts have a common step by chance."""


def observe(reports: Sequence[TurnReport]) -> CacheSeen | None:
    """What the reports show of a cache, the newest last; None where nothing was ever served from one."""
    told = [(one.cached_tokens, one.prompt_tokens or one.counted_tokens) for one in reports]
    known = [(cached, prompt) for cached, prompt in told if cached is not None]
    amounts = sorted({cached for cached, _ in known if cached > 0})
    if not amounts:
        return None
    step = math.gcd(*amounts) if len(amounts) >= LEAST_AMOUNTS else 1
    cached, prompt = known[-1]
    return CacheSeen(cached, prompt, amounts[0], step if step > 1 else None)


def rules_of(seen: CacheSeen) -> CacheRules:
    """Rules inferred for a cache without known ones: repeated prefixes are served, in the steps observed."""
    step = seen.step_tokens or 1
    return CacheRules(
        OBSERVED, "prefix", "", tr("reports of this model"), minimum_tokens=step, step_tokens=step
    )
