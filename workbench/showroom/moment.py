"""A moment of the scripted conversation: what a picture shows."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.engine.state import WorkbenchState


@dataclass(frozen=True, slots=True)
class Moment:
    """What a window shows at one moment: the engine's state, the chat in view, and the time."""

    state: WorkbenchState
    chat: str
    now_utc: str
