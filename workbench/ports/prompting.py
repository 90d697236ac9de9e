"""What a request is made of besides the conversation itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from workbench.domain.recall import Found, Wanted


class ContextProvider(Protocol):
    """Finds what of the past fits a question: in the chat itself, in other chats, in what is attached."""

    async def context(self, wanted: Wanted) -> Sequence[Found]:
        """What fits, the best first; nothing where the chat does not want it."""
