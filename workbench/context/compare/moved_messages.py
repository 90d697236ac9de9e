"""Messages of the history that two requests have differently: cut, edited, brought back, or new to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.context.assembly.leaving import LEFT
from workbench.domain.change import Built, Cause, CauseName
from workbench.domain.segment import Segment

Priced = tuple[Segment, int]

_BY_RULE: tuple[CauseName, ...] = ("trimmed", "settings")


@dataclass(frozen=True, slots=True)
class Moved:
    """Messages that one reason is about; `cause` is None where they are simply history now.

    `numbers` are those of `DiffCause`.
    """

    cause: CauseName | None
    subject: str
    before: tuple[Priced, ...]
    after: tuple[Priced, ...]
    numbers: tuple[int, int]


def moved_messages(before: Built, after: Built, causes: tuple[Cause, ...]) -> Iterator[Moved]:
    """What became of messages that both have, one reason after the other, then what is new."""
    old, new = _messages(before), _messages(after)
    named = {cause.subject: cause.cause for cause in causes}
    rules = (cause.cause for cause in causes if cause.cause in _BY_RULE and cause.subject in old)
    rule: CauseName = next(rules, "trimmed")
    groups: dict[CauseName, list[str]] = {}
    for key in old:
        if _sent_text(old.get(key)) != _sent_text(new.get(key)):
            groups.setdefault(named.get(key) or _unnamed(old[key], new.get(key), rule), []).append(key)
    for cause, keys in groups.items():
        yield _cut(cause, keys, (before, after), (old, new))
    yield from _new_to_it(before, after, causes)


def _unnamed(old: Priced, new: Priced | None, rule: CauseName) -> CauseName:
    """Why a message is sent otherwise that no cause names: of many that one rule cut, the cause names one."""
    if old[0].kind == LEFT:
        return rule  # it changes with what left
    if new is None or new[0].content_digest != old[0].content_digest:
        return "history_edited"
    return "recut" if old[0].form == new[0].form == "compacted" else rule


def _cut(
    cause: CauseName, keys: list[str], built: tuple[Built, Built], rows: tuple[dict[str, Priced], ...]
) -> Moved:
    old, new = ([some[key] for key in keys if key in some and some[key][0].sent] for some in rows)
    trims = (built[0].envelope.cuts.trim.boundary, built[1].envelope.cuts.trim.boundary)
    numbers = trims if cause == "trimmed" else (0, len(keys))
    return Moved(cause, keys[0], tuple(old), tuple(new), numbers)


def _new_to_it(before: Built, after: Built, causes: tuple[Cause, ...]) -> Iterator[Moved]:
    """The turns between the two, which are history for the later one only."""
    known = {segment.id for segment in before.envelope.layer("L4_STRIP").segments}
    new = [priced for key, priced in _messages(after).items() if key not in known and priced[0].sent]
    if not new:
        return
    context = any(cause.cause == "turn_context" for cause in causes)
    first = min(before.envelope.turn, after.envelope.turn - 1)
    yield Moved(
        "turn_context" if context else None,
        new[0][0].id,
        (),
        tuple(new),
        (first, max(first, after.envelope.turn - 1)),
    )


def _messages(built: Built) -> dict[str, Priced]:
    layer = built.envelope.layer("L4_STRIP")
    return {one.id: (one, cost) for one, cost in zip(layer.segments, layer.tokens, strict=True)}


def _sent_text(priced: Priced | None) -> str | None:
    """The digest of what is sent of a message; None where nothing is."""
    return None if priced is None or not priced[0].sent else priced[0].digest
