"""Influence by log-probabilities: the same answer scored under request after request, each without some pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from workbench.context.influence.masks import Mask, MaskPlan, leave_one_out, random_masks
from workbench.context.influence.pieces import Unit, pieces_of, units_of
from workbench.context.influence.weighing import (
    Scores,
    could_go,
    has_carried,
    leave_one_out_fit,
    masks_fit,
    reliability,
)
from workbench.context.influence.words import carried_words, token_words
from workbench.context.request_cost import request_cost
from workbench.domain.answer import ModelFailed
from workbench.domain.caching.forecast import CacheForecast
from workbench.domain.change import Built
from workbench.domain.errors import WorkbenchError
from workbench.domain.influence import (
    AnswerScore,
    AnswerTokens,
    CouldGo,
    FinerLook,
    Influence,
    InfluenceMethod,
    InfluenceWish,
    PieceInfluence,
    Reliability,
)
from workbench.domain.request import ModelRequest
from workbench.engine.influence.requests import SentRequest
from workbench.engine.influence.target import NothingToMeasure, Target
from workbench.engine.tasks import Stopper
from workbench.engine.wire_forms import outgoing_request
from workbench.engine.world import World
from workbench.ports.models import PromptMeter

Moved = Callable[[int, int, float | None], None]
"""Told after each request: how many are through, of how many, and how many seconds the others take."""

_STOPPED = "Stopped: {done} of {planned} requests were run."
_ENDED = "{why} {done} of {planned} requests were run; what they gave is kept."


@dataclass(slots=True)
class Progress:
    """How far a measurement is, and how long the rest takes at the pace so far."""

    world: World
    planned: int
    moved: Moved
    done: int = 0
    _began_ms: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self._began_ms = self.world.builder.clock.monotonic_ms()
        self.moved(0, self.planned, None)

    @property
    def seconds(self) -> float:
        return (self.world.builder.clock.monotonic_ms() - self._began_ms) / 1000

    def step(self) -> None:
        self.done += 1
        left = self.seconds / self.done * (self.planned - self.done)
        self.moved(self.done, self.planned, left)


class Measuring:
    """One measurement at a server that scores given answers."""

    def __init__(self, target: Target, wish: InfluenceWish, meter: PromptMeter, world: World) -> None:
        self._target, self._wish, self._meter, self._world = target, wish, meter, world
        self._sent = SentRequest(target.turn, target.before, world.builder)
        self._pieces = pieces_of(self._sent.built)
        self._units = units_of(self._pieces, wish.most_pieces)
        if not self._units:
            raise NothingToMeasure("The request holds nothing but the question, which is never left out.")
        self._runs: list[tuple[Mask, AnswerScore]] = []
        self._notes = list(target.notes)

    @property
    def plan(self) -> MaskPlan:
        """The requests of the first round."""
        count = len(self._units)
        if self._wish.masks:
            return random_masks(count, self._wish.masks, self._target.digest)
        return leave_one_out(count, self._target.digest)

    async def run(self, stopper: Stopper, moved: Moved) -> Influence:
        """Score every request; a stop or a failure ends it with what there is."""
        plan = self.plan
        try:
            answer = await self._meter.answer_tokens(self._target.answer)
        except ModelFailed as failed:
            raise WorkbenchError(failed.failure.message) from failed
        progress = Progress(self._world, len(plan.order), moved)
        for mask in plan.order:
            score = await self._scored(mask, answer, stopper, progress)
            if score is None:
                break
            self._runs.append((mask, score))
            progress.step()
        return self._result(plan, answer, progress)

    async def _scored(
        self, mask: Mask, answer: AnswerTokens, stopper: Stopper, progress: Progress
    ) -> AnswerScore | None:
        """The score of one request; None where it is the end, which is noted then."""
        gone = [unit for unit, kept in zip(self._units, mask, strict=True) if not kept]
        try:
            built = await self._sent.without([piece for unit in gone for piece in unit.pieces])
            work = self._meter.score(self._request(built), answer)
            score = await stopper.run("score an answer", work, None)
        except ModelFailed as failed:
            if not self._runs:
                raise WorkbenchError(failed.failure.message) from failed
            self._notes.append(
                _ENDED.format(why=failed.failure.message, done=progress.done, planned=progress.planned)
            )
            return None
        if score is None:
            self._notes.append(_STOPPED.format(done=progress.done, planned=progress.planned))
        return score

    def _request(self, built: Built) -> ModelRequest:
        parameters = {**self._world.parameters, **self._target.parameters}
        return outgoing_request(built, parameters, {}, self._world.limits)

    def _result(self, plan: MaskPlan, answer: AnswerTokens, progress: Progress) -> Influence:
        count = len(self._units)
        whole = (True,) * count
        scores = {mask: score.logprobs for mask, score in reversed(self._runs)}  # of the whole one, the first
        fulls = [sum(score.logprobs) for mask, score in self._runs if mask == whole]
        fit = masks_fit(scores, plan.fit) if self._wish.masks else leave_one_out_fit(scores, count)
        drift = abs(fulls[0] - fulls[-1]) if len(fulls) > 1 else None
        method: InfluenceMethod = "masks" if self._wish.masks else "leave_one_out"
        rows: tuple[PieceInfluence, ...] = ()
        if fit is not None:
            words = token_words(self._target.answer, answer)
            rows = tuple(
                self._row(place, fit.weights[place], scores, words)
                for place in range(count)
                if self._wish.masks or _without(place, count) in scores
            )
        tokens = len(answer.ids)
        ranked = tuple(sorted(rows, key=lambda one: -one.weight))
        cached = [score.cached_tokens for _, score in self._runs]
        known = [one for one in cached if one is not None]
        return Influence(
            model=self._target.turn.built.envelope.model,
            method=method,
            turn=self._target.turn.number,
            digest=self._target.digest,
            answer_tokens=tokens,
            full_logprob=fulls[0] if fulls else None,
            drift=drift,
            requests=len(self._runs),
            planned=len(plan.order),
            prompt_tokens=sum(score.prompt_tokens for _, score in self._runs),
            cached_tokens=sum(known) if len(known) == len(cached) else None,
            pieces=ranked,
            reliability=Reliability() if fit is None else reliability(fit, scores, plan),
            carried=has_carried(ranked, tokens, drift or 0.0),
            could_go=self._could_go(ranked),
            finer=self._finer(),
            seconds=progress.seconds,
            cost_usd=0.0,
            notes=tuple(self._notes),
            made_utc=self._world.utc.utc_now(),
        )

    def _row(self, place: int, nats: float, scores: Scores, words: Sequence[int]) -> PieceInfluence:
        unit, count = self._units[place], len(self._units)
        full, without = scores[(True,) * count], scores.get(_without(place, count))
        carried = () if without is None else carried_words(self._target.answer, words, full, without)
        return replace(row_of(unit), nats=nats, per_answer_token=nats / max(1, len(full)), carried=carried)

    def _could_go(self, rows: Sequence[PieceInfluence]) -> CouldGo | None:
        idle = could_go(rows)
        if idle is None or idle.per_answer_token is None:
            return None
        unit = next(one for one in self._units if one.first.id == idle.id)
        last = max(piece.place for piece in unit.pieces)
        after = sum(piece.tokens for piece in self._pieces if piece.place > last)
        card = self._target.turn.built.inputs.model
        saved = request_cost(
            card, self._world.prices.price(card), CacheForecast(card.provider, idle.tokens, 0)
        )
        return CouldGo(idle.id, idle.tokens, idle.per_answer_token, after, saved)

    def _finer(self) -> FinerLook | None:
        apart = units_of(self._pieces, len(self._pieces))
        if len(apart) <= len(self._units):
            return None
        requests = len(leave_one_out(len(apart), self._target.digest).order)
        return FinerLook(len(apart), requests, requests * self._sent.built.envelope.total_tokens)


def _without(place: int, count: int) -> Mask:
    return tuple(one != place for one in range(count))


def row_of(unit: Unit) -> PieceInfluence:
    """A unit as the result shows it, before anything is known of its influence."""
    first = unit.first
    return PieceInfluence(
        id=first.id,
        name=unit.name,
        layer=first.layer,
        kind=first.kind,
        tokens=unit.tokens,
        members=unit.members,
        first_turn=first.first_turn,
        last_turn=max(piece.last_turn for piece in unit.pieces),
        grouped=1 if unit.copies else len(unit.pieces),
    )
