"""What a chat model on a stage is to answer, and the model that does."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal

from workbench.domain.message import ToolCall
from workbench.domain.usage import Usage
from workbench.ports.models import ChatModel


@dataclass(frozen=True)
class Script:
    """What the model is to answer, and how it ends."""

    texts: tuple[str, ...] = ("Hello", ", ", "world")
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    reason: str = "stop"
    ending: Literal["finish", "cut", "stall"] = "finish"


@dataclass(frozen=True)
class Played:
    """A model that plays a script; `gone` is set when its server has seen the client leave."""

    model: ChatModel
    gone: asyncio.Event
