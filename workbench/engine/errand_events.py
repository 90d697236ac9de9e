"""What happened that is about no single chat, in the past tense."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.domain.app_preferences import Preferences
from workbench.domain.folder_offer import FolderOffer
from workbench.domain.job import Job
from workbench.domain.learnt import ModelLearnt
from workbench.domain.mcp import McpListing
from workbench.domain.model_listing import ModelListing
from workbench.domain.preferences import ContextSettings
from workbench.domain.settings_problem import SettingsProblem
from workbench.domain.shown.folder_view import FolderView
from workbench.domain.shown.reach import ChatReach
from workbench.domain.shown.summary_view import SummaryView
from workbench.domain.workspace import SavedPrompt, Workspace
from workbench.engine.state import Found, Readiness, SuggestedFacts, WrittenTitle


@dataclass(frozen=True, slots=True)
class HistorySearched:
    """What was found; None when that is over."""

    found: Found | None


@dataclass(frozen=True, slots=True)
class ModelsListed:
    """What can be used now."""

    models: tuple[ModelListing, ...]


@dataclass(frozen=True, slots=True)
class ModelsLearnt:
    """What turns have taught about their models, by name."""

    learnt: Mapping[str, ModelLearnt]


@dataclass(frozen=True, slots=True)
class ModelReadied:
    """A model came closer to answering, is ready, or cannot be."""

    name: str
    readiness: Readiness


@dataclass(frozen=True, slots=True)
class PreferencesChanged:
    """Other preferences hold; with `only_used`, all that is new is which models were asked last."""

    preferences: Preferences
    only_used: bool = False


@dataclass(frozen=True, slots=True)
class PreferencesRead:
    """The preferences were read; `problem` is why nothing may be sent by them."""

    problem: SettingsProblem | None


@dataclass(frozen=True, slots=True)
class ProviderKeysListed:
    """For which servers there are keys."""

    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PresetsListed:
    """Which settings are kept under a name."""

    presets: Mapping[str, ContextSettings]


@dataclass(frozen=True, slots=True)
class WorkspacesListed:
    """Which workspaces there are, by id, and what holds for every chat."""

    workspaces: Mapping[str, Workspace]
    everywhere: Workspace


@dataclass(frozen=True, slots=True)
class ServerMoved:
    """A server of a workspace is in another state, or has other things; None where it is gone."""

    workspace: str
    server: str
    listing: McpListing | None


@dataclass(frozen=True, slots=True)
class FolderOffered:
    """What the folder of a workspace offers that nobody decided about yet; None where there is nothing.

    `problem` says why its file cannot be used.
    """

    workspace: str
    offer: FolderOffer | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ReachSeen:
    """How the caches of chats stand, by chat."""

    reach: Mapping[str, ChatReach]


@dataclass(frozen=True, slots=True)
class PromptsListed:
    """Which texts are kept under a name."""

    prompts: tuple[SavedPrompt, ...]


@dataclass(frozen=True, slots=True)
class FolderSeen:
    """More is known of the folder that is looked through; None when nobody looks any more."""

    folder: FolderView | None


@dataclass(frozen=True, slots=True)
class TitleMoved:
    """A title is offered, being written, written, or was not."""

    title: WrittenTitle


@dataclass(frozen=True, slots=True)
class SummaryMoved:
    """A summary is offered, being made, made, or was not; None where nobody looks at one any more."""

    summary: SummaryView | None


@dataclass(frozen=True, slots=True)
class FactsMoved:
    """Facts are offered to be asked for, being asked for, suggested, or were not."""

    suggestion: SuggestedFacts


@dataclass(frozen=True, slots=True)
class JobMoved:
    """Long work began, went on or ended."""

    job: Job


@dataclass(frozen=True, slots=True)
class JobDismissed:
    """Long work that has ended is no longer shown."""

    job: str


ErrandEvent = (
    HistorySearched
    | ModelsListed
    | ModelsLearnt
    | ModelReadied
    | PreferencesChanged
    | PreferencesRead
    | ProviderKeysListed
    | PresetsListed
    | WorkspacesListed
    | ServerMoved
    | FolderOffered
    | PromptsListed
    | ReachSeen
    | FolderSeen
    | TitleMoved
    | SummaryMoved
    | FactsMoved
    | JobMoved
    | JobDismissed
)
