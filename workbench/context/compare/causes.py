"""Why a prefix moved, from what is known about both requests; never guessed from their text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workbench.context.assembly.leaving import LEFT
from workbench.context.assembly.summaries import summarised_in
from workbench.domain.change import Built, Cause, CauseName
from workbench.domain.files.attachment import Artifact
from workbench.domain.segment import LayerName, Segment

_INSTRUCTION_CAUSES: dict[str, CauseName] = {"memory": "memory", "project": "project"}


def find_causes(previous: Built, current: Built) -> tuple[Cause, ...]:
    """Every reason for a difference, in wire order; at least one."""
    found = dict.fromkeys(_all_causes(previous, current))
    if found:
        return tuple(found)
    before, after = previous.inputs.settings, current.inputs.settings
    changed = replace(before, parameters=after.parameters) != after  # parameters stand beside the messages
    return (Cause("settings" if changed else "history_edited"),)


def _all_causes(previous: Built, current: Built) -> Iterator[Cause]:
    before, after = previous.inputs.settings, current.inputs.settings
    rebuilt = current.envelope.rebuilt
    if _same_question(previous, current) and rebuilt == previous.envelope.rebuilt:
        rebuilt = None  # both are, against the one before them: that is no difference
    if rebuilt is not None:
        yield Cause("rebuilt", rebuilt)
    if before.model != after.model:
        yield Cause("model", after.model)
    if before.tools != after.tools:
        changed = sorted({tool.name for tool in set(before.tools) ^ set(after.tools)})
        yield Cause("tools", changed[0] if changed else None)
    yield from _instructions(previous, current)
    if rebuilt is not None:
        return  # what else differs follows from that
    yield from _library(previous, current)
    yield from _history(previous, current)
    yield from _turn_context(previous, current)


def _instructions(previous: Built, current: Built) -> Iterator[Cause]:
    before, after = _sent(previous, "L1_SYSTEM"), _sent(current, "L1_SYSTEM")
    for key in dict.fromkeys((*before, *after)):
        if _digest(before.get(key)) != _digest(after.get(key)) and not key.startswith("tool:"):
            yield Cause(_INSTRUCTION_CAUSES.get(key, "settings"), key)


def _library(previous: Built, current: Built) -> Iterator[Cause]:
    before, after = _sent(previous, "L2_PREVIOUS"), _sent(current, "L2_PREVIOUS")
    for key in dict.fromkeys((*before, *after)):
        old, new = before.get(key), after.get(key)
        if _digest(old) != _digest(new):
            yield Cause(library_cause(previous, current, key, (old, new)), key)


def library_cause(
    previous: Built, current: Built, key: str, copies: tuple[Segment | None, Segment | None]
) -> CauseName:
    """Why the library has a file that it did not have, or has it differently."""
    old, new = copies
    if old and new and _resized(previous, current, key):
        return "resized"
    if _reprioritised(previous, current, key) and not (old and new and old.form == new.form):
        return "priority"
    if new is None or old is None:
        return _came_or_went(previous, current, key, came=new is not None)
    stood = _sent(previous, "L3_TURN").get(key)
    if old.content_digest != new.content_digest:
        if _newest_digest(previous, key) != _newest_digest(current, key):
            return "file_changed"
        sent = stood is not None and stood.content_digest == new.content_digest
        return _limits_or(previous, current, "promoted" if sent else "file_changed")
    if _told(previous, key) != _told(current, key):
        return "renamed"
    held_before, held_now = _is_attached(previous, key), _is_attached(current, key)
    if held_before != held_now and old.form != new.form:
        return "attached" if held_now else "detached"
    if new.form == "full" and stood is not None and stood.form == "full":
        return _limits_or(previous, current, "promoted")
    return _limits_or(previous, current, _sent_part(old, new))


def _sent_part(old: Segment | None, new: Segment | None) -> CauseName:
    """What became of a text whose content is the same: cut for the first time or dropped, or sent in another part."""
    if old and new and old.form == new.form == "full":
        return "promoted"  # only what stands around it is another: it moved into the library
    return "recut" if old and new and old.form == "compacted" else "pruned"


def _came_or_went(previous: Built, current: Built, key: str, came: bool) -> CauseName:
    if key in previous.inputs.tuning.excluded ^ current.inputs.tuning.excluded:
        return "excluded"
    if not came and current.inputs.settings.library.detached == "leave" and not _is_attached(current, key):
        return "detached"
    dropped = {pruned.id for built in (previous, current) for pruned in built.envelope.cuts.pruned}
    if previous.inputs.settings.filters != current.inputs.settings.filters:
        return "settings"
    if came and key not in dropped:
        return "promoted"
    return _limits_or(previous, current, "pruned")


def _limits_or(previous: Built, current: Built, otherwise: CauseName) -> CauseName:
    """Cuts follow the limits: where those were changed, the settings are the cause."""
    return "settings" if _limits(previous) != _limits(current) else otherwise


def _limits(built: Built) -> tuple[object, ...]:
    """Every setting that decides where an artifact stands, and in what form."""
    rules = built.inputs.settings
    budgets = (rules.attachment_budget_tokens, built.envelope.budget, rules.counter)
    return (*budgets, rules.compaction, rules.freshness, rules.filters, rules.library)


def _history(previous: Built, current: Built) -> Iterator[Cause]:
    """Messages that were edited, cut or brought back; where a rule did it, one stands for all it did it to."""
    by_rule: dict[CauseName, Cause] = {}
    old, new = summarised_in(previous), summarised_in(current)
    summary = {key: (old | new)[key] for key in old.keys() ^ new.keys()}
    summarised: set[str] = set()
    for key, name in (*_gone_or_cut(previous, current), *_came_back(previous, current)):
        if key in summary and name != "excluded":
            summarised.add(summary[key])
        elif name in ("settings", "trimmed"):
            by_rule[name] = Cause(name, key)
        else:
            yield Cause(name, key)
    yield from by_rule.values()
    yield from (Cause("history_edited", key) for key in sorted(summarised))


def _gone_or_cut(previous: Built, current: Built) -> Iterator[tuple[str, CauseName]]:
    after = {segment.id: segment for segment in current.envelope.layer("L4_STRIP").segments}
    asked = {} if _same_question(previous, current) else _asked(previous)
    for key, old in (_sent(previous, "L4_STRIP") | asked).items():
        new = after.get(key)
        if new is old or old.kind == LEFT:
            continue  # the last one goes with what left, or came back
        if new is None or new.content_digest != old.content_digest:
            yield key, "history_edited"
        elif not new.sent:
            yield key, _absence_cause(key, current, previous)
        elif old.form != new.form:
            yield key, "trimmed"
        elif old.digest != new.digest:
            yield key, "recut"


def _came_back(previous: Built, current: Built) -> Iterator[tuple[str, CauseName]]:
    absent = {segment.id for segment in previous.envelope.layer("L4_STRIP").segments if not segment.sent}
    for key in _sent(current, "L4_STRIP"):
        if key in absent:
            yield key, _absence_cause(key, previous, current)


def _absence_cause(key: str, absent: Built, sent: Built) -> CauseName:
    """Why one of two requests is without a message that the other has."""
    if key in absent.inputs.tuning.excluded:
        return "excluded"
    if any(repair.id == key for repair in absent.envelope.cuts.repairs):
        return "history_edited"
    return "trimmed" if _admission(absent) == _admission(sent) else "settings"


def _admission(built: Built) -> tuple[object, ...]:
    """Every setting that can leave out a message."""
    rules = built.inputs.settings
    return rules.filters, rules.history.last_n_messages, rules.history.max_tokens


def _asked(built: Built) -> dict[str, Segment]:
    return {key: segment for key, segment in _sent(built, "L5_USER").items() if segment.kind == "user"}


def _turn_context(previous: Built, current: Built) -> Iterator[Cause]:
    """What stood around the last question is no longer there, now that the question is history."""
    if _same_question(previous, current):
        yield from _around_nothing(previous, current)
        return
    question = previous.inputs.question
    around = [*previous.envelope.layer("L3_TURN").segments, *_labels(previous)]
    if question is not None and (around or _joined(current, question.id)):
        yield Cause("turn_context", question.id)
    if question is None and around:
        yield from _around_nothing(previous, current)


def _around_nothing(previous: Built, current: Built) -> Iterator[Cause]:
    """What changed in L3 and L5 between two requests, where no question became history."""
    before, after = _sent(previous, "L3_TURN"), _sent(current, "L3_TURN")
    both = {key: (before.get(key), after.get(key)) for key in (*before, *after)}
    changed = {key: pair for key, pair in both.items() if _digest(pair[0]) != _digest(pair[1])}
    yield from (Cause(turn_cause(previous, current, key, pair), key) for key, pair in changed.items())
    moved = [old for old, new in zip(before, after, strict=False) if old != new]
    if moved and not changed:
        # Detached and attached again in one go, it stands last now.
        yield Cause("attached", moved[0])
    if previous.inputs.now != current.inputs.now:
        yield Cause("turn_context", "time")


def _same_question(previous: Built, current: Built) -> bool:
    """Whether one is the other built in another way: its question is no history then."""
    before, after = previous.inputs.question, current.inputs.question
    return before is not None and after is not None and before.id == after.id


def _joined(built: Built, message_id: str) -> bool:
    """Whether a message of history now continues the one before it, which has the same role."""
    return any(s.id == message_id and s.lead for s in built.envelope.layer("L4_STRIP").segments)


def turn_cause(
    previous: Built, current: Built, key: str, copies: tuple[Segment | None, Segment | None]
) -> CauseName:
    """Why an artifact stands differently around an answer that nobody has asked for yet."""
    if key in previous.inputs.tuning.excluded ^ current.inputs.tuning.excluded:
        return "excluded"
    old, new = copies
    held_before, held_now = _is_attached(previous, key), _is_attached(current, key)
    if held_before != held_now:
        return "attached" if held_now else "detached"
    if old and new and old.content_digest != new.content_digest:
        return "file_changed"
    if _resized(previous, current, key):
        return "resized"
    if _reprioritised(previous, current, key):
        return "priority"
    return _limits_or(previous, current, _sent_part(old, new))


def _labels(built: Built) -> list[Segment]:
    return [s for s in built.envelope.layer("L5_USER").segments if s.lead or s.kind == "time"]


def _sent(built: Built, layer: LayerName) -> dict[str, Segment]:
    return {segment.id: segment for segment in built.envelope.layer(layer).segments if segment.sent}


def _digest(segment: Segment | None) -> str | None:
    return None if segment is None else segment.digest


def _is_attached(built: Built, key: str) -> bool:
    return any(artifact.key == key for artifact in built.inputs.attached)


def _reprioritised(previous: Built, current: Built, key: str) -> bool:
    old, new = (_standing(built, key) for built in (previous, current))
    return old is not None and new is not None and old != new


def _resized(previous: Built, current: Built, key: str) -> bool:
    """Whether somebody wants another length of the same text."""
    old, new = (_newest(built, key) for built in (previous, current))
    same = old is not None and new is not None and old.content_digest == new.content_digest
    return same and old is not None and new is not None and old.length != new.length


def _standing(built: Built, key: str) -> tuple[int, bool] | None:
    found = _newest(built, key)
    return None if found is None else (found.priority, found.essential)


def _newest_digest(built: Built, key: str) -> str | None:
    found = _newest(built, key)
    return None if found is None else found.content_digest


def _newest(built: Built, key: str) -> Artifact | None:
    attached = (artifact for artifact in built.inputs.attached if artifact.key == key)
    shelved = (entry.latest for entry in built.inputs.library if entry.key == key)
    return next(attached, None) or next(shelved, None)


def _told(built: Built, key: str) -> str | None:
    attached = (artifact for artifact in built.inputs.attached if artifact.key == key)
    shelved = (entry.latest for entry in built.inputs.library if entry.key == key)
    return next((artifact.told for artifact in (*attached, *shelved)), None)
