"""Sentences about what it would do to apply the settings that are being tried out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from workbench.domain.settings.control import Setting, WhatIf
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.engine.state import Trial
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_words import rows_named
from workbench.ui.inspector.what_if.values import Value
from workbench.ui.look.tones import Tone
from workbench.ui.translation import N_, tr

# Whole sentences, since the order of words differs from language to language.
# Keys: what moves (d drops, b brings back, n neither) and whether cached tokens are read again (r).
_SENTENCES: Mapping[str, str] = {
    "d": N_("Applying drops {falls}."),
    "dr": N_("Applying drops {falls} and re-reads {lost} of {cached} cached tokens."),
    "b": N_("Applying brings back {back}."),
    "br": N_("Applying brings back {back} and re-reads {lost} of {cached} cached tokens."),
    "db": N_("Applying drops {falls} and brings back {back}."),
    "dbr": N_("Applying drops {falls}, brings back {back} and re-reads {lost} of {cached} cached tokens."),
    "n": N_("Applying changes no row of this request."),
    "nr": N_("Applying re-reads {lost} of {cached} cached tokens."),
    "s": N_("Applying makes it {tokens} tokens."),
    "sr": N_("Applying makes it {tokens} tokens and re-reads {lost} of {cached} cached tokens."),
}
# The same with a price at the end.
_PRICED: Mapping[str, str] = {
    "d": N_("Applying drops {falls}: {cost} this turn."),
    "dr": N_("Applying drops {falls} and re-reads {lost} of {cached} cached tokens: {cost} this turn."),
    "b": N_("Applying brings back {back}: {cost} this turn."),
    "br": N_("Applying brings back {back} and re-reads {lost} of {cached} cached tokens: {cost} this turn."),
    "db": N_("Applying drops {falls} and brings back {back}: {cost} this turn."),
    "dbr": N_(
        "Applying drops {falls}, brings back {back}, "
        "re-reads {lost} of {cached} cached tokens: {cost} this turn."
    ),
    "n": N_("Applying changes no row of this request: {cost} this turn."),
    "nr": N_("Applying re-reads {lost} of {cached} cached tokens: {cost} this turn."),
    "s": N_("Applying makes it {tokens} tokens: {cost} this turn."),
    "sr": N_(
        "Applying makes it {tokens} tokens and re-reads {lost} of {cached} cached tokens: {cost} this turn."
    ),
}


class SentenceText(NamedTuple):
    """A sentence, its tone, and the icon before it (none where empty)."""

    words: str
    tone: Tone
    icon: str


def value_words(setting: Setting, value: Value) -> str:
    """Text of a numeric setting's value; None is off."""
    if value is None:
        return tr(N_("off"))
    return formatting.percent(value / 100) if setting.control.percent else formatting.tokens(value)


def choice_words(tried: WhatIf, value: object) -> str:
    """Text of the value of a setting with few choices; a switch is on or off."""
    if value in tried.choices:
        return tr(tried.choices[value].label)
    return tr(N_("on")) if value else tr(N_("off"))


def change_words(before: str, after: str) -> str:
    """A value that is being tried out after the one it would replace: `before → after`."""
    return tr(N_("{before} → {after}")).format(before=before, after=after)


def idle_sentence() -> SentenceText:
    """What the What-if panel says while nothing is tried out."""
    words = N_("Move a control to preview its result and price above.")
    return SentenceText(tr(words), "neutral", "")


def trial_sentence(view: EnvelopeView, trial: Trial) -> SentenceText:
    """What applying the trial would do to the request."""
    if trial.view.over_tokens:
        words = tr(N_("Applying leaves the request {n} tokens over its limit."))
        return SentenceText(words.format(n=formatting.tokens(trial.view.over_tokens)), "err", "warn")
    costly = trial.lost_tokens > 0 or (trial.extra_cost_usd or 0) > 0
    words = tr((_PRICED if trial.extra_cost_usd else _SENTENCES)[_sentence_key(view, trial)]).format(
        falls=rows_named(view, trial.falls),
        back=rows_named(trial.view, trial.returns),
        lost=formatting.tokens(trial.lost_tokens),
        cached=formatting.tokens(view.cached_tokens or 0),
        tokens=formatting.tokens(trial.view.total_tokens),
        cost=formatting.signed_usd(trial.extra_cost_usd or 0),
    )
    return SentenceText(words, "warn" if costly else "ok", "warn" if costly else "check")


def _sentence_key(view: EnvelopeView, trial: Trial) -> str:
    moves = ("d" if rows_named(view, trial.falls) else "") + (
        "b" if rows_named(trial.view, trial.returns) else ""
    )
    if not moves:
        moves = "s" if trial.view.total_tokens != view.total_tokens else "n"
    return moves + ("r" if trial.lost_tokens > 0 else "")
