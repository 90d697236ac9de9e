"""What a user can set about how a request is built; every field has the default of the trajectory contract."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from workbench.domain.tool import ToolDefinition

CounterName = Literal["exact", "rfc", "chars4"]
Freshness = Literal["refresh", "freeze"]


@dataclass(frozen=True, slots=True)
class HistorySettings:
    """How earlier messages are kept within the budget (seeds 003, 004)."""

    threshold: float | None = 0.8
    headroom: float = 0.75
    keep_last_n_assistant: int = 10
    last_n_messages: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class CompactionSettings:
    """How much of a compacted artifact is kept (seed 001)."""

    verbatim_chars: int = 5000
    section_chars: int = 500
    max_sections: int = 20


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """Which chunks may enter the request at all (seed 002)."""

    include_system: bool = True
    include_environment: bool = True
    include_kinds: frozenset[str] | None = None
    exclude_kinds: frozenset[str] = frozenset()
    include_only: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class PersonaSources:
    """The persona by where it comes from (seed 000); the most specific one that says anything is used."""

    default: str = ""
    workspace: str = ""
    user: str = ""

    @property
    def text(self) -> str:
        """The persona in effect."""
        return self.user or self.workspace or self.default


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """Everything a request depends on besides the conversation itself."""

    model: str = "gpt-4o"
    counter: CounterName = "exact"
    context_window: int | None = None
    reserved_output_tokens: int | None = None
    system_prompt: str = ""
    persona: PersonaSources = field(default_factory=PersonaSources)
    project_instructions: str = ""
    user_memory: str = ""
    attachment_budget_tokens: int | None = None
    history: HistorySettings = field(default_factory=HistorySettings)
    freshness: Freshness = "refresh"
    compaction: CompactionSettings = field(default_factory=CompactionSettings)
    tools: tuple[ToolDefinition, ...] = ()
    tool_guidelines: str = ""
    filters: FilterSettings = field(default_factory=FilterSettings)
