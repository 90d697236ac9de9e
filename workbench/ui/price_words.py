"""The price of a step in words: what is re-read, what that costs now and later, and when it is free."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from workbench.domain.caching import ProviderSays
from workbench.domain.shown.envelope_view import PriceTag
from workbench.ui import formatting
from workbench.ui.look.tones import Tone
from workbench.ui.translation import N_, tr


class Priced(NamedTuple):
    """A price in one line, its tone, and the icon before it."""

    words: str
    tone: Tone
    icon: str


class PriceLines(NamedTuple):
    """A price in two lines of two columns: now and what is re-read; later, and when it becomes free."""

    now: str
    read: str
    after: str
    cold: str
    tone: Tone


def price_line(tag: PriceTag) -> Priced:
    """The price in one line: “re-reads 3,210 of 14,820 cached, +$0.0050”."""
    if not tag.fits:
        return Priced(tr("the request would not fit any more"), "err", "warn")
    if tag.free:
        return Priced(_with_tokens(tag, _free_words(tag)), "ok", "check")
    if tag.reread_tokens is None:
        return Priced(
            _joined(_tokens_words(tag), _now_words(tag)) or tr("changes nothing in the next request"),
            "neutral",
            "",
        )
    if not tag.reread_tokens:
        return Priced(_with_tokens(tag, tr("re-reads nothing")), "ok", "check")
    words = tr("re-reads {lost} of {cached} cached").format(
        lost=formatting.tokens(tag.reread_tokens), cached=formatting.tokens(tag.cached_tokens or 0)
    )
    return Priced(_joined(_tokens_words(tag), words, _now_words(tag)), "warn", "warn")


def price_lines(tag: PriceTag) -> PriceLines:
    """The price in two lines of two columns; without a price in dollars, what is re-read comes first."""
    if not tag.fits:
        return PriceLines(
            tr("doesn’t fit"), _tokens_words(tag), "", tr("the request would be over its limit"), "err"
        )
    after = "" if tag.local or not tag.after_usd else formatting.signed_usd(tag.after_usd)
    later = tr("then {price} per turn").format(price=after) if after else ""
    costly = bool(tag.reread_tokens) or (tag.now_usd or 0) > 0
    tone: Tone = "warn" if costly else "neutral" if tag.reread_tokens is None else "ok"
    delta, again = _tokens_words(tag), _reread_words(tag)
    if tag.free:
        now = tr("{price} now").format(price=_now_words(tag)) if _now_words(tag) else tr("free now")
        return PriceLines(now, delta, later, _free_words(tag), "ok")
    if not _now_words(tag):
        return PriceLines(again or _same_count_words(tag), delta, later, _when_free_words(tag), tone)
    now = tr("{price} now").format(price=_now_words(tag))
    return PriceLines(now, _joined(_tokens_words(tag), again), later, _when_free_words(tag), tone)


def short_price(tag: PriceTag) -> str:
    """The price alone, for a button: dollars, or what is re-read; empty if there is nothing to say."""
    if tag.free:
        return tr("free now")
    if _now_words(tag) or not tag.reread_tokens:
        return _now_words(tag)
    return tr("re-reads {lost}").format(lost=formatting.tokens(tag.reread_tokens))


def _same_count_words(tag: PriceTag) -> str:
    return "" if tag.tokens_delta else tr("same token count")


def _reread_words(tag: PriceTag) -> str:
    if tag.reread_tokens is None:
        return ""
    if not tag.reread_tokens:
        return tr("re-reads nothing")
    of_all = tr("re-reads {lost} of {cached} cached") if not _now_words(tag) else tr("re-reads {lost}")
    lost, cached = (formatting.tokens(n or 0) for n in (tag.reread_tokens, tag.cached_tokens))
    return of_all.format(lost=lost, cached=cached)


def _when_free_words(tag: PriceTag) -> str:
    if tag.free:
        return _free_words(tag)
    if tag.cached_tokens is None:
        return tr("cache unknown")
    if not tag.reread_tokens:
        return ""
    if tag.warm_s is None:
        return tr("free when cold")
    minutes, seconds = divmod(max(0, round(tag.warm_s)), 60)
    return tr("free in {minutes}:{seconds}, when cold").format(minutes=minutes, seconds=f"{seconds:02}")


def _free_words(tag: PriceTag) -> str:
    return tr("free now: the cache is cold") if tag.cold else tr("free now: nothing is cached")


def _with_tokens(tag: PriceTag, words: str) -> str:
    return _joined(_tokens_words(tag), words, _now_words(tag) if (tag.now_usd or 0) > 0 else "")


def _tokens_words(tag: PriceTag) -> str:
    words = tr("{n} tokens").format(n=formatting.signed_tokens(tag.tokens_delta))
    return words if tag.tokens_delta else ""


def _now_words(tag: PriceTag) -> str:
    return "" if tag.local or not tag.now_usd else formatting.signed_usd(tag.now_usd)


def _joined(*words: str) -> str:
    return formatting.clauses(words)


# Why a provider's cache missed, as the provider itself says: a sentence to stand beside our own.


_REASONS: Mapping[str, str] = {
    "unchanged": N_("this request continues the previous one unchanged"),
    "model_changed": N_("another model than in the request before"),
    "system_changed": N_("the instructions changed since the last request"),
    "tools_changed": N_("the tools changed since the last request"),
    "messages_changed": N_("an earlier message changed since the last request"),
    "previous_message_not_found": N_("it has no record of the request before"),
    "unavailable": N_("unknown; perhaps a parameter changed, such as thinking"),
    "pending": N_("it had not compared the two requests yet"),
}


def provider_words(said: ProviderSays | None) -> str:
    """What the provider itself says about why its cache missed; empty if it says nothing."""
    if said is None:
        return ""
    known = _REASONS.get(said.reason)
    why = tr(known) if known is not None else said.reason.replace("_", " ")
    missed = ""
    if said.missed_tokens is not None:
        missed = tr(" About {n} tokens could have been read from its cache.").format(
            n=formatting.tokens(said.missed_tokens)
        )
    return tr("The provider says: {why}.").format(why=why) + missed
