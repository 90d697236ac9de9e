"""What a turn starts from, asked of the world: context from one or more providers, system text, the time (seed 003)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.domain.message import Entry
from workbench.domain.prompt import Prompt
from workbench.domain.record import said_on
from workbench.ports.clock import UtcClock
from workbench.ports.history import HistoryStore
from workbench.ports.prompting import ContextProvider, PromptSource


@dataclass(frozen=True, slots=True)
class LastMessages:
    """The newest messages of a chat; the question does not matter to it."""

    store: HistoryStore
    chat: str

    async def context(self, question: str, number: int) -> tuple[Entry, ...]:
        """The last `number` messages, read without reading the rest."""
        return said_on(await self.store.tail(self.chat, number))


@dataclass(frozen=True, slots=True)
class PromptBuilder:
    """Puts a prompt together; providers are asked in order, each with the question and the wished size."""

    system: PromptSource
    providers: Sequence[ContextProvider]
    clock: UtcClock

    async def build(self, question: str, number: int, hints: Mapping[str, str] | None = None) -> Prompt:
        """The prompt for a question; what two providers both bring comes once, where it came first."""
        found: dict[str, Entry] = {}
        for provider in self.providers:
            for entry in await provider.context(question, number):
                found.setdefault(entry.id, entry)
        system = await self.system.system_prompt()
        return Prompt(system, tuple(found.values()), question, self.clock.utc_now(), hints or {})
