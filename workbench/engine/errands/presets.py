"""Settings that are kept under a name, for chats to come."""

from __future__ import annotations

from dataclasses import replace

from workbench.domain.errors import InvalidInput
from workbench.domain.preferences import ContextSettings


def as_preset(settings: ContextSettings) -> ContextSettings:
    """What of a chat's settings means something in another one.

    Tools have side effects and are asked for each time; the ids of messages mean nothing in another chat.
    """
    bare = replace(settings, tools=(), tool_guidelines="")
    return replace(bare, filters=replace(bare.filters, include_only=None))


def preset_name(name: str) -> str:
    """A name that can be seen and typed; `InvalidInput` where it is none."""
    shown = " ".join(name.split())
    if not shown:
        raise InvalidInput("name", "a preset needs a name")
    return shown
