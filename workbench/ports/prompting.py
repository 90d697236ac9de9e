"""What a prompt is made of besides the conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from workbench.domain.message import Entry


class ContextProvider(Protocol):
    """Brings earlier context for a question: the newest messages, or what a search finds."""

    async def context(self, question: str, number: int) -> Sequence[Entry]:
        """At most `number` entries, in the order they should be read."""


class PromptSource(Protocol):
    """Where the system text comes from."""

    async def system_prompt(self) -> str:
        """The text in effect; empty where there is none."""


class Redactor(Protocol):
    """Takes out of a text what must not leave the machine."""

    def redact(self, text: str) -> str:
        """The text as it may be sent; the same text gives the same result."""
