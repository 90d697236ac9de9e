"""Workspaces: named places for chats with common instructions, memory, files and tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from workbench.domain.chat_line import TEMPLATE
from workbench.domain.mcp_server import BETWEEN, McpServer, with_own_names
from workbench.domain.settings.context_settings import ContextSettings, Joining, PersonaSources
from workbench.domain.three_way_merge import changed_fields, merged_entries
from workbench.domain.tool import ApprovalRule, ToolDefinition
from workbench.domain.watch.request import Watched
from workbench.domain.watch.rules import ProgramRules

# Variables in instructions and prompts: {{date}}, {{workspace}} and their like, and what each becomes.


VARIABLE = re.compile(r"\{\{\s*([A-Za-z][A-Za-z0-9_ -]{0,39}?)\s*\}\}")
Rate = Literal["never", "files", "day", "turn"]

RATES: Mapping[str, Rate] = {
    "date": "day",
    "weekday": "day",
    "time": "turn",
    "workspace": "never",
    "folder": "never",
    "model": "never",
    "files": "files",
}
"""The variables that the program fills by itself, and when what they become is another one."""


@dataclass(frozen=True, slots=True)
class Used:
    """A variable in a text; `value` is None where it is unknown."""

    name: str
    start: int
    end: int
    value: str | None = None

    @property
    def rate(self) -> Rate:
        """How often the variable's value changes."""
        return RATES.get(self.name, "never")


def used(text: str, values: Mapping[str, str]) -> tuple[Used, ...]:
    """The variables of a text, in order."""
    return tuple(
        Used(name, found.start(), found.end(), values.get(name))
        for found in VARIABLE.finditer(text)
        for name in (found[1].strip().lower(),)
    )


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with its variables replaced; unknown ones stay as they are written."""
    if "{{" not in text:
        return text
    return VARIABLE.sub(lambda found: values.get(found[1].strip().lower(), found[0]), text)


def moment_values(now: datetime) -> dict[str, str]:
    """The values of the time variables."""
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    return {"date": f"{now:%Y-%m-%d}", "time": f"{now:%H:%M}", "weekday": days[now.weekday()]}


EVERYWHERE = ""
"""The id of what holds for every chat, whether it is in a workspace or in none."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact to remember; `chat` and `message` are where it was said, empty where the user wrote it down.

    A fact that a model suggested is in no request before the user accepts it.
    """

    id: str
    text: str
    made_utc: str = ""
    chat: str = ""
    message: str = ""
    suggested: bool = False


@dataclass(frozen=True, slots=True)
class Accepted:
    """A file of the folder that the user accepted in one version; another digest has to be accepted again.

    `refused`: the user rejected this version; `text` are the instructions in it.
    """

    file: str
    digest: str
    refused: bool = False
    text: str = ""


@dataclass(frozen=True, slots=True)
class SavedPrompt:
    """A named text, which may hold variables: instructions, or the beginning of a question."""

    name: str
    text: str
    workspace: str = EVERYWHERE


@dataclass(frozen=True, slots=True)
class Workspace:
    """A workspace; its files and the settings of new chats are stored with its template.

    Attributes:
        folder: what tools and patterns are bound to; empty where there is none.
        instructions: for every chat in it; `joining` says whether they replace the default ones or add to them.
        project: the text of the folder's own instruction files, as it was accepted.
        facts: what every chat in it remembers.
        servers: of tools, which its chats may use. rules: what tools may do there; the first that fits decides.
        accepted: the files of the folder that the user accepted or refused.
        offered: the folder that an import named; tools are bound to it only when the user agrees.
        watched: the rules of watched programs, which belong to no workspace: they stand with what holds everywhere.
    """

    id: str
    name: str = ""
    folder: str = ""
    instructions: str = ""
    joining: Joining = "add"
    project: str = ""
    facts: tuple[Fact, ...] = ()
    servers: tuple[McpServer, ...] = ()
    rules: tuple[ApprovalRule, ...] = ()
    accepted: tuple[Accepted, ...] = ()
    made_utc: str = ""
    offered: str = ""
    deleted_utc: str | None = None
    watched: tuple[ProgramRules, ...] = ()


def rules_of(everywhere: Workspace, program: str) -> ProgramRules:
    """The rules that are kept for a program."""
    kept = (one for one in everywhere.watched if one.program.lower() == program.lower())
    return next(kept, ProgramRules(program))


def with_rules(everywhere: Workspace, rules: ProgramRules) -> Workspace:
    """What holds everywhere with other rules for one program."""
    others = [one for one in everywhere.watched if one.program.lower() != rules.program.lower()]
    return replace(everywhere, watched=tuple(sorted((*others, rules), key=lambda one: one.program.lower())))


def revised(current: Workspace, before: Workspace, after: Workspace) -> Workspace:
    """Apply one change to the current workspace; other changes since `before` stay, entry by entry."""
    changed = changed_fields(before, after)
    for name, key in _ENTRIES.items():
        if name in changed:
            changed[name] = merged_entries(getattr(current, name), getattr(before, name), changed[name], key)
    return replace(current, **changed)


_ENTRIES: Mapping[str, Callable[[Any], Hashable]] = {
    "facts": lambda fact: fact.id,
    "servers": lambda server: server.name,
    "rules": lambda rule: rule,
}
"""What a workspace has several of, and what each is known by; a rule is what it says."""


def template_of(workspace: str) -> str:
    """The id of a workspace's template, whose attachments every new chat there gets."""
    return f"{TEMPLATE}{workspace}"


def is_template(chat: str) -> bool:
    """Whether a chat is a workspace's template."""
    return chat.startswith(TEMPLATE)


def workspace_of_template(chat: str) -> str:
    """The workspace of a template; only for ids of templates."""
    return chat.removeprefix(TEMPLATE)


@dataclass(frozen=True, slots=True)
class Brought:
    """What one import added to a chat: these messages, or the whole chat with so many of them.

    `source` are the files it came from; what is `undone` was taken back, and comes again when they are imported again.
    """

    source: str
    when_utc: str
    whole: int = 0
    messages: tuple[str, ...] = ()
    undone: bool = False


@dataclass(frozen=True, slots=True)
class Filed:
    """How a chat is filed: its workspace, tags, and whether it is pinned or archived.

    `rules` are what was allowed or forbidden to tools in it alone; they come before those of its workspace. `brought`
    is what imports brought; it goes into no export. `watched` says that another program wrote the chat. A `temporary`
    one is only in memory; the mark is written down nowhere.
    """

    workspace: str = EVERYWHERE
    pinned: bool = False
    archived_utc: str | None = None
    tags: tuple[str, ...] = ()
    rules: tuple[ApprovalRule, ...] = ()
    brought: tuple[Brought, ...] = ()
    watched: Watched | None = None
    temporary: bool = False


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What completes a chat's own settings: global settings, its workspace, and the values of variables.

    `unusable` are tools that differ from what the user approved, or whose server failed; `gone`: the
    chat's workspace was deleted, and its servers with it.
    """

    everywhere: Workspace = field(default_factory=lambda: Workspace(EVERYWHERE))
    workspace: Workspace | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    unusable: frozenset[str] = frozenset()
    gone: bool = False

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts to remember: global ones first, then the workspace's."""
        own = () if self.workspace is None else self.workspace.facts
        return tuple(fact for fact in (*self.everywhere.facts, *own) if not fact.suggested)

    def around(self, settings: ContextSettings) -> ContextSettings:
        """A chat's settings completed for this workspace; idempotent."""
        persona, project = settings.persona, settings.project_instructions
        if self.workspace is not None:
            place = self.workspace
            persona = replace(persona, workspace=place.instructions, workspace_joining=place.joining)
            project = _joined(place.project, project)
        made = replace(
            settings,
            persona=self._filled(persona),
            system_prompt=filled(settings.system_prompt, self.values),
            user_memory=_joined(memory_text(fact.text for fact in self.facts), settings.user_memory),
            project_instructions=project,
            tools=self._tools(settings.tools),
        )
        return settings if made == settings else made

    def _tools(self, tools: tuple[ToolDefinition, ...]) -> tuple[ToolDefinition, ...]:
        """The tools in their approved definitions, without those that the workspace's servers no longer offer."""
        if not any(BETWEEN in tool.name for tool in tools) or (self.workspace is None and not self.gone):
            return tools
        served = {} if self.workspace is None else served_tools(self.workspace)
        usable = (tool for tool in tools if BETWEEN not in tool.name or tool.name in served)
        return tuple(served.get(tool.name, tool) for tool in usable if tool.name not in self.unusable)

    def _filled(self, persona: PersonaSources) -> PersonaSources:
        return replace(
            persona,
            default=filled(persona.default, self.values),
            workspace=filled(persona.workspace, self.values),
            user=filled(persona.user, self.values),
        )


def served_tools(workspace: Workspace) -> dict[str, ToolDefinition]:
    """The tools of a workspace's servers that may be switched on, by model name."""
    return {
        tool.called: tool.definition
        for server in map(with_own_names, workspace.servers)
        if server.enabled
        for tool in server.approved
        if tool.name not in server.tools_off
    }


def without_served(settings: ContextSettings) -> ContextSettings:
    """The settings without tools of this workspace's servers, for use in another one."""
    own = tuple(tool for tool in settings.tools if BETWEEN not in tool.name)
    return settings if own == settings.tools else replace(settings, tools=own)


_FACT = re.compile(r"^- .*(?:\n  .*)*", re.MULTILINE)


def fact_spans(memory: str) -> list[tuple[int, int]]:
    """The span of each fact in what `memory_text` writes."""
    return [found.span() for found in _FACT.finditer(memory)]


def memory_text(facts: Iterable[str]) -> str:
    """Facts as the model gets them: one a line, continuation lines indented."""
    return "\n".join("- " + "\n  ".join(fact.strip().splitlines()) for fact in facts if fact.strip())


def _joined(common: str, own: str) -> str:
    """The common text followed by the chat's own; not repeated where it is contained already."""
    if not common or own == common or own.startswith(f"{common}\n"):
        return own
    return f"{common}\n{own}" if own else common


RuleScope = Literal["chat", "workspace", "everywhere"]
"""For whom something holds."""
