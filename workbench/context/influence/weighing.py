"""From scored masks to what each piece carried, and how far to trust it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.context.influence.lasso import Fit, lasso, spearman
from workbench.context.influence.masks import Mask, MaskPlan
from workbench.domain.influence import LEAST_HELD_OUT, PieceInfluence, Reliability
from workbench.domain.text import digest_text

Scores = Mapping[Mask, Sequence[float]]
"""The log-probability of each answer token, by what was kept."""

LEAST_NATS = 2.0
LEAST_PER_TOKEN = 0.02
_TIMES_DRIFT = 3.0
_SMALL = 0.02
_WORTH_TOKENS = 16


def leave_one_out_fit(scores: Scores, count: int) -> Fit | None:
    """What each piece adds where all others are there; None before the whole request was scored."""
    whole = scores.get((True,) * count)
    if whole is None:
        return None
    full = sum(whole)
    weights = []
    for gone in range(count):
        mask = tuple(place != gone for place in range(count))
        weights.append(full - sum(scores[mask]) if mask in scores else 0.0)
    return Fit(full - sum(weights), tuple(weights))


def masks_fit(scores: Scores, masks: Sequence[Mask]) -> Fit | None:
    """The sparse fit to the masks that were scored; None where there are too few. In nats of the whole answer."""
    known = [mask for mask in masks if mask in scores]
    if len(known) < 2:
        return None
    length = len(scores[known[0]]) or 1
    found = lasso(known, [sum(scores[mask]) / length for mask in known])
    return Fit(found.base * length, tuple(weight * length for weight in found.weights))


def reliability(fit: Fit, scores: Scores, plan: MaskPlan) -> Reliability:
    """How well the fit orders masks it has not seen."""
    if plan.crossed:
        return _crossed(scores, plan)
    known = [mask for mask in plan.held_out if mask in scores]
    told = [fit.predict(mask) for mask in known]
    rank = spearman(told, [sum(scores[mask]) for mask in known]) if len(known) > 2 else None
    return Reliability(rank, len(known), plan.complete and len(known) == len(plan.held_out))


def _crossed(scores: Scores, plan: MaskPlan) -> Reliability:
    """Every mask predicted by a fit to those of other folds, so that none has seen what it predicts."""
    # In the order of subsets, every second one would be all those without a certain piece.
    known = sorted((mask for mask in plan.fit if mask in scores), key=lambda mask: digest_text(str(mask)))
    folds = len(known) if len(known) <= LEAST_HELD_OUT else max(4, len(known) // LEAST_HELD_OUT)
    told: list[float] = []
    scored: list[float] = []
    for fold in range(folds):
        unseen = known[fold::folds]
        fit = masks_fit(scores, [mask for mask in known if mask not in unseen])
        if fit is None:
            continue
        told += [fit.predict(mask) for mask in unseen]
        scored += [sum(scores[mask]) for mask in unseen]
    rank = spearman(told, scored) if len(told) > 2 else None
    return Reliability(rank, len(told), len(known) == len(plan.fit))


def has_carried(pieces: Sequence[PieceInfluence], answer_tokens: int, drift: float) -> bool:
    """Whether the largest drop is more than noise.

    Taking any text out of a request moves an answer a little: answers of the built-in model that owe nothing to ten
    notes lost at most 0.8 nats with one of them, those that quote one lost 15 and more (`bench_influence`); the same
    request with another part of it cached was up to 1.0 off over 48 tokens. Over a long answer small moves add up, so
    there a drop must be as much a token as noise is not, or fall on some words.
    """
    top = max((piece.weight for piece in pieces), default=0.0)
    if top < max(LEAST_NATS, _TIMES_DRIFT * drift):
        return False
    peak = max((words.nats for piece in pieces for words in piece.carried), default=0.0)
    return top >= LEAST_PER_TOKEN * answer_tokens or peak >= LEAST_NATS


def could_go(pieces: Sequence[PieceInfluence]) -> PieceInfluence | None:
    """The longest piece without which the answer is as likely as with it."""
    idle = [
        one
        for one in pieces
        if one.per_answer_token is not None
        and abs(one.per_answer_token) <= _SMALL
        and one.tokens >= _WORTH_TOKENS
        and one.kind in ("artifact", "exchange")
    ]
    return max(idle, key=lambda one: one.tokens, default=None)
