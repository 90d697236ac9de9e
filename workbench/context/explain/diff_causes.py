"""The reasons why two requests differ, in wire order, each with what it changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from workbench.context.assembly.quotes import turn_numbers
from workbench.context.assembly.render import WIRE_ORDER
from workbench.context.compare import Moved, instruction_pairs, library_cause, moved_messages, turn_cause
from workbench.domain.change import Built, Cause, CauseName, PrefixChange
from workbench.domain.segment import LayerName, Segment
from workbench.domain.shown.diff_view import DiffCause

Priced = tuple[Segment, int]
Pair = tuple[Priced | None, Priced | None]

_TOOL = "tool:"
_FEW_TOKENS, _WORTH_SAYING = 8, 0.01
"""Neighbours change what a text costs by a few tokens: only more than that is a correction."""


def diff_causes(before: Built, after: Built, change: PrefixChange, lost_tokens: int) -> tuple[DiffCause, ...]:
    """Every difference; the one that ends the common prefix has the tokens lost by it."""
    both = _Both(before, after, change.causes)
    found = [
        *both.changed("L1_SYSTEM"),
        *both.changed("L2_PREVIOUS"),
        *both.history(),
        *both.of_turn(),
        *both.question(),
    ]
    unexplained = [cause for cause in change.causes if not any(_shows_cause(cause, one) for one in found)]
    layer = "L1_SYSTEM" if change.diverges_at is None else change.diverges_at.layer
    found = [*(_row_without_segment(cause, layer) for cause in unexplained), *found]
    first = change.causes[0] if change.causes else None
    ordered = sorted(found, key=lambda one: WIRE_ORDER.index(one.layer))
    counts = recounted(before, after)
    if counts is not None:
        ordered = [
            counts,
            *(replace(one, recounted=True) if one.cause == "recut" else one for one in ordered),
        ]
    return tuple(_marked(ordered, first, lost_tokens))


def recounted(before: Built, after: Built) -> DiffCause | None:
    """The entry for corrected estimates: texts that both send have other counts now."""
    if before.envelope.exact or before.envelope.model != after.envelope.model:
        return None
    pairs = [
        (tokens, new[1])
        for layer in before.envelope.layers
        for new_of in (_sent_rows(after, layer.name),)
        for segment, tokens in zip(layer.segments, layer.tokens, strict=True)
        if (new := new_of.get(segment.id)) is not None and new[0].digest == segment.digest
    ]
    old, now = sum(one for one, _ in pairs), sum(one for _, one in pairs)
    if abs(now - old) <= max(_FEW_TOKENS, old * _WORTH_SAYING):
        return None
    return DiffCause(None, "L1_SYSTEM", "", "counts", old, now)


@dataclass(frozen=True)
class _Both:
    """Two requests, compared layer by layer."""

    before: Built
    after: Built
    causes: tuple[Cause, ...]

    def changed(self, layer: LayerName) -> Iterator[DiffCause]:
        """Instructions, tools or library entries that were added, removed or changed."""
        old, new = _sent_rows(self.before, layer), _sent_rows(self.after, layer)
        watched = layer == "L1_SYSTEM" and self.after.inputs.passed is not None
        segments = ({key: one for key, (one, _) in some.items()} for some in (old, new))
        for was, now in instruction_pairs(*segments, watched=watched):
            key, pair = now or was, (old.get(was), new.get(now))
            if _differ(pair):
                row = _row(self._cause_and_subject(layer, key, pair), pair)
                yield replace(row, numbers=self._priorities(key)) if row.cause == "priority" else row

    def history(self) -> Iterator[DiffCause]:
        """Messages trimmed, edited or restored, and those of turns that are history now."""
        for moved in moved_messages(self.before, self.after, self.causes):
            yield _messages_row(moved)

    def of_turn(self) -> Iterator[DiffCause]:
        """Attachments added to or removed from this turn, and what was said within it."""
        old, new = _sent_rows(self.before, "L3_TURN"), _sent_rows(self.after, "L3_TURN")
        said = {message.id for built in (self.before, self.after) for message in built.inputs.rounds}
        rounds = [new[key] for key in new if key in said]
        library_rows = _sent_rows(self.after, "L2_PREVIOUS")
        for key in dict.fromkeys((*new, *old)):
            pair = old.get(key), new.get(key)
            if (
                key not in said
                and _differ(pair)
                and not _is_end_of_turn(pair, key in library_rows, self._attached_in_both(key))
            ):
                yield self._artifact_row(key, pair)
        if rounds:
            tokens = sum(cost for _, cost in rounds)
            texts = partial(_joined, (), [segment for segment, _ in rounds])
            yield DiffCause(None, "L3_TURN", rounds[0][0].id, "tool", 0, tokens, texts=texts)

    def question(self) -> Iterator[DiffCause]:
        asked, before = self.after.inputs.question, self.before.inputs.question
        if asked is None or (before is not None and (before.id, before.text) == (asked.id, asked.text)):
            return
        old, new = (built.envelope.layer("L5_USER") for built in (self.before, self.after))
        texts = partial(_joined, old.segments, new.segments)
        yield DiffCause(
            None, "L5_USER", asked.id, "question", old.total_tokens, new.total_tokens, texts=texts
        )

    def _artifact_row(self, key: str, pair: Pair) -> DiffCause:
        segments = tuple(None if one is None else one[0] for one in pair)
        known = any(artifact.key == key for b in (self.before, self.after) for artifact in b.inputs.attached)
        # What a command of the question gave back is attached by nobody.
        cause = turn_cause(self.before, self.after, key, (segments[0], segments[1])) if known else None
        row = _row((cause, "L3_TURN", key), pair)
        if row.kind == "recalled":
            sides = [turn_numbers(one.inputs).get(key, 0) for one in (self.before, self.after)]
            return replace(row, numbers=(max(sides), 0))
        return replace(row, numbers=self._priorities(key)) if cause == "priority" else row

    def _attached_in_both(self, key: str) -> bool:
        return all(any(a.key == key for a in b.inputs.attached) for b in (self.before, self.after))

    def _cause_and_subject(
        self, layer: LayerName, key: str, pair: Pair
    ) -> tuple[CauseName | None, LayerName, str]:
        if key.startswith(_TOOL) and layer == "L1_SYSTEM":
            return "tools", layer, key
        # Of a message and a file of the same name, each has its own cause; history's are told elsewhere.
        mine = (cause.cause for cause in self.causes if cause.subject == key)
        found = next(mine, None)
        if found is None and layer == "L2_PREVIOUS":
            # A log that goes on, or is rebuilt, names no cause for each file.
            copies = tuple(None if one is None else one[0] for one in pair)
            found = library_cause(self.before, self.after, key, (copies[0], copies[1]))
        return found or "settings", layer, key

    def _priorities(self, key: str) -> tuple[int, int]:
        before, after = (_priority(built, key) for built in (self.before, self.after))
        return before, after


def _is_end_of_turn(pair: Pair, library_form: bool, held: bool) -> bool:
    """Whether a change follows from the end of a turn: attachments leave the question and enter the library."""
    old, new = pair
    if new is None:
        return library_form
    return new[0].form == "reference" and held and (old is None or old[0].form != "reference")


def _row(named: tuple[CauseName | None, LayerName, str], pair: Pair) -> DiffCause:
    cause, layer, key = named
    old, new = pair
    shown = new or old
    return DiffCause(
        cause,
        layer,
        key,
        shown[0].kind if shown else "",
        0 if old is None else old[1],
        0 if new is None else new[1],
        before_digest="" if old is None else old[0].digest,
        after_digest="" if new is None else new[0].digest,
        texts=partial(_joined, () if old is None else (old[0],), () if new is None else (new[0],)),
    )


def _messages_row(moved: Moved) -> DiffCause:
    return DiffCause(
        moved.cause,
        "L4_STRIP",
        moved.subject,
        "turn",
        sum(cost for _, cost in moved.before),
        sum(cost for _, cost in moved.after),
        numbers=moved.numbers,
        texts=partial(_joined, [one for one, _ in moved.before], [one for one, _ in moved.after]),
    )


def _row_without_segment(cause: Cause, layer: LayerName) -> DiffCause:
    """A cause without a row of its own."""
    if cause.cause == "model":
        return DiffCause("model", "L1_SYSTEM", cause.subject or "", "model")
    return DiffCause(cause.cause, layer, cause.subject or "")


def _marked(rows: Sequence[DiffCause], first: Cause | None, lost_tokens: int) -> Iterator[DiffCause]:
    marked = first is None
    for row in rows:
        breaks = not marked and first is not None and _shows_cause(first, row)
        marked = marked or breaks
        yield replace(row, breaks=True, lost_tokens=lost_tokens) if breaks else row


def _shows_cause(cause: Cause, row: DiffCause) -> bool:
    """Whether a row shows a cause; messages are grouped, so that theirs match by name alone."""
    if row.cause != cause.cause:
        return False
    together = row.layer == "L4_STRIP" or cause.cause in ("tools", "turn_context")
    return together or row.subject == (cause.subject or "")


def _differ(pair: Pair) -> bool:
    old, new = pair
    return (None if old is None else old[0].digest) != (None if new is None else new[0].digest)


def _sent_rows(built: Built, name: LayerName) -> dict[str, Priced]:
    layer = built.envelope.layer(name)
    rows = zip(layer.segments, layer.tokens, strict=True)
    return {segment.id: (segment, tokens) for segment, tokens in rows if segment.sent}


def _priority(built: Built, key: str) -> int:
    artifacts = (*built.inputs.attached, *(entry.latest for entry in built.inputs.library))
    return next((artifact.priority for artifact in artifacts if artifact.key == key), 0)


def _joined(before: Iterable[Segment], after: Iterable[Segment]) -> tuple[str, str]:
    one, other = ("\n\n".join(segment.text for segment in some if segment.text) for some in (before, after))
    return one, other
