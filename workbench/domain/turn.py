"""The frozen inputs of the builder for one turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from workbench.domain.chunk import Chunk
from workbench.domain.envelope import TrimState
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Entry, Message
from workbench.domain.model import ModelCard
from workbench.domain.recall import Found
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.summary import Summary
from workbench.domain.text import repair_text
from workbench.domain.watch.request import Passed


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """An artifact that earlier turns sent.

    Attributes:
        shelved: the copy the library showed when it was last sent, which `freeze` keeps.
        latest: the newest content sent, which `refresh` shows.
        attached_last_turn: whether the last sent turn still had it attached.
    """

    shelved: Artifact
    latest: Artifact
    attached_last_turn: bool

    @property
    def key(self) -> str:
        return self.latest.key


@dataclass(frozen=True, slots=True)
class EditedText:
    """A version that a person wrote of an answer, or of a tool's result; what was said is kept beside it.

    Attributes:
        message: whose version it is. at: when it was written, in ISO form.
        shown: whether it is the one in view, which requests send; of a message's versions at most one is.
    """

    message: str
    text: str
    at: str = ""
    shown: bool = True


@dataclass(frozen=True, slots=True)
class Tuning:
    """What the user decided by hand.

    Attributes:
        pinned: messages that stay whole; excluded: messages and artifacts that are left out.
        purged: artifacts that must not be sent once they are detached, nor copies from before they were attached again.
        rebuild_after: the last message when the user asked for a rebuilt log; it is rebuilt with the next question.
        recalled: messages that come back whenever they are cut; unrecalled: messages that never do.
        summaries: those that replace messages and attached texts.
        edits: versions that a person wrote of messages, by message, in the order they were written.
    """

    pinned: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    purged: frozenset[str] = frozenset()
    rebuild_after: str = ""
    recalled: frozenset[str] = frozenset()
    unrecalled: frozenset[str] = frozenset()
    summaries: tuple[Summary, ...] = ()
    edits: tuple[EditedText, ...] = ()

    def versions(self, message: str) -> tuple[EditedText, ...]:
        """What a person wrote in place of a message, the oldest first."""
        return tuple(one for one in self.edits if one.message == message)

    def edited(self, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        """The messages as requests send them: an edited one has the words of its version in view.

        Its calls stay, so that their results do; what the model thought belongs to its own words, and is left out.
        """
        texts = {one.message: one.text for one in self.edits if one.shown}
        if not texts:
            return entries
        return tuple(
            replace(one, texts=(texts[one.id],), thinking=())
            if isinstance(one, Message) and one.id in texts
            else one
            for one in entries
        )

    @property
    def summarised(self) -> frozenset[str]:
        """The messages that usable summaries replace."""
        return frozenset(key for one in self.summaries if not one.of_artifact for key in one.replaces)

    def without(self, message: str) -> Tuning:
        """The tuning without any summary that covers a message, and without its versions."""
        told = (one for one in self.summaries if one.of_artifact or message not in one.replaces)
        edits = tuple(one for one in self.edits if one.message != message)
        return replace(self, summaries=tuple(told), edits=edits)

    @property
    def summary_ids(self) -> frozenset[str]:
        """The ids of summaries among the messages."""
        return frozenset(one.id for one in self.summaries if not one.of_artifact)

    @property
    def kept(self) -> frozenset[str]:
        """What no cap on history removes: pinned messages, and summaries, which represent others."""
        return self.pinned | self.summary_ids if self.summaries else self.pinned


BEGINNING = "beginning"
"""Kind of the segment with the beginning of an answer."""


def beginning_in(rounds: Sequence[Message]) -> Message | None:
    """The beginning of an answer, which ends a request for its model to go on with; None where there is none."""
    last = rounds[-1] if rounds else None
    return last if last is not None and last.role == "assistant" and not last.tool_calls else None


def begun_by_hand(question: str, text: str) -> Message:
    """The beginning of an answer that the user wrote, after the question with that id."""
    return Message(f"{question}:begun", "assistant", (repair_text(text),))


@dataclass(frozen=True, slots=True)
class TurnInputs:
    """Everything a request is a function of; equal inputs give equal bytes.

    `rounds` are the messages of this turn after the question: the model's calls and their results, or the beginning of
    an answer that is to be continued. `cold`: no cache holds the previous request any more; `rebuild`: the user wants
    the log rebuilt. `found` are the matches for the question, the best first, of which those that were trimmed and fit
    are quoted. `passed`: another program built the request.
    """

    conversation: str
    turn: int
    settings: ContextSettings
    model: ModelCard
    history: tuple[Entry, ...] = ()
    attached: tuple[Artifact, ...] = ()
    library: tuple[LibraryEntry, ...] = ()
    question: Message | None = None
    now: str | None = None
    tool_results: tuple[Chunk, ...] = ()
    trim: TrimState = field(default_factory=TrimState)
    tuning: Tuning = field(default_factory=Tuning)
    rounds: tuple[Message, ...] = ()
    cold: bool = False
    rebuild: bool = False
    found: tuple[Found, ...] = ()
    passed: Passed | None = None

    @property
    def always_recalled(self) -> frozenset[str]:
        """The messages to recall whenever they are trimmed, where recall is on."""
        return self.tuning.recalled if self.settings.history.recall else frozenset()

    @property
    def reattached(self) -> frozenset[str]:
        """What was purged and is attached again: its new copies may be sent."""
        purged = self.tuning.purged
        return purged.intersection(artifact.key for artifact in self.attached) if purged else purged
