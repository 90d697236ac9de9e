"""How a request is looked into: its bytes, and how it differs from the one before; both made when someone looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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

Beside = tuple[Mapping[str, Any], str]
"""What goes with a request: the parameters, and what its provider calls the answer that it may be compared with."""


def live_lenses(world: World, states: StateStore) -> Lenses:
    """For requests of open chats: the parameters set there, and the last turn that was sent there."""

    def parameters(chat: str) -> Mapping[str, Any]:
        state = states.state.open.get(chat)
        return {} if state is None else state.chat.parameters

    def sent_utc(chat: str, turn: int) -> str:
        state = states.state.open.get(chat)
        rows = () if state is None else state.turns
        return next((row.sent_utc for row in reversed(rows) if row.number == turn), "")

    def diff(prepared: Prepared) -> DiffView | None:
        before = prepared.previous
        when = "" if before is None else sent_utc(before.inputs.conversation, before.envelope.turn)
        return difference_from_last(prepared, world.prices, when)

    def beside(prepared: Prepared) -> Beside:
        chat = prepared.built.inputs.conversation
        if prepared.compare_with is not None:
            return parameters(chat), prepared.compare_with
        state = states.state.open.get(chat)
        # Of as many turns as are looked at when it is sent.
        rows = () if state is None else reversed(state.turns[-MOST_HELD:])
        return parameters(chat), next((row.answer_id for row in rows if row.answer_id), "")

    return Lenses(_bytes(world, beside), diff)


def kept_lenses(world: World, parameters: Mapping[str, Any], before_utc: str) -> Lenses:
    """For one request that was sent: the parameters it had, and when the one before it was sent."""
    return Lenses(
        _bytes(world, lambda prepared: (parameters, prepared.compare_with or "")),
        lambda prepared: difference_from_last(prepared, world.prices, before_utc),
    )


def difference_from_last(prepared: Prepared, prices: PriceList, before_utc: str) -> DiffView | None:
    """How a request differs from the one it was compared with; None where it is the first."""
    if prepared.previous is None:
        return None
    price = prices.price(prepared.built.inputs.model)
    return diff_view(
        TimedRequest(prepared.previous, before_utc), TimedRequest(prepared.built), prepared.change, price
    )


def _bytes(world: World, beside: Callable[[Prepared], Beside]) -> Callable[[Prepared], WireForm | None]:
    """The bytes of a request; looked at twice, they are not written twice."""
    memo = Memo()

    def look(prepared: Prepared) -> WireForm | None:
        chat = prepared.built.inputs.conversation
        given, compared = beside(prepared)
        key = (ByIdentity(prepared), given, compared, ByIdentity(world.pictures.of(chat)))
        return memo.kept("bytes", key, wire_look(prepared.built, given, world, compared))

    return look
