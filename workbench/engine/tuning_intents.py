"""Intents that tune the next request, by key: everything else stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.domain.errors import InvalidInput
from workbench.domain.experiment import Cell
from workbench.domain.files.attachment import PRIORITY_ESSENTIAL, Artifact
from workbench.domain.message import Message
from workbench.domain.shown.comparison import ExperimentView
from workbench.domain.summary import Summary
from workbench.domain.tool import ToolDefinition
from workbench.domain.translation import tr
from workbench.domain.turn import EditedText, Tuning
from workbench.domain.variant import Variant


@dataclass(frozen=True, slots=True)
class AttachedChange:
    """Another priority, pin or length for one attachment; None leaves it as it is, and 0 tokens are all of it.

    Priority 0 pins, as it does wherever a priority is given; another one lets go of what was pinned by that.
    `by_relevance`: its outline, and the sections that fit the question. `whole`: all of it as soon as it has room,
    though a cache may hold a shorter copy.
    """

    key: str
    priority: int | None = None
    pinned: bool | None = None
    most_tokens: int | None = None
    by_relevance: bool | None = None
    whole: bool | None = None

    def of(self, artifact: Artifact) -> Artifact:
        return replace(
            artifact,
            priority=artifact.priority if self.priority is None else self.priority,
            essential=self._pins(artifact) if self.pinned is None else self.pinned,
            most_tokens=artifact.most_tokens if self.most_tokens is None else self.most_tokens or None,
            by_relevance=artifact.by_relevance if self.by_relevance is None else self.by_relevance,
            whole=artifact.whole if self.whole is None else self.whole,
        )

    def _pins(self, artifact: Artifact) -> bool:
        if self.priority is None:
            return artifact.essential
        return self.priority == PRIORITY_ESSENTIAL or (
            artifact.essential and artifact.priority != PRIORITY_ESSENTIAL
        )


@dataclass(frozen=True, slots=True)
class CountTools:
    """Count what each of these tools costs, or would cost, in every request of a chat."""

    chat: str
    tools: tuple[ToolDefinition, ...]


@dataclass(frozen=True, slots=True)
class TuneAttached:
    """Give attachments other priorities, pins and lengths; one that is no longer attached is passed over.

    `suggested`: a suggestion was accepted, or that is taken back, so nobody thought of the numbers by themselves.
    """

    chat: str
    changes: tuple[AttachedChange, ...]
    suggested: bool = False

    def of(self, attached: Sequence[Artifact]) -> tuple[Artifact, ...]:
        held = {artifact.key: artifact for artifact in attached}
        for change in self.changes:
            if change.key in held:
                held[change.key] = change.of(held[change.key])
        return tuple(held.values())


@dataclass(frozen=True, slots=True)
class DismissSuggestions:
    """Dismiss the suggested priorities for the question being written."""

    chat: str


@dataclass(frozen=True, slots=True)
class OfferPriorities:
    """Show what it would cost to ask the chat's model for priorities."""

    chat: str


@dataclass(frozen=True, slots=True)
class AskPriorities:
    """Ask the chat's model which priorities fit the question; they are only suggested."""

    chat: str


AboutPriorities = DismissSuggestions | OfferPriorities | AskPriorities


@dataclass(frozen=True, slots=True)
class PutBackAttached:
    """Attach copies that were attached before: how a detach or a refresh is taken back.

    One that is attached still, or again, gets the copy's content and keeps its title, priority, pin and length; with
    `only_gone` it stays as it is. What `order` names comes in that order, everything else after it.
    """

    chat: str
    artifacts: tuple[Artifact, ...]
    order: tuple[str, ...]
    only_gone: bool = False

    def of(self, attached: Sequence[Artifact]) -> tuple[Artifact, ...]:
        held = {artifact.key: artifact for artifact in attached}
        for copy in self.artifacts:
            if not self.only_gone or copy.key not in held:
                held[copy.key] = _with_content(held.get(copy.key, copy), copy)
        places = {key: place for place, key in enumerate(self.order)}
        return tuple(sorted(held.values(), key=lambda one: places.get(one.key, len(places))))


@dataclass(frozen=True, slots=True)
class DetachShared:
    """Detach the files that came into a chat with its workspace, except these, which were there before."""

    chat: str
    workspace: str
    but: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TuneMessages:
    """Pin messages and let them go, leave messages or attachments out and put them back; each by its id.

    Of what is cut, `always` comes back and `never` does not, whatever is asked; `as_found` it is as the question wants.
    `versions` are all that a person wrote of the messages they name; those of `as_said` have none any more.
    """

    chat: str
    pin: frozenset[str] = frozenset()
    unpin: frozenset[str] = frozenset()
    leave_out: frozenset[str] = frozenset()
    put_back: frozenset[str] = frozenset()
    always: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()
    as_found: frozenset[str] = frozenset()
    versions: tuple[EditedText, ...] = ()
    as_said: frozenset[str] = frozenset()

    def of(self, tuning: Tuning) -> Tuning:
        named = self.as_said.union(one.message for one in self.versions)
        others = (one for one in tuning.edits if one.message not in named)
        return replace(
            tuning,
            pinned=(tuning.pinned | self.pin) - self.unpin,
            excluded=(tuning.excluded | self.leave_out) - self.put_back,
            recalled=(tuning.recalled | self.always) - self.never - self.as_found,
            unrecalled=(tuning.unrecalled | self.never) - self.always - self.as_found,
            edits=tuple(sorted((*others, *self.versions), key=lambda one: one.message))
            if named
            else tuning.edits,
        )


def edit_message(
    chat: str, tuning: Tuning, message: Message, text: str, now_utc: str
) -> tuple[TuneMessages, TuneMessages]:
    """What gives an answer or a tool's result other words, as a version beside it, and what takes that back.

    `InvalidInput` says why there is no such version; nothing is changed then.
    """
    if message.role not in ("assistant", "tool"):
        raise InvalidInput(
            "version", tr("only an answer or a tool's result can be edited; ask the question again")
        )
    if not text.strip():
        raise InvalidInput(
            "version",
            tr(
                "it has no words. What was said stays; to send nothing of it, leave "
                "the message out of the request"
            ),
        )
    known = tuning.versions(message.id)
    if text in (message.text, *(one.text for one in known)):
        texts = [message.text, *(one.text for one in known)]
        return show_version(chat, tuning, message.id, texts.index(text))
    made = (*(replace(one, shown=False) for one in known), EditedText(message.id, text, now_utc))
    return TuneMessages(chat, versions=made), _as_before(chat, known, message.id)


def show_version(chat: str, tuning: Tuning, message: str, number: int) -> tuple[TuneMessages, TuneMessages]:
    """What puts a version of a message in view, 0 for what was said; and what takes that back."""
    known = tuning.versions(message)
    if not 0 <= number <= len(known):
        raise InvalidInput(
            "version", tr("the message has {n}, counted from 1; what was said is the first", n=len(known) + 1)
        )
    made = tuple(replace(one, shown=place == number) for place, one in enumerate(known, start=1))
    return _as_before(chat, made, message), _as_before(chat, known, message)


def _as_before(chat: str, versions: tuple[EditedText, ...], message: str) -> TuneMessages:
    if not versions:
        return TuneMessages(chat, as_said=frozenset({message}))
    return TuneMessages(chat, versions=versions)


@dataclass(frozen=True, slots=True)
class LookAtQuote:
    """Show why something of the past is in the request in view, by its id; an empty id ends that."""

    chat: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class CompareVariants:
    """Compare a turn, or the next request, under variants; None repeats those compared already."""

    chat: str
    turn: int | None = None
    variants: tuple[Variant, ...] | None = None


@dataclass(frozen=True, slots=True)
class TakeAnswer:
    """Take an answer of an experiment over: as one of its question, in view, with the variant's settings.

    `unsent` is the experiment where its question was not sent yet: then it counts as sent, with this answer.
    """

    chat: str
    question: str
    reply: str | None
    variant: Variant
    cell: Cell
    unsent: ExperimentView | None = None


@dataclass(frozen=True, slots=True)
class DiffVariant:
    """Show how a variant's request differs from another; the base request has an empty name."""

    chat: str
    name: str
    against: str = ""


@dataclass(frozen=True, slots=True)
class ReadQuote:
    """Read the file of a quote from a followed folder, as it is indexed, by the quote's id; an empty id ends that."""

    chat: str
    id: str = ""


TuningLook = LookAtQuote | ReadQuote | CompareVariants | DiffVariant


@dataclass(frozen=True, slots=True)
class TuneSummaries:
    """Add summaries in place of messages or attached texts, and remove others, by their ids."""

    chat: str
    add: tuple[Summary, ...] = ()
    remove: frozenset[str] = frozenset()

    def of(self, tuning: Tuning) -> Tuning:
        gone = self.remove.union(one.id for one in self.add)
        texts = {one.replaces for one in self.add if one.of_artifact}
        kept = (one for one in tuning.summaries if one.id not in gone)
        left = (one for one in kept if not (one.of_artifact and one.replaces in texts))
        return replace(tuning, summaries=(*left, *self.add))


@dataclass(frozen=True, slots=True)
class KeepSteps:
    """Store the undo steps of a chat's tuning for the next time it is opened, oldest first."""

    chat: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TuneLog:
    """Decide about a log: begin it anew with the next request or not after all, keep detached things out of it.

    A purge is about what is detached: attached again, a thing is sent again.
    """

    chat: str
    rebuild: bool | None = None
    purge: frozenset[str] = frozenset()
    leave: frozenset[str] = frozenset()

    def of(self, tuning: Tuning, last: str) -> Tuning:
        after = tuning.rebuild_after if self.rebuild is None else last if self.rebuild else ""
        return replace(tuning, rebuild_after=after, purged=(tuning.purged | self.purge) - self.leave)


def _with_content(held: Artifact, copy: Artifact) -> Artifact:
    return copy.decided_as(held)
