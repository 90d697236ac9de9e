"""Intents that change no chat: search, models, preferences, keys, presets, titles, summaries, files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from workbench.domain.experiment import Plan
from workbench.domain.influence import InfluenceWish
from workbench.domain.secrets import Secret
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.summary import SummaryWish
from workbench.domain.three_way_merge import with_change
from workbench.domain.watch.switch import SessionKind


@dataclass(frozen=True, slots=True)
class SearchHistory:
    """Search all chats; an empty query clears the hits."""

    query: str


@dataclass(frozen=True, slots=True)
class ListModels:
    """List the models that can be used now."""


@dataclass(frozen=True, slots=True)
class WarmModel:
    """Start what a model needs before it can answer."""

    name: str


@dataclass(frozen=True, slots=True)
class ChangePreferences:
    """Store preferences; with `before`, only the fields that differ from it."""

    preferences: Preferences
    before: Preferences | None = None

    def of(self, held: Preferences) -> Preferences:
        """The preferences after the change; fields changed by others meanwhile stay."""
        return self.preferences if self.before is None else with_change(held, self.before, self.preferences)


@dataclass(frozen=True, slots=True)
class ReadPreferences:
    """Reload the preferences, which were corrected in their file."""


@dataclass(frozen=True, slots=True)
class KeepProviderKey:
    """Store the key for a server's origin; None removes it."""

    origin: str
    key: Secret | None


@dataclass(frozen=True, slots=True)
class SavePreset:
    """Store settings under a name; None removes the preset."""

    name: str
    settings: ContextSettings | None


@dataclass(frozen=True, slots=True)
class ForkChat:
    """Make a new chat from everything up to a message; the caller chooses its id, `fork`."""

    chat: str
    message: str
    fork: str


@dataclass(frozen=True, slots=True)
class OfferTitle:
    """Show what it would cost to have the chat's model write a title."""

    chat: str


@dataclass(frozen=True, slots=True)
class WriteTitle:
    """Have the chat's model write a title; the caller then applies it."""

    chat: str


@dataclass(frozen=True, slots=True)
class RenamePreset:
    """Rename a preset; if it is the default for new chats, it stays so."""

    name: str
    to: str


@dataclass(frozen=True, slots=True)
class ExportPresets:
    """Export presets to a new file; all if none is named."""

    names: tuple[str, ...]
    path: str


@dataclass(frozen=True, slots=True)
class ImportPresets:
    """Import presets from a file; existing ones are not changed."""

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
    """Import chats from files, whose format is detected. `key` opens Elara's sealed files."""

    job: str
    paths: tuple[str, ...]
    key: Secret | None = None


@dataclass(frozen=True, slots=True)
class UndoImport:
    """Undo an import in one step; chats continued here stay."""

    job: str


@dataclass(frozen=True, slots=True)
class CancelJob:
    """Cancel an export or import, keeping what is imported; one that has ended is removed from view."""

    job: str


@dataclass(frozen=True, slots=True)
class OfferSummary:
    """Show what a summary would replace, and what it costs."""

    chat: str
    wish: SummaryWish


@dataclass(frozen=True, slots=True)
class MakeSummary:
    """Have a summary made for review; it changes nothing until it is applied (`TuneSummaries`)."""

    chat: str
    wish: SummaryWish


@dataclass(frozen=True, slots=True)
class EndSummary:
    """Cancel a summary; with `forget`, remove it from view."""

    forget: bool = False


@dataclass(frozen=True, slots=True)
class MeasureInfluence:
    """Measure which pieces carried an answer; with `offer`, only show how many requests that takes and the cost."""

    chat: str
    question: str
    reply: str | None = None
    wish: InfluenceWish = field(default_factory=InfluenceWish)
    offer: bool = False


@dataclass(frozen=True, slots=True)
class StopInfluence:
    """Stop the running measurement; its results so far are kept."""


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
    """Stop the running experiment; its answers so far are kept."""


@dataclass(frozen=True, slots=True)
class WatchPrograms:
    """Start or stop listening for requests of other programs and passing them on.

    `to`: the server they go to, empty for the vendors' own; None for that in the preferences.
    """

    on: bool
    to: str | None = None


@dataclass(frozen=True, slots=True)
class PauseWatching:
    """Pass requests on without storing them, or store them again."""

    paused: bool


@dataclass(frozen=True, slots=True)
class HoldRequests:
    """Let each watched request wait until it is sent by hand; switched off, those that wait are sent."""

    on: bool


@dataclass(frozen=True, slots=True)
class AnswerHeld:
    """Send a held request, as it is or with another body; or refuse it."""

    n: int
    send: bool
    body: str | None = None


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
    """Reload what another process wrote, such as a watch in a terminal; no effect if none has."""


@dataclass(frozen=True, slots=True)
class ListSessions:
    """List the sessions that other programs left on this computer."""


@dataclass(frozen=True, slots=True)
class OpenSession:
    """Import a session from disk as a watched conversation; what is stored already stays."""

    kind: SessionKind
    file: str


@dataclass(frozen=True, slots=True)
class CompareWatched:
    """Compare two watched conversations of one task; the first is the older version's."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class AllowOverCap:
    """Let the next turn of a chat pass the caps on spending."""

    chat: str


@dataclass(frozen=True, slots=True)
class LookAtSpending:
    """Show what was spent, and keep that up to date, or stop."""

    on: bool = True


TidyAnswer = Literal["", "bin", "keep", "put_back"]
"""What becomes of old conversations: nothing new, into the bin or kept where that waits, or out of the bin again."""


@dataclass(frozen=True, slots=True)
class TidyWatched:
    """Apply the limits for watched conversations, and the person's answer about those that wait."""

    answer: TidyAnswer = ""


SpendingIntent = AllowOverCap | LookAtSpending
SummaryIntent = OfferSummary | MakeSummary | EndSummary
InfluenceIntent = MeasureInfluence | StopInfluence
ExperimentIntent = AskVariants | StopAsking
JobIntent = ExportChats | ImportChats | UndoImport | CancelJob
PresetIntent = SavePreset | RenamePreset | ExportPresets | ImportPresets
WatchIntent = (
    LookElsewhere
    | WatchPrograms
    | PauseWatching
    | HoldRequests
    | AnswerHeld
    | GoOnFromWatched
    | ListSessions
    | OpenSession
    | TidyWatched
    | CompareWatched
)
ProgramIntent = (
    SearchHistory | ListModels | WarmModel | ChangePreferences | ReadPreferences | KeepProviderKey | ForkChat
    | OfferTitle | WriteTitle | PresetIntent | SummaryIntent | InfluenceIntent | ExperimentIntent | JobIntent
)  # fmt: skip
"""What changes no chat that there is."""
