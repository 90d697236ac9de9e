"""Measures influence by asking again: the answer without a piece is compared with the first one by its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.context.influence.pieces import Unit
from workbench.context.influence.weighing import kept_share
from workbench.domain.answer import ModelFailed
from workbench.domain.errors import WorkbenchError
from workbench.domain.influence import FinerLook, Influence, InfluenceWish, PieceInfluence
from workbench.domain.record import noted_of_last
from workbench.domain.spending import CHARS_A_TOKEN
from workbench.domain.translation import tr
from workbench.domain.usage import Usage
from workbench.engine.hearing import hear
from workbench.engine.influence.subject import Moved, Progress, Subject, pieces_in, row_of
from workbench.engine.influence.target import Target
from workbench.engine.spending import Purse, RunPrice
from workbench.engine.tasks import Stopper
from workbench.engine.world import World
from workbench.ports.models import ChatModel

_ROUGH = tr("Found by asking again and comparing words, which is rougher than log-probabilities.")
_ONE_BY_ONE = tr("Masks and sentences need log-probabilities: each piece was left out alone, as a whole.")
_LEAST_ANSWER, _TIMES_LONGER = 64, 2
_MORE_THAN_NOISE = 0.1


class InfluenceByAsking:
    """One measurement at a model without log-probabilities."""

    def __init__(self, target: Target, wish: InfluenceWish, model: ChatModel, world: World) -> None:
        self._target, self._wish, self._model, self._world = target, wish, model, world
        self._subject = Subject(target, wish, world)
        card = target.turn.built.inputs.model
        self._purse = Purse(card, world.prices.price(card), wish.cap_usd)
        only = (_ONE_BY_ONE,) if wish.masks or wish.sentences else ()
        self._notes = [_ROUGH, *only, *target.notes]
        self._ended = ""
        self._usages: list[Usage] = []
        # An answer that goes on much longer is another one anyway, and must be paid for.
        self._guessed = len(target.answer) // CHARS_A_TOKEN
        self._answer_tokens = max(_LEAST_ANSWER, _TIMES_LONGER * self._guessed)

    @property
    def planned(self) -> int:
        """Number of requests: the whole one and one without each piece, times the repeats."""
        return (1 + len(self._subject.units)) * max(1, self._wish.repeats)

    @property
    def price(self) -> RunPrice:
        """Maximum cost of all requests."""
        return self._purse.whole(self._subject.sent.built, self.planned, self._answer_tokens)

    @property
    def _finer(self) -> FinerLook | None:
        """Cost of asking without every piece alone."""
        found = self._subject.finer
        if found is None:
            return None
        requests = (1 + found.pieces) * max(1, self._wish.repeats)
        each = self._subject.sent.built.envelope.total_tokens
        return replace(found, requests=requests, prompt_tokens=requests * each)

    async def run(self, stopper: Stopper, moved: Moved, ranked: object = None) -> Influence:
        """Ask without each piece, from the last to the first so that what is before it stays cached."""
        progress = Progress(self._world, self.planned, moved)
        whole = await self._lost_share((), stopper, progress)
        rows: list[PieceInfluence] = []
        for unit in reversed(self._subject.units if whole is not None else ()):
            lost = await self._lost_share((unit,), stopper, progress)
            if lost is None:
                break
            rows.append(replace(row_of(unit), lost=lost))
        return self._result(whole, rows, progress)

    async def _lost_share(self, units: Sequence[Unit], stopper: Stopper, progress: Progress) -> float | None:
        """Share of the answer lost without some pieces, over all repeats; None ends the measurement."""
        built = await self._subject.without(pieces_in(units))
        asked = self._subject.request(built)
        most_tokens = min(self._answer_tokens, asked.max_output_tokens or self._answer_tokens)
        request = replace(asked, max_output_tokens=most_tokens)
        clock = self._world.builder.clock
        lost: list[float] = []
        for _ in range(max(1, self._wish.repeats)):
            most = self._purse.most(built, most_tokens)
            if not self._purse.allows(most):
                if not self._usages:
                    raise self._purse.refusal(most)
                self._ended = tr("The next request could pass the cap.")
                return None
            try:
                reply = await stopper.run("ask again", hear(self._model, request, clock), None)
            except ModelFailed as failed:
                if not self._usages:
                    raise WorkbenchError(failed.failure.message) from failed
                self._ended = failed.failure.message
                return None
            if reply is None:
                self._ended = tr("Stopped.")
                return None
            self._purse.pay(reply.usage, most)
            self._usages.append(reply.usage)
            progress.step()
            lost.append(1 - kept_share(self._target.answer, reply.text))
        return sum(lost) / len(lost)

    def _result(self, whole: float | None, rows: Sequence[PieceInfluence], progress: Progress) -> Influence:
        if self._ended:
            self._notes.append(
                tr(
                    "{ended} {so_far}",
                    ended=self._ended,
                    so_far=progress.so_far(self._target, gave=bool(rows)),
                )
            )
        ranked = tuple(sorted(rows, key=lambda one: -one.weight))
        top = ranked[0].weight if ranked else 0.0
        prompts = [usage.prompt_tokens or 0 for usage in self._usages]
        cached = [usage.cached_tokens for usage in self._usages if usage.cached_tokens is not None]
        return Influence(
            model=self._target.turn.built.envelope.model,
            method="asking",
            turn=self._target.turn.number,
            digest=self._target.digest,
            answer_tokens=noted_of_last(self._target.turn.usage or {}, "completion_tokens") or self._guessed,
            drift=whole,
            requests=progress.done,
            planned=progress.planned,
            prompt_tokens=sum(prompts),
            cached_tokens=sum(cached) if cached and len(cached) == len(self._usages) else None,
            pieces=ranked,
            carried=top > (whole or 0.0) + _MORE_THAN_NOISE,
            finer=self._finer,
            seconds=progress.seconds,
            cost_usd=self._purse.spent_usd,
            notes=tuple(self._notes),
            made_utc=self._world.utc.utc_now(),
        )
