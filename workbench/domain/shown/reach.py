"""How a change of a workspace's instructions affects a chat's cache, and what it would cost there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChatReach:
    """The cache state of a chat that is not in view, from its last turn.

    Attributes:
        known: whether it was ever sent to a model whose cache has rules; where not, the rest says nothing.
        until_utc: until when its cache holds what was sent; empty where the lifetime is unknown.
        cached_tokens: what it serves of a request that begins as the last one did.
        reread_usd: the extra cost of re-reading that; None where no price is known.
        local: whether the model runs on this computer, where nothing costs money.
    """

    chat: str
    known: bool = False
    until_utc: str = ""
    cached_tokens: int = 0
    reread_usd: float | None = None
    local: bool = False
