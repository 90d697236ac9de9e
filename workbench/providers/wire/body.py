"""A request as bytes: written in one place, so that what is shown and what is sent cannot differ."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workbench.domain.reading.node import JsonPath
from workbench.domain.request import ModelRequest, WireBody
from workbench.domain.text import repair_text
from workbench.providers.wire.transport import Guard

Json = dict[str, Any]
Headers = Iterable[tuple[str, str]]
Stretches = tuple[tuple[JsonPath, ...], ...]

JSON_HEADERS = (("accept", "application/json"), ("content-type", "application/json"))


def body_bytes(body: Mapping[str, Any]) -> bytes:
    """The body exactly as it goes out."""
    written = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return repair_text(written).encode()


def digest_of(content: bytes) -> str:
    """The SHA-256 of what goes out, as lower-case hex."""
    return hashlib.sha256(content).hexdigest()


def wire_body(
    body: Json, url: str, stretches: Stretches, guard: Guard, headers: Headers = JSON_HEADERS
) -> WireBody:
    """What somebody may see of a request: all of it but the key, which only the guard adds on the way out."""
    return WireBody(body, url, guard.shown(headers), stretches, digest_of(body_bytes(body)))


def chat_stretches(request: ModelRequest, body: Json) -> Stretches:
    """Where the texts stand in a body whose messages are those of the request, one for one."""
    rows: Sequence[Json] = body["messages"]
    places = (_content_places(place, row) for place, row in enumerate(rows))
    found = [*places, *(() for _ in request.messages[len(rows) :])]
    return told_truly(request, body, found)


def told_truly(request: ModelRequest, body: Json, found: Iterable[tuple[JsonPath, ...]]) -> Stretches:
    """The places as they are where their texts are the messages'; none where the provider wants something else."""
    pairs = zip(request.messages, found, strict=True)
    return tuple(
        places if "".join(text_at(body, place) for place in places) == message.text else ()
        for message, places in pairs
    )


def text_at(body: Any, place: JsonPath) -> str:
    """The text at a place."""
    for step in place:
        body = body[step]
    return str(body)


def _content_places(number: int, row: Json) -> tuple[JsonPath, ...]:
    content = row["content"]
    if isinstance(content, str):
        return (("messages", number, "content"),)
    return tuple(
        ("messages", number, "content", part, "text")
        for part, one in enumerate(content)
        if one.get("type") == "text"
    )
