"""What a command works with, filled in by wiring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.domain.secret import Secret
from workbench.engine.turn import Builder
from workbench.ports import HistoryAccess, KeyKeeper, Scratch, SealedFiles


@dataclass(frozen=True, slots=True)
class Parts:
    """The adapters a command may need.

    Attributes:
        keys, history, scratch, elara: made when called, because most commands need no cryptography, and it takes a
            while to load.
        utc_now: the time of day as it is written down.
        new_id: a new id for a chat or a message, random.
    """

    builder: Builder
    keys: Callable[[], KeyKeeper]
    history: Callable[[], HistoryAccess]
    scratch: Callable[[], Scratch]
    elara: Callable[[Secret], SealedFiles]
    utc_now: Callable[[], str]
    new_id: Callable[[], str]
