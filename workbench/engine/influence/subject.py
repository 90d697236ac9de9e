"""The subject of a measurement: one answer, the pieces of its request, and the request without some of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from workbench.context.assembly.render import system_segments
from workbench.context.clean.guard import SecretGuard
from workbench.context.influence.masks import leave_one_out
from workbench.context.influence.pieces import Piece, Unit, pieces_of, units_of
from workbench.context.influence.without import built_without, inputs_without, with_fences_of
from workbench.domain.change import Built
from workbench.domain.envelope import SECRET_REPLACED
from workbench.domain.influence import FinerLook, InfluenceWish, PieceInfluence
from workbench.domain.record import TurnRecord
from workbench.domain.request import ModelRequest
from workbench.domain.segment import Segment
from workbench.domain.translation import tr
from workbench.domain.turn import TurnInputs
from workbench.engine.assembly.building import prepare_in_thread
from workbench.engine.assembly.prepare import Builder, ask_again, make_sendable
from workbench.engine.conversation import Conversation
from workbench.engine.influence.target import NothingToMeasure, Target, whole_influence
from workbench.engine.wire_forms import outgoing_request
from workbench.engine.world import World

# A sent request rebuilt without some of its pieces, by the builder that made it.


class SentRequest:
    """One sent request; `before` is the one that it continues, if it is a log.

    Attributes:
        built: the request with all its pieces, as it was sent.
    """

    def __init__(self, turn: TurnRecord, before: TurnRecord | None, builder: Builder) -> None:
        self.built = turn.built
        self._before = None if before is None else before.built
        replaced = any(one.reason == SECRET_REPLACED for one in turn.built.envelope.cuts.repairs)
        # Whether secrets were replaced is not a matter of what is set today.
        self._builder = replace(builder, guard=SecretGuard("replace" if replaced else "off"))
        self._rebuilds: bool | None = None

    async def without(self, pieces: Sequence[Piece]) -> Built:
        """The request as it could have been sent without these pieces.

        Where the builder does not make the sent request again, byte for byte, since it was cut by counts that nobody
        has any more, the pieces are taken out of the request itself.
        """
        if self._rebuilds is None:
            self._rebuilds = _said(await self._rebuilt(())) == _said(self.built)
        if not pieces:
            return self.built
        if self._rebuilds:
            return with_fences_of(self.built, await self._rebuilt(pieces))
        instructions = self._instructions(self.built.inputs, pieces)
        return with_fences_of(self.built, built_without(self.built, pieces, instructions))

    async def _rebuilt(self, pieces: Sequence[Piece]) -> Built:
        # What was cut stays cut as it was sent: only the pieces are to be missing.
        inputs = inputs_without(replace(self.built.inputs, trim=self.built.envelope.cuts.trim), pieces)
        before = self._before
        if before is not None and pieces:
            before = built_without(before, pieces, self._instructions(before.inputs, pieces))
        standing = Conversation(
            inputs.conversation, library=inputs.library, trim=inputs.trim, previous=before
        )
        return (await prepare_in_thread(*ask_again(inputs, standing), self._builder)).built

    def _instructions(self, inputs: TurnInputs, pieces: Sequence[Piece]) -> tuple[Segment, ...] | None:
        """The instructions without the pieces; None if no piece is an instruction."""
        if not any(one.kind in ("instruction", "fact", "tool") for one in pieces):
            return None
        sendable, _ = make_sendable(inputs_without(inputs, pieces), self._builder)
        return system_segments(sendable.settings)


def _said(built: Built) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in built.envelope.messages]


Moved = Callable[[int, int, float | None], None]
"""Told after each request: how many are through, of how many, and how many seconds the others take."""


@dataclass(slots=True)
class Progress:
    """Progress of a measurement, with the remaining time at the present pace."""

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

    def so_far(self, target: Target, *, gave: bool) -> str:
        """How far it came, for someone who did not see its end; `gave` says whether there is a result."""
        what = tr("what they gave is kept.") if gave else tr("too few to say anything, so nothing is kept.")
        if whole_influence(target.record, target.digest) is not None:
            what = tr("the whole measurement from before stays.")
        return tr(
            "{done} of {planned} requests were run; {what}", done=self.done, planned=self.planned, what=what
        )

    def step(self) -> None:
        self.done += 1
        self.moved(self.done, self.planned, self.seconds / self.done * (self.planned - self.done))


class Subject:
    """An answer with the pieces that may have carried it; `NothingToMeasure` where there are none.

    Attributes:
        units: what is left out together, in wire order.
    """

    def __init__(self, target: Target, wish: InfluenceWish, world: World) -> None:
        self.target, self.world = target, world
        if any(one.images for message in target.turn.built.envelope.messages for one in message.segments):
            raise NothingToMeasure(
                tr("The request holds pictures, which cannot be scored. Nothing was asked.")
            )
        self.sent = SentRequest(target.turn, target.before, world.builder)
        self.pieces = pieces_of(self.sent.built)
        self.units = units_of(self.pieces, wish.most_pieces)
        if not self.units:
            raise NothingToMeasure(tr("The request holds nothing but the question, which is never left out."))

    async def without(self, pieces: Sequence[Piece]) -> Built:
        """The request without these pieces."""
        return await self.sent.without(pieces)

    def request(self, built: Built) -> ModelRequest:
        """The model request for a built one."""
        parameters = {**self.world.parameters, **self.target.parameters}
        return outgoing_request(built, parameters, {}, self.world.limits)

    def tokens_after(self, row: PieceInfluence) -> int:
        """Tokens after a piece in the request, which are re-read once when it is left out."""
        gone = [one for unit in self.units if unit.first.id == row.id for one in unit.pieces]
        last = max((one.place for one in gone), default=0)
        return sum(one.tokens for one in self.pieces if one.place > last)

    @property
    def finer(self) -> FinerLook | None:
        """What scoring every piece alone takes, if some were grouped."""
        apart = len(units_of(self.pieces, len(self.pieces)))
        if apart <= len(self.units):
            return None
        requests = len(leave_one_out(apart, self.target.digest).order)
        return FinerLook(apart, requests, requests * self.sent.built.envelope.total_tokens)


def pieces_in(units: Iterable[Unit]) -> list[Piece]:
    """All pieces of these units."""
    return [piece for unit in units for piece in unit.pieces]


def row_of(unit: Unit) -> PieceInfluence:
    """A unit as a row of the result, before its influence is known."""
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
