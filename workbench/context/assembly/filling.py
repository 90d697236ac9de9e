"""Texts that do not fit get the room there is, shared fairly; what each was cut by is remembered with its cut."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from workbench.context.assembly.draft import AttachmentPricing, WindowPricing
from workbench.context.assembly.memory import Shortener
from workbench.context.assembly.references import Placement
from workbench.context.assembly.select import Placements, shortest
from workbench.context.shorten.fair_shares import chars_for, fair_shares
from workbench.domain.envelope import Fitted
from workbench.domain.turn import TurnInputs

_TRIES = 8
_NEARLY_EQUAL = 0.8
"""A share of an equal one: cuts that are as fair as that stay as they are."""
_WORTH_MOVING = 50
"""A text gets more where that is a fiftieth of the limit at least: to move its bytes costs the cached prefix."""


class Filling:
    """Cuts texts to the room that they have, and sees where they are given more."""

    def __init__(
        self, inputs: TurnInputs, pricing: AttachmentPricing, shortener: Shortener, limits: tuple[int, int]
    ) -> None:
        self._limit, self._fill = limits
        self._then = inputs.trim.fitted
        self._most_attached = inputs.settings.attachment_budget_tokens
        self._pricing, self._shortener = pricing, shortener
        self.corrected = 1.0  # by which factor counts were corrected since the cuts were chosen

    def given_more(self, kept: Placements) -> frozenset[str]:
        """Texts that were cut, and have more room beside what else is attached than they had then."""
        worth = max(1, self._limit // _WORTH_MOVING)
        return frozenset(
            one.artifact.key
            for one, then in self._cut_before(kept)
            if then.room_tokens is not None and self._room_beside(one, kept) - then.room_tokens >= worth
        )

    def matters_more(self, kept: Placements) -> bool:
        """Whether a text that was cut has a higher priority than then: others may have to give way to it."""
        return any(
            then.priority is not None and one.artifact.priority < then.priority
            for one, then in self._cut_before(kept)
        )

    def _cut_before(self, kept: Placements) -> Iterator[tuple[Placement, Fitted]]:
        then = {(one.id, one.content_digest): one for one in self._then}
        for one in kept:
            cut = one.fitted
            if cut is not None and (cut.id, cut.content_digest) in then:
                yield one, then[cut.id, cut.content_digest]

    def _room_beside(self, placement: Placement, placements: Placements) -> int:
        """What everything else that is attached leaves a text, whatever was said."""
        most = self._fill if self._most_attached is None else min(self._fill, self._most_attached)
        others = (one for one in placements if one.shown and one.artifact.key != placement.artifact.key)
        return max(0, most - int(sum(map(self._pricing.alone, others)) / self.corrected))

    def remembered(self, placement: Placement, placements: Placements) -> Fitted | None:
        """A cut with what it was made by: the text gets more as soon as that is more."""
        cut = placement.fitted
        if cut is None:
            return None
        room = self._room_beside(placement, placements)
        return replace(cut, priority=placement.artifact.priority, room_tokens=room)

    def filled(
        self,
        placements: Placements,
        whole: Mapping[str, Placement],
        request: WindowPricing,
        most: int,
        only: Set[str] | None = None,
    ) -> Placements:
        """Texts that were cut get the room that is left below `most`, shared fairly: all of them, or `only` some."""
        cut = [one for one in placements if one.fitted and (only is None or one.artifact.key in only)]
        return self._shared(placements, cut, whole, request, most) if cut else placements

    def evened(
        self, placements: Placements, whole: Mapping[str, Placement], request: WindowPricing
    ) -> Placements:
        """Share the room among texts of one priority, where one of them has far less than an equal share."""
        for priority in sorted({one.artifact.priority for one in placements if one.attached and one.fitted}):
            alike = [
                (one, shortest(whole[one.artifact.key]))
                for one in placements
                if one.attached and one.shown and one.artifact.priority == priority
            ]
            least = {one.artifact.key: one for _, one in alike if one.fitted}
            tokens = [request.alone(one) for one, shorter in alike if shorter.fitted]
            least_cut = min(request.alone(one) for one, _ in alike if one.fitted)
            if least_cut * len(tokens) >= _NEARLY_EQUAL * sum(tokens):
                continue
            base = tuple(least.get(one.artifact.key, one) for one in placements)
            shared = self._shared(base, tuple(least.values()), whole, request, request.together(placements))
            placements = placements if shared is base else shared
        return placements

    def _shared(
        self,
        placements: Placements,
        cut: Sequence[Placement],
        whole: Mapping[str, Placement],
        request: WindowPricing,
        most: int,
    ) -> Placements:
        room = self._room(placements, request, most)
        if room <= 0:
            return placements
        least = {one.artifact.key: request.alone(one) for one in cut}
        wishes = {
            one.artifact.key: request.alone(_whole(one, whole[one.artifact.key])) - least[one.artifact.key]
            for one in cut
        }
        for _ in range(_TRIES):
            shares = fair_shares(room, wishes)
            longer = {
                key: self._fit(one, whole[key], least[key] + shares[key], request)
                for one in cut
                for key in (one.artifact.key,)
            }
            filled = tuple(longer.get(one.artifact.key, one) for one in placements)
            over = -self._room(filled, request, most)
            if over <= 0:
                return filled
            room -= over  # headings and labels that came back with a text
            if room <= 0:
                break
        return placements

    def _room(self, placements: Placements, request: WindowPricing, most: int) -> int:
        room = most - request.together(placements)
        if self._most_attached is None:
            return room
        return min(room, self._most_attached - self._pricing.together(placements))

    def _fit(self, least: Placement, whole: Placement, share: int, request: WindowPricing) -> Placement:
        """As much of one text as its share of the room pays for."""
        full = _whole(least, whole)
        cost = request.alone(full)
        if cost <= share:
            return full
        made: dict[int, Placement] = {}

        def price(chars: int) -> int | None:
            candidate = self._cut_at(least, chars)
            if candidate is None:
                return None
            made[chars] = candidate
            return request.alone(candidate)

        chars = chars_for(share, price, len(_text(least)), cost)
        return least if chars is None or request.alone(made[chars]) <= request.alone(least) else made[chars]

    def _cut_at(self, placement: Placement, chars: int) -> Placement | None:
        if (
            placement.on_shelf == "compacted"
            and placement.shelf_cut is not None
            and placement.shelf is not None
        ):
            text = self._shortener.fitted(placement.shelf, chars)
            return None if text is None else replace(placement, shelf_short=text, shelf_cut=chars)
        text = self._shortener.fitted(placement.artifact, chars)
        return None if text is None else replace(placement, short=text, cut=chars)


def _whole(cut: Placement, original: Placement) -> Placement:
    """The artifact in full where it was cut; an older copy beside it that went stays away."""
    return replace(cut, in_turn="full") if cut.in_turn == "compacted" else original


def _text(placement: Placement) -> str:
    on_shelf = placement.on_shelf == "compacted" and placement.shelf_cut is not None
    return placement.shelf.text if on_shelf and placement.shelf is not None else placement.artifact.text
