"""What a person wants that changes no chat: search, models, preferences, keys, presets, titles, summaries, files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from workbench.domain.experiment import Plan
from workbench.domain.influence import InfluenceWish
from workbench.domain.secrets import Secret
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.shown.sessions_view import SessionKind
from workbench.domain.summary import SummaryWish
from workbench.domain.three_way_merge import with_change


@dataclass(frozen=True, slots=True)
class SearchHistory:
    """Find words in all chats; an empty query ends that."""

    query: str


@dataclass(frozen=True, slots=True)
class ListModels:
    """Look what can be used now."""


@dataclass(frozen=True, slots=True)
class WarmModel:
    """Start what a model needs before it can be asked."""

    name: str


@dataclass(frozen=True, slots=True)
class ChangePreferences:
    """Keep other preferences; with `before`, only what differs from that is changed."""

    preferences: Preferences
    before: Preferences | None = None

    def of(self, held: Preferences) -> Preferences:
        """The preferences after it; what else was changed meanwhile stays."""
        return self.preferences if self.before is None else with_change(held, self.before, self.preferences)


@dataclass(frozen=True, slots=True)
class ReadPreferences:
    """Read the preferences again, which somebody has corrected where they are kept."""


@dataclass(frozen=True, slots=True)
class KeepProviderKey:
    """Keep the key for a server's origin; None forgets it."""

    origin: str
    key: Secret | None


@dataclass(frozen=True, slots=True)
class SavePreset:
    """Keep settings under a name; None removes it."""

    name: str
    settings: ContextSettings | None


@dataclass(frozen=True, slots=True)
class ForkChat:
    """Make a chat of its own from everything up to a message; `fork` is its id, chosen by whoever asks."""

    chat: str
    message: str
    fork: str


@dataclass(frozen=True, slots=True)
class OfferTitle:
    """Say what it would cost to have the chat's model write a title."""

    chat: str


@dataclass(frozen=True, slots=True)
class WriteTitle:
    """Have the chat's model write a title; who asked gives it to the chat."""

    chat: str


@dataclass(frozen=True, slots=True)
class RenamePreset:
    """Keep settings under another name; where new chats start with them, they go on to."""

    name: str
    to: str


@dataclass(frozen=True, slots=True)
class ExportPresets:
    """Write presets, all where none is named, to a new file."""

    names: tuple[str, ...]
    path: str


@dataclass(frozen=True, slots=True)
class ImportPresets:
    """Take presets over from a file; those that are there stay as they are."""

    path: str


@dataclass(frozen=True, slots=True)
class ExportChats:
    """Write chats, all where none is named, to a new file or into a folder, in a format of `engine.exchange`.

    Elara's files are sealed with `key`, or in the clear where `plaintext` says so; no other format has either.
    `paths`: Markdown and web pages say where attached files lie, not only their names.
    """

    job: str
    chats: tuple[str, ...]
    format: str
    path: str
    key: Secret | None = None
    plaintext: bool = False
    paths: bool = False


@dataclass(frozen=True, slots=True)
class ImportChats:
    """Take over chats from files; their format is recognised. `key` opens sealed files of Elara's."""

    job: str
    paths: tuple[str, ...]
    key: Secret | None = None


@dataclass(frozen=True, slots=True)
class UndoImport:
    """Take back everything an import brought, in one step; chats that somebody went on with here stay."""

    job: str


@dataclass(frozen=True, slots=True)
class CancelJob:
    """End an export or import; what is already taken over stays. A job that has ended is no longer shown."""

    job: str


@dataclass(frozen=True, slots=True)
class OfferSummary:
    """Say what a summary would stand for, and what having it made costs."""

    chat: str
    wish: SummaryWish


@dataclass(frozen=True, slots=True)
class MakeSummary:
    """Have a summary made, to be looked at; it changes nothing until it is applied (`TuneSummaries`)."""

    chat: str
    wish: SummaryWish


@dataclass(frozen=True, slots=True)
class EndSummary:
    """End the making of a summary; with `forget` nothing more is shown of it."""

    forget: bool = False


@dataclass(frozen=True, slots=True)
class MeasureInfluence:
    """Find which pieces carried an answer; with `offer`, only say how many requests that takes and what they cost."""

    chat: str
    question: str
    reply: str | None = None
    wish: InfluenceWish = field(default_factory=InfluenceWish)
    offer: bool = False


@dataclass(frozen=True, slots=True)
class StopInfluence:
    """End the measurement that is going on; what it has found is kept."""


@dataclass(frozen=True, slots=True)
class AskVariants:
    """Ask a turn's question under variants, of models, again and again; what came of it is kept with the question.

    Without a question it is the next request, as it is shown; nothing of it is kept, and the chat stays as it is. With
    `offer`, only say how many requests that takes and what they cost; with `kept`, show what was asked last.
    """

    chat: str
    question: str
    reply: str | None = None
    plan: Plan = field(default_factory=Plan)
    offer: bool = False
    kept: bool = False


@dataclass(frozen=True, slots=True)
class StopAsking:
    """End the experiment that is going on; answers that are there are kept."""


@dataclass(frozen=True, slots=True)
class WatchPrograms:
    """Listen for requests of other programs and pass them on, or listen no longer."""

    on: bool


@dataclass(frozen=True, slots=True)
class PauseWatching:
    """Let requests pass without keeping them, or keep them again."""

    paused: bool


@dataclass(frozen=True, slots=True)
class GoOnFromWatched:
    """Make a chat of our own that goes on from a watched request; `new` is its id, chosen by whoever asks.

    Without a number, from the last request. With `removed`, what a compaction before it took out is attached.
    """

    chat: str
    new: str
    number: int | None = None
    removed: bool = False


@dataclass(frozen=True, slots=True)
class LookElsewhere:
    """Read again what another program wrote, a watch in a terminal for example; nothing where none has."""


@dataclass(frozen=True, slots=True)
class ListSessions:
    """Look which sessions other programs left on this computer."""


@dataclass(frozen=True, slots=True)
class OpenSession:
    """Read a session from the disk and keep it as a watched conversation; what is kept already stays."""

    kind: SessionKind
    file: str


TidyAnswer = Literal["", "bin", "keep", "put_back"]
"""What becomes of old conversations: nothing new, into the bin or kept where that waits, or out of the bin again."""


@dataclass(frozen=True, slots=True)
class TidyWatched:
    """Keep watched conversations within their limits, and do what somebody answered about those that wait."""

    answer: TidyAnswer = ""


SummaryIntent = OfferSummary | MakeSummary | EndSummary
InfluenceIntent = MeasureInfluence | StopInfluence
ExperimentIntent = AskVariants | StopAsking
JobIntent = ExportChats | ImportChats | UndoImport | CancelJob
PresetIntent = SavePreset | RenamePreset | ExportPresets | ImportPresets
WatchIntent = (
    LookElsewhere | WatchPrograms | PauseWatching | GoOnFromWatched | ListSessions | OpenSession | TidyWatched
)
ProgramIntent = (
    SearchHistory | ListModels | WarmModel | ChangePreferences | ReadPreferences | KeepProviderKey | ForkChat
    | OfferTitle | WriteTitle | PresetIntent | SummaryIntent | InfluenceIntent | ExperimentIntent | JobIntent
)  # fmt: skip
"""What changes no chat that there is."""
