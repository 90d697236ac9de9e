"""Estimates each piece's influence from scored masks, and how reliable that is."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Mapping, Sequence

from workbench.context.influence.masks import Fit, Mask, MaskPlan, lasso, spearman
from workbench.context.shorten.facts import facts_in
from workbench.domain.influence import LEAST_HELD_OUT, AnswerTokens, CarriedWords, PieceInfluence, Reliability
from workbench.domain.text import digest_text

Scores = Mapping[Mask, Sequence[float]]
"""The log-probability of each answer token, by what was kept."""

LEAST_NATS = 2.0
LEAST_PER_TOKEN = 0.02
_TIMES_DRIFT = 3.0
_SMALL = 0.02
_WORTH_TOKENS = 16


def leave_one_out_fit(scores: Scores, count: int) -> Fit | None:
    """Each piece's contribution beside all others; None before the whole request was scored."""
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
    """A sparse fit to the scored masks, in nats of the whole answer; None where there are too few."""
    known = [mask for mask in masks if mask in scores]
    if len(known) < 2:
        return None
    length = len(scores[known[0]]) or 1
    found = lasso(known, [sum(scores[mask]) / length for mask in known])
    return Fit(found.base * length, tuple(weight * length for weight in found.weights))


def reliability(fit: Fit, scores: Scores, plan: MaskPlan) -> Reliability:
    """How well the fit ranks masks that it has not seen."""
    if plan.crossed:
        return _cross_validated(scores, plan)
    known = [mask for mask in plan.held_out if mask in scores]
    told = [fit.predict(mask) for mask in known]
    rank = spearman(told, [sum(scores[mask]) for mask in known]) if len(known) > 2 else None
    return Reliability(rank, len(known), plan.complete and len(known) == len(plan.held_out))


def _cross_validated(scores: Scores, plan: MaskPlan) -> Reliability:
    """Reliability by cross-validation: every mask is predicted by a fit to the other folds."""
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
    there a drop must exceed the noise per token, or be concentrated on some words.
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


# The words of an answer that a piece carried: differences of log-probability by token, put together to words.


_WORD = re.compile(r"\S+")
_LEAST_NATS = 0.3
_LEAST_SHARE = 0.05
_MOST = 12

Span = tuple[int, int]


def token_words(text: str, answer: AnswerTokens) -> tuple[int, ...]:
    """For each token, the index of the word that it belongs to; −1 for white space after the last word."""
    words = [found.span() for found in _WORD.finditer(text)]
    decoder = getincrementaldecoder("utf-8")("replace")
    found: list[int] = []
    at = place = 0
    for piece in answer.pieces:
        written = decoder.decode(piece)
        at += len(written)
        # Its last character that is no space decides: a token begins with the space before its word.
        end = at - (len(written) - len(written.rstrip()))
        last = max(end - 1, 0)
        while place + 1 < len(words) and last >= words[place + 1][0]:
            place += 1
        found.append(place if words else -1)
    return tuple(found)


def word_spans(text: str) -> tuple[Span, ...]:
    """The spans of an answer's words."""
    return tuple(found.span() for found in _WORD.finditer(text))


def carried_words(
    text: str, words: Sequence[int], full: Sequence[float], without: Sequence[float]
) -> tuple[CarriedWords, ...]:
    """Runs of words that are less likely without a piece, the strongest first; none where that may be noise."""
    spans = word_spans(text)
    nats = [0.0] * len(spans)
    for word, kept, gone in zip(words, full, without, strict=True):
        if 0 <= word < len(nats):
            nats[word] += kept - gone
    least = max(_LEAST_NATS, _LEAST_SHARE * sum(value for value in nats if value > 0))
    runs: list[CarriedWords] = []
    open_run = False
    for span, value in zip(spans, nats, strict=True):
        if value < least:
            open_run = False
            continue
        if open_run:
            last = runs.pop()
            runs.append(CarriedWords(last.start, span[1], last.nats + value))
        else:
            runs.append(CarriedWords(*span, value))
        open_run = True
    # Taking any text out moves some words a little: a piece that carried nothing carried none of them.
    if max((run.nats for run in runs), default=0.0) < LEAST_NATS and sum(nats) < LEAST_NATS:
        return ()
    return tuple(sorted(runs, key=lambda run: -run.nats)[:_MOST])


# Two answers compared by what they say: how much of the first one is still in the second.


_ANSWER_WORD = re.compile(r"[^\W_]+")


def kept_share(first: str, second: str) -> float:
    """The share of an answer's facts and words that another answer has, each counting half."""
    words = _share(_words(first), _words(second))
    facts = facts_in(first)
    if not facts:
        return words
    other = {key for fact in facts_in(second) for key in fact.keys | fact.bare}
    return (words + sum(bool(fact.keys & other) for fact in facts) / len(facts)) / 2


def _words(text: str) -> set[str]:
    return {word.lower() for word in _ANSWER_WORD.findall(text)}


def _share(first: set[str], second: set[str]) -> float:
    return len(first & second) / len(first) if first else 1.0
