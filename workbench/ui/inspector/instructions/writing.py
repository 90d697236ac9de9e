"""What is being written of the first layer: its texts by who says them, and what they make of the settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Literal

from workbench.domain.settings.preferences import ContextSettings, Joining
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey, SegmentRow
from workbench.domain.variables import Used, used
from workbench.domain.workspace import (
    Surroundings,
    Workspace,
    is_template,
    memory_text,
    workspace_of_template,
)
from workbench.engine.state import ChatState, WorkbenchState

Subject = Literal["persona", "system", "project", "memory"]
SUBJECTS: tuple[Subject, ...] = ("persona", "system", "project", "memory")
_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_MOST_WORDS = 4_000


@dataclass(frozen=True, slots=True)
class Writing:
    """The texts that somebody may write: of this chat, and of its workspace where that has such a text."""

    chat: str = ""
    workspace: str = ""
    chat_joining: Joining = "add"
    workspace_joining: Joining = "add"

    @property
    def own(self) -> tuple[str, Joining]:
        return self.chat, self.chat_joining

    @property
    def place(self) -> tuple[str, Joining]:
        return self.workspace, self.workspace_joining


def subject_of(key: RowKey) -> Subject | None:
    """What a row is about, where it can be written."""
    return key.id if key.layer == "L1_SYSTEM" and key.id in SUBJECTS else None


def row_key(subject: Subject) -> RowKey:
    """The row that a text stands in."""
    return RowKey("L1_SYSTEM", subject)


def sent_row(view: EnvelopeView | None, subject: Subject) -> SegmentRow | None:
    """The row of a text, where it is really sent."""
    row = view.row(row_key(subject)) if view is not None else None
    return row if row is not None and row.counted else None


def workspace_of(state: WorkbenchState, chat: ChatState) -> Workspace | None:
    """The workspace that a chat is in, or is the template of."""
    key = chat.chat.id
    return state.workspaces.get(workspace_of_template(key) if is_template(key) else chat.chat.filed.workspace)


def saved(subject: Subject, settings: ContextSettings, workspace: Workspace | None) -> Writing:
    """The texts as they are kept."""
    match subject:
        case "persona":
            persona, inside = settings.persona, workspace or Workspace("")
            joining = persona.user_joining or settings.persona_mode
            return Writing(persona.user, inside.instructions, joining, inside.joining)
        case "system":
            return Writing(settings.system_prompt)
        case "project":
            return Writing(settings.project_instructions)
        case "memory":
            return Writing(settings.user_memory)


def settings_with(subject: Subject, settings: ContextSettings, writing: Writing) -> ContextSettings:
    """The chat's own settings with what is written."""
    match subject:
        case "persona":
            persona = settings.persona
            joining = (
                persona.user_joining
                if writing.chat_joining == (persona.user_joining or settings.persona_mode)
                else writing.chat_joining
            )
            return replace(settings, persona=replace(persona, user=writing.chat, user_joining=joining))
        case "system":
            return replace(settings, system_prompt=writing.chat)
        case "project":
            return replace(settings, project_instructions=writing.chat)
        case "memory":
            return replace(settings, user_memory=writing.chat)


def workspace_with(subject: Subject, workspace: Workspace | None, writing: Writing) -> Workspace | None:
    """The workspace with what is written; None where there is none, or nothing of it is written here."""
    if workspace is None or subject != "persona":
        return None
    return replace(workspace, instructions=writing.workspace, joining=writing.workspace_joining)


def text_of(subject: Subject, settings: ContextSettings) -> str:
    """The text of a row, by settings in effect."""
    match subject:
        case "persona":
            return settings.persona_text
        case "system":
            return settings.system_prompt
        case "project":
            return settings.project_instructions
        case "memory":
            return settings.user_memory


def text_ahead(subject: Subject, state: WorkbenchState, chat: ChatState, writing: Writing) -> str:
    """The text of the row as it would be sent, with what variables become."""
    inside = workspace_of(state, chat)
    values = chat.view.values if chat.view is not None else {}
    around = Surroundings(state.everywhere, workspace_with(subject, inside, writing) or inside, values)
    return text_of(subject, around.around(settings_with(subject, chat.chat.settings, writing)))


def text_sent(subject: Subject, chat: ChatState) -> str | None:
    """The text of the row as it was last sent; None where nothing was."""
    last = chat.conversation.previous
    return None if last is None else text_of(subject, last.inputs.settings)


def remembered(state: WorkbenchState, inside: Workspace | None) -> str:
    """What every chat there is told to remember."""
    facts = (*state.everywhere.facts, *(() if inside is None else inside.facts))
    return memory_text(fact.text for fact in facts if not fact.suggested)


def inserted(before: str, after: str) -> tuple[tuple[int, int], ...]:
    """Where in a text words stand that were not there before."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    if len(old) + len(new) > _MOST_WORDS:
        return ()
    starts = [0]
    for word in new:
        starts.append(starts[-1] + len(word))
    changes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple(
        (starts[a], starts[b]) for tag, _, _, a, b in changes if tag in ("insert", "replace") and a < b
    )


def variables(text: str, values: Mapping[str, str]) -> tuple[Used, ...]:
    """The variables of a text, each once."""
    found: dict[str, Used] = {}
    for one in used(text, values):
        found.setdefault(one.name, one)
    return tuple(found.values())
