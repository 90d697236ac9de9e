"""A chat as a list shows it; it loads nothing else, so that a list of chats answers at once."""

from __future__ import annotations

from dataclasses import dataclass

TEMPLATE = "workspace:"
"""How the id of a hidden chat begins that others are made like; no list shows it."""


@dataclass(frozen=True, slots=True)
class ChatLine:
    """One chat.

    Attributes:
        used_utc: when it was last written in.
        last_turn: how the last turn of the branch in view ended; None where nothing was asked yet.
    """

    id: str
    title: str
    created_utc: str
    used_utc: str
    model: str
    last_turn: str | None
