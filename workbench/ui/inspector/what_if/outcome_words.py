"""What trying out other settings would do, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.engine.state import Trial
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_words import rows_named
from workbench.ui.inspector.what_if.knobs import Knob, Value
from workbench.ui.look.tones import Tone
from workbench.ui.translation import N_, translator

_tr = translator("WhatIf")
_NAMES: Mapping[Knob, str] = {
    "budget": N_("Budget"),
    "trim_at": N_("Trim at"),
    "keep_last": N_("Keep last turns"),
    "last_n": N_("Last messages"),
    "reserve": N_("Reply reserve"),
    "attachments": N_("Attachments"),
}
_TIPS: Mapping[Knob, str] = {
    "budget": N_("Maximum tokens of a request: the window without the reply reserve."),
    "trim_at": N_("Old messages are trimmed above this share of the budget."),
    "keep_last": N_("How many of the newest answers stay while anything else can go."),
    "last_n": N_("How many of the newest messages are sent at all."),
    "reserve": N_("Tokens of the window kept for the reply."),
    "attachments": N_("Maximum tokens of all attachments together."),
}
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


def knob_name(knob: Knob) -> str:
    """What a control is called."""
    return _tr(_NAMES[knob])


def knob_tip(knob: Knob) -> str:
    """What a control does."""
    return _tr(_TIPS[knob])


def value_words(knob: Knob, value: Value) -> str:
    """A value as it is shown."""
    if value is None:
        return _tr(N_("off"))
    return formatting.percent(value / 100) if knob == "trim_at" else formatting.tokens(value)


def change_words(before: str, after: str) -> str:
    """A value that is being tried out beside the one it would replace."""
    return _tr(N_("{before} → {after}")).format(before=before, after=after)


def idle_sentence() -> SentenceText:
    """What the panel says while nothing is tried out."""
    words = N_("Move a control to preview its result and price above.")
    return SentenceText(_tr(words), "neutral", "")


def trial_sentence(view: EnvelopeView, trial: Trial) -> SentenceText:
    """What applying would do to the request that is shown."""
    if trial.view.over_tokens:
        words = _tr(N_("Applying leaves the request {n} tokens over its limit."))
        return SentenceText(words.format(n=formatting.tokens(trial.view.over_tokens)), "err", "warn")
    costly = trial.lost_tokens > 0 or (trial.extra_cost_usd or 0) > 0
    words = _tr((_PRICED if trial.extra_cost_usd else _SENTENCES)[_kind(view, trial)]).format(
        falls=rows_named(view, trial.falls),
        back=rows_named(trial.view, trial.returns),
        lost=formatting.tokens(trial.lost_tokens),
        cached=formatting.tokens(view.cached_tokens or 0),
        tokens=formatting.tokens(trial.view.total_tokens),
        cost=formatting.signed_usd(trial.extra_cost_usd or 0),
    )
    return SentenceText(words, "warn" if costly else "ok", "warn" if costly else "check")


def _kind(view: EnvelopeView, trial: Trial) -> str:
    moves = ("d" if rows_named(view, trial.falls) else "") + (
        "b" if rows_named(trial.view, trial.returns) else ""
    )
    if not moves:
        moves = "s" if trial.view.total_tokens != view.total_tokens else "n"
    return moves + ("r" if trial.lost_tokens > 0 else "")
