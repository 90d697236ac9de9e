"""The settings that decide how a request is built; every field has the default of the trajectory contract.

These classes are the declaration of the settings: a trajectory, `--set`, `[context]` in settings.toml and presets are
read and written by them (`reading/form.py`), and what people see of a field is declared beside it (`control.py`).
Entries are checked in the order of the fields.
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
from workbench.domain.settings.control import Control, WhatIf, Words, setting
from workbench.domain.tool import ToolDefinition
from workbench.domain.translation import N_

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
    """How history is kept within the budget; each layout has a headroom of its own.

    `when_full`: replace old answers by placeholders, or remove the oldest exchanges as a whole.
    `recall`: quote trimmed messages that match the question; `recall_chats`: also those of the workspace's other
    chats.
    """

    threshold: Share | None = setting(
        0.8,
        Control(
            N_("Trim when the request reaches"), N_("Of what fits."), group="history", place=1,
            unset=N_("never"), most=100, step=5, percent=True,
            what_if=WhatIf(
                N_("Trim at"), N_("Old messages are trimmed above this share of the budget."), place=2, low=10, high=100
            ),
            changed=N_("trim at {value}"), cleared=N_("no trimming"),
        ),
    )  # fmt: skip
    headroom: Share | None = None
    keep_last_n_assistant: Count = setting(
        10,
        Control(
            N_("Newest answers kept"), N_("While anything else can go."), group="history", place=3, most=1_000,
            what_if=WhatIf(
                N_("Keep last turns"), N_("How many of the newest answers stay while anything else can go."), place=3,
                high=20,
            ),
            changed=N_("{value} answers untrimmed"),
        ),
    )  # fmt: skip
    last_n_messages: Count | None = setting(
        None,
        Control(
            N_("Maximum messages"), N_("Only the newest; older ones are left out."), group="history", place=4,
            unset=N_("all of them"), most=10_000,
            what_if=WhatIf(
                N_("Last messages"), N_("How many of the newest messages are sent at all."), place=5, low=1, high=60
            ),
            changed=N_("last {value} messages"), cleared=N_("all messages"),
        ),
    )  # fmt: skip
    max_tokens: Count | None = None
    recall: bool = setting(
        False,
        Control(
            N_("Recall trimmed messages"),
            N_("Messages that match the question are quoted. The cache is kept."),
            group="recall",
            in_chat=Words(hint=N_("Messages that match the question are quoted.")),
        ),
    )
    recall_tokens: Count | None = setting(
        None,
        Control(
            N_("Room for it, in tokens"), group="recall",
            unset=N_("automatic, up to 1,000"), most=200_000, step=250, needs="history.recall",
            in_chat=Words(hint=N_("Share of the request for everything recalled.")),
        ),
    )  # fmt: skip
    recall_chats: bool = setting(
        False,
        Control(
            N_("Also from other chats of the workspace"),
            N_("For chats in a workspace; archived ones count. A quote says in which chat it was said."),
            group="recall",
            needs="history.recall",
            in_chat=Words(
                N_("Also from other chats of this workspace"),
                N_("Only in a workspace; archived chats count. A quote says in which chat it was said."),
            ),
        ),
    )
    when_full: WhenFull = setting(
        "placeholders",
        Control(
            N_("When a chat is full"), N_("Trimmed messages are kept and can be recalled."), group="history", place=2,
            choices={
                "exchanges": N_("drop the oldest turns"),
                "placeholders": N_("keep questions, trim answers"),
            },
        ),
    )  # fmt: skip

    @property
    def without_recall(self) -> HistorySettings:
        """The settings that decide about history itself, with recall reset."""
        return replace(self, recall=False, recall_tokens=None, recall_chats=False)


@dataclass(frozen=True, slots=True)
class CompactionSettings:
    """How much is kept of a shortened artifact, and whether old tool results are shortened first.

    Artifacts of `verbatim_kinds` are never shortened; where `summary_kinds` is set, only artifacts of those kinds are
    replaced by a model's summary, and all others are cut by rule.
    """

    verbatim_chars: Count = 5000
    section_chars: Positive = 500
    max_sections: Positive = 20
    tool_results: OldResults = "placeholder"
    verbatim_kinds: frozenset[ArtifactKindName] = frozenset()
    summary_kinds: frozenset[ArtifactKindName] | None = None


@dataclass(frozen=True, slots=True)
class SectionSettings:
    """Whether and how many relevant sections are quoted of attached texts that do not fit."""

    by_relevance: bool = setting(
        False,
        Control(
            N_("Sections of files by relevance"),
            N_("For a file that doesn’t fit, sends the sections that match the question."),
            group="recall",
            in_chat=Words(),
        ),
    )
    tokens: Count | None = None
    folder_share: Share = setting(
        0.25,
        Control(
            N_("Room for followed folders"), N_("Up to this share of the request is quoted from them."),
            group="recall", most=100, percent=True,
            in_chat=Words(hint=N_("Up to this share of the request is quoted from followed folders.")),
        ),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class LibrarySettings:
    """Whether a detached file stays in the library as a shortened copy, or leaves the request."""

    detached: Detached = setting(
        "compact",
        Control(
            N_("Detached files"),
            N_("An append-only request with a known cache keeps its copy until it is rebuilt."),
            choices={"leave": N_("leave the request"), "compact": N_("keep a short copy in the library")},
        ),
    )


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """Which chunks may enter the request, and whether the memory does."""

    include_system: bool = True
    include_environment: bool = True
    include_kinds: frozenset[KindName] | None = None
    exclude_kinds: frozenset[KindName] = frozenset()
    include_only: frozenset[str] | None = None
    include_memory: bool = setting(
        True,
        Control(
            in_chat=Words(
                N_("What is remembered"),
                N_("The facts of the workspace and those for all chats, in the instructions."),
            )
        ),
    )


@dataclass(frozen=True, slots=True)
class PersonaSources:
    """The persona by source: the program, the workspace, this chat.

    `workspace_joining` and `user_joining`: whether a source replaces the ones before it or adds to them; None follows
    `persona_mode`.
    """

    default: str = ""
    workspace: str = ""
    user: str = ""
    workspace_joining: Annotated[Joining | None, Called("workspace_mode")] = None
    user_joining: Annotated[Joining | None, Called("user_mode")] = None

    def parts(self, mode: Joining) -> tuple[tuple[PersonaSource, str], ...]:
        """The texts in effect with their sources, in order; an empty source replaces nothing."""
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
    context_window: Positive | None = setting(
        None,
        Control(
            N_("Window"), N_("The most tokens a request and its answer may have together."),
            unset=N_("the model’s own"), most=4_000_000, step=1_000,
            what_if=WhatIf(
                N_("Budget"), N_("Maximum tokens of a request: the window without the reply reserve."), place=1,
                low=1_000,
            ),
            changed=N_("window {value}"), cleared=N_("the model’s own window"),
        ),
    )  # fmt: skip
    reserved_output_tokens: Count | None = setting(
        None,
        Control(
            N_("Reserve for the answer"), unset=N_("a quarter, at most 16,000"), most=200_000, step=500,
            what_if=WhatIf(N_("Reply reserve"), N_("Tokens of the window kept for the reply."), place=6, low=100),
            changed=N_("reply {value}"),
        ),
    )  # fmt: skip
    cache_lifetime: CacheLifetime | None = None
    system_prompt: str = ""
    persona: PersonaSources = field(default_factory=PersonaSources)
    persona_mode: Joining = "replace"
    project_instructions: str = ""
    tool_guidelines: str = ""
    user_memory: str = ""
    attachment_budget_tokens: Count | None = setting(
        None,
        Control(
            N_("Attachments"), N_("Their maximum share of a request."),
            unset=N_("no limit of their own"), most=4_000_000, step=1_000,
            what_if=WhatIf(N_("Attachments"), N_("Maximum tokens of all attachments together."), place=7, low=500),
            changed=N_("attachments {value}"), cleared=N_("no limit for attachments"),
        ),
    )  # fmt: skip
    history: HistorySettings = field(default_factory=HistorySettings)
    freshness: FreshnessChoice = setting(
        "refresh",
        Control(
            N_("A changed file in the library"), N_("In a layered request."), group="cache", place=3,
            choices={
                "auto": N_("the cheaper one"),
                "refresh": N_("send the newest"),
                "freeze": N_("keep the cached copy"),
            },
            what_if=WhatIf(
                N_("Changed files"), N_("What happens when a file changes on disk."), place=8,
                choices={
                    "refresh": Words(N_("re-read")),
                    "freeze": Words(N_("keep the copy")),
                    "auto": Words(N_("automatic")),
                },
            ),
        ),
    )  # fmt: skip
    compaction: CompactionSettings = field(default_factory=CompactionSettings)
    sections: SectionSettings = field(default_factory=SectionSettings)
    library: LibrarySettings = field(default_factory=LibrarySettings)
    layout: Layout = setting(
        "layered",
        Control(
            N_("Layout"), N_("The order of a request. Append-only keeps each part where it was first sent."),
            group="cache", place=1,
            choices={
                "auto": N_("the cheaper one"),
                "append_only": N_("append-only, kind to a cache"),
                "layered": N_("layered, strictly fresh"),
            },
            what_if=WhatIf(
                N_("Layout"), N_("How a request is laid out."), place=4,
                choices={
                    "layered": Words(
                        N_("Layered"), N_("The library before the conversation, each part in its place.")
                    ),
                    "append_only": Words(
                        N_("Append-only"),
                        N_("A log that only grows, so everything but the newest part stays cached."),
                    ),
                    "auto": Words(
                        N_("Automatic"), N_("A log where the model has a prompt cache, else layered.")
                    ),
                },
            ),
            changed=N_("layout {value}"),
        ),
    )  # fmt: skip
    edits: Edits = setting(
        "full",
        Control(
            N_("An edited file is sent"), N_("In an append-only request."), group="cache", place=2,
            choices={"full": N_("in full"), "changes": N_("as changes, where they are small")},
        ),
    )  # fmt: skip
    tell_undone: bool = False
    parameters: Parameters = field(default_factory=Parameters)
    tools: Annotated[tuple[ToolDefinition, ...], Unique("name")] = ()
    tools_on_demand: bool = setting(
        False,
        Control(
            N_("Load tools when needed"),
            N_("Sends a line for each tool; its definition follows when the model asks for it."),
            place=30,
            in_chat=Words(),
            changed=N_("tools when needed"),
        ),
    )
    filters: Annotated[FilterSettings, Inline()] = field(default_factory=FilterSettings)

    @property
    def persona_text(self) -> str:
        """The persona in effect."""
        return "\n\n".join(text for _, text in self.persona.parts(self.persona_mode))


NEW_CHAT = ContextSettings(
    persona_mode="add",
    history=HistorySettings(recall=True, when_full="exchanges"),
    freshness="auto",
    compaction=CompactionSettings(tool_results="preview"),
    library=LibrarySettings(detached="leave"),
    layout="auto",
    tell_undone=True,
)
"""How a new chat is set where the program's settings say nothing else; a trajectory that says nothing keeps to less."""


def retooled(kept: ContextSettings, fresh: ContextSettings, other: ContextSettings) -> ContextSettings:
    """A chat's settings with the tools of `fresh`, the settings of a new chat; everything else stays.

    The default persona has two versions, with and without a sentence about exploring; `other` is a new chat's settings
    with the other version. A persona that the user wrote is left alone.
    """
    shipped = kept.persona.default == other.persona.default
    persona = replace(kept.persona, default=fresh.persona.default) if shipped else kept.persona
    return replace(kept, persona=persona, tools=fresh.tools, tool_guidelines=fresh.tool_guidelines)
