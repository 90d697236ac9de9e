"""The person before servers of tools, as tests have it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from workbench.domain.mcp_question import McpAnswer, McpQuestion
from workbench.domain.secrets import Secret


@dataclass
class FakeFront:
    """Answers every question by a function → ServerFront.

    Attributes:
        answers: what it says to a question; None leaves it open.
        asked: the questions there were; withdrawn: those whose answer was not needed any more.
        kept: sign-ins by server.
    """

    answers: Callable[[McpQuestion], McpAnswer | None] = lambda question: McpAnswer("decline")
    asked: list[McpQuestion] = field(default_factory=list)
    withdrawn: list[McpQuestion] = field(default_factory=list)
    kept: dict[str, Secret] = field(default_factory=dict)

    async def ask(self, question: McpQuestion) -> McpAnswer:
        """Answers, or waits until nobody needs it any more."""
        self.asked.append(question)
        answer = self.answers(question)
        try:
            return await asyncio.get_running_loop().create_future() if answer is None else answer
        except asyncio.CancelledError:
            self.withdrawn.append(question)
            raise

    async def sign_in_kept(self, server: str) -> Secret | None:
        """What is kept."""
        return self.kept.get(server)

    async def keep_sign_in(self, server: str, kept: Secret | None) -> None:
        """Keeps it, or forgets it."""
        if kept is None:
            self.kept.pop(server, None)
        else:
            self.kept[server] = kept
