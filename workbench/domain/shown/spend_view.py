"""What was spent, as the window shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.domain.spending import SpendCaps, Spent


@dataclass(frozen=True, slots=True)
class SpendView:
    """All requests with what they cost, the newest last, and what is needed to name them.

    Attributes:
        now_utc: when it was read. caps: as they hold now.
        workspaces, chats: their names by id.
    """

    spent: tuple[Spent, ...] = ()
    now_utc: str = ""
    caps: SpendCaps = field(default_factory=SpendCaps)
    workspaces: Mapping[str, str] = field(default_factory=dict)
    chats: Mapping[str, str] = field(default_factory=dict)
