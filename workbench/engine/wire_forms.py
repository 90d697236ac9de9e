"""The exact bytes of a request, written by the adapter that also sends it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

from workbench.context.outgoing import model_request, payload_messages
from workbench.domain.answer import ModelFailed
from workbench.domain.change import Built
from workbench.domain.errors import InvalidInput
from workbench.domain.request import ModelRequest, Picture, WireForm
from workbench.engine.world import Limits, World
from workbench.ports.models import ChatModel

_NOT_AT_HAND = Picture("image/png", b"")


def outgoing_request(
    built: Built,
    parameters: Mapping[str, Any],
    pictures: Mapping[str, Picture],
    limits: Limits,
    compare_with: str = "",
) -> ModelRequest:
    """What is sent: the envelope's messages, and what was set beside them. The only way to such a request.

    `compare_with` is what the provider calls the answer to the request before.
    """
    return replace(
        model_request(built),
        parameters=dict(parameters),
        pictures=pictures,
        timeouts=limits.timeouts,
        compare_with=compare_with,
    )


def wire_form(built: Built, request: ModelRequest, model: ChatModel) -> WireForm | None:
    """The request as the provider gets it; None if it cannot be written.

    A picture whose bytes are not at hand is shown as an empty one, and there is no digest then.
    """
    missing = _missing_pictures(request)
    whole = replace(request, pictures={**request.pictures, **missing}) if missing else request
    try:
        written = model.wire(whole)
    except (ModelFailed, TypeError, ValueError):
        return None
    return WireForm(
        pieces=partial(payload_messages, built),
        body=written.body,
        url=written.url,
        headers=written.headers,
        places=written.places,
        digest="" if missing else written.digest,
        stretches=written.stretches,
        size_bytes=0 if missing else written.size_bytes,
    )


def wire_look(
    built: Built, parameters: Mapping[str, Any], world: World, compare_with: str = ""
) -> Callable[[], WireForm | None]:
    """A function that creates the form on first use, with the available pictures."""

    @cache
    def look() -> WireForm | None:
        if built.inputs.passed is not None:
            # Ten modules that only the requests of other programs need.
            from workbench.engine.watch.kept_turn import passed_form

            return passed_form(built)
        try:
            model = world.models.open(built.inputs.settings.model)
        except InvalidInput:
            return None
        pictures = world.pictures.of(built.inputs.conversation).found
        given = {**world.parameters, **parameters}
        request = outgoing_request(built, given, pictures, world.limits, compare_with)
        return wire_form(built, request, model)

    return look


def shown_digest(built: Built, parameters: Mapping[str, Any], world: World, compare_with: str = "") -> str:
    """Digest of a request's bytes, computed as they are shown and not from what is sent.

    Empty where it cannot be written, which sending will say, or where a picture is not at hand.
    """
    form = wire_look(built, parameters, world, compare_with)()
    return "" if form is None else form.digest


def _missing_pictures(request: ModelRequest) -> dict[str, Picture]:
    wanted = {image.digest for message in request.messages for image in message.images}
    return dict.fromkeys(wanted - request.pictures.keys(), _NOT_AT_HAND)
