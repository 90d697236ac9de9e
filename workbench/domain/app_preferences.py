"""What a person set for the whole program: kept in a file that can be read and written by hand, without any secret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from workbench.domain.request import Timeouts

Redaction = Literal["off", "warn", "replace"]


@dataclass(frozen=True, slots=True)
class Preferences:
    """What holds unless a chat or a command says otherwise.

    Attributes:
        model: the model of a new chat.
        context: settings of a new chat by the names of a trajectory's; JSON values, checked where they are used.
        tools_enabled: the names of the tools that a model may be told of; none unless chosen.
        workspace: the folder that tools are bound to; empty where none was chosen.
        max_tool_rounds: how often a turn may call tools before it must answer.
        redaction: what happens to secrets in a request.
        persona: the name of the preset that new chats start with; empty for the program's own settings.
        servers: addresses of model servers by the name they are shown under.
        catalogue: the path of a model catalogue of one's own, from the data folder; empty for its models.toml, if it
            has one. Its entries win over those of the shipped one.
    """

    model: str = "builtin"
    context: Mapping[str, Any] = field(default_factory=dict)
    timeouts: Timeouts = field(default_factory=Timeouts)
    tools_enabled: tuple[str, ...] = ()
    workspace: str = ""
    max_tool_rounds: int = 8
    redaction: Redaction = "warn"
    persona: str = ""
    servers: Mapping[str, str] = field(default_factory=dict)
    catalogue: str = ""
