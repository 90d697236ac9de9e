"""Creates the view of a request for a front end, with its bytes and difference on demand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from workbench.context.cache.forecast import MOST_HELD
from workbench.context.explain.differences import TimedRequest, diff_view
from workbench.context.explain.row_facts import Disk, RowFacts, messages_of
from workbench.context.explain.view import ViewedRequest, attachments_in, envelope_view
from workbench.domain.memo import ByIdentity, Memo
from workbench.domain.request import WireForm
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.domain.shown.diff_view import DiffView
from workbench.domain.shown.envelope_view import EnvelopeView, RequestMoment
from workbench.engine.assembly.prepare import Builder, Prepared
from workbench.engine.store import StateStore
from workbench.engine.wire_forms import wire_look
from workbench.engine.world import World
from workbench.ports.models import PriceList


class Lenses:
    """How a request's bytes and its difference from the one before are made on demand; here, not at all."""

    def wire(self, _prepared: Prepared) -> WireForm | None:
        return None

    def diff(self, _prepared: Prepared) -> DiffView | None:
        return None


@dataclass(frozen=True, slots=True)
class Scene:
    """Context of a request's view; `RowFacts` and `EnvelopeView` describe the fields."""

    attached_in: Mapping[str, int] = field(default_factory=dict)
    disk: Disk = field(default_factory=dict)
    standing: RequestMoment = "next"
    sent_utc: str = ""
    warm_until_utc: str | None = None
    asked_utc: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)


class RequestViewer:
    """Creates the views of one chat's requests; equal parts are the same objects as in the last view."""

    def __init__(self, builder: Builder, prices: PriceList, lenses: Lenses | None = None) -> None:
        self._builder, self._prices = builder, prices
        self._lenses = lenses or Lenses()
        self._memo = Memo()

    def view(self, prepared: Prepared, scene: Scene) -> EnvelopeView:
        return self._view(prepared, scene, self._viewed(prepared, scene))

    def view_with_attachments(
        self, prepared: Prepared, scene: Scene
    ) -> tuple[EnvelopeView, tuple[AttachmentRow, ...]]:
        looked = self._viewed(prepared, scene)
        view = self._view(prepared, scene, looked)
        return view, attachments_in(view, looked, self._memo)

    def _view(self, prepared: Prepared, scene: Scene, looked: ViewedRequest) -> EnvelopeView:
        view = envelope_view(looked, self._memo)
        over = prepared.built.inputs.cold and prepared.previous is not None
        return replace(
            view,
            cold=over,
            warm_until_utc=None if over and view.cached_tokens else scene.warm_until_utc,
            asked_utc=scene.asked_utc,
            values=scene.values,
            cached_exact=prepared.forecast is not None and prepared.forecast.exact,
            wire=partial(self._lenses.wire, prepared),
            diff=partial(self._lenses.diff, prepared),
        )

    def _viewed(self, prepared: Prepared, scene: Scene) -> ViewedRequest:
        inputs, previous = prepared.built.inputs, prepared.previous
        facts = RowFacts(
            prepared.built,
            self._builder.counters.counter(inputs.settings.counter, inputs.model),
            previous,
            self._memo.cached("said before", (ByIdentity(previous),), lambda: messages_of(previous)),
            scene.attached_in,
            scene.disk,
            scene.standing,
            self._builder.memory,
            prepared.secrets,
        )
        return ViewedRequest(
            facts, prepared.change, prepared.forecast, self._prices.price(inputs.model), scene.sent_utc
        )


class LiveLenses(Lenses):
    """For requests of open chats, with their parameters and the last turn sent."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states, self._memo = world, states, Memo()

    def wire(self, prepared: Prepared) -> WireForm | None:
        state = self._states.state.open.get(prepared.built.inputs.conversation)
        parameters = {} if state is None else state.chat.parameters
        # Of as many turns as are looked at when it is sent.
        rows = () if state is None else reversed(state.turns[-MOST_HELD:])
        compared = prepared.compare_with
        if compared is None:
            compared = next((row.answer_id for row in rows if row.answer_id), "")
        return _bytes(prepared, self._world, self._memo, (parameters, compared))

    def diff(self, prepared: Prepared) -> DiffView | None:
        before = prepared.previous
        state = None if before is None else self._states.state.open.get(before.inputs.conversation)
        if before is None or state is None:
            return difference_from_last(prepared, self._world.prices, "")
        sent = (row.sent_utc for row in reversed(state.turns) if row.number == before.envelope.turn)
        return difference_from_last(prepared, self._world.prices, next(sent, ""))


class KeptLenses(Lenses):
    """For one sent request, with its parameters and the time of the one before it.

    `sent_utc` is when it was sent itself: without it, it would be called the next one; `lost_tokens` what was noted as
    lost of the one before.
    """

    def __init__(
        self,
        world: World,
        parameters: Mapping[str, Any],
        before_utc: str,
        sent_utc: str = "",
        lost_tokens: int | None = None,
    ) -> None:
        self._world, self._parameters, self._before_utc, self._memo = world, parameters, before_utc, Memo()
        self._sent_utc, self._lost_tokens = sent_utc, lost_tokens

    def wire(self, prepared: Prepared) -> WireForm | None:
        return _bytes(prepared, self._world, self._memo, (self._parameters, prepared.compare_with or ""))

    def diff(self, prepared: Prepared) -> DiffView | None:
        times = self._before_utc, self._sent_utc
        return difference_from_last(prepared, self._world.prices, *times, self._lost_tokens)


def difference_from_last(
    prepared: Prepared,
    prices: PriceList,
    before_utc: str,
    sent_utc: str = "",
    lost_tokens: int | None = None,
) -> DiffView | None:
    """The difference from the request it was compared with; None for the first one."""
    if prepared.previous is None:
        return None
    price = prices.price(prepared.built.inputs.model)
    return diff_view(
        TimedRequest(prepared.previous, before_utc),
        TimedRequest(prepared.built, sent_utc, lost_tokens=lost_tokens),
        prepared.change,
        price,
    )


def _bytes(
    prepared: Prepared, world: World, memo: Memo, beside: tuple[Mapping[str, Any], str]
) -> WireForm | None:
    """The bytes of a request, cached.

    Beside it go the parameters, and what its provider calls the answer that it may be compared with.
    """
    parameters, compared = beside
    pictures = ByIdentity(world.pictures.of(prepared.built.inputs.conversation))
    key = (ByIdentity(prepared), parameters, compared, pictures)
    return memo.cached("bytes", key, wire_look(prepared.built, parameters, world, compared))
