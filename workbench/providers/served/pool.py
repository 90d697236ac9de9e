"""The places of a llama.cpp server and what it keeps beside them: which one a prompt gets, and what is served there.

As the server does it: a prompt goes to the free place that has most in common with it, if that is more than a tenth of
the prompt, else to the one that was left longest ago. Where most of what stands there would be lost, it is put aside
in memory first, and what was put aside before comes back where it has more in common with the prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.providers.served.meter import Held
from workbench.providers.served.slot import LlamaSlot, Token

_ALIKE = 0.1
_WORTH_LOSING = 0.5
_WORTH_LOADING = 0.25
_MOST_ASIDE = 64
_RUN = 1


@dataclass(slots=True)
class _PoolSlot:
    slot: LlamaSlot = field(default_factory=LlamaSlot)
    left_at: int = -1


@dataclass(frozen=True, slots=True)
class _Choice:
    """Where a prompt goes, whether what stands there is put aside, and what it finds there then."""

    place: _PoolSlot
    aside: bool
    found: LlamaSlot


class LlamaPool:
    """All places of one server, for all chats and models there."""

    def __init__(self, places: int) -> None:
        self._places = [_PoolSlot() for _ in range(max(1, places))]
        self._aside: list[LlamaSlot] = []
        self._puts_aside = True  # unless a report shows otherwise
        self._sure = True
        self._moment = 0

    @property
    def answering(self) -> bool:
        """Whether one of our own answers is being read just now."""
        return any(place.slot.answering for place in self._places)

    def look(self, sizes: Sequence[int] | None) -> None:
        """How many tokens the server says it holds at each place; what differs was written by somebody else."""
        if sizes is None:
            self._sure = False
            return
        if not any(sizes) or len(sizes) != len(self._places):
            # It was started anew, or was never asked: where it holds nothing, everything is known from here on.
            self._places = [_PoolSlot() for _ in sizes] or self._places
            self._aside, self._sure = [], bool(sizes) and not any(sizes)
        for place, size in zip(self._places, sizes, strict=False):
            slot = place.slot
            if slot.answering or size == slot.tokens:
                continue
            if not slot.stopped:
                place.slot, self._sure = LlamaSlot(), False
            elif size < slot.tokens:
                slot.cut(size)

    def held(self, prompt: Sequence[Token]) -> Held:
        """How much of a prompt will be served."""
        found = self._choice(prompt, aside=self._puts_aside).found
        return Held(max(0, min(found.common(prompt), len(prompt) - 1)), self._sure)

    def begin(self, prompt: Sequence[Token]) -> RunningPlace:
        """A prompt is read by the server."""
        choice = self._choice(prompt, aside=self._puts_aside)
        place = choice.place
        most = len(prompt) - 1
        plain = min(place.slot.common(prompt), most)
        if choice.found is not place.slot:
            self._aside.remove(choice.found)
        if choice.aside:
            self._put_aside(place.slot)
        read = min(choice.found.common(prompt), most)
        place.slot = LlamaSlot()
        place.slot.begin(_RUN, prompt)
        return RunningPlace(self, place.slot, (plain, read))

    def left(self, slot: LlamaSlot) -> None:
        """Nobody reads the answer at a place any more."""
        slot.left()
        self._moment += 1
        for place in self._places:
            if place.slot is slot:
                place.left_at = self._moment

    def report(self, served_tokens: int, plain: int, read: int) -> None:
        """What the server says it served, against what stood at the place and what was thought to come back to it."""
        if read != plain and served_tokens == plain:
            self._puts_aside, self._aside = False, []
        elif served_tokens == read:
            self._sure = True

    def _choice(self, prompt: Sequence[Token], *, aside: bool) -> _Choice:
        free = [place for place in self._places if not place.slot.answering] or self._places
        best = max(free, key=lambda place: place.slot.common(prompt))
        common = best.slot.common(prompt)
        if prompt and common / len(prompt) > _ALIKE:
            place, aside = best, aside and common / best.slot.tokens < _WORTH_LOSING
        else:
            place = min(reversed(free), key=lambda place: place.left_at)
        aside = aside and place.slot.tokens > 0
        return _Choice(place, aside, self._loaded(place.slot, prompt) if aside else place.slot)

    def _loaded(self, here: LlamaSlot, prompt: Sequence[Token]) -> LlamaSlot:
        """What comes back from memory in the place of what stands here; that itself where nothing is better."""
        best, kept = here, here.common(prompt) / here.tokens
        for one in self._aside:
            share = one.common(prompt) / one.tokens
            better = share > kept and one.common(prompt) > best.common(prompt)
            if better and share >= _WORTH_LOADING:
                best, kept = one, share
        return best

    def _put_aside(self, slot: LlamaSlot) -> None:
        if any(slot.is_within(one) for one in self._aside):
            return
        self._aside = [one for one in self._aside if not one.is_within(slot)][-_MOST_ASIDE:]
        self._aside.append(slot)


class RunningPlace:
    """One request while it is answered; `slot` follows what it writes."""

    def __init__(self, pool: LlamaPool, slot: LlamaSlot, expected: tuple[int, int]) -> None:
        self._pool, self.slot, self._expected = pool, slot, expected

    def report(self, served_tokens: int) -> None:
        """What the server says it served."""
        self._pool.report(served_tokens, *self._expected)

    def left(self) -> None:
        """Nobody reads the answer any more."""
        self._pool.left(self.slot)
