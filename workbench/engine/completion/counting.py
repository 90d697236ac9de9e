"""What offers would cost: read and counted one by one, beside the loop, and remembered as long as they are the same."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, replace

from workbench.context.count.pictures import picture_tokens
from workbench.context.explain.standalone_cost import artifact_tokens, first_place_tokens, opening_tokens
from workbench.domain.files.attached import Attached, CannotAttach
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Image
from workbench.domain.models.model import ModelCard
from workbench.engine.assembly.prepare import made_sendable
from workbench.engine.state import ChatState
from workbench.engine.world import World
from workbench.ports.counting import TokenCounter

LONGEST_COUNTED = 1_000_000
"""So many characters are counted; of a longer text a part is, and the rest in proportion."""
_SAMPLE = 200_000
_MOST_KNOWN = 2_000


@dataclass(frozen=True, slots=True)
class Cost:
    """What something costs in full; `problem` says why it cannot be attached.

    A `passing` one is estimated only until the model's server has counted.
    """

    tokens: int | None = None
    estimated: bool = False
    problem: str = ""
    passing: bool = False


@dataclass(frozen=True, slots=True)
class Around:
    """What an attachment costs beside its own block, in the next request as it stands.

    Attributes:
        opening: what the first one costs more; 0 where something is in this turn's message already.
        place: what is counted with the one that stands first there, whose key is `first`.
    """

    opening: int = 0
    place: int = 0
    first: str = ""


class Costs:
    """Counts for one model at a time, and knows what it counted."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[Hashable, Cost] = {}

    def known(self, opened: ChatState, about: Hashable) -> Cost | None:
        return self._known.get((self._model(opened), about))

    async def of(
        self, opened: ChatState, about: Hashable, made: Callable[[], Awaitable[Artifact | Attached | None]]
    ) -> Cost:
        """What something costs; `about` says what it is and changes where that does, `made` gives it."""
        key = (self._model(opened), about)
        if key not in self._known:
            cost = await self._count(opened, made)
            if cost.passing:
                return cost
            while len(self._known) >= _MOST_KNOWN:
                del self._known[next(iter(self._known))]
            self._known[key] = cost
        return self._known[key]

    async def _count(
        self, opened: ChatState, made: Callable[[], Awaitable[Artifact | Attached | None]]
    ) -> Cost:
        try:
            found = await made()
        except CannotAttach as refusal:
            return Cost(problem=refusal.reason)
        if found is None:
            return Cost(problem="it is not there any more")
        card, counters = self._card(opened), self._world.builder.counters
        apart = counters.apart(card)
        try:
            counter = apart.counter(opened.chat.settings.counter, card)
            if isinstance(found, Attached) and found.picture is not None:
                shown = found.picture
                image = Image(found.sha256, width=shown.width, height=shown.height)
                return Cost(picture_tokens(image, card.pictures), estimated=True)
            artifact = _as_told(found) if isinstance(found, Attached) else found
            return await asyncio.to_thread(lambda: cost_of(self._sendable(artifact, opened), counter))
        finally:
            counters.take_over(apart)

    def _sendable(self, artifact: Artifact, opened: ChatState) -> Artifact:
        """As it may be sent: without keys, passwords and a model's control tokens, where that is wanted."""
        if opened.prepared is None:
            return artifact
        builder = self._world.builder
        apart = replace(builder, neutraliser=builder.neutraliser.apart(), guard=builder.guard.apart())
        turn = replace(
            opened.prepared.built.inputs, history=(), library=(), attached=(artifact,),
            question=None, tool_results=(), rounds=(),
        )  # fmt: skip
        sendable, _ = made_sendable(turn, apart)
        return sendable.attached[0]

    async def around(self, opened: ChatState) -> Around:
        """What the next request would cost more with any attachment."""
        layers = () if opened.view is None else opened.view.layers
        rows = [row for layer in layers if layer.name == "L3_TURN" for row in layer.rows if row.counted]
        card, counters = self._card(opened), self._world.builder.counters
        apart = counters.apart(card)
        try:
            counter = apart.counter(opened.chat.settings.counter, card)
            if not rows:
                return Around(await asyncio.to_thread(opening_tokens, opened.draft, counter))
            return Around(0, await asyncio.to_thread(first_place_tokens, counter), rows[0].key.id)
        finally:
            counters.take_over(apart)

    def _card(self, opened: ChatState) -> ModelCard:
        if opened.prepared is not None:
            return opened.prepared.built.inputs.model
        return self._world.builder.catalogue.find(opened.chat.settings.model)

    def _model(self, opened: ChatState) -> Hashable:
        settings, card = opened.chat.settings, self._card(opened)
        return settings.model, settings.counter, self._world.builder.counters.ratio(settings.counter, card)


def _as_told(found: Attached) -> Artifact:
    return replace(found.artifact, name=found.names[0]) if found.names else found.artifact


def cost_of(artifact: Artifact, counter: TokenCounter) -> Cost:
    """What a text costs as an attachment; of a very long one, about."""
    chars = len(artifact.text)
    if chars <= LONGEST_COUNTED:
        tokens = artifact_tokens(artifact, counter)
        passing = counter.exact and not counter.settled
        return Cost(tokens, estimated=passing or not counter.exact, passing=passing)
    middle = chars // 2
    pieces = (artifact.text[:_SAMPLE], artifact.text[middle : middle + _SAMPLE], artifact.text[-_SAMPLE:])
    counted = sum(artifact_tokens(replace(artifact, text=piece), counter) for piece in pieces)
    return Cost(counted * chars // (3 * _SAMPLE), estimated=True)
