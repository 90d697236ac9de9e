"""Summaries in a request: which of them can replace their messages, and their effect on trimming."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from workbench.context.assembly.select import Admission
from workbench.domain.change import Built
from workbench.domain.envelope import Compacted, Envelope, Repair, WireMessage
from workbench.domain.message import Entry, Message
from workbench.domain.segment import Segment
from workbench.domain.summary import Summary
from workbench.domain.turn import Tuning, TurnInputs
from workbench.ports.counting import TokenCounter

RECOVERY = "the messages are kept; undo the summary"
"""How to have summarised messages again."""
UNUSED = "this summary is not used: its messages are no longer all sent as they were, or one of them is pinned by now"
"""Why messages are sent though there is a summary of them."""


def usable_summaries(entries: Sequence[Entry], tuning: Tuning, admission: Admission) -> tuple[Summary, ...]:
    """The summaries whose messages would all be sent, contiguous and unpinned, without splitting a call and its result.

    An unusable summary is skipped, and its messages are sent as they were said. A summary is unusable, too, if one of
    its messages is left out by now, or a message that it does not cover was put back between its own.
    """
    if not tuning.summaries:
        return ()
    sent = [entry for entry in entries if admission.admits(entry)]
    places = {entry.id: place for place, entry in enumerate(sent)}
    taken: set[str] = set()
    found: list[Summary] = []
    for one in tuning.summaries:
        run = [places.get(key, -1) for key in one.replaces]
        there = (
            bool(run)
            and not one.of_artifact
            and run == list(range(run[0], run[0] + len(run)))
            and run[0] >= 0
        )
        free = (
            tuning.pinned.isdisjoint(one.replaces) and taken.isdisjoint(one.replaces) and one.id not in places
        )
        if there and free and admission.admits(one.chunk) and _is_whole(sent, run[0], run[-1] + 1):
            found.append(one)
            taken.update(one.replaces)
    return tuple(sorted(found, key=lambda one: places[one.replaces[0]]))


def _is_whole(entries: Sequence[Entry], start: int, end: int) -> bool:
    """Whether a run splits no call from its results at either end."""
    return not any(_is_answer(entries, place) for place in (start, end) if place < len(entries))


def _is_answer(entries: Sequence[Entry], place: int) -> bool:
    """Whether this is a tool result whose call precedes it; one without a call is never sent."""
    result = entries[place]
    if not isinstance(result, Message) or result.role != "tool":
        return False
    before = (entry for entry in reversed(entries[:place]) if getattr(entry, "role", "") != "tool")
    asked = next(before, None)
    return isinstance(asked, Message) and any(call.id == result.tool_call_id for call in asked.tool_calls)


def summarised_in(built: Built) -> dict[str, str]:
    """The messages that a summary replaces in a request, each with the summary's id."""
    if not built.inputs.tuning.summaries:
        return {}
    sent = {segment.id for segment in built.envelope.layer("L4_STRIP").segments if segment.sent}
    there = (one for one in built.inputs.tuning.summaries if one.id in sent)
    return {key: one.id for one in there for key in one.replaces}


def changed_summaries(inputs: TurnInputs, before: TurnInputs) -> set[str]:
    """Keys of attached texts whose summary was added, changed or removed."""
    changed = set(inputs.tuning.summaries) ^ set(before.tuning.summaries)
    attached = {artifact.key for artifact in inputs.attached}
    return {key for one in changed if one.of_artifact for key in one.replaces if key in attached}


def with_boundary(inputs: TurnInputs, admission: Admission) -> TurnInputs:
    """The turn with its trim boundary moved after a summary that contains its message; never back."""
    boundary = inputs.trim.boundary_message
    if boundary is None or boundary not in inputs.tuning.summarised:
        return inputs
    there = usable_summaries(inputs.history, inputs.tuning, admission)
    within = next((one for one in there if boundary in one.replaces), None)
    if within is None:
        return inputs
    return replace(inputs, trim=replace(inputs.trim, boundary_message=_message_after(within, inputs)))


def _message_after(summary: Summary, inputs: TurnInputs) -> str:
    """The id of the message after those of a summary; the summary's own where there is none."""
    ids = [entry.id for entry in inputs.history]
    rest = ids[ids.index(summary.replaces[-1]) + 1 :]
    out = inputs.tuning.summarised | inputs.tuning.excluded
    return next((key for key in rest if key not in out), summary.id)


def with_summaries(envelope: Envelope, inputs: TurnInputs, counter: TokenCounter) -> Envelope:
    """The envelope with an entry for every summary: how much it replaces, and how to get that back."""
    if not inputs.tuning.summaries:
        return envelope
    envelope = _with_unused(_with_kept_boundary(envelope, inputs), inputs)
    known = {one.id for one in envelope.cuts.compacted}
    new = tuple(one for one in _compacted(envelope, inputs, counter) if one.id not in known)
    if not new:
        return envelope
    return replace(envelope, cuts=replace(envelope.cuts, compacted=(*envelope.cuts.compacted, *new)))


def _with_unused(envelope: Envelope, inputs: TurnInputs) -> Envelope:
    """The envelope with a note on each unusable summary whose messages are here."""
    sent = {segment.id for segment in envelope.layer("L4_STRIP").segments if segment.sent}
    said = {entry.id for entry in inputs.history}
    unused = tuple(
        Repair(one.id, UNUSED)
        for one in inputs.tuning.summaries
        if not one.of_artifact and one.id not in sent and not said.isdisjoint(one.replaces)
    )
    cuts = envelope.cuts
    return replace(envelope, cuts=replace(cuts, repairs=(*cuts.repairs, *unused))) if unused else envelope


def _with_kept_boundary(envelope: Envelope, inputs: TurnInputs) -> Envelope:
    """The envelope with its boundary at a message that remains when a summary is undone, so that it stays put."""
    trim = envelope.cuts.trim
    own = {one.id: one for one in inputs.tuning.summaries}
    if trim.boundary_message in own:
        kept = replace(trim, boundary_message=_message_after(own[trim.boundary_message], inputs))
    elif not trim.boundary and trim.boundary_message is None:
        kept = replace(trim, boundary_message=inputs.trim.boundary_message)
    else:
        return envelope
    return replace(envelope, cuts=replace(envelope.cuts, trim=kept))


def _compacted(envelope: Envelope, inputs: TurnInputs, counter: TokenCounter) -> Iterator[Compacted]:
    layer = envelope.layer("L4_STRIP")
    rows = {one.id: (one, tokens) for one, tokens in zip(layer.segments, layer.tokens, strict=True)}
    for one in inputs.tuning.summaries:
        segment, tokens = rows.get(one.id, (None, 0))
        if segment is not None and segment.sent and not one.of_artifact:
            gone = (rows[key][0] for key in one.replaces if key in rows)
            raw = sum(sum(counter.costs(WireMessage(part.id, "user", (_uncut(part),)))) for part in gone)
            yield Compacted(one.id, counter.total(raw), tokens, RECOVERY)


def _uncut(segment: Segment) -> Segment:
    return replace(segment, text=segment.original or segment.text, form="full")
