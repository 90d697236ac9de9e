"""Messages in neutral form: what was said by whom, before any provider's format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.domain.chunk import Chunk

Role = Literal["system", "user", "assistant", "tool"]
ROLES: tuple[Role, ...] = ("system", "user", "assistant", "tool")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call the model made; its id and name survive every cut, so that its result stays valid."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Thought:
    """A model's thinking before its answer; a provider that signs it wants it back unchanged."""

    text: str
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class Image:
    """A picture in a message, named by the digest of its bytes.

    Attributes:
        tokens: its declared cost; without one it follows from its size, by the model's rule.
        width, height: in pixels; 0 where unknown.
        source: what it was attached as, if it was.
        after: how many of the message's texts precede it; None where all of them do.
    """

    digest: str
    tokens: int | None = None
    width: int = 0
    height: int = 0
    after: int | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation. `texts` and `images` are its content parts; a picture knows its position.

    `thinking` is kept and shown; it is sent again only within the turn it belongs to.
    """

    id: str
    role: Role
    texts: tuple[str, ...] = ()
    images: tuple[Image, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    thinking: tuple[Thought, ...] = ()

    @property
    def text(self) -> str:
        """The message's text parts joined by a blank line."""
        return "\n\n".join(self.texts)


STEERED = ":meanwhile"
"""How the id of a user's message ends that went into a turn after its tools had run: it is no question of its own."""


def is_steered(message: str) -> bool:
    """Whether a message, by its id, went into a turn that had begun with another one."""
    return message.endswith(STEERED)


Entry = Message | Chunk
"""What history is made of: a native message, or a typed chunk that has no native form."""
