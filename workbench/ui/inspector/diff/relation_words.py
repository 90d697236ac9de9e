"""Texts about how two requests differ: the kind of change, and what it means for the cache."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from workbench.domain.change import Change
from workbench.domain.shown.diff_view import DiffCause, DiffSide, DiffView
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_words import turn_title
from workbench.ui.translation import N_, tr
from workbench.ui.widgets.plain import shown

_KINDS: Mapping[Change, str] = {
    "first": N_("first"),
    "identical": N_("identical"),
    "extended": N_("extended"),
    "shrunk": N_("shrunk"),
    "diverged": N_("diverged"),
}
_KIND_TOKENS: Mapping[Change, str] = {
    "identical": "ok",
    "extended": "ok",
    "shrunk": "warn",
    "diverged": "warn",
}
_CALM: Mapping[Change, tuple[str, str]] = {
    "identical": (
        N_("Nothing differs"),
        N_("Both requests are the same, byte for byte: a cache can serve all of it."),
    ),
    "extended": (
        N_("The prefix is intact"),
        N_("The earlier request is the unchanged start of the later one, so it can come from the "
"cache. Only the addition is read."),
    ),
}  # fmt: skip


class Figure(NamedTuple):
    """A figure, what it counts, where it comes from, its colour token, and a shorter unit for narrow windows."""

    value: str
    unit: str
    why: str
    token: str = "t1"
    short: str = ""


def side_tokens(side: DiffSide) -> str:
    """Size of a request in tokens, marked with ≈ if it is an estimate."""
    words = formatting.tokens(side.total_tokens)
    return words if side.exact else f"≈ {words}"


def side_name(side: DiffSide) -> str:
    """Name of one of the two compared requests: its variant, its turn, or Next."""
    if side.name:
        return shown(side.name, 24)
    return turn_title(side.turn, side.watched) if side.sent_utc else tr("Next")


def kind_word(change: Change) -> str:
    """Word for a kind of change, such as `extended`."""
    return tr(_KINDS[change])


def figures(diff: DiffView, cached: bool = True) -> tuple[Figure, ...]:
    """The figures of a comparison; without a known cache (`cached` is false) none about lost tokens and price."""
    if not cached:
        return (_common_figure(diff, tr("tokens in common from the start")), _kind_figure(diff))
    lost = formatting.signed_tokens(-diff.lost_tokens)
    cost = "—" if diff.extra_cost_usd is None else formatting.signed_usd(diff.extra_cost_usd)
    reading = tr("to read them again") if diff.extra_cost_usd is not None else tr("no price is known")
    return (
        Figure(
            lost,
            tr("tokens lost from the cache"),
            tr("Cached tokens after the first difference, which are read again."),
            "err" if diff.lost_tokens else "t1",
            tr("lost from the cache"),
        ),
        _common_figure(diff, tr("tokens still reused")),
        Figure(
            cost, reading, tr("The lost tokens at the model’s listed prices, uncached instead of cached.")
        ),
        _kind_figure(diff),
    )


def _common_figure(diff: DiffView, unit: str) -> Figure:
    why = tr("Tokens before the first difference, which both requests have in common.")
    return Figure(formatting.tokens(diff.reused_tokens), unit, why)


def _kind_figure(diff: DiffView) -> Figure:
    why = tr("How the later request begins, compared with the earlier one.")
    return Figure(kind_word(diff.change), tr("kind of change"), why, _KIND_TOKENS.get(diff.change, "t1"))


def difference_words(diff: DiffView) -> str:
    """The token at which two requests begin to differ, in words; empty where they do not."""
    if diff.first_difference_token is None or diff.change in ("identical", "extended", "first"):
        return ""
    return tr("first difference at token {n}").format(n=formatting.tokens(diff.first_difference_token))


def effect_words(cause: DiffCause, diff: DiffView, cached: bool = True) -> tuple[str, str]:
    """What a cause does to the cache, and its colour token; without a known cache, where the requests differ."""
    if cause.kind == "counts":
        return tr("no bytes changed"), "t3"
    if cause.breaks and not cached:
        return tr("differs from here"), "t2"
    if cause.breaks:
        if not cause.lost_tokens:
            return tr("breaks here"), "err"
        return tr("breaks here: {n}").format(n=formatting.signed_tokens(-cause.lost_tokens)), "err"
    if any(each.breaks for each in diff.causes):
        return (tr("after the break") if cached else ""), "t3"
    return tr("added at the end"), "ok"


def calm_words(diff: DiffView) -> tuple[str, str] | None:
    """Title and sentence for a change that loses nothing from the cache; None for any other."""
    words = _CALM.get(diff.change)
    return None if words is None else (tr(words[0]), tr(words[1]))


def sentence(diff: DiffView) -> str:
    """The whole comparison as a sentence for screen readers."""
    words = tr("{a}, {n} tokens, against {b}, {m} tokens: {kind}.").format(
        a=side_name(diff.before),
        n=side_tokens(diff.before),
        b=side_name(diff.after),
        m=side_tokens(diff.after),
        kind=kind_word(diff.change),
    )
    where = difference_words(diff)
    return f"{words} {where[:1].upper()}{where[1:]}." if where else words
