"""What happened that is about no single chat, in the past tense."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.domain.folder_offer import FolderOffer
from workbench.domain.job import Job
from workbench.domain.mcp.server import McpListing
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.shown.reach import ChatReach
from workbench.engine.shown_events import ProgramShown
from workbench.engine.state import Readiness


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
class JobMoved:
    """Long work began, went on or ended."""

    job: Job


@dataclass(frozen=True, slots=True)
class JobDismissed:
    """Long work that has ended is no longer shown."""

    job: str


ProgramEvent = (
    ProgramShown
    | ModelReadied
    | PreferencesChanged
    | ServerMoved
    | FolderOffered
    | ReachSeen
    | JobMoved
    | JobDismissed
)
