"""What rows are explained by, besides their own segments: the turn's inputs, the request before, files on the disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from workbench.context.assembly.memory import BuildMemory, Shortener, shortener_for
from workbench.context.assembly.quotes import turns_said
from workbench.context.clean.guard import Marks
from workbench.context.explain.secret_marks import sent_secrets
from workbench.domain.change import Built
from workbench.domain.envelope import PICTURE_LEFT_OUT
from workbench.domain.files.attachment import Artifact
from workbench.domain.keys.found_secret import FoundSecret
from workbench.domain.message import Message
from workbench.domain.recall import Found
from workbench.domain.record import Record
from workbench.domain.segment import Segment
from workbench.domain.shown.attachment_view import DiskState
from workbench.domain.shown.envelope_view import RequestMoment
from workbench.ports.counting import TokenCounter

Disk = Mapping[str, tuple[DiskState, str]]


@dataclass(frozen=True)
class RowFacts:
    """What is around a request that is looked at.

    Attributes:
        previous: the request before it on its branch.
        said_before: the messages that `previous` had as history; None where there is no request before.
        attached_in: the turn in which each artifact was attached first.
        disk: what became of attached files, and when.
        memory: where compacted texts are known from building it.
        secrets: keys and passwords in what the request is made of, by the id of what they stand in.
    """

    built: Built
    counter: TokenCounter
    previous: Built | None = None
    said_before: frozenset[str] | None = None
    attached_in: Mapping[str, int] = field(default_factory=dict)
    disk: Disk = field(default_factory=dict)
    standing: RequestMoment = "next"
    memory: BuildMemory = field(default_factory=BuildMemory)
    secrets: Marks = field(default_factory=dict)

    @cached_property
    def shortener(self) -> Shortener:
        """Gives the shorter forms of what is attached, as the request's own settings have them."""
        inputs = self.built.inputs
        return shortener_for(inputs.settings, self.memory, self.counter, inputs.tuning)

    @cached_property
    def artifacts(self) -> Mapping[str, Artifact]:
        """Every artifact that the request could hold, as the user has it or as it was last sent."""
        shelved = {entry.key: entry.latest for entry in self.built.inputs.library}
        return shelved | self.attached

    @cached_property
    def attached(self) -> dict[str, Artifact]:
        """What is attached now."""
        return {artifact.key: artifact for artifact in self.built.inputs.attached}

    @cached_property
    def turns_said(self) -> Mapping[str, int]:
        """The turn in which every message was said."""
        return turns_said(self.built.inputs)

    @cached_property
    def speakers(self) -> Mapping[str, str]:
        """Who said what is quoted of this chat's own messages."""
        quoted = {one.id for one in self.built.inputs.found if not one.text}
        said = (one for one in self.built.inputs.history if one.id in quoted) if quoted else ()
        return {one.id: one.role if isinstance(one, Message) else one.kind for one in said}

    @cached_property
    def found(self) -> Mapping[str, Found]:
        """What is quoted, by its id."""
        return {one.id: one for one in self.built.inputs.found if not one.reserved}

    @cached_property
    def unseen(self) -> frozenset[str]:
        """The messages whose pictures the model cannot see."""
        repairs = self.built.envelope.cuts.repairs
        return frozenset(repair.id for repair in repairs if repair.reason == PICTURE_LEFT_OUT)


def secrets_of(segment: Segment, around: RowFacts) -> tuple[FoundSecret, ...]:
    """What looks like a key or a password in a segment, as it is sent."""
    found = around.secrets.get(segment.id, ())
    return sent_secrets(segment, found, around.artifacts.get(segment.id)) if found else ()


def secrets_key(around: RowFacts) -> tuple[object, ...]:
    """What rows depend on of all that was found, besides the question."""
    question = around.built.inputs.question
    asked = None if question is None else question.id
    return tuple(item for item in around.secrets.items() if item[0] != asked)


def messages_of(previous: Built | None) -> frozenset[str] | None:
    """The messages that a request had as history."""
    if previous is None:
        return None
    return frozenset(segment.id for segment in previous.envelope.layer("L4_STRIP").segments)


def turns_of_attachments(records: Iterable[Record]) -> dict[str, int]:
    """In which turn each artifact was attached first, from the questions of a branch."""
    found: dict[str, int] = {}
    turn = 0
    for record in records:
        if isinstance(record.entry, Message) and record.entry.role == "user":
            turn += 1
            for key in record.attached:
                found.setdefault(key, turn)
    return found
