"""Rebuilds only the last message of a request when nothing but the question changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.context.assembly.render import question_segments, without_pictures_of
from workbench.context.count.measure import is_exact
from workbench.domain.change import Built, PrefixChange
from workbench.domain.envelope import Envelope, Layer, WireMessage
from workbench.domain.message import Message
from workbench.domain.segment import Segment
from workbench.domain.tool import ToolDefinition
from workbench.domain.turn import beginning_in
from workbench.ports.counting import TokenCounter


def before_question(built: Built) -> tuple[WireMessage, ...]:
    """The messages of a request up to its question, which no key changes."""
    return built.envelope.messages[: -1 if beginning_in(built.inputs.rounds) is None else -2]


def retype(
    built: Built,
    question: Message,
    counter: TokenCounter,
    room: tuple[int, int] | None = None,
    ahead: tuple[WireMessage, ...] | None = None,
) -> Built | None:
    """The request with another question; None where a full build is needed.

    That is where a limit was or would now be enforced, so that the question's length decides what is cut, and where a
    counter has replaced estimates since. It is not where everything was cut and the request is still too long, nor
    within `room`, the question's cost range in which everything around it stays the same. `ahead` are the messages
    before the question, where they are at hand.
    """
    old = built.envelope
    before = built.inputs.question
    begun = beginning_in(built.inputs.rounds)
    ends = 0 if begun is None else 1  # what stands after the question, in its layer and as a message
    if before is None or len(built.inputs.rounds) > ends or not counter.additive:
        return None
    if old.sized and old.fits and room is None:
        return None
    if question.images != before.images:
        return None
    ahead = before_question(built) if ahead is None else ahead
    was_there, place = old.layers[-1], len(ahead)
    asked = was_there.segments[: len(was_there.segments) - ends]
    # In a log the library or an earlier copy may stand in the same message.
    turn = tuple(segment for segment in old.messages[place].segments if segment.layer != "L5_USER")
    sent = {image.source for segment in asked for image in segment.images}
    said = without_pictures_of(question, {image.source for image in question.images} - sent)
    segments = question_segments(said, built.inputs.now, something_before=bool(turn))
    # What leads the question depends on what stands before it, and that is the same.
    segments = tuple(
        new if new.lead == was.lead else replace(new, lead=was.lead)
        for new, was in zip(segments, asked, strict=True)
    )
    tokens = _tokens(turn, segments, counter, ends_request=begun is None)
    after = slice(len(asked), None)
    layer = Layer("L5_USER", (*segments, *was_there.segments[after]), (*tokens, *was_there.tokens[after]))
    total = old.total_tokens - old.layers[-1].total_tokens + layer.total_tokens
    message = WireMessage(question.id, "user", (*turn, *segments))
    # Added, ten thousand messages are copied once, unpacked three times.
    messages = ahead + (message, *old.messages[place + 1 :])  # noqa: RUF005
    envelope = replace(old, layers=(*old.layers[:-1], layer), messages=messages, total_tokens=total)
    if not counter.settled:
        if total != _current_total(envelope, built.inputs.settings.tools, counter):
            return None
        envelope = replace(envelope, exact=is_exact(messages, built.inputs.settings.tools, counter))
    alike = _is_alike(old, envelope) if room is None else room[0] <= layer.total_tokens <= room[1]
    return Built(replace(built.inputs, question=question), envelope) if alike else None


def _is_alike(old: Envelope, new: Envelope) -> bool:
    """Whether nothing is cut in either, or everything in both."""
    return _fits_untrimmed(old) and _fits_untrimmed(new) if old.fits else not new.fits


def _tokens(
    turn: tuple[Segment, ...], question: tuple[Segment, ...], counter: TokenCounter, *, ends_request: bool
) -> tuple[int, ...]:
    """The question's cost after what precedes it; only the end of the last block before it can matter."""
    before = turn[-1:] if turn and turn[-1].text.endswith("\n") else turn
    costs = counter.costs(WireMessage("", "user", (*before, *question)))[len(before) :]
    return (*costs[:-1], costs[-1] + counter.reply_cost) if ends_request else tuple(costs)


def _current_total(envelope: Envelope, tools: Sequence[ToolDefinition], counter: TokenCounter) -> int:
    """The request's current cost, with estimates replaced by counts that arrived since it was built."""
    announced = sum(counter.tool_tokens(tool) for tool in tools)
    return announced + counter.raw_cost(envelope.messages) + counter.reply_cost


def keeps_its_prefix(previous: Built | None, built: Built, change: PrefixChange) -> bool:
    """Whether the last comparison still holds, since it does not depend on the last message."""
    if previous is None:
        return True
    if change.diverges_at is not None:
        return change.diverges_at.layer in ("L1_SYSTEM", "L2_PREVIOUS", "L4_STRIP")
    return len(previous.envelope.messages) < len(built.envelope.messages)


def _fits_untrimmed(envelope: Envelope) -> bool:
    """Whether nothing has to be trimmed or dropped."""
    budget = envelope.budget
    limit = budget.window_tokens if budget.threshold_tokens is None else budget.threshold_tokens
    return envelope.total_tokens <= min(limit, budget.window_tokens)
