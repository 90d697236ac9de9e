"""What is shown otherwise: an event about one open chat, and one about the program, by the fields of the state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict, Unpack

from workbench.domain.files.attached import AttachProgress
from workbench.domain.models.learnt import ModelLearnt
from workbench.domain.models.model_listing import ModelListing
from workbench.domain.record import Chat
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.settings.settings_problem import SettingsProblem
from workbench.domain.shown.attachment_view import AttachmentRow, DiskState, FileFacts
from workbench.domain.shown.completion_view import CompletionView
from workbench.domain.shown.diff_view import DiffView
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.shown.file_changes import FileChanges
from workbench.domain.shown.folder_view import FolderView, FollowedRow
from workbench.domain.shown.parts_view import PartsView
from workbench.domain.shown.price_tag import StepPrice
from workbench.domain.shown.relevance_view import Relevance
from workbench.domain.shown.shares_view import LayoutShares
from workbench.domain.shown.summary_view import SummaryView
from workbench.domain.shown.turn_view import TurnRow
from workbench.domain.shown.why_view import WhyView
from workbench.domain.tool import ToolDefinition
from workbench.domain.workspace import SavedPrompt, Workspace
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.state import Fix, Found, SuggestedFacts, Trial, WrittenTitle


class ChatFields(TypedDict, total=False):
    """Fields of `ChatState` that are replaced as they are; it says what each is."""

    prepared: Prepared
    view: EnvelopeView
    attachments: tuple[AttachmentRow, ...]
    fixes: tuple[Fix, ...]
    in_flight: EnvelopeView
    trial: Trial | None
    price: StepPrice | None
    turns: tuple[TurnRow, ...]
    versions: Mapping[str, tuple[str, ...]]
    opened: EnvelopeView | None
    compared: DiffView | None
    attaching: AttachProgress | None
    parts: PartsView | None
    why: WhyView | None
    completion: CompletionView | None
    shares: LayoutShares
    tool_tokens: Mapping[ToolDefinition, int]
    disk: Mapping[str, tuple[DiskState, str]]
    files: Mapping[str, FileFacts]
    changes: FileChanges | None
    followed: tuple[FollowedRow, ...]
    relevance: Relevance | None


@dataclass(frozen=True, slots=True)
class ChatShown:
    """Something of an open chat is shown otherwise."""

    chat: str
    fields: ChatFields


def chat_shows(chat: str, /, **fields: Unpack[ChatFields]) -> ChatShown:
    """The event that these fields of a chat are shown so."""
    return ChatShown(chat, fields)


class ProgramFields(TypedDict, total=False):
    """Fields of `WorkbenchState` that are replaced as they are; it says what each is."""

    chats: tuple[Chat, ...]
    found: Found | None
    models: tuple[ModelListing, ...]
    learnt: Mapping[str, ModelLearnt]
    key_origins: tuple[str, ...]
    presets: Mapping[str, ContextSettings]
    sending_off: SettingsProblem | None
    workspaces: Mapping[str, Workspace]
    everywhere: Workspace
    prompts: tuple[SavedPrompt, ...]
    folder: FolderView | None
    title: WrittenTitle
    summary: SummaryView | None
    suggestion: SuggestedFacts


@dataclass(frozen=True, slots=True)
class ProgramShown:
    """Something that is about no single chat is shown otherwise."""

    fields: ProgramFields


def program_shows(**fields: Unpack[ProgramFields]) -> ProgramShown:
    """The event that these fields are shown so."""
    return ProgramShown(fields)
