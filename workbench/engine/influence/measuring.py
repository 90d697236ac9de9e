"""Measures influence by log-probabilities: the same answer is scored under requests that each lack some pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from workbench.context.influence.masks import Fit, Mask, MaskPlan, leave_one_out, random_masks
from workbench.context.influence.pieces import Piece, Sentence, sentences_of
from workbench.context.influence.weighing import (
    LEAST_NATS,
    Scores,
    carried_words,
    could_go,
    has_carried,
    leave_one_out_fit,
    masks_fit,
    reliability,
    token_words,
)
from workbench.context.request_cost import request_cost
from workbench.domain.answer import ModelFailed
from workbench.domain.caching import CacheForecast
from workbench.domain.errors import WorkbenchError
from workbench.domain.influence import (
    AnswerScore,
    AnswerTokens,
    CarriedWords,
    CouldGo,
    Influence,
    InfluenceWish,
    PieceInfluence,
    Reliability,
    SentenceInfluence,
)
from workbench.domain.spending import CHARS_A_TOKEN
from workbench.domain.translation import tr
from workbench.domain.usage import Usage
from workbench.engine.influence.subject import Moved, Progress, Subject, pieces_in, row_of
from workbench.engine.influence.target import Target, kept_influence
from workbench.engine.spending import Purse, RunPrice
from workbench.engine.tasks import Stopper
from workbench.engine.world import World
from workbench.ports.models import PromptMeter

_LOOKED_INTO = 2
"""So many of the strongest pieces are looked at sentence by sentence."""
_SHOWN = 5
Number = TypeVar("Number", int, float)
Ranked = Callable[[Influence], None]


def plan_of(subject: Subject, wish: InfluenceWish) -> MaskPlan:
    """The masks of the first round; the same for the same request."""
    count, seed = len(subject.units), subject.target.digest
    return random_masks(count, wish.masks, seed) if wish.masks else leave_one_out(count, seed)


class Measuring:
    """One measurement at a server that scores given answers."""

    def __init__(self, target: Target, wish: InfluenceWish, meter: PromptMeter, world: World) -> None:
        self._target, self._wish, self._meter, self._world = target, wish, meter, world
        self._subject = Subject(target, wish, world)
        self._plan = plan_of(self._subject, wish)
        card = target.turn.built.inputs.model
        self._purse = Purse(card, world.prices.price(card), wish.cap_usd)
        self._scores: list[AnswerScore] = []
        self._ended = ""
        self._known = self._first_round() if wish.sentences else None

    def _first_round(self) -> Influence | None:
        """The stored result of the first round, if there is one: then only sentences are left to measure."""
        kept = kept_influence(self._target.record)
        if kept is None or not kept.complete or kept.digest != self._target.digest:
            return None
        scored = kept.method == "masks" or (kept.method == "leave_one_out" and not self._wish.masks)
        units = {unit.first.id for unit in self._subject.units}
        return kept if scored and {row.id for row in kept.pieces} == units else None

    @property
    def price(self) -> RunPrice:
        """Maximum cost of the requests, with those for sentences if it is known which."""
        guessed, count = len(self._target.answer) // CHARS_A_TOKEN, len(self._plan.order)
        if self._known is not None:
            inside = sum(map(len, self._parts(self._known).values()))
            count = inside + bool(inside)  # with the whole request
        whole = self._purse.whole(self._subject.sent.built, count, guessed)
        return replace(whole, open_end=self._wish.sentences and self._known is None)

    async def run(self, stopper: Stopper, moved: Moved, ranked: Ranked = lambda _: None) -> Influence:
        """Score every request; a stop or a failure ends it with the results so far.

        `ranked` is called as soon as the pieces are ranked: how far to trust that takes more requests.
        """
        try:
            answer = await self._meter.answer_tokens(self._target.answer)
        except ModelFailed as failed:
            raise WorkbenchError(failed.failure.message) from failed
        order = self._plan.order
        if self._known is not None:
            work = _Round(
                answer, stopper, Progress(self._world, int(any(self._parts(self._known).values())), moved)
            )
            return self._with_totals(await self._measure_sentences(self._known, None, work), work)
        work = _Round(answer, stopper, Progress(self._world, len(order), moved))
        runs: list[tuple[Mask, AnswerScore]] = []
        for mask in order:
            gone = [unit for unit, kept in zip(self._subject.units, mask, strict=True) if not kept]
            score = await self._score(pieces_in(gone), work)
            if score is None:
                break
            runs.append((mask, score))
            if len(runs) == len(self._plan.ranking) < len(order):
                ranked(self._with_totals(self._result(runs, work), work))
        found = self._result(runs, work)
        if len(runs) == len(order):
            whole = next(score.logprobs for mask, score in reversed(runs) if all(mask))
            if self._wish.masks:
                found = await self._measure_words(found, whole, work)
            if self._wish.sentences and not self._ended:
                found = await self._measure_sentences(found, sum(whole), work)
        return self._with_totals(found, work)

    async def _score(self, gone: Sequence[Piece], work: _Round) -> AnswerScore | None:
        """Score one request; None ends the measurement, with the reason noted."""
        built = await self._subject.without(gone)
        most = self._purse.most(built, len(work.answer.ids))
        if not self._purse.allows(most):
            if not self._scores:
                raise self._purse.refusal(most)
            self._ended = tr("The next request could pass the cap.")
            return None
        try:
            scoring = self._meter.score(self._subject.request(built), work.answer)
            score = await work.stopper.run("score an answer", scoring, None)
        except ModelFailed as failed:
            if not self._scores:
                raise WorkbenchError(failed.failure.message) from failed
            self._ended = failed.failure.message
            return None
        if score is None:
            self._ended = tr("Stopped.")
            return None
        used = Usage(score.prompt_tokens, score.cached_tokens, completion_tokens=len(work.answer.ids))
        self._purse.pay(used, most)
        self._scores.append(score)
        work.progress.step()
        return score

    def _result(self, runs: Sequence[tuple[Mask, AnswerScore]], work: _Round) -> Influence:
        count, masks = len(self._subject.units), self._wish.masks
        # Of the whole request the last score counts: right after its answer all of it was cached, and a single token
        # is computed a little otherwise than a batch, which is how all others end.
        scores: Scores = {mask: score.logprobs for mask, score in runs}
        fulls = [sum(score.logprobs) for mask, score in runs if all(mask)]
        fit = masks_fit(scores, self._plan.fit) if masks else leave_one_out_fit(scores, count)
        drift = abs(fulls[0] - fulls[-1]) if len(fulls) > 1 else None
        rows = () if fit is None else self._rows(fit, scores, work.answer)
        tokens = len(work.answer.ids)
        return Influence(
            model=self._target.turn.built.envelope.model,
            method="masks" if masks else "leave_one_out",
            turn=self._target.turn.number,
            digest=self._target.digest,
            answer_tokens=tokens,
            full_logprob=fulls[0] if fulls else None,
            drift=drift,
            pieces=rows,
            reliability=Reliability() if fit is None else reliability(fit, scores, self._plan),
            carried=has_carried(rows, tokens, drift or 0.0),
            could_go=self._could_go(rows),
            finer=self._subject.finer,
        )

    def _rows(self, fit: Fit, scores: Scores, answer: AnswerTokens) -> tuple[PieceInfluence, ...]:
        count = len(self._subject.units)
        words, full = token_words(self._target.answer, answer), scores[(True,) * count]
        rows = []
        for place, unit in enumerate(self._subject.units):
            alone = scores.get(tuple(one != place for one in range(count)))
            if alone is None and not self._wish.masks:
                continue  # it was stopped before
            carried = () if alone is None else carried_words(self._target.answer, words, full, alone)
            nats = fit.weights[place]
            row = row_of(unit)
            rows.append(replace(row, nats=nats, per_answer_token=nats / max(1, len(full)), carried=carried))
        return tuple(sorted(rows, key=lambda one: -one.weight))

    def _could_go(self, rows: Sequence[PieceInfluence]) -> CouldGo | None:
        idle = could_go(rows)
        if idle is None or idle.per_answer_token is None:
            return None
        card = self._target.turn.built.inputs.model
        later = CacheForecast(card.provider, idle.tokens, 0)
        saved = request_cost(card, self._world.prices.price(card), later)
        return CouldGo(idle.id, idle.tokens, idle.per_answer_token, self._subject.tokens_after(idle), saved)

    async def _measure_words(self, found: Influence, full: Sequence[float], work: _Round) -> Influence:
        """The words of the answer that each of the strongest pieces carried, found by leaving each out alone.

        `full` are the log-probabilities of the answer's tokens under the whole request.
        """
        units = {unit.first.id: unit for unit in self._subject.units}
        bare = [row for row in found.pieces if row.weight >= LEAST_NATS][:_LOOKED_INTO]
        bare = [row for row in bare if not row.carried]
        work.progress.planned += len(bare)
        words = token_words(self._target.answer, work.answer)
        carried: dict[str, tuple[CarriedWords, ...]] = {}
        for row in bare:
            score = await self._score(units[row.id].pieces, work)
            if score is None:
                break
            carried[row.id] = carried_words(self._target.answer, words, full, score.logprobs)
        return replace(
            found,
            pieces=tuple(replace(one, carried=carried.get(one.id, one.carried)) for one in found.pieces),
        )

    async def _measure_sentences(self, found: Influence, full: float | None, work: _Round) -> Influence:
        """Measure the strongest pieces sentence by sentence; `full` is the score of the whole request."""
        parts = self._parts(found)
        work.progress.planned += sum(map(len, parts.values()))
        runs: list[tuple[str, Sentence, float]] = []
        for key, sentence in ((key, one) for key, inside in parts.items() for one in reversed(inside)):
            score = await self._score([sentence.piece], work)
            if score is None:
                break
            runs.append((key, sentence, sum(score.logprobs)))
            if full is None:
                # After another request, so that it is computed as all of them are.
                whole = await self._score((), work)
                if whole is None:
                    runs.clear()
                    break
                full = sum(whole.logprobs)
        rows = [
            _with_sentences(row, [(one, (full or 0.0) - got) for piece, one, got in runs if piece == row.id])
            for row in found.pieces
        ]
        return replace(found, pieces=tuple(rows))

    def _parts(self, found: Influence) -> dict[str, tuple[Sentence, ...]]:
        """The sentences of the strongest pieces."""
        units = {unit.first.id: unit for unit in self._subject.units}
        strong = [row for row in found.pieces if row.weight >= LEAST_NATS][:_LOOKED_INTO]
        return {row.id: sentences_of(units[row.id], self._subject.sent.built) for row in strong}

    def _with_totals(self, found: Influence, work: _Round) -> Influence:
        """The result with the cost and time of both rounds together."""
        cached = [score.cached_tokens for score in self._scores if score.cached_tokens is not None]
        told, spent = len(cached) == len(self._scores), self._purse.spent_usd
        ended = tr(
            "{ended} {so_far}",
            ended=self._ended,
            so_far=work.progress.so_far(self._target, gave=bool(found.pieces)),
        )
        return replace(
            found,
            requests=found.requests + work.progress.done,
            planned=found.planned + work.progress.planned,
            prompt_tokens=found.prompt_tokens + sum(score.prompt_tokens for score in self._scores),
            cached_tokens=_together(
                0 if self._known is None else found.cached_tokens, sum(cached) if told else None
            ),
            seconds=found.seconds + work.progress.seconds,
            cost_usd=_together(0.0 if self._known is None else found.cost_usd, spent),
            notes=(*self._target.notes, *((ended,) if self._ended else ())),
            made_utc=self._world.utc.utc_now(),
        )


class _Round:
    """State shared by all requests of a measurement."""

    def __init__(self, answer: AnswerTokens, stopper: Stopper, progress: Progress) -> None:
        self.answer, self.stopper, self.progress = answer, stopper, progress


def _together(one: Number | None, other: Number | None) -> Number | None:
    return None if one is None or other is None else one + other


def _with_sentences(row: PieceInfluence, drops: Sequence[tuple[Sentence, float]]) -> PieceInfluence:
    """A piece with its strongest sentences; the others share what is left of its influence."""
    if not drops:
        return row
    ranked = sorted(drops, key=lambda one: -one[1])
    shown = [one for one in ranked[:_SHOWN] if one[1] > 0]
    told = tuple(SentenceInfluence(one.line, one.text, one.tokens, nats) for one, nats in shown)
    return replace(
        row,
        sentences=told,
        more_sentences=len(drops) - len(told),
        more_tokens=max(0, row.tokens - sum(one.tokens for one in told)),
        more_nats=(row.nats or 0.0) - sum(one.nats for one in told),
    )
