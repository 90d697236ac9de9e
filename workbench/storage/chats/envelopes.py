"""Envelopes as they are kept: segments once a chat, layers as lists of them, messages as places in the layers."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from workbench.domain.codec import decode, encode
from workbench.domain.envelope import Envelope, Layer, WireMessage
from workbench.domain.errors import NotKept
from workbench.domain.segment import Segment
from workbench.storage.chats.contents import dump
from workbench.storage.chats.segments import Segments, keep_segments


def pack_envelope(connection: Connection, chat_id: str, envelope: Envelope) -> bytes:
    """A request as compressed JSON, its segments kept aside."""
    keys = iter(
        keep_segments(connection, chat_id, [one for layer in envelope.layers for one in layer.segments])
    )
    document: dict[str, Any] = {
        "layers": [
            [layer.name, steps([next(keys) for _ in layer.segments]), list(layer.tokens)]
            for layer in envelope.layers
        ],
        "messages": [[m.id, m.role, m.merged, len(m.segments)] for m in envelope.messages],
        "rest": encode(replace(envelope, layers=(), messages=())),
    }
    order = _order(envelope)
    if order is not None:
        document["order"] = steps(order)
    return zlib.compress(dump(document).encode())


def unpack_envelope(body: bytes, segments: Segments) -> Envelope:
    """The request that `pack_envelope` was given."""
    document = json.loads(zlib.decompress(body))
    layers = tuple(
        Layer(name, segments.read(sums(keys)), tuple(tokens)) for name, keys, tokens in document["layers"]
    )
    shown = _shown(layers)
    carried = iter([shown[place] for place in sums(document["order"])] if "order" in document else shown)
    wire = tuple(
        WireMessage(key, role, tuple(next(carried) for _ in range(length)), merged)
        for key, role, merged, length in document["messages"]
    )
    return replace(decode(Envelope, document["rest"]), layers=layers, messages=wire)


def _order(envelope: Envelope) -> list[int] | None:
    """At which place of the layers each segment of the messages stands; None where it is simply one after the other.

    A turn with tools says more after its question: that is sent last, but belongs to a layer before the question's.
    """
    shown = _shown(envelope.layers)
    carried = [segment for message in envelope.messages for segment in message.segments]
    if carried == shown:
        return None
    places = {segment: place for place, segment in enumerate(shown)}
    try:
        return [places[segment] for segment in carried]
    except KeyError:
        raise NotKept(
            "The layers of a request do not show what its messages carry; nothing was kept."
        ) from None


def _shown(layers: Sequence[Layer]) -> list[Segment]:
    return [one for layer in layers for one in layer.segments if one.sent and not _announces_tool(one)]


def _announces_tool(one: Segment) -> bool:
    return one.layer == "L1_SYSTEM" and one.kind == "tool"


def steps(numbers: Sequence[int]) -> list[int]:
    """Numbers as differences: those of a growing history compress to almost nothing."""
    return [number - before for number, before in zip(numbers, [0, *numbers], strict=False)]


def sums(differences: Sequence[int]) -> list[int]:
    """The numbers that `steps` was given."""
    numbers, last = [], 0
    for step in differences:
        last += step
        numbers.append(last)
    return numbers
