"""Normalises history to messages that a provider accepts: cleaned, filtered, merged and repaired."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from workbench.context.assembly.select import Admission
from workbench.context.assembly.summaries import usable_summaries
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.domain.envelope import Repair, WireMessage
from workbench.domain.message import Entry, Message, Role
from workbench.domain.segment import Segment
from workbench.domain.summary import Summary
from workbench.domain.text import digest_text, repair_text
from workbench.domain.translation import tr
from workbench.domain.turn import Tuning

TRIMMED = "[trimmed]"
_CHECKPOINT_OPENING, _CHECKPOINT_CLOSING = "<checkpoint_id>", "</checkpoint_id>"
_MERGED = "\n\n"


@dataclass(frozen=True, slots=True)
class History:
    """Normalised history before any budget: messages to send, everything said in order, and repairs."""

    messages: tuple[WireMessage, ...]
    said: tuple[Segment, ...]
    repairs: tuple[Repair, ...]


class _SpokenSegment(NamedTuple):
    """A segment of history with the role that says it."""

    role: Role
    segment: Segment


def normalise(
    entries: Sequence[Entry],
    admission: Admission,
    tuning: Tuning,
    renderers: RendererRegistry,
    sent: Sequence[WireMessage] = (),
) -> History:
    """Convert history to alternating messages; what is left out is listed, never lost.

    `sent` are messages of an earlier request: what is as it was there is taken from it, with its digests.
    """
    known = {one.id: one for one in sent if one.is_one_text and one.is_history_only}
    summaries = usable_summaries(entries, tuning, admission)
    if summaries:
        said, kept = _with_summaries(entries, summaries, admission, (tuning, renderers))
    else:
        said = [
            _sent_segment(entry, tuning, known) or _spoken_segment(entry, tuning, renderers)
            for entry in entries
        ]
        kept = said
        if not admission.admits_all:
            kept = [one for one, entry in zip(said, entries, strict=True) if admission.admits(entry)]
    repairs: list[Repair] = []
    if any(one.role == "tool" or one.segment.tool_calls for one in kept):
        kept = _repair(_deduplicate(_merge(kept), repairs), repairs)
        order = {one.segment.id: place for place, one in enumerate(said)}
        repairs.sort(key=lambda repair: order[repair.id])
    messages = tuple([_as_message(group, known) for group in _merge(kept)])
    return History(messages, tuple(one.segment for one in said), tuple(repairs))


def _with_summaries(
    entries: Sequence[Entry],
    summaries: Sequence[Summary],
    admission: Admission,
    how: tuple[Tuning, RendererRegistry],
) -> tuple[list[_SpokenSegment], list[_SpokenSegment]]:
    """History with summaries before the messages that they replace, and the part of it that is sent."""
    first = {one.replaces[0]: one for one in summaries}
    replaced = {key for one in summaries for key in one.replaces}
    said: list[_SpokenSegment] = []
    kept: list[_SpokenSegment] = []
    for entry in entries:
        if entry.id in first:
            said.append(_summary_segment(first[entry.id], how[1]))
            kept.append(said[-1])
        said.append(_spoken_segment(entry, *how))
        if entry.id not in replaced and admission.admits(entry):
            kept.append(said[-1])
    return said, kept


def _summary_segment(summary: Summary, renderers: RendererRegistry) -> _SpokenSegment:
    """A summary as a user message, so that a history may begin with it; nothing trims it."""
    chunk = summary.chunk
    text = repair_text(renderers.render(chunk).text)
    segment = Segment(
        id=chunk.id, layer="L4_STRIP", kind=chunk.kind, text=text, content_digest=digest_text(chunk.body), priority=5
    )  # fmt: skip
    return _SpokenSegment("user", segment)


def is_seam(before: Entry, after: Entry, admission: Admission) -> bool:
    """Whether history can be normalised in two parts here: nothing merges across, and no call waits for a result."""
    return _is_pair(before, "assistant", after, "user", admission)


def is_reply(before: Entry, after: Entry, admission: Admission) -> bool:
    """Whether an answer follows a question; there history can be normalised in two parts, too."""
    return _is_pair(before, "user", after, "assistant", admission)


def _is_pair(before: Entry, said: Role, after: Entry, then: Role, admission: Admission) -> bool:
    return (
        isinstance(before, Message)
        and isinstance(after, Message)
        and (before.role, after.role) == (said, then)
        and admission.admits(before)
        and admission.admits(after)
    )


def bare_text(message: Message) -> str:
    """A message's text as it can be sent."""
    texts = message.texts
    text = repair_text(texts[0] if len(texts) == 1 else message.text)
    return without_checkpoints(text) if _CHECKPOINT_OPENING in text else text


def image_places(message: Message, text: str) -> tuple[int, ...]:
    """Offsets of a message's pictures in its text; empty where all come after it."""
    if not message.images or all(image.after is None for image in message.images):
        return ()
    return tuple(_place(message, image.after, text) for image in message.images)


def _place(message: Message, after: int | None, text: str) -> int:
    if after is None or after >= len(message.texts):
        return len(text)
    # The blank line that joins two parts goes with the first: what stands after a picture begins with its own words.
    before = "\n\n".join((*message.texts[:after], "")) if after else ""
    return min(len(without_checkpoints(repair_text(before))), len(text))


def without_checkpoints(text: str) -> str:
    """Take out `<checkpoint_id>…</checkpoint_id>` marks; an unclosed one is content."""
    pieces, start = [], 0
    while (opening := text.find(_CHECKPOINT_OPENING, start)) >= 0:
        closing = text.find(_CHECKPOINT_CLOSING, opening)
        if closing < 0:
            break
        pieces.append(text[start:opening])
        start = closing + len(_CHECKPOINT_CLOSING)
    return "".join(pieces) + text[start:] if pieces or start else text


def _spoken_segment(entry: Entry, tuning: Tuning, renderers: RendererRegistry) -> _SpokenSegment:
    pinned = entry.id in tuning.pinned
    if isinstance(entry, Message):
        return _SpokenSegment(entry.role, _native_segment(entry, pinned))
    block, role = renderers.render(entry), renderers.role(entry)
    trimmable = not pinned and (role == "assistant" or entry.kind == "environment")
    segment = Segment(
        id=entry.id, layer="L4_STRIP", kind=entry.kind, text=repair_text(block.text),
        content_digest=digest_text(entry.body), priority=5, essential=not trimmable,
        placeholder=repair_text(block.around(TRIMMED)) if trimmable else None,
    )  # fmt: skip
    return _SpokenSegment(role, segment)


def _sent_segment(entry: Entry, tuning: Tuning, known: Mapping[str, WireMessage]) -> _SpokenSegment | None:
    """A plain message as an earlier request has it; None where it has none that is just the same."""
    message = known.get(entry.id)
    if message is None or not isinstance(entry, Message) or entry.images or entry.tool_calls:
        return None
    sent = message.segments[0]
    trimmable = entry.role == "assistant" and entry.id not in tuning.pinned
    same = (
        sent.text == bare_text(entry)
        and (sent.kind, sent.form, sent.priority, sent.essential) == (entry.role, "full", 5, not trimmable)
        and sent.placeholder == (TRIMMED if trimmable else None)
        and sent.tool_call_id == entry.tool_call_id
    )
    return _SpokenSegment(entry.role, sent) if same else None


def _native_segment(message: Message, pinned: bool) -> Segment:
    text = bare_text(message)
    trimmable = not pinned and message.role in ("assistant", "tool")
    segment = Segment(
        id=message.id, layer="L4_STRIP", kind=message.role, text=text, content_digest=digest_text(text),
        priority=5, essential=not trimmable, placeholder=TRIMMED if trimmable else None,
        tool_calls=message.tool_calls, tool_call_id=message.tool_call_id, images=message.images,
        image_places=image_places(message, text),
    )  # fmt: skip
    native = message.tool_calls or message.tool_call_id or message.images
    return segment if native else segment.reuse_content_digest()


def _merge(said: Iterable[_SpokenSegment]) -> Iterator[list[_SpokenSegment]]:
    return (list(group) for _, group in groupby(said, key=attrgetter("role")))


def _deduplicate(groups: Iterable[list[_SpokenSegment]], repairs: list[Repair]) -> list[list[_SpokenSegment]]:
    """Of several results for one call, keep the last, and note the others."""
    unique: list[list[_SpokenSegment]] = []
    for group in groups:
        last = {one.segment.tool_call_id: one for one in group if one.role == "tool"}
        kept = [one for one in group if last.get(one.segment.tool_call_id, one) is one]
        doubled = (one for one in group if last.get(one.segment.tool_call_id, one) is not one)
        repairs += [
            Repair(one.segment.id, tr("a later result for the same call stands after it")) for one in doubled
        ]
        unique.append(kept)
    return unique


def _repair(groups: list[list[_SpokenSegment]], repairs: list[Repair]) -> list[_SpokenSegment]:
    """Remove results without a call and calls without a result, and note each."""
    kept: list[_SpokenSegment] = []
    for index, group in enumerate(groups):
        calls_before = _call_ids(groups[index - 1]) if index else set()
        results_after = _result_ids(groups[index + 1]) if index + 1 < len(groups) else set()
        for one in group:
            mended = _paired(one, calls_before, results_after)
            if mended is not one:
                repairs.append(Repair(one.segment.id, _reason(one)))
            if mended is not None:
                kept.append(mended)
    return kept


def _paired(one: _SpokenSegment, calls_before: set[str], results_after: set[str]) -> _SpokenSegment | None:
    segment = one.segment
    if one.role == "tool":
        return one if segment.tool_call_id in calls_before else None
    answered = tuple(call for call in segment.tool_calls if call.id in results_after)
    if len(answered) == len(segment.tool_calls):
        return one
    if not (answered or segment.text or segment.images):
        return None
    return one._replace(segment=replace(segment, tool_calls=answered))


def _reason(one: _SpokenSegment) -> str:
    if one.role == "tool":
        return f"result for {one.segment.tool_call_id!r}, which no call asked for"
    return "call without a result"


def _call_ids(group: list[_SpokenSegment]) -> set[str]:
    return {call.id for one in group for call in one.segment.tool_calls}


def _result_ids(group: list[_SpokenSegment]) -> set[str]:
    return {one.segment.tool_call_id for one in group if one.role == "tool" and one.segment.tool_call_id}


def _as_message(group: list[_SpokenSegment], known: Mapping[str, WireMessage]) -> WireMessage:
    (role, first), *rest = group
    if not rest:
        sent = known.get(first.id)
        same = sent is not None and sent.segments[0] is first and not sent.merged
        return sent if sent is not None and same else WireMessage(first.id, role, (first,))
    others = [one.segment for one in rest]
    joined = [segment if role == "tool" else replace(segment, lead=_MERGED) for segment in others]
    return WireMessage(first.id, role, (first, *joined), merged=True)
