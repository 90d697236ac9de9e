"""Texts about what a provider's cache did in a turn, compared with the forecast: a badge, and a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from workbench.domain.caching import Verdict
from workbench.domain.files.file_names import short_path
from workbench.domain.record import TurnState
from workbench.domain.shown.turn_view import TurnRow
from workbench.ui import formatting
from workbench.ui.inspector.rows.cause_words import cause_word, cause_words
from workbench.ui.look.tones import Tone
from workbench.ui.price_words import provider_words
from workbench.ui.translation import N_, sentences, tr


class BadgeWords(NamedTuple):
    """Tone, icon and word of a badge."""

    tone: Tone
    icon: str
    word: str


_VERDICTS: Mapping[Verdict, BadgeWords] = {
    "as_predicted": BadgeWords("ok", "check", N_("as predicted")),
    "more": BadgeWords("ok", "check", N_("more than predicted")),
    "less": BadgeWords("neutral", "info", N_("a little less")),
    "expired": BadgeWords("warn", "clock", N_("expired")),
    "elsewhere": BadgeWords("warn", "server", N_("elsewhere")),
    "below_minimum": BadgeWords("neutral", "info", N_("below the minimum")),
    "lookback_exceeded": BadgeWords("warn", "warn", N_("look-back exceeded")),
    "our_change": BadgeWords("err", "diff", N_("request changed")),
    "not_reported": BadgeWords("neutral", "", N_("not reported")),
    "distrusted": BadgeWords("warn", "warn", N_("not believed")),
}
_STATES: Mapping[TurnState, BadgeWords] = {
    "running": BadgeWords("accent", "play", N_("in flight")),
    "failed": BadgeWords("err", "x", N_("failed")),
    "stopped": BadgeWords("neutral", "stop", N_("stopped")),
    "interrupted": BadgeWords("warn", "warn", N_("interrupted")),
}
_SENTENCES: Mapping[Verdict, str] = {
    "as_predicted": N_("The cache served what was predicted."),
    "more": N_("The cache served more than its rules promise."),
    "less": N_("The cache served nearly all of what was predicted."),
    "expired": N_("The lifetime of the provider’s cache had passed since the last request."),
    "elsewhere": N_("The provider evicted the prefix, or another server answered."),
    "below_minimum": N_("The unchanged start is shorter than the provider’s minimum."),
    "lookback_exceeded": N_(
        "The provider searches only a limited distance back for a prefix; this one was further back."
    ),
    "our_change": N_("The request changed."),
    "not_reported": N_("The provider didn’t say what its cache served."),
    "distrusted": N_("The provider reported more cached tokens than it was sent."),
}


_SEVERAL = N_("Turn {n}: {tokens} tokens in {requests} requests, {out} out, all together.")


class Break(NamedTuple):
    """Why a turn's request does not extend the one before, in a word; `free` if no cache was lost by it."""

    free: bool
    word: str


_REBUILDS: Mapping[str, str] = {
    "asked": N_("asked for"),
    "cold": N_("cold: free"),
    "model": N_("other model"),
    "tools": N_("tools"),
    "instructions": N_("instructions"),
    "settings": N_("settings"),
    "history_edited": N_("edited"),
    "excluded": N_("left out"),
    "over_threshold": N_("over threshold"),
    "over_budget": N_("over budget"),
    "secret": N_("a key in it"),
}


def turn_badge(turn: TurnRow) -> BadgeWords | None:
    """Badge with the verdict on a turn's forecast, or with how the turn ended; None if there is nothing to say."""
    found = _VERDICTS[turn.verdict] if turn.verdict is not None else None
    if turn.truncated:
        return BadgeWords("err", "cut", tr("cut by the server"))
    if turn.state in ("running", "failed") or (found is None and turn.state != "complete"):
        found = _STATES[turn.state]
    if found is None and turn.predicted_tokens is None:
        return BadgeWords("neutral", "", tr("first request")) if turn.number == 1 else None
    return None if found is None else found._replace(word=tr(found.word))


def knows_cache(turn: TurnRow) -> bool:
    """Whether the provider's cache in this turn was predicted or reported."""
    return turn.predicted_tokens is not None or turn.reported_tokens is not None


def our_break(turn: TurnRow) -> Break | None:
    """Why a turn's request does not extend the one before; None if it does, or if no cache is known."""
    if not knows_cache(turn):
        return None
    if turn.rebuilt is not None and turn.rebuilt != "first":
        return Break(turn.rebuilt == "cold", tr(_REBUILDS.get(turn.rebuilt, "rebuilt")))
    return None if turn.broke is None else Break(False, cause_word(turn.broke))


def broke_prefix(turn: TurnRow) -> bool:
    """Whether a change of the request lost cached tokens."""
    found = our_break(turn)
    return found is not None and not found.free


def expired(turn: TurnRow) -> bool:
    """Whether the provider did not find the prefix in its cache, although the request did not change."""
    return turn.verdict in ("expired", "elsewhere", "lookback_exceeded")


def verdict_failed(verdict: Verdict | None) -> bool:
    """Whether a cache served much less than was expected."""
    return verdict in ("expired", "elsewhere", "below_minimum", "lookback_exceeded", "our_change")


def verdict_sentence(verdict: Verdict | None) -> str:
    """What became of a forecast; empty where there was none."""
    return "" if verdict is None else tr(_SENTENCES[verdict])


def turn_headline(turn: TurnRow) -> tuple[str, str]:
    """What is special about a turn, and its colour token; empty if nothing is."""
    if turn.state == "failed":
        return tr("failed"), "err"
    found = our_break(turn)
    if found is not None:
        return (
            (tr("rebuilt, {why}").format(why=found.word), "warn")
            if found.free
            else (tr("prefix broke"), "err")
        )
    badge = turn_badge(turn)
    if badge is None:
        return "", "t2"
    return badge.word, {"ok": "ok", "warn": "warn", "err": "err"}.get(badge.tone, "t2")


def turn_sentence(turn: TurnRow) -> str:
    """Why a turn failed, or why its cache did what it did."""
    if turn.state == "failed" and turn.failure is not None:
        return turn.failure.message
    if turn.truncated:
        return tr(
            "The server read far less than was sent, and said nothing: give it a larger window, or set a smaller one "
            "for this model here."
        )
    if turn.broke is not None:
        return tr("{what}.").format(what=cause_words(turn.broke, short_path(turn.broke_subject)))
    if turn.rebuilt is not None and turn.rebuilt != "first":
        return tr("{what}.").format(what=cause_words("rebuilt", turn.rebuilt))
    if turn.verdict is not None:
        return verdict_sentence(turn.verdict)
    return tr("The first request: there was nothing to reuse.") if turn.number == 1 else ""


def cache_line(turn: TurnRow) -> str:
    """How many cached tokens were predicted and how many reported."""
    if not knows_cache(turn):
        return tr("The server reports no cache use.")
    what = tr("Cache") if turn.requests == 1 else tr("Cache of the last request")
    reported = "" if turn.reported_tokens is None else formatting.tokens(turn.reported_tokens)
    if turn.predicted_tokens is None:
        return tr("{what}: {b} reported.").format(what=what, b=reported)
    predicted = formatting.tokens(turn.predicted_tokens)
    words = (
        tr("{what}: {a} predicted, {b} reported.")
        if reported
        else tr("{what}: {a} predicted, nothing reported.")
    )
    return words.format(what=what, a=predicted, b=reported)


def turn_description(turn: TurnRow) -> str:
    """A turn in full sentences, for screen readers and for a tooltip."""
    tokens_in = turn.total_tokens if turn.prompt_tokens is None else turn.prompt_tokens
    one, several = tr("Turn {n}: {tokens} tokens in, {out} out."), tr(_SEVERAL)
    one = tr("Request {n}: {tokens} tokens in, {out} out.") if turn.watched else one
    words = (one if turn.requests == 1 else several).format(
        n=formatting.tokens(turn.number),
        requests=formatting.tokens(turn.requests),
        tokens=formatting.tokens(tokens_in),
        out=formatting.tokens(turn.completion_tokens or 0),
    )
    headline, _ = turn_headline(turn)
    told = f"{headline[:1].upper()}{headline[1:]}." if headline else ""
    return sentences(words, cache_line(turn), told, turn_sentence(turn), provider_words(turn.says))


def turns_summary(turns: tuple[TurnRow, ...]) -> str:
    """Number of turns, and the last one that broke or missed the cache."""
    if not turns:
        return tr("none yet")
    count = formatting.tokens(len(turns))
    broke = next((turn for turn in reversed(turns) if broke_prefix(turn)), None)
    if broke is not None:
        words = tr("{count}, request {n} broke the prefix") if broke.watched else None
        words = words or tr("{count}, turn {n} broke the prefix")
        return words.format(count=count, n=formatting.tokens(broke.number))
    gone = next((turn for turn in reversed(turns) if expired(turn)), None)
    if gone is not None:
        words = tr("{count}, the cache had expired at request {n}") if gone.watched else None
        words = words or tr("{count}, the cache had expired in turn {n}")
        return words.format(count=count, n=formatting.tokens(gone.number))
    return count


def notable_turn(turns: tuple[TurnRow, ...]) -> int | None:
    """The turn to look at first: the last one that failed, broke or missed the cache, else the last one."""
    found = (
        turn.number
        for turn in reversed(turns)
        if broke_prefix(turn) or expired(turn) or turn.state == "failed"
    )
    return next(found, turns[-1].number if turns else None)
