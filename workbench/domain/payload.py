"""The bytes of a request as its provider gets them, and where in them each segment stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from workbench.domain.message import Role
from workbench.domain.segment import LayerName


class Piece(NamedTuple):
    """A stretch of a message that belongs to one segment; `text` is exactly what stands there."""

    layer: LayerName
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class PayloadMessage:
    """One message of the request; its text is its pieces, joined. `calls` are names of tools it calls."""

    role: Role
    pieces: tuple[Piece, ...]
    tokens: int = 0
    calls: tuple[str, ...] = ()
    pictures: int = 0


@dataclass(frozen=True, slots=True)
class WireForm:
    """A request as it goes out.

    Attributes:
        messages: in their order on the wire.
        url: where it goes; empty where it goes nowhere (a scripted model).
        headers: as they are sent, every secret replaced.
        body: the JSON document exactly as the provider's client sends it.
        places: for each message, the path in `body` under which its text stands, as keys and indices; None where
            the body does not hold it as one text.
        digest: of the body's bytes.
    """

    messages: tuple[PayloadMessage, ...]
    body: dict[str, Any]
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    places: tuple[tuple[str | int, ...] | None, ...] = ()
    digest: str = ""
