"""Findings about watched requests: few, each with evidence, tokens, price, and advice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from workbench.context.request_cost import rereading_cost
from workbench.context.watch.habits import Habits, copies
from workbench.context.watch.prefix import reread_tokens
from workbench.domain.model import ModelCard
from workbench.domain.spending import dollars
from workbench.domain.translation import joined, tr
from workbench.domain.usage import Price
from workbench.domain.watch.request import Cause, Finding, WatchedPiece, WatchedRequest, WatchedTurn

LEAST_TOKENS = 1024
LEAST_REQUESTS = 5
STALE_QUESTIONS = 3
LEAST_WRITTEN = 3
_NEARLY_FULL_PERCENT = 90
_LARGE_WINDOW = ("context-1m", 1_000_000)
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?")
_A_DAY_S = 15 * 3600
_ZONE_S = 1800  # time zones differ by half hours
_SLOW_S = 90  # a clock without seconds, and a slow start
_MOST_NAMED = 3

_CAUSED: dict[Cause, tuple[str, ...]] = {
    "tools": ("tools.without",),
    "system": ("text.freeze", "block.drop", "secrets.redact"),
    "history": ("results.shorten", "secrets.redact", "text.freeze", "block.drop"),
    "mark": ("cache.mark",),
}
"""What a rule changes when it is switched: that is no doing of the program's."""
_ADVICE: dict[Cause, str] = {
    "model": tr("Keep one model for a conversation: caches are kept by model."),
    "tools": tr("Keep the tools, their order and their descriptions the same for a whole conversation."),
    "system": tr("Keep the system prompt as it is, and send what changes with the newest message."),
    "history": tr("Leave earlier messages as they were sent; compact seldom, and much at once."),
    "parameters": tr("Set these parameters once for a conversation."),
    "mark": tr("Send a cache mark at least every 20 blocks."),
    "expired": tr("Go on sooner, or compact before a break."),
}


@dataclass(frozen=True, slots=True)
class Paid:
    """The model that was asked and its price; `switches` are headers that change it."""

    card: ModelCard
    price: Price | None = None
    switches: str = ""

    @property
    def window_tokens(self) -> int | None:
        """The model's window; None where it is unknown."""
        word, tokens = _LARGE_WINDOW
        if word in self.switches:
            return max(tokens, self.card.context_window_tokens)
        return None if self.card.window_assumed else self.card.context_window_tokens


def findings(
    turn: WatchedTurn, before: WatchedRequest | None, habits: Habits, paid: Paid
) -> tuple[Finding, ...]:
    """Everything worth knowing about a request; `habits` include it and its answer already."""
    return (
        *_prefix_lost(turn, before, habits, paid),
        *_cold_resume(turn, paid),
        *_compacted(turn, before),
        *_window_full(turn, paid),
        *_timestamp(turn, before, paid),
        *_unused_tools(turn, habits, paid),
        *_stale_results(turn, habits, paid),
        *_same_file(turn, habits, paid),
        *_idle_marks(habits, paid),
    )


def _prefix_lost(
    turn: WatchedTurn, before: WatchedRequest | None, habits: Habits, paid: Paid
) -> Iterator[Finding]:
    against = turn.against
    if against.relation != "changed" or before is None:
        return
    kept = before.tokens - against.lost_tokens
    tokens = reread_tokens(against.lost_tokens, kept, turn.request.tokens)
    if tokens >= LEAST_TOKENS:
        place = against.first_difference
        own, theirs = _causes(against.causes, habits)
        words = joined((tr("{tokens:,} tokens are re-read.", tokens=tokens), *own, *against.words))
        usd = rereading_cost(paid.card, paid.price, tokens)
        advice = _ADVICE[theirs[0]] if theirs else ""
        yield Finding("prefix_lost", tokens, words, advice, usd, place.path if place else "")


def _causes(causes: Sequence[Cause], habits: Habits) -> tuple[list[str], list[Cause]]:
    """What rules that somebody switched have done, in a sentence, and the causes that are the program's own."""
    ours = [one for cause in causes for one in _CAUSED.get(cause, ()) if one in habits.switched]
    theirs = [cause for cause in causes if not set(_CAUSED.get(cause, ())) & set(ours)]
    if not ours:
        return [], theirs
    names = ", ".join(dict.fromkeys(ours))
    return [
        tr("Your rules {names} changed the start once.", names=names)
        if ", " in names
        else tr("Your rule {name} changed the start once.", name=names)
    ], theirs


def _cold_resume(turn: WatchedTurn, paid: Paid) -> Iterator[Finding]:
    against = turn.against
    if "expired" not in against.causes or against.lost_tokens < LEAST_TOKENS:
        return
    usd = rereading_cost(paid.card, paid.price, against.lost_tokens)
    why = against.words[against.causes.index("expired")]
    words = tr("{lost_tokens:,} tokens are re-read. {why}", lost_tokens=against.lost_tokens, why=why)
    if turn.forecast is not None and turn.forecast.price_usd:
        words = tr("This request costs {dollars}. {why}", dollars=dollars(turn.forecast.price_usd), why=why)
    yield Finding("cold_resume", against.lost_tokens, words, _ADVICE["expired"], usd)


def _compacted(turn: WatchedTurn, before: WatchedRequest | None) -> Iterator[Finding]:
    if before is None or not turn.against.removed:
        return
    kept = {one.digest for one in turn.request.pieces}
    gone = [one for one in before.pieces if one.layer != "L1_SYSTEM" and one.digest not in kept]
    tokens = sum(one.tokens for one in gone)
    words = tr(
        "A summary replaced {n:,} parts of the conversation ({tokens:,} tokens).", n=len(gone), tokens=tokens
    )
    advice = tr("What it removed can be attached to a chat of your own.")
    yield Finding("compacted", tokens, words, advice)


def _window_full(turn: WatchedTurn, paid: Paid) -> Iterator[Finding]:
    window, tokens = paid.window_tokens, turn.request.tokens
    if window is None or tokens * 100 < window * _NEARLY_FULL_PERCENT:
        return
    words = tr(
        "The request takes {value} % of the window ({tokens:,} of {window:,} tokens).",
        value=100 * tokens // window,
        tokens=tokens,
        window=window,
    )
    advice = tr("Compact the conversation, or start a new one, before the answer has no room.")
    yield Finding("window_full", tokens, words, advice, input_usd(turn, paid, tokens))


def _timestamp(turn: WatchedTurn, before: WatchedRequest | None, paid: Paid) -> Iterator[Finding]:
    """A clock in the system prompt: a time close to now, or one that changed since the previous request."""
    pieces = turn.request.pieces
    for place, piece in enumerate(pieces):
        if piece.layer != "L1_SYSTEM":
            return  # they lead, and thousands may follow
        if piece.kind != "system":
            continue
        found = next((one for one in _TIME.finditer(piece.text) if _is_about(one[0], turn.started_at)), None)
        if found is None or (before is not None and not _moved(found[0], piece, before)):
            continue
        tokens = sum(one.tokens for one in pieces[place:])
        if tokens >= LEAST_TOKENS:
            line = piece.text.count("\n", 0, found.start()) + 1
            words = tr(
                "The time {found} is in line {line} of {path}: the prefix changes with the clock.",
                found=found[0],
                line=line,
                path=piece.path,
            )
            usd = rereading_cost(paid.card, paid.price, tokens)
            yield Finding("timestamp", tokens, words, _ADVICE["system"], usd, piece.path)
            return


def _is_about(text: str, now: float) -> bool:
    """Whether a time is close to now in some time zone; another time of the same day is a date, not a clock."""
    try:
        then = datetime.fromisoformat(text.replace(" ", "T")).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return False
    off = (then - now) % _ZONE_S
    return abs(then - now) <= _A_DAY_S and min(off, _ZONE_S - off) <= _SLOW_S


def _moved(time: str, piece: WatchedPiece, before: WatchedRequest) -> bool:
    """Whether the previous request had another time in the same place; one that stays breaks nothing."""
    was = next((one.text for one in before.pieces if one.path == piece.path), "")
    return bool(was) and time not in was and _TIME.search(was) is not None


def _unused_tools(turn: WatchedTurn, habits: Habits, paid: Paid) -> Iterator[Finding]:
    tools = turn.request.tools
    unused = [one for one in tools if one.name in habits.unused_tools(LEAST_REQUESTS)]
    tokens = sum(one.tokens for one in unused)
    if tokens < LEAST_TOKENS:
        return
    largest = sorted(unused, key=lambda one: -one.tokens)[:_MOST_NAMED]
    named = ", ".join(f"{one.name} ({one.tokens:,})" for one in largest)
    words = tr(
        "{n} of {n_2} tools were not called in {requests} requests: {tokens:,} "
        "tokens in each of them. The largest: {named}.",
        n=len(unused),
        n_2=len(tools),
        requests=habits.requests,
        tokens=tokens,
        named=named,
    )
    advice = tr("Turn off the tools that this work does not need.")
    yield Finding("unused_tools", tokens, words, advice, input_usd(turn, paid, tokens), largest[0].path)


def _stale_results(turn: WatchedTurn, habits: Habits, paid: Paid) -> Iterator[Finding]:
    old = {
        call: one for call, one in habits.results.items() if habits.questions - one.used_at >= STALE_QUESTIONS
    }
    pieces = [one for one in turn.request.results if one.call in old] if old else []
    if not pieces:
        return
    largest = max(pieces, key=lambda one: one.tokens)
    tokens, about = sum(one.tokens for one in pieces), old[largest.call]
    since = habits.questions - about.used_at
    what = tr("the result of {name}", name=about.name or "a tool") + (
        f" ({about.file})" if about.file else ""
    )
    words = tr(
        "{upper}{what}, {tokens:,} tokens, was last used {since} questions ago.",
        upper=what[0].upper(),
        what=what[1:],
        tokens=largest.tokens,
        since=since,
    )
    if len(pieces) > 1:
        words = tr(
            "{n} results of {tokens:,} tokens are no longer used. {words}",
            n=len(pieces),
            tokens=tokens,
            words=words,
        )
    advice = tr("Let the client clear old results, or start a new conversation.")
    yield Finding("stale_result", tokens, words, advice, input_usd(turn, paid, tokens), largest.path)


def _same_file(turn: WatchedTurn, habits: Habits, paid: Paid) -> Iterator[Finding]:
    found = copies(turn.request, habits.files)
    spare = {name: sum(one.tokens for one in some[:-1]) for name, some in found.items()}
    tokens = sum(spare.values())
    if tokens < LEAST_TOKENS:
        return
    most = max(spare, key=lambda name: spare[name])
    some = found[most]
    called = (
        most
        if most in habits.files.values()
        else tr("The same result of {name}", name=some[-1].name or "a tool")
    )
    words = tr(
        "{called} is in the request {n} times: {spare:,} duplicate tokens.",
        called=called,
        n=len(some),
        spare=spare[most],
    )
    advice = tr("Read a file once, or only the lines that are needed; clear older copies.")
    yield Finding("same_file", tokens, words, advice, input_usd(turn, paid, tokens), some[0].path)


def _idle_marks(habits: Habits, paid: Paid) -> Iterator[Finding]:
    if habits.written < LEAST_WRITTEN or habits.hits:
        return
    price, tokens = paid.price, habits.written_tokens
    usd = None
    if price is not None and price.cache_write is not None:
        usd = tokens * (price.cache_write - price.input) / 1_000_000
    words = tr(
        "{written} requests wrote {tokens:,} tokens to the cache, and none was read from it.",
        written=habits.written,
        tokens=tokens,
    )
    advice = tr("Keep what is before the cache marks unchanged, or leave the marks out.")
    yield Finding("idle_mark", tokens, words, advice, usd)


def input_usd(turn: WatchedTurn, paid: Paid, tokens: int) -> float | None:
    """The price of tokens in this request: the cached price where most of it was served from a cache."""
    if paid.price is None:
        return None
    usage = turn.answer.usage
    served = 2 * (usage.cached_tokens or 0) > (usage.prompt_tokens or turn.request.tokens)
    rate = paid.price.cached if served and paid.price.cached is not None else paid.price.input
    return tokens * rate / 1_000_000
