"""Forecasts what a provider's cache will do with a watched request, by its rules and everything sent before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, compress
from operator import attrgetter

from workbench.context.cache.breakpoints import MarkedPlace, Seen
from workbench.context.cache.forecast import by_marks
from workbench.context.watch.prefix import Beginnings, extend_chain
from workbench.domain.caching import CacheForecast, CacheRules, Limit
from workbench.domain.watch.request import WatchedPiece, WatchedRequest, tokens_of

HOUR_S = 3600.0
_MOST_ENTRIES = 50_000


_MARK, _TOKENS = attrgetter("mark"), attrgetter("tokens")


@dataclass(frozen=True, slots=True)
class Sent:
    """A request on its way to a cache.

    Attributes:
        chain: its beginnings. partly_tokens: what the first piece that differs has in common with the one before.
        at: when it was sent, in seconds.
    """

    provider: str
    pieces: tuple[WatchedPiece, ...]
    chain: Beginnings
    at: float
    partly_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        return tokens_of(self.pieces)

    @property
    def marks(self) -> tuple[tuple[int, WatchedPiece], ...]:
        marked = compress(range(len(self.pieces)), map(_MARK, self.pieces))
        return tuple((n, self.pieces[n]) for n in marked)


@dataclass(frozen=True, slots=True)
class Foreseen:
    """The forecast, what would have been read had nothing expired, and whether any of the request is cached."""

    forecast: CacheForecast
    unexpired_tokens: int
    held: bool = False


@dataclass(slots=True)
class _Entry:
    used_at: float
    lifetime_s: float | None

    def holds(self, at: float) -> bool:
        return self.lifetime_s is None or at - self.used_at <= self.lifetime_s


class Held:
    """What caches hold, by prefix digests; one for everything sent through one watch."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._slots: dict[str, frozenset[str]] = {}

    def foresee(self, rules: CacheRules, sent: Sent) -> Foreseen:
        """Forecast what the cache will do with a request."""
        known = [n for n, chain in enumerate(sent.chain.after) if chain in self._entries]
        fresh = [n for n in known if self._entries[sent.chain.after[n]].holds(sent.at)]
        if rules.newest_only:
            slot = self._slots.get(sent.chain.seed, frozenset())
            known, fresh = ([n for n in places if sent.chain.after[n] in slot] for places in (known, fresh))
        now = self._by_rules(rules, sent, fresh)
        ever = now if fresh == known else self._by_rules(rules, sent, known)
        if ever.predicted_read_tokens > now.predicted_read_tokens:
            now = replace(now, limit="cold")
        return Foreseen(now, ever.predicted_read_tokens, bool(fresh))

    def take(self, rules: CacheRules, sent: Sent, answer: Sequence[WatchedPiece]) -> None:
        """Record what the cache holds after a request and its answer; everything used has its lifetime renewed."""
        lifetime = None if rules.lifetime_s is None else float(rules.lifetime_s)
        for chain in sent.chain.after:
            if (entry := self._entries.get(chain)) is not None:
                entry.used_at = sent.at
        if rules.match == "breakpoints":
            marks = _chosen_marks(rules, sent)
            written = [(sent.chain.after[n], HOUR_S if one.mark == "1h" else lifetime) for n, one in marks]
        else:
            ends = sent.chain.after[-1:] if rules.match == "units" else sent.chain.after
            written = [(chain, lifetime) for chain in ends]
        if rules.keeps_answers:
            written += [(chain, lifetime) for chain in extend_chain(sent.chain, answer)]
        for chain, held_s in written:
            if (entry := self._entries.get(chain)) is None:
                self._entries[chain] = _Entry(sent.at, held_s)
            else:
                entry.lifetime_s = held_s
        if rules.newest_only:
            self._slots[sent.chain.seed] = frozenset(chain for chain, _ in written)
        self._forget()

    @staticmethod
    def _by_rules(rules: CacheRules, sent: Sent, places: Sequence[int]) -> CacheForecast:
        total, ends = sent.total_tokens, [*accumulate(map(_TOKENS, sent.pieces))]
        if rules.match == "breakpoints":
            return _by_marks(rules, sent, places, ends)
        last = max(places, default=-1)
        shared = ends[last] if places else 0
        if rules.match == "prefix" and last + 1 < len(sent.pieces):
            shared += sent.partly_tokens
        shared = min(shared, total - (1 if rules.rereads else 0))
        read = max(0, rules.served(shared))
        limit: Limit | None = "below_minimum" if 0 < shared < rules.minimum_tokens else None
        wrote = max(0, (rules.served(total) if rules.match == "prefix" else total) - read)
        return CacheForecast(
            sent.provider, read, wrote, total - read - wrote, limit=limit,
            step_tokens=rules.step_tokens, observed=rules.observed,
        )  # fmt: skip

    def _forget(self) -> None:
        """Drop entries that expired long ago, so that a watch may run for days."""
        if len(self._entries) < _MOST_ENTRIES:
            return
        kept = sorted(self._entries.items(), key=lambda item: item[1].used_at)[_MOST_ENTRIES // 2 :]
        self._entries = dict(kept)


def _by_marks(rules: CacheRules, sent: Sent, held: Sequence[int], ends: Sequence[int]) -> CacheForecast:
    marked, chain = {n for n, _ in _chosen_marks(rules, sent)}, sent.chain.after
    # What is read ends near a mark; of all others only the shortest and the longest say why nothing more is.
    near = {one - n for one in marked for n in range(rules.lookback)}.intersection(held)
    held = sorted(near.union(held[:1], held[-1:]))
    places = [MarkedPlace(chain[n], ends[n], n + 1, n in marked) for n in sorted(marked.union(held))]
    seen = Seen({one.chain: one for one in places}, None, tuple(one for one in places if one.marked))
    return by_marks(rules, {chain[n] for n in held}, seen, (sent.provider, ends[-1] if ends else 0))


def _chosen_marks(rules: CacheRules, sent: Sent) -> tuple[tuple[int, WatchedPiece], ...]:
    """Where a request writes: at its own marks, and where the provider adds them."""
    marks = sent.marks
    if rules.marks_newest and sent.pieces:
        last = len(sent.pieces) - 1
        marks = (*(one for one in marks if one[0] != last), (last, sent.pieces[last]))
    return marks[-rules.most_marks :]


_RETENTION_S = {'"24h"': 86_400, '"in_memory"': None}
_UNITS = {"s": 1, "m": 60, "h": 3600}
_FOREVER_S = 10 * 365 * 86_400
_SPAN = re.compile(r'"?(-?\d+)([smh]?)"?')


def asked_lifetime_s(request: WatchedRequest) -> int | None:
    """The cache lifetime that a request asks for, in seconds; None where it does not say."""
    told = dict(request.parameters)
    if request.format == "ollama" and (span := _SPAN.fullmatch(told.get("keep_alive", ""))):
        seconds = int(span[1]) * _UNITS.get(span[2], 1)
        return _FOREVER_S if seconds < 0 else max(1, seconds)
    return _RETENTION_S.get(told.get("prompt_cache_retention", ""))
