"""A conversation between turns: everything the next request depends on, as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from workbench.context.assembly.references import freshness_of, promote
from workbench.context.cache.forecast import MOST_HELD
from workbench.domain.change import Built
from workbench.domain.envelope import TrimState
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Entry, Message
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.turn import LibraryEntry, Tuning


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that was sent, and when; None if the time is unknown."""

    built: Built
    at: str | None = None


@dataclass(frozen=True)
class Conversation:
    """State of a conversation; `previous` is the last request before the next one.

    `current` is the request that was sent in this very turn, which the next round of its tools goes on from. `held` are
    the newest requests of the chat, on whatever branch, that a provider's cache may still hold, in the order they were
    sent. `folders` are the followed folders that are searched for every question. `times` says when what was said, by
    id, where somebody knows. `beside` is a side question asked since, which decides nothing about the next request but
    what of it a cache may hold.
    """

    id: str
    turn: int = 0
    history: tuple[Entry, ...] = ()
    attached: tuple[Artifact, ...] = ()
    library: tuple[LibraryEntry, ...] = ()
    trim: TrimState = field(default_factory=TrimState)
    tuning: Tuning = field(default_factory=Tuning)
    previous: Built | None = None
    current: Built | None = None
    held: tuple[Asked, ...] = ()
    times: Mapping[str, str] = field(default_factory=dict, compare=False)
    beside: Asked | None = None
    folders: tuple[str, ...] = ()

    @cached_property
    def chars(self) -> int:
        """Number of characters of history, attachments and library; cached, since it is needed at every keystroke."""
        texts = {entry.key: entry.latest.text for entry in self.library}
        texts |= {artifact.key: artifact.text for artifact in self.attached}
        return sum(map(size_of, self.history)) + sum(map(len, texts.values()))

    @cached_property
    def said(self) -> tuple[Entry, ...]:
        """The history as requests send it, with what a person edited; `history` is what was said then."""
        return self.tuning.edited(self.history)

    @property
    def last(self) -> str:
        return self.history[-1].id if self.history else ""

    @property
    def rebuild_wanted(self) -> bool:
        """Whether a person asked to rebuild the log with the next question."""
        return bool(self.history) and self.tuning.rebuild_after == self.last


def size_of(entry: Entry | None) -> int:
    """Number of characters of a message or chunk."""
    if entry is None:
        return 0
    if isinstance(entry, Message):
        return sum(map(len, entry.texts)) + sum(len(call.arguments) for call in entry.tool_calls)
    return len(entry.body)


def reattach(
    attached: Sequence[Artifact], detach: Sequence[str], attach: Sequence[Artifact]
) -> tuple[Artifact, ...]:
    """The attachments after some were detached and some attached; a known key keeps its place, with new content."""
    gone = set(detach)
    held = {artifact.key: artifact for artifact in attached if artifact.key not in gone}
    for artifact in attach:
        held[artifact.key] = artifact
    return tuple(held.values())


def may_prefill_library(conversation: Conversation, settings: ContextSettings) -> bool:
    """Whether artifacts may be put into the library before they were sent; a log that continues has its own already."""
    before = conversation.previous
    return before is None or "layered" == before.envelope.layout == settings.layout


def shelved(conversation: Conversation, artifacts: Sequence[Artifact]) -> Conversation:
    """The conversation with attached artifacts put into its library before they were sent: those of a workspace."""
    keys = [artifact.key for artifact in conversation.attached]
    return replace(conversation, library=promote(conversation.library, artifacts, keys, "refresh"))


def cached_after(held: Sequence[Asked], asked: Asked) -> tuple[Asked, ...]:
    """The requests a cache may hold after one was sent; one that found the cache cold starts the list anew."""
    return (*(() if asked.built.inputs.cold else held), asked)[-MOST_HELD:]


def asked_last(conversation: Conversation, model: str) -> str | None:
    """When a model was last asked in a chat, as far as its cache may still hold that; None if unknown."""
    mine = [one.at for one in conversation.held if one.built.inputs.settings.model == model]
    return mine[-1] if mine else None


def still_held(held: Sequence[Asked], lifetime_s: float | None) -> tuple[Built, ...]:
    """The requests less than a cache lifetime older than the newest of their model, as far as times are known.

    A cache forgets one by one; what a newer request begins with is held by that one, too.
    """
    newest = {one.built.inputs.settings.model: one.at for one in held}
    ages = [(one, age_between(one.at, newest[one.built.inputs.settings.model])) for one in held]
    return tuple(
        one.built for one, age_s in ages if None in (lifetime_s, age_s) or (age_s or 0) < (lifetime_s or 0)
    )


def age_between(before: str | None, after: str | None) -> float | None:
    """Seconds between two ISO times; None if one is unknown."""
    if not before or not after:
        return None
    try:
        since, until = datetime.fromisoformat(before), datetime.fromisoformat(after)
    except ValueError:
        return None
    if (since.tzinfo is None) != (until.tzinfo is None):
        return None
    return max(0.0, (until - since).total_seconds())


def after_turn(
    conversation: Conversation, built: Built, reply: Sequence[Message], at: str | None = None
) -> Conversation:
    """The conversation after a request was built and, if it has a question, sent and answered."""
    question, found = built.inputs.question, built.inputs.tool_results
    said = (*found, question, *reply) if question is not None else tuple(reply)
    times = {**conversation.times, **{one.id: at for one in said}} if at else conversation.times
    sent = replace(
        conversation,
        times=times,
        turn=conversation.turn + 1,
        history=(*conversation.history, *said),
        trim=built.envelope.cuts.trim,
        previous=built.without_beginning,
    )
    if question is None:
        return sent
    held = cached_after(conversation.held, Asked(sent.previous or built, at))
    return replace(sent, library=_promoted(built), held=held)


def _promoted(built: Built) -> tuple[LibraryEntry, ...]:
    """The library after a request: only what was really sent is promoted."""
    layers = (built.envelope.layer("L2_PREVIOUS"), built.envelope.layer("L3_TURN"))
    shown = {segment.id for layer in layers for segment in layer.segments}
    inputs = built.inputs
    sent = [artifact for artifact in inputs.attached if artifact.key in shown]
    keys = [artifact.key for artifact in inputs.attached]
    return promote(inputs.library, sent, keys, freshness_of(inputs.settings, inputs.model))
