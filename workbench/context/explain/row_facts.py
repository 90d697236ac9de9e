"""The facts that explain a request's rows: what is attached, secrets found in it, and what of it is cached."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from workbench.context.assembly.memory import BuildMemory, Shortener, shortener_for
from workbench.context.assembly.quotes import turn_numbers
from workbench.context.clean.guard import Marks
from workbench.context.text.names import short_name
from workbench.domain.change import Built
from workbench.domain.chunk import command_of
from workbench.domain.envelope import PICTURE_LEFT_OUT
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Message
from workbench.domain.recall import Found
from workbench.domain.record import Record, is_question
from workbench.domain.secrets import FoundSecret, SecretKind
from workbench.domain.segment import Segment
from workbench.domain.shown.attachment_view import DiskState
from workbench.domain.shown.envelope_view import CacheMark, RequestMoment
from workbench.domain.translation import tr
from workbench.domain.turn import BEGINNING
from workbench.ports.counting import TokenCounter

QUESTION, EARLIER, BEGUN = "question", tr("earlier message"), tr("beginning of the answer")


@dataclass(frozen=True, slots=True)
class SecretPlace:
    """A secret and its location; `where` is an attachment's name, "question", a command, or a part's id."""

    kind: SecretKind
    where: str
    line: int
    hint: str
    replaced: bool

    @property
    def sentence(self) -> str:
        found = FoundSecret(self.kind, self.line, 0, 0)
        hint = f" ({self.hint})" if self.hint else ""
        if self.replaced:
            return tr(
                "{where}, line {line}: {words}{hint} was replaced before sending",
                where=self.where,
                line=self.line,
                words=found.words,
                hint=hint,
            )
        return tr(
            "{where}, line {line}: looks like {words}{hint}, and is sent with the request",
            where=self.where,
            line=self.line,
            words=found.words,
            hint=hint,
        )


def sent_secrets(
    segment: Segment, found: tuple[FoundSecret, ...], artifact: Artifact | None
) -> tuple[FoundSecret, ...]:
    """The secrets in a segment as it is sent: none in a reference, and perhaps fewer in a shortened text."""
    if not found or segment.form in ("excluded", "reference", "trimmed"):
        return ()
    if segment.form == "full" or artifact is None:
        return found
    whole = artifact.text
    return tuple(
        one
        for one in found
        if (one.replacement if one.replaced else whole[one.start : one.end]) in segment.text
    )


def secret_places(built: Built, marks: Marks) -> tuple[SecretPlace, ...]:
    """Every secret in what is sent, in wire order."""
    return tuple(dict.fromkeys(_places(built, marks))) if marks else ()


def _places(built: Built, marks: Marks) -> Iterator[SecretPlace]:
    inputs = built.inputs
    artifacts = {entry.key: entry.latest for entry in inputs.library}
    artifacts |= {artifact.key: artifact for artifact in inputs.attached}
    names = {key: short_name(artifact) for key, artifact in artifacts.items()}
    commands = [(chunk.id, command_of(chunk)) for chunk in (*inputs.history, *inputs.tool_results)]
    names |= {key: command.words for key, command in commands if command is not None}
    names |= {one.id: QUESTION if one.role == "user" else tr("tool result") for one in inputs.rounds}
    for layer in built.envelope.layers:
        for segment in layer.segments:
            name = QUESTION if layer.name == "L5_USER" else names.get(segment.id, "")
            name = BEGUN if segment.kind == BEGINNING else name
            name = name or (EARLIER if layer.name == "L4_STRIP" else segment.id)
            found = sent_secrets(segment, marks.get(segment.id, ()), artifacts.get(segment.id))
            for one in found:
                yield SecretPlace(one.kind, name, one.line, one.hint, one.replaced)


Disk = Mapping[str, tuple[DiskState, str]]


@dataclass(frozen=True)
class RowFacts:
    """The context in which a request's rows are explained.

    Attributes:
        previous: the previous request of its branch.
        said_before: the messages that `previous` had as history; None where there is no request before.
        attached_in: the turn in which each artifact was attached first.
        disk: what became of attached files, and when.
        memory: where compacted texts are known from building it.
        secrets: keys and passwords in the request's inputs, by the id of what contains them.
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
        """Gives the shortened forms of attachments under the request's own settings."""
        inputs = self.built.inputs
        return shortener_for(inputs.settings, self.memory, self.counter, inputs.tuning)

    @cached_property
    def artifacts(self) -> Mapping[str, Artifact]:
        """Every artifact that the request could hold, as attached now or as last sent."""
        shelved = {entry.key: entry.latest for entry in self.built.inputs.library}
        if self.previous is None or self.built.envelope.layout != "append_only":
            return shelved | self.attached
        # What exists nowhere else is in no library: the request before knows what a log still holds of it.
        return {one.key: one for one in self.previous.inputs.attached} | shelved | self.attached

    @cached_property
    def attached(self) -> dict[str, Artifact]:
        return {artifact.key: artifact for artifact in self.built.inputs.attached}

    @cached_property
    def turn_numbers(self) -> Mapping[str, int]:
        return turn_numbers(self.built.inputs)

    @cached_property
    def speakers(self) -> Mapping[str, str]:
        """Who said the quoted messages of this chat, by id."""
        quoted = {one.id for one in self.built.inputs.found if not one.text}
        said = (one for one in self.built.inputs.history if one.id in quoted) if quoted else ()
        return {one.id: one.role if isinstance(one, Message) else one.kind for one in said}

    @cached_property
    def found(self) -> Mapping[str, Found]:
        return {one.id: one for one in self.built.inputs.found if not one.reserved}

    @cached_property
    def unseen(self) -> frozenset[str]:
        repairs = self.built.envelope.cuts.repairs
        return frozenset(repair.id for repair in repairs if repair.reason == PICTURE_LEFT_OUT)


def secrets_of(segment: Segment, around: RowFacts) -> tuple[FoundSecret, ...]:
    """The secrets in a segment, as it is sent."""
    found = around.secrets.get(segment.id, ())
    return sent_secrets(segment, found, around.artifacts.get(segment.id)) if found else ()


def secrets_key(around: RowFacts) -> tuple[object, ...]:
    """Memo key for the secrets that rows depend on, the question's excepted."""
    question = around.built.inputs.question
    asked = None if question is None else question.id
    return tuple(item for item in around.secrets.items() if item[0] != asked)


def messages_of(previous: Built | None) -> frozenset[str] | None:
    """The ids of the messages that a request had as history."""
    if previous is None:
        return None
    return frozenset(segment.id for segment in previous.envelope.layer("L4_STRIP").segments)


def turns_of_attachments(records: Iterable[Record]) -> dict[str, int]:
    """The turn in which each artifact was first attached, from the questions of a branch."""
    found: dict[str, int] = {}
    turn = 0
    for record in records:
        if is_question(record):
            turn += 1
            for key in record.attached:
                found.setdefault(key, turn)
    return found


class CachedRun:
    """A cursor along a request, whose first tokens are cached and the others not.

    Attributes:
        read_tokens: how many tokens of the whole request are cached; None where that is unknown.
        at: the current offset in tokens.
        began: in a log, the offset of what was taken last; None by layers, where rows follow each other.
    """

    def __init__(self, read_tokens: int | None, at: int = 0) -> None:
        self.read_tokens = read_tokens
        self.at = at
        self.began: int | None = None

    def ahead(self, tokens: int) -> int | None:
        """How many of the next tokens are cached; None where that is unknown."""
        return None if self.read_tokens is None else max(0, min(tokens, self.read_tokens - self.at))

    def take(self, tokens: int) -> tuple[CacheMark, int]:
        """Advance by some tokens: whether they are cached, and how many of them."""
        cached, start = self.ahead(tokens), self.at
        self.at += tokens
        if cached is None or self.read_tokens is None:
            return "none", 0
        if start >= self.read_tokens:
            return "new", 0
        return ("hit" if cached == tokens else "part"), cached

    def take_more(self, tokens: int) -> tuple[CacheMark, int]:
        """Advance within the same segment."""
        return CachedRun.take(self, tokens)

    def take_each(self, parts: Sequence[int]) -> tuple[CacheMark, int]:
        """Advance by several adjacent pieces."""
        return self.take(sum(parts))

    def elsewhere(self, at: int) -> CachedRun:
        """A cursor along the same request at another offset."""
        return CachedRun(self.read_tokens, at)

    def key(self, tokens: int) -> object:
        """Memo key of the result of taking so many tokens."""
        # One token further: a row without tokens is cached, too, where the run goes on behind it.
        return self.ahead(tokens + 1)


class LogRun(CachedRun):
    """A cursor along one layer of a log, whose segments are not adjacent; `starts` are their offsets, in order."""

    def __init__(self, read_tokens: int | None, starts: Sequence[int]) -> None:
        super().__init__(read_tokens)
        self._starts, self._next = tuple(starts), 0

    def take(self, tokens: int) -> tuple[CacheMark, int]:
        """Advance to the next segment: whether it is cached, and how many of its tokens."""
        self.at = self.began = self._starts[self._next]
        self._next += 1
        return super().take(tokens)

    def take_each(self, parts: Sequence[int]) -> tuple[CacheMark, int]:
        """Advance by the next segments: whether all or some are cached, and how many of their tokens."""
        first = self._starts[self._next] if parts else None
        taken = [self.take(tokens) for tokens in parts]
        self.began = first
        marks = {mark for mark, _ in taken}
        mark: CacheMark = marks.pop() if len(marks) == 1 else "part"
        return mark if taken else "none", sum(cached for _, cached in taken)

    def take_more(self, tokens: int) -> tuple[CacheMark, int]:
        """Advance within the same segment."""
        self.began = self.at
        return super().take_more(tokens)

    def elsewhere(self, at: int) -> CachedRun:
        """The cursor itself, since every segment's offset is known."""
        return self

    def key(self, tokens: int) -> object:
        """Memo key of everything that the cursor's results depend on."""
        return self.read_tokens, self._starts
