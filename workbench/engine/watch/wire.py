"""The bytes of a watched request: those that passed, and none that this program would write."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from workbench.context.outgoing import payload_messages
from workbench.context.watch.body import body_of
from workbench.domain.change import Built
from workbench.domain.models.provider import provider_of
from workbench.domain.reading.node import JsonPath
from workbench.domain.wire_form import HIDDEN, PayloadMessage, WireForm

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_TEXTS = ("text", "content", "thinking", "output", "arguments")
_KEY_HEADERS = {"anthropic": "x-api-key", "gemini": "x-goog-api-key"}


def passed_form(built: Built) -> WireForm | None:
    """A watched request as it went out; None where its body was not kept, or is no JSON."""
    body = body_of(built)
    passed = built.inputs.passed
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if passed is None or not isinstance(document, dict):
        return None
    messages = payload_messages(built)
    provider = provider_of(built.inputs.settings.model)
    name = "" if provider is None else provider.name
    return WireForm(
        messages=messages,
        body=document,
        url=f"{'' if provider is None else provider.url}{passed.path}",
        headers=(*passed.headers, (_KEY_HEADERS.get(name, "authorization"), _hidden(name))),
        digest=hashlib.sha256(body).hexdigest(),
        stretches=tuple(_places(document, one) for one in messages),
        raw=body.decode("utf-8", "surrogateescape"),
    )


def _hidden(provider: str) -> str:
    return HIDDEN if provider in _KEY_HEADERS else f"Bearer {HIDDEN}"


def _places(document: dict[str, Any], message: PayloadMessage) -> tuple[JsonPath, ...]:
    """Where the texts of a message stand; none where one of them is not written as a text."""
    found = [_place(document, piece.id, piece.text) for piece in message.pieces]
    return tuple(place for place in found if place is not None) if None not in found else ()


def _place(document: dict[str, Any], path: str, text: str) -> JsonPath | None:
    steps: list[str | int] = [
        int(number) if number else name for name, number in _STEP.findall(path.rstrip("'"))
    ]
    value: Any = document
    for step in steps:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    if value == text and isinstance(value, str):
        return tuple(steps)
    inner = (name for name in _TEXTS if isinstance(value, dict) and value.get(name) == text)
    name = next(inner, None)
    return None if name is None else (*steps, name)
