"""What all open chats share besides the world and the state."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from workbench.domain.models.model import ModelCard
from workbench.engine.chats.drafts import Drafts
from workbench.engine.chats.new_chats import NewChats
from workbench.engine.chats.queue import Queue
from workbench.engine.intents import AttachFiles
from workbench.engine.shown.request_view import Lenses
from workbench.engine.world import ChatLocks

Cards = dict[str, ModelCard]
"""What models said about themselves, by name."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Kept outside the chats, since it outlives their view or is the same for all of them.

    Attributes:
        new, drafts, queue: what is not in the store yet, or waits to be sent.
        attach: attaches files as somebody's wish does, in its turn. orders: held by every change of a chat.
        lenses: how a request's bytes and difference are made on demand.
        cards: what models said about themselves.
    """

    new: NewChats
    drafts: Drafts
    queue: Queue
    attach: Callable[[AttachFiles], Awaitable[None]]
    lenses: Lenses | None = None
    orders: ChatLocks = field(default_factory=ChatLocks)
    cards: Cards = field(default_factory=dict)
