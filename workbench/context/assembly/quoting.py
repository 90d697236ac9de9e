"""Fits quotes into a request: one that is cut to its limits, or the end of a grown log."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from workbench.context.assembly.draft import Draft
from workbench.context.assembly.log import ExtendedLog, with_quotes
from workbench.context.assembly.quotes import (
    QuoteBudget,
    Quotes,
    folder_room,
    growing_room,
    recall_room,
    section_room,
    standing_quotes,
)
from workbench.context.assembly.references import is_artifact
from workbench.context.assembly.select import Placements
from workbench.domain.envelope import Envelope, WireMessage
from workbench.domain.recall import FOUND_KINDS, Found, FoundKind, parts_of, quoted_message
from workbench.domain.segment import Segment
from workbench.domain.text import digest_text, repair_text
from workbench.domain.turn import TurnInputs
from workbench.ports.counting import TokenCounter

Cost = Callable[[tuple[Segment, ...]], int]
_MORE_RESERVED = 64
MOST_NEARLY = 6
"""Sections of followed folders that are listed beside those that are quoted."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """The chosen quotes; `forced` where the request's limit left out some that their own limit allows."""

    segments: tuple[Segment, ...] = ()
    forced: bool = False


def quoted_in(draft: Draft, placements: Placements) -> Quoted:
    """The quotes of a request whose messages and artifacts are final."""
    if draft.quotes is None:
        return Quoted()
    sent = _Sent(draft.messages(placements))
    if sent.has_all(draft.quotes):
        return Quoted()
    counter = draft.counter
    said = counter.raw_cost(draft.history)

    bare = counter.total(draft.raw(placements) + said)

    def cost(quoted: tuple[Segment, ...]) -> int:
        with_them = draft.quoting(quoted)
        added = counter.total(with_them.raw(placements) + said) - bare
        return max(added, _shown_tokens(with_them.ends(placements)[1], counter))

    most = draft.inputs.settings.history.max_tokens
    own = recall_room(draft.inputs.settings, draft.budget) if most is None else most - counter.total(said)
    room = _QuoteLimits(draft, bare + draft.tool_tokens, {"recalled": own}, cost)
    return room.quoted(draft.quotes, sent)


def quoted_after(draft: Draft, grown: ExtendedLog, envelope: Envelope) -> Quoted:
    """The quotes for a log's newest message; quotes already in the log count and are not repeated."""
    asked = draft.inputs.question
    if draft.quotes is None or asked is None:
        return Quoted()
    sent = _Sent(grown.messages)
    if sent.has_all(draft.quotes):
        return Quoted()
    counter = draft.counter
    before = counter.raw_cost(grown.messages)

    def cost(quoted: tuple[Segment, ...]) -> int:
        messages = with_quotes(grown, quoted, asked.id).messages
        last = next(one for one in reversed(messages) if one.id == asked.id)
        added = counter.total(counter.raw_cost(messages)) - counter.total(before)
        return max(added, _shown_tokens(last, counter))

    strip = envelope.layer("L4_STRIP")
    most = draft.inputs.settings.history.max_tokens
    standing = {
        kind: sum(t for s, t in zip(strip.segments, strip.tokens, strict=True) if s.kind == kind)
        for kind in FOUND_KINDS
    }
    own = recall_room(draft.inputs.settings, draft.budget) - standing["recalled"]
    wanted = {one.id for one in draft.inputs.found}
    if most is not None:
        own = growing_room(most, strip.total_tokens)
    rooms: dict[FoundKind, int] = {
        "recalled": own,
        "retrieved": section_room(draft.inputs.settings, draft.budget) - standing["retrieved"],
        # Quotes of earlier questions stay where they are; those that fit this one, too, count as quoted for it.
        "quoted": folder_room(draft.inputs.settings, draft.budget)
        - sum(
            tokens
            for segment, tokens in zip(strip.segments, strip.tokens, strict=True)
            if segment.kind == "quoted" and not wanted.isdisjoint(parts_of(quoted_message(segment.id)))
        ),
    }
    return _QuoteLimits(draft, envelope.total_tokens, rooms, cost).quoted(draft.quotes, sent)


def _shown_tokens(message: WireMessage | None, counter: TokenCounter) -> int:
    """Tokens shown for the rows of quotes in a message; the first one carries the message's framing."""
    if message is None:
        return 0
    costs = zip(message.segments, counter.costs(message), strict=True)
    return counter.total(
        sum(cost for one, cost in costs if one.kind in FOUND_KINDS and one.layer == "L3_TURN")
    )


class _QuoteLimits:
    """The token limits for quotes in one request: of each kind, and of all together."""

    def __init__(self, draft: Draft, total: int, rooms: dict[FoundKind, int], cost: Cost) -> None:
        budget = draft.budget
        threshold = budget.threshold_tokens
        # What stands before the question must not change while its tools run: only what cannot be sent is given up.
        calm = threshold is None or bool(draft.inputs.rounds)
        limit = budget.window_tokens if calm else min(threshold or 0, budget.window_tokens)
        self._free, self._cost = limit - total, cost
        self._rooms = {
            "retrieved": section_room(draft.inputs.settings, budget),
            "quoted": folder_room(draft.inputs.settings, budget),
            **rooms,
        }

    def quoted(self, quotes: Quotes, there: _Sent) -> Quoted:
        """The quotes of each kind that fit, one kind after the other."""
        segments: tuple[Segment, ...] = ()
        forced, spent = False, 0
        for kind in FOUND_KINDS:
            own = self._rooms[kind] + (quotes.ticked_cost if kind == "quoted" else 0)
            free = self._free - spent
            space = QuoteBudget(min(own, free), partial(self._added_cost, segments, spent), there.has)
            some = quotes.choose(kind, space) if space.room > 0 else ()
            wanted = any(
                one.kind == kind and not there.has(one)
                for one in quotes.candidates
                if not (one.reserved and kind == "quoted")  # only the nearest, where nothing fits
            )
            forced = forced or (free < own and wanted)
            if some:
                segments = (*segments, *some)
                spent = self._cost(segments)
        return Quoted(segments, forced)

    def _added_cost(self, before: tuple[Segment, ...], spent: int, quoted: tuple[Segment, ...]) -> int:
        return self._cost((*before, *quoted)) - spent


class _Sent:
    """What a request sends anyway."""

    def __init__(self, messages: Iterable[WireMessage]) -> None:
        carried = [segment for message in messages for segment in message.segments]
        self._messages = {one.id for one in carried if one.layer == "L4_STRIP" and one.form == "full"}
        self._quotes = standing_quotes(carried)
        self._texts: dict[str, str] = {}
        for one in carried:
            if is_artifact(one) and not one.superseded:
                self._texts[one.id] = self._texts.get(one.id, "") + one.text

    def has_all(self, quotes: Quotes) -> bool:
        """Whether nothing is left to quote, which is quickly seen where nothing was cut."""
        inputs = quotes.inputs
        return inputs.always_recalled <= self._messages | self._quotes.keys() and all(
            map(self.has, inputs.found)
        )

    def has(self, found: Found) -> bool:
        """Whether something is sent in full, as it was said or as a quote."""
        quote = self._quotes.get(found.id)
        # What a chat itself said stays as it was; a file, or what comes from elsewhere, may have changed since.
        text = repair_text(found.text)
        same = quote and (not text or quote.content_digest == digest_text(text))
        if found.folder and quote is not None:  # which may be one of several sections in it
            same = text in quote.text
        if same or found.id in self._messages:
            return True
        return found.kind != "recalled" and text in self._texts.get(found.artifact, "")


def with_quoted(inputs: TurnInputs, envelope: Envelope) -> TurnInputs:
    """The inputs with `found` reduced to what is quoted: the request stays the same, and less is stored."""
    if not inputs.found:
        return inputs
    sent = (one for one in envelope.layer("L3_TURN").segments if one.kind in FOUND_KINDS)
    quoted = {key for one in sent for key in parts_of(one.id)}
    nearly = [one.id for one in inputs.found if one.kind == "quoted" and one.id not in quoted][:MOST_NEARLY]
    if inputs.settings.history.max_tokens is None:
        kept = quoted.union(nearly)
        return replace(
            inputs,
            found=tuple(
                one if one.id in quoted else replace(one, reserved=True)
                for one in inputs.found
                if one.id in kept
            ),
        )
    # Under a cap room was kept for more than is quoted: with less of it the next round would take other messages.
    last = max((place for place, one in enumerate(inputs.found) if one.id in quoted), default=-1)
    some = inputs.found[: last + 1 + _MORE_RESERVED]
    return replace(
        inputs,
        found=tuple(
            one
            if one.id in quoted
            else replace(one, reserved=True, words=one.words if one.id in nearly else ())
            for one in some
        ),
    )
