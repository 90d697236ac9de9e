"""The bytes of a request as its provider gets them, and where in them each segment stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from workbench.domain.message import Role
from workbench.domain.reading.node import JsonPath
from workbench.domain.segment import LayerName

HIDDEN = "•••"
"""What stands for a secret."""


class Piece(NamedTuple):
    """A stretch of a message that belongs to one segment; `text` is exactly what stands there."""

    layer: LayerName
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class PayloadMessage:
    """One message of the request; its text is its pieces, joined, each with its tokens. `calls` are names of tools."""

    role: Role
    pieces: tuple[Piece, ...]
    tokens: int = 0
    calls: tuple[str, ...] = ()
    pictures: int = 0
    piece_tokens: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class WireBody:
    """A request as an adapter writes it for its provider.

    Attributes:
        url: where it goes; empty where it goes nowhere (a scripted model).
        headers: as they are sent, every secret replaced by `HIDDEN`.
        body: the JSON document whose bytes are sent.
        stretches: for each message of the request, the places in `body` whose texts, joined, are the message's text:
            one as a rule, several where the provider wants it in blocks, none where the body holds it otherwise.
        digest: of the bytes of the body.
    """

    body: dict[str, Any]
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    stretches: tuple[tuple[JsonPath, ...], ...] = ()
    digest: str = ""

    @property
    def places(self) -> tuple[JsonPath | None, ...]:
        """For each message, the one place of its text; None where that is not in one place."""
        return tuple(found[0] if len(found) == 1 else None for found in self.stretches)


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
        stretches: for each message, all paths whose texts, joined, are its text; none where the body holds it
            otherwise.
        digest: of the body's bytes; empty where these cannot be told, because a picture's are not at hand.
        raw: the body letter for letter, where another program wrote it; empty where it is `body` in its shortest form.
    """

    messages: tuple[PayloadMessage, ...]
    body: dict[str, Any]
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    places: tuple[JsonPath | None, ...] = ()
    digest: str = ""
    stretches: tuple[tuple[JsonPath, ...], ...] = ()
    raw: str = ""
