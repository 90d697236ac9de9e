"""What running a turn needs of the world, handed in once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from workbench.domain.request import Timeouts
from workbench.engine.locks import ChatLocks
from workbench.engine.owed import Owed
from workbench.engine.prepare import Builder
from workbench.engine.tasks import Tasks
from workbench.ports.attaching import AttachmentReader
from workbench.ports.clock import UtcClock
from workbench.ports.history import HistoryStore
from workbench.ports.models import Models, PriceList
from workbench.ports.tools import Toolbox


@dataclass(frozen=True, slots=True)
class Limits:
    """What a turn may take: waiting times, how often tools may be called, what is sent to a model that was set."""

    timeouts: Timeouts = field(default_factory=Timeouts)
    tool_rounds: int = 8
    tool_result_chars: int = 60_000


@dataclass(frozen=True, slots=True)
class World:
    """The ports a turn goes through, and what all turns share.

    Attributes:
        new_id: gives an id nobody has used yet.
        locks: held by whoever moves a chat's leaf, or changes what was read of it.
        owed: ends of turns that could not be kept yet.
    """

    builder: Builder
    store: HistoryStore
    models: Models
    prices: PriceList
    toolbox: Toolbox | None
    attachments: AttachmentReader
    utc: UtcClock
    new_id: Callable[[], str]
    tasks: Tasks
    limits: Limits = field(default_factory=Limits)
    parameters: dict[str, Any] = field(default_factory=dict)
    locks: ChatLocks = field(default_factory=ChatLocks)
    owed: Owed = field(default_factory=Owed)
