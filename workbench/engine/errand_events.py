"""What happened that is about no single chat, in the past tense."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.domain.app_preferences import Preferences
from workbench.domain.job import Job
from workbench.domain.learnt import ModelLearnt
from workbench.domain.model import ModelListing
from workbench.domain.preferences import ContextSettings
from workbench.domain.shown.folder_view import FolderView
from workbench.domain.shown.reach import ChatReach
from workbench.domain.workspace import SavedPrompt, Workspace
from workbench.engine.state import Found, Readiness


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
    """Other preferences hold."""

    preferences: Preferences


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
    | ProviderKeysListed
    | PresetsListed
    | WorkspacesListed
    | PromptsListed
    | ReachSeen
    | FolderSeen
    | JobMoved
    | JobDismissed
)
