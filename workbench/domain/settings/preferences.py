"""What a user can set about how a request is built; every field has the default of the trajectory contract.

These classes are the declaration of the settings: a trajectory, `--set`, `[context]` in settings.toml and presets are
read and written by them (`reading/form.py`). Entries are checked in the order of the fields.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from workbench.domain.chunk import CHUNK_KINDS
from workbench.domain.files.attachment import ARTIFACT_KINDS
from workbench.domain.message import ROLES
from workbench.domain.model import CacheLifetime
from workbench.domain.parameters import Parameters
from workbench.domain.reading.constraints import Called, Count, Inline, Name, OneOf, Positive, Share, Unique
from workbench.domain.tool import ToolDefinition

CounterName = Literal["exact", "rfc", "chars4"]
Freshness = Literal["refresh", "freeze"]
FreshnessChoice = Literal["refresh", "freeze", "auto"]
Layout = Literal["layered", "append_only", "auto"]
Edits = Literal["full", "changes"]
OldResults = Literal["preview", "placeholder"]
WhenFull = Literal["placeholders", "exchanges"]
Detached = Literal["compact", "leave"]
Joining = Literal["replace", "add"]
PersonaSource = Literal["default", "workspace", "user"]
KINDS = tuple(dict.fromkeys((*ARTIFACT_KINDS, *CHUNK_KINDS, *ROLES)))
KindName = Annotated[str, OneOf(KINDS)]
ArtifactKindName = Annotated[str, OneOf(ARTIFACT_KINDS)]


@dataclass(frozen=True, slots=True)
class HistorySettings:
    """How earlier messages are kept within the budget; a layout has a headroom of its own.

    `when_full`: placeholders stay of old answers, or the oldest exchanges leave whole.
    `recall`: of what was cut, the messages that matter for the question come back; `recall_chats`: those of the other
    chats of its workspace too.
    """

    threshold: Share | None = 0.8
    headroom: Share | None = None
    keep_last_n_assistant: Count = 10
    last_n_messages: Count | None = None
    max_tokens: Count | None = None
    recall: bool = False
    recall_tokens: Count | None = None
    recall_chats: bool = False
    when_full: WhenFull = "placeholders"

    @property
    def without_recall(self) -> HistorySettings:
        """What decides about earlier messages themselves, and not about what of them comes back."""
        return replace(self, recall=False, recall_tokens=None, recall_chats=False)


@dataclass(frozen=True, slots=True)
class CompactionSettings:
    """How much of a compacted artifact is kept, and whether old results of tools are shortened first.

    Artifacts of `verbatim_kinds` are never shortened; where `summary_kinds` is set, a model's summary stands for
    artifacts of those kinds only, and all others are cut by rule.
    """

    verbatim_chars: Count = 5000
    section_chars: Positive = 500
    max_sections: Positive = 20
    tool_results: OldResults = "placeholder"
    verbatim_kinds: frozenset[ArtifactKindName] = frozenset()
    summary_kinds: frozenset[ArtifactKindName] | None = None


@dataclass(frozen=True, slots=True)
class SectionSettings:
    """Whether of attached texts that do not fit the sections come that matter for the question, and how much."""

    by_relevance: bool = False
    tokens: Count | None = None


@dataclass(frozen=True, slots=True)
class LibrarySettings:
    """What becomes of a file that is detached: a compacted copy stays in the library, or it leaves the request."""

    detached: Detached = "compact"


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """Which chunks may enter the request at all, and whether what is remembered does."""

    include_system: bool = True
    include_environment: bool = True
    include_kinds: frozenset[KindName] | None = None
    exclude_kinds: frozenset[KindName] = frozenset()
    include_only: frozenset[str] | None = None
    include_memory: bool = True


@dataclass(frozen=True, slots=True)
class PersonaSources:
    """The persona by where it comes from: the program, the workspace, this chat.

    `workspace_joining` and `user_joining` say whether those replace what comes before them or add to it; None follows
    `persona_mode`.
    """

    default: str = ""
    workspace: str = ""
    user: str = ""
    workspace_joining: Annotated[Joining | None, Called("workspace_mode")] = None
    user_joining: Annotated[Joining | None, Called("user_mode")] = None

    def parts(self, mode: Joining) -> tuple[tuple[PersonaSource, str], ...]:
        """What is said, by whom, in its order: a source that says nothing replaces nothing."""
        said: list[tuple[PersonaSource, str]] = [("default", self.default)] if self.default else []
        further: tuple[tuple[PersonaSource, str, Joining | None], ...] = (
            ("workspace", self.workspace, self.workspace_joining),
            ("user", self.user, self.user_joining),
        )
        for source, text, joining in further:
            if text:
                said = [*(said if (joining or mode) == "add" else ()), (source, text)]
        return tuple(said)


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """Everything a request depends on besides the conversation itself.

    `cache_lifetime`: how long the provider is to hold the request, where that can be chosen; None follows what is
    declared about the model.
    """

    model: Name = "gpt-4o"
    counter: CounterName = "exact"
    context_window: Positive | None = None
    reserved_output_tokens: Count | None = None
    cache_lifetime: CacheLifetime | None = None
    system_prompt: str = ""
    persona: PersonaSources = field(default_factory=PersonaSources)
    persona_mode: Joining = "replace"
    project_instructions: str = ""
    tool_guidelines: str = ""
    user_memory: str = ""
    attachment_budget_tokens: Count | None = None
    history: HistorySettings = field(default_factory=HistorySettings)
    freshness: FreshnessChoice = "refresh"
    compaction: CompactionSettings = field(default_factory=CompactionSettings)
    sections: SectionSettings = field(default_factory=SectionSettings)
    library: LibrarySettings = field(default_factory=LibrarySettings)
    layout: Layout = "layered"
    edits: Edits = "full"
    tell_undone: bool = False
    parameters: Parameters = field(default_factory=Parameters)
    tools: Annotated[tuple[ToolDefinition, ...], Unique("name")] = ()
    filters: Annotated[FilterSettings, Inline()] = field(default_factory=FilterSettings)

    @property
    def persona_text(self) -> str:
        """The persona in effect."""
        return "\n\n".join(text for _, text in self.persona.parts(self.persona_mode))


def retooled(kept: ContextSettings, fresh: ContextSettings, other: ContextSettings) -> ContextSettings:
    """A chat's settings with the tools of `fresh`, which is how a new chat would be set; everything else stays.

    The shipped persona comes with or without its word about exploring: `other` is how a new chat is set in the other
    case. One of somebody's own is left alone.
    """
    shipped = kept.persona.default == other.persona.default
    persona = replace(kept.persona, default=fresh.persona.default) if shipped else kept.persona
    return replace(kept, persona=persona, tools=fresh.tools, tool_guidelines=fresh.tool_guidelines)
