"""A sent request rebuilt without some of its pieces, by the builder that made it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.context.assembly.render import system_segments
from workbench.context.clean.guard import SecretGuard
from workbench.context.influence.pieces import Piece
from workbench.context.influence.without import built_without, inputs_without
from workbench.domain.change import Built
from workbench.domain.envelope import SECRET_REPLACED
from workbench.domain.record import TurnRecord
from workbench.domain.segment import Segment
from workbench.domain.turn import TurnInputs
from workbench.engine.assembly.building import prepare_beside
from workbench.engine.assembly.prepare import Ask, Builder, made_sendable
from workbench.engine.conversation import Conversation


class SentRequest:
    """One request that was sent; `before` is the one that it went on from, where it is a log.

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
        if not self._rebuilds:
            return built_without(self.built, pieces, self._instructions(self.built.inputs, pieces))
        return await self._rebuilt(pieces)

    async def _rebuilt(self, pieces: Sequence[Piece]) -> Built:
        # What was cut stays cut as it was sent: only the pieces are to be missing.
        inputs = inputs_without(replace(self.built.inputs, trim=self.built.envelope.cuts.trim), pieces)
        before = self._before
        if before is not None and pieces:
            before = built_without(before, pieces, self._instructions(before.inputs, pieces))
        conversation = Conversation(
            id=inputs.conversation,
            turn=inputs.turn - 1,
            history=inputs.history,
            attached=inputs.attached,
            library=inputs.library,
            trim=inputs.trim,
            tuning=inputs.tuning,
            previous=before,
        )
        ask = Ask(
            inputs.settings, inputs.question, inputs.now, inputs.tool_results, inputs.rounds, inputs.model,
            inputs.cold, inputs.rebuild, found=inputs.found,
        )  # fmt: skip
        return (await prepare_beside(conversation, ask, self._builder)).built

    def _instructions(self, inputs: TurnInputs, pieces: Sequence[Piece]) -> tuple[Segment, ...] | None:
        """Those of a request without the pieces; None where none of the pieces is an instruction."""
        if not any(one.kind in ("instruction", "fact", "tool") for one in pieces):
            return None
        sendable, _ = made_sendable(inputs_without(inputs, pieces), self._builder)
        return system_segments(sendable.settings)


def _said(built: Built) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in built.envelope.messages]
