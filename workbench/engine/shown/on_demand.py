"""How a request is looked into: its bytes, and how it differs from the one before; both made when someone looks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.context.cache.forecast import MOST_HELD
from workbench.context.explain.differences import TimedRequest, diff_view
from workbench.domain.memo import ByIdentity, Memo
from workbench.domain.shown.diff_view import DiffView
from workbench.domain.wire_form import WireForm
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.shown.request_view import Lenses
from workbench.engine.store import StateStore
from workbench.engine.wire_forms import wire_look
from workbench.engine.world import World
from workbench.ports.models import PriceList


class LiveLenses(Lenses):
    """For requests of open chats: the parameters set there, and the last turn that was sent there."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states, self._memo = world, states, Memo()

    def wire(self, prepared: Prepared) -> WireForm | None:
        """Its bytes, as they would be sent now."""
        state = self._states.state.open.get(prepared.built.inputs.conversation)
        parameters = {} if state is None else state.chat.parameters
        # Of as many turns as are looked at when it is sent.
        rows = () if state is None else reversed(state.turns[-MOST_HELD:])
        compared = prepared.compare_with
        if compared is None:
            compared = next((row.answer_id for row in rows if row.answer_id), "")
        return _bytes(prepared, self._world, self._memo, (parameters, compared))

    def diff(self, prepared: Prepared) -> DiffView | None:
        """Its difference from the one that was sent last."""
        before = prepared.previous
        state = None if before is None else self._states.state.open.get(before.inputs.conversation)
        if before is None or state is None:
            return difference_from_last(prepared, self._world.prices, "")
        sent = (row.sent_utc for row in reversed(state.turns) if row.number == before.envelope.turn)
        return difference_from_last(prepared, self._world.prices, next(sent, ""))


class KeptLenses(Lenses):
    """For one request that was sent: the parameters it had, and when the one before it was sent."""

    def __init__(self, world: World, parameters: Mapping[str, Any], before_utc: str) -> None:
        self._world, self._parameters, self._before_utc, self._memo = world, parameters, before_utc, Memo()

    def wire(self, prepared: Prepared) -> WireForm | None:
        """Its bytes, as they were sent."""
        return _bytes(prepared, self._world, self._memo, (self._parameters, prepared.compare_with or ""))

    def diff(self, prepared: Prepared) -> DiffView | None:
        """Its difference from the one before it."""
        return difference_from_last(prepared, self._world.prices, self._before_utc)


def difference_from_last(prepared: Prepared, prices: PriceList, before_utc: str) -> DiffView | None:
    """How a request differs from the one it was compared with; None where it is the first."""
    if prepared.previous is None:
        return None
    price = prices.price(prepared.built.inputs.model)
    return diff_view(
        TimedRequest(prepared.previous, before_utc), TimedRequest(prepared.built), prepared.change, price
    )


def _bytes(
    prepared: Prepared, world: World, memo: Memo, beside: tuple[Mapping[str, Any], str]
) -> WireForm | None:
    """The bytes of a request; looked at twice, they are not written twice.

    Beside it go the parameters, and what its provider calls the answer that it may be compared with.
    """
    parameters, compared = beside
    pictures = ByIdentity(world.pictures.of(prepared.built.inputs.conversation))
    key = (ByIdentity(prepared), parameters, compared, pictures)
    return memo.kept("bytes", key, wire_look(prepared.built, parameters, world, compared))
