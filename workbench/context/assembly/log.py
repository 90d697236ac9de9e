"""An append-only log: every request extends the previous one byte for byte, until it has to be rebuilt.

An attachment stays where it was first sent. An edit is appended and names the copy that it replaces; a detached file
stays, followed by a note that it is gone. So a provider's cache serves everything but what is new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress, count, repeat
from operator import attrgetter, is_

from workbench.context.assembly.draft import round_messages
from workbench.context.assembly.history import History, is_reply, normalise
from workbench.context.assembly.leaving import LEFT
from workbench.context.assembly.quotes import quoted_sections, with_unique_quote_ids
from workbench.context.assembly.references import HELD_FORMS, Copy, copies_in, held_copies, is_artifact
from workbench.context.assembly.render import (
    QUESTION_LABEL,
    artifact_segment,
    question_segments,
    reference_segments,
    result_segments,
    user_message,
    without_pictures_of,
)
from workbench.context.assembly.select import Admission
from workbench.context.text.changed_text import changed_text
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.context.text.fence import escape_attribute
from workbench.domain.change import Built
from workbench.domain.envelope import Envelope, RebuildReason, WireMessage, beyond_history
from workbench.domain.files.attachment import Artifact
from workbench.domain.memo import Growing
from workbench.domain.message import Entry
from workbench.domain.recall import FOUND_KINDS, quote_id
from workbench.domain.segment import Segment
from workbench.domain.text import repair_text
from workbench.domain.turn import TurnInputs

_Place = tuple[int, int]
_content: Callable[[Segment], tuple[str, str]] = attrgetter("id", "content_digest")
_BESIDE = ("time", LEFT, *FOUND_KINDS)
"""Kinds of segments in history that nobody said."""


@dataclass(frozen=True, slots=True)
class ExtendedLog:
    """A log with this turn's message at its end; `kept_out` are attachments that remain left out."""

    messages: tuple[WireMessage, ...]
    said: tuple[Segment, ...]
    kept_out: frozenset[str] = frozenset()


def why_broken(
    inputs: TurnInputs, before: Built | None, known: int | None, instructions: Sequence[Segment]
) -> RebuildReason | None:
    """Why the log cannot extend the previous request; None where it can, apart from its size.

    `known` is the number of history entries in the previous request, from `known_entries`.
    """
    if before is None or not _is_log(before):
        return "first"
    old, new = before.inputs.settings, inputs.settings
    if inputs.rebuild or _holds_purged(inputs, before):
        return "asked"
    if inputs.cold:
        return "cold"
    if old.model != new.model:
        return "model"
    if old.tools != new.tools:
        return "tools"
    if _texts(before.envelope.layer("L1_SYSTEM").segments) != _texts(instructions):
        return "instructions"
    if _rules(before.inputs) != _rules(inputs):
        return "settings"
    if before.inputs.tuning.excluded != inputs.tuning.excluded or _holds_detached(inputs, before):
        return "excluded"
    unpinned = before.inputs.tuning.pinned - inputs.tuning.pinned
    # What is pinned is never sent trimmed: a log that has it so cannot go on.
    cuts = before.envelope.cuts
    short = (*cuts.trimmed_messages, *(one.id for one in cuts.compacted))
    untrimmed = inputs.tuning.pinned.intersection(short)
    edited = unpinned or untrimmed or known is None
    return "history_edited" if edited else None


def _holds_purged(inputs: TurnInputs, before: Built) -> bool:
    """Whether the log has what the user wants removed: a detached file, or a copy from before it was attached again."""
    purged = inputs.tuning.purged
    if not purged:
        return False
    now = {artifact.key: artifact.content_digest for artifact in inputs.attached}
    newer = before.inputs.reattached
    sections = (key for key, _ in quoted_sections(before.envelope) if key in purged)
    if any(key not in now or key not in newer for key in sections):
        return True
    return any(
        one.id in purged
        and (one.id not in now or (one.id not in newer and one.content_digest != now[one.id]))
        for one in held_copies(before.envelope)
    )


def _holds_detached(inputs: TurnInputs, before: Built) -> bool:
    """Whether the log has detached files that are to leave, where keeping them spares no cache."""
    if inputs.settings.library.detached != "leave" or inputs.model.has_cache:
        return False
    now = {artifact.key for artifact in inputs.attached}
    return any(one.id not in now for one in held_copies(before.envelope))


def is_same_turn(inputs: TurnInputs, before: Built) -> bool:
    """Whether the previous request belongs to this turn, with only tool rounds since."""
    old, new = before.inputs.question, inputs.question
    return old is not None and new is not None and (before.inputs.turn, old.id) == (inputs.turn, new.id)


def more_rounds(inputs: TurnInputs, before: Built, renderers: RendererRegistry) -> ExtendedLog | None:
    """The previous request with the tool rounds since; None where it does not start as this one does."""
    known, rounds = before.inputs.rounds, inputs.rounds
    if rounds[: len(known)] != known:
        return None
    messages = (*before.envelope.messages, *round_messages(rounds[len(known) :], renderers))
    return ExtendedLog(messages, before.envelope.layer("L4_STRIP").segments)


def grow(
    inputs: TurnInputs,
    before: Built,
    since: tuple[History, int],
    renderers: RendererRegistry,
    wanted: Callable[[Artifact], str | None],
    whole: frozenset[str] = frozenset(),
) -> ExtendedLog:
    """The previous request, its answer and this turn's message; `wanted` gives the shortened text of an artifact.

    `since` is the history and how many entries of it the previous request had. `whole` is sent again in full.
    """
    known = copies_in(before.envelope)
    now = {artifact.key: artifact for artifact in inputs.attached}
    admission = Admission(inputs.settings.filters, inputs.tuning.excluded)
    answered = history_since(inputs, before, *since)
    if answered is None:
        entries = _entries_since(inputs, before, since[1])
        answered = normalise(entries, admission, inputs.tuning, renderers)
    news = _News(inputs, before, known, now, admission, whole)
    message = news.message(renderers, wanted)
    last = () if message is None else (message,)
    current = _current((*before.envelope.messages, *last), now)
    earlier = list(before.envelope.messages)
    for place, one in before.envelope.beside:
        earlier[place] = _relabelled(one, place, current)
    messages = (*with_unique_quote_ids(earlier), *answered.messages, *last)
    return ExtendedLog(messages, _history_segments(messages, before.envelope, answered), news.kept_out)


def history_since(inputs: TurnInputs, before: Built, history: History, known: int) -> History | None:
    """History since the previous request, normalised as in the whole history; None where it would differ on its own.

    Nothing merges across from a question to its answer, and no call waits for a result there.
    """
    entries = _entries_since(inputs, before, known)
    place = len(inputs.history) - len(entries)
    if not entries or not place or inputs.tuning.summaries or history.repairs:
        return None
    admission = Admission(inputs.settings.filters, inputs.tuning.excluded)
    asked, answer = inputs.history[place - 1], entries[0]
    if place != known or not is_reply(asked, answer, admission):
        return None
    messages = history.messages
    first = next((at for at in range(len(messages) - 1, -1, -1) if messages[at].id == answer.id), None)
    return None if first is None else History(messages[first:], history.said[place:], ())


def _entries_since(inputs: TurnInputs, before: Built, known: int) -> tuple[Entry, ...]:
    rounds = {message.id for message in before.inputs.rounds}
    return tuple(entry for entry in inputs.history[known:] if entry.id not in rounds)


def with_quotes(grown: ExtendedLog, quoted: tuple[Segment, ...], question: str) -> ExtendedLog:
    """The log with quotes of earlier messages before its question."""
    messages = tuple(_with_quotes_in(one, quoted) if one.id == question else one for one in grown.messages)
    return replace(grown, messages=messages)


def _with_quotes_in(message: WireMessage, quoted: tuple[Segment, ...]) -> WireMessage:
    places = [place for place, one in enumerate(message.segments) if one.layer == "L5_USER"]
    if not places:
        return message
    before, asked = message.segments[: places[0]], message.segments[places[0] :]
    if not before and asked[0].lead == "" and asked[0].kind != "time":
        asked = (replace(asked[0], lead=QUESTION_LABEL), *asked[1:])
    return replace(message, segments=(*before, *quoted, *asked))


def _rules(inputs: TurnInputs) -> tuple[object, ...]:
    """Every setting that decides what is in a request, apart from those with a rebuild reason of their own."""
    rules = inputs.settings
    return (
        rules.counter,
        rules.context_window,
        rules.reserved_output_tokens,
        rules.attachment_budget_tokens,
        rules.history.without_recall,  # what comes back stands after everything that was sent
        rules.compaction,
        rules.filters,
        rules.edits,
    )


def _texts(segments: Iterable[Segment]) -> list[str]:
    return [one.text for one in segments if one.kind != "tool"]


def _is_log(before: Built) -> bool:
    return before.inputs.question is not None and before.envelope.layout == "append_only"


def _content_of(segment: Segment) -> tuple[str, str] | None:
    """The (key, digest) of the content that a segment is of; None for other segments."""
    return None if segment.kind in _BESIDE else _content(segment)


def known_entries(before: Built | None, history: History, growing: Growing) -> int | None:
    """How many history entries the previous request had or knew; None where they have changed since."""
    if before is None or not _is_log(before):
        return None
    envelope, inputs = before.envelope, before.inputs
    asked = (*envelope.layer("L3_TURN").segments, *envelope.layer("L5_USER").segments)
    rounds = {message.id for message in inputs.rounds}
    results = {chunk.id for chunk in inputs.tool_results}
    question = inputs.question.id if inputs.question is not None else ""
    own = [s for s in asked if s.id in results or s.id == question]
    strip = envelope.layer("L4_STRIP").segments
    known = [*filter(None, growing.each("content in log", strip, _content_of)), *map(_content, own)]
    said = history.said
    if known != [*growing.each("content", said, _content)[: len(known)]]:
        return None
    # What tools said in the turn before stands after its question already, and must be the same in history.
    after = {one.id: one.content_digest for one in said[len(known) :]}
    there = {s.id: s.content_digest for s in envelope.layer("L3_TURN").segments if s.id in rounds}
    if any(after.get(key) != there.get(key) for key in rounds):
        return None
    summaries = inputs.tuning.summary_ids
    return len(known) - (sum(key in summaries for key, _ in known) if summaries else 0)


class _News:
    """What this turn's message adds besides its question."""

    def __init__(
        self,
        inputs: TurnInputs,
        before: Built,
        known: dict[str, Copy],
        now: dict[str, Artifact],
        admission: Admission,
        whole: frozenset[str] = frozenset(),
    ) -> None:
        self._inputs, self._known, self._whole = inputs, known, whole
        held = {artifact.key: artifact for artifact in before.inputs.attached}
        admitted = [one for one in now.values() if admission.admits_artifact(one)]
        self.refused = now.keys() - {one.key for one in admitted}
        pruned = {one.id for one in before.envelope.cuts.pruned}
        self.kept_out = frozenset(
            one.key for one in admitted if one.key in pruned and held.get(one.key) == one
        )
        current = {one.key for one in admitted if self._is_current(one, held.get(one.key))}
        self.bodies = [one for one in admitted if one.key not in current | self.kept_out]
        self.references = [one for one in admitted if one.key in current and one.key not in held]
        # A name may hold a line end, and must not pass for the question.
        self.gone = [
            escape_attribute(repair_text(one.name_for_model))
            for key, one in held.items()
            if key not in now and key in known
        ]
        # Changes are told against the copy that stands in the log, and only what was attached is known by its text.
        self._old_texts = {
            key: artifact.text
            for key, artifact in held.items()
            if key in known and known[key].content_digest == artifact.content_digest
        }

    def _is_current(self, artifact: Artifact, held: Artifact | None) -> bool:
        copy = self._known.get(artifact.key)
        if copy is None or copy.content_digest != artifact.content_digest or artifact.key in self._whole:
            return False
        if held is not None and held.length != artifact.length and not copy.whole:
            return False  # more of it is wanted than was sent
        # What is attached anew is in full somewhere; what stays attached stays cut as it was sent.
        return held is not None or (copy.whole and artifact.recoverable)

    def as_changes(self, artifact: Artifact) -> str | None:
        """A changed text as diff hunks, where the settings want that and they are short."""
        copy = self._known.get(artifact.key)
        wanted = self._inputs.settings.edits == "changes" and artifact.recoverable
        if not wanted or copy is None or not copy.whole:
            return None
        old = self._old_texts.get(artifact.key)
        return None if old is None else changed_text(old, artifact.text)

    def message(
        self, renderers: RendererRegistry, wanted: Callable[[Artifact], str | None]
    ) -> WireMessage | None:
        """The message with everything that is new, and the question last."""
        inputs = self._inputs
        results = inputs.tool_results if inputs.settings.filters.include_environment else ()
        turn = [
            *result_segments(results, renderers),
            *reference_segments(self.references),
            *(self._body(artifact, wanted(artifact)) for artifact in self.bodies),
        ]
        something = bool(turn or self.gone)
        asked = without_pictures_of(inputs.question, self.kept_out | self.refused)
        question = list(question_segments(asked, inputs.now, something_before=something))
        segments = [*turn, *question]
        if self.gone and segments:
            told = f"No longer attached: {', '.join(self.gone)}.\n"
            segments[0] = replace(segments[0], lead=told + segments[0].lead)
        return user_message(segments, (), "turn" if asked is None else asked.id)

    def _body(self, artifact: Artifact, text: str | None) -> Segment:
        copy, turn = self._known.get(artifact.key), self._inputs.turn
        if copy is None:
            return replace(artifact_segment(artifact, (), text), sent_in=turn)
        where = f"the copy sent in turn {copy.sent_in}" if copy.sent_in else "the copy in the context library"
        hunks = self.as_changes(artifact)
        if hunks is None:
            return replace(artifact_segment(artifact, (("status", f"replaces {where}"),), text), sent_in=turn)
        told = artifact_segment(artifact, (("status", f"changes to {where}"),), hunks)
        return replace(told, form="changes", sent_in=turn)


def _current(messages: Sequence[WireMessage], now: Mapping[str, Artifact]) -> set[_Place]:
    """Places of the current copies: the last text of each attachment, and changes to it."""
    copies: dict[str, list[_Place]] = {}
    for number, message in beyond_history(messages):
        for place, segment in enumerate(message.segments):
            if is_artifact(segment) and segment.form in HELD_FORMS and segment.id in now:
                before = copies.get(segment.id, []) if segment.form == "changes" else []
                copies[segment.id] = [*before, (number, place)]
    return {place for found in copies.values() for place in found}


def _relabelled(message: WireMessage, number: int, current: set[_Place]) -> WireMessage:
    """An earlier message with its segments relabelled as history or superseded; its bytes do not change."""
    segments = tuple(
        _relabelled_segment(one, message.id, (number, place) in current)
        for place, one in enumerate(message.segments)
    )
    if all(one is other for one, other in zip(segments, message.segments, strict=True)):
        return message
    return replace(message, segments=segments)


def _relabelled_segment(segment: Segment, message_id: str, is_current: bool) -> Segment:
    if not is_artifact(segment):
        if segment.layer not in ("L3_TURN", "L5_USER"):
            return segment
        # Every turn may have a time, and a layer has every id once.
        key = f"time:{message_id}" if segment.kind == "time" else segment.id
        if segment.kind in FOUND_KINDS:
            key = quote_id(segment.id)
        return replace(segment, id=key, layer="L4_STRIP")
    superseded = segment.form != "reference" and not is_current
    if segment.layer == "L2_PREVIOUS" and segment.superseded == superseded:
        return segment
    return replace(segment, layer="L2_PREVIOUS", superseded=superseded)


def _history_segments(
    messages: Sequence[WireMessage], before: Envelope, answered: History
) -> tuple[Segment, ...]:
    """Everything that was said, in order, including in its place what is not sent."""
    said = [*chain.from_iterable(map(attrgetter("segments"), messages))]
    strip = [*compress(said, map("L4_STRIP".__eq__, map(attrgetter("layer"), said)))]
    known: Sequence[Segment] = before.layer("L4_STRIP").segments
    first = next(compress(count(), map(is_, known, repeat(strip[0]))), None) if strip else None
    there = 0 if first is None else len(known) - first
    if 0 < there <= len(strip) and all(map(is_, known[first:], strip)):
        # As nearly always: all of it stands as it was, and what is not sent is at the beginning.
        sent = {one.id: one for one in strip[there:]}
    else:
        sent = {one.id: one for one in strip}
        known = [sent.pop(one.id, one) for one in known]
    newest = [sent.pop(one.id) if one.id in sent else one.left_out for one in answered.said]
    return (*known, *sent.values(), *newest)
