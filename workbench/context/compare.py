"""Compares two consecutive requests: identical, extended, shrunk or diverged, what they share, and the causes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from workbench.context.assembly.leaving import LEFT
from workbench.context.assembly.render import tool_segments
from workbench.context.assembly.summaries import summarised_in
from workbench.domain.change import Built, Cause, CauseName, Change, Divergence, PrefixChange
from workbench.domain.envelope import WireMessage
from workbench.domain.files.attachment import Artifact
from workbench.domain.segment import LayerName, Segment
from workbench.ports.counting import TokenCounter

# Why a prefix moved, from what is known about both requests; never guessed from their text.


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
    before, after = _sent_segments(previous, "L1_SYSTEM"), _sent_segments(current, "L1_SYSTEM")
    for was, now in instruction_pairs(before, after, watched=current.inputs.passed is not None):
        key = now or was
        if not key.startswith("tool:") and not _is_same(before.get(was), after.get(now)):
            yield Cause(_INSTRUCTION_CAUSES.get(key, "settings"), key)


def instruction_pairs(
    before: Mapping[str, Segment], after: Mapping[str, Segment], *, watched: bool
) -> Iterator[tuple[str, str]]:
    """The keys of instructions and tools that are compared; empty where there is no other.

    Blocks of another program have no names but their places, which move when one comes or goes: those that are not in
    both are taken in their order.
    """
    blocks = [[key for key in some if watched and not key.startswith("tool:")] for some in (before, after)]
    named = dict.fromkeys(
        key for some in (before, after) for key in some if key not in (*blocks[0], *blocks[1])
    )
    yield from ((key if key in before else "", key if key in after else "") for key in named)
    here, there = (
        {some[key].digest for key in keys} for some, keys in zip((before, after), blocks, strict=True)
    )
    was = [key for key in blocks[0] if before[key].digest not in there]
    now = [key for key in blocks[1] if after[key].digest not in here]
    yield from zip_longest(was, now, fillvalue="")


def _library(previous: Built, current: Built) -> Iterator[Cause]:
    before, after = _sent_segments(previous, "L2_PREVIOUS"), _sent_segments(current, "L2_PREVIOUS")
    for key in dict.fromkeys((*before, *after)):
        old, new = before.get(key), after.get(key)
        if not _is_same(old, new):
            yield Cause(library_cause(previous, current, key, (old, new)), key)


def library_cause(
    previous: Built, current: Built, key: str, copies: tuple[Segment | None, Segment | None]
) -> CauseName:
    """Why the library gained a file, or sends it in another form."""
    old, new = copies
    if old and new and _resized(previous, current, key):
        return "resized"
    if _reprioritised(previous, current, key) and not (old and new and old.form == new.form):
        return "priority"
    if new is None or old is None:
        return _presence_cause(previous, current, key, came=new is not None)
    stood = _sent_segments(previous, "L3_TURN").get(key)
    if old.content_digest != new.content_digest:
        if _newest_digest(previous, key) != _newest_digest(current, key):
            return "file_changed"
        sent = stood is not None and stood.content_digest == new.content_digest
        return _settings_cause_or(previous, current, "promoted" if sent else "file_changed")
    if _name_for_model(previous, key) != _name_for_model(current, key):
        return "renamed"
    held_before, held_now = _is_attached(previous, key), _is_attached(current, key)
    if held_before != held_now and old.form != new.form:
        return "attached" if held_now else "detached"
    if new.form == "full" and stood is not None and stood.form == "full":
        return _settings_cause_or(previous, current, "promoted")
    return _settings_cause_or(previous, current, _sent_part(old, new))


def _sent_part(old: Segment | None, new: Segment | None) -> CauseName:
    """The cause for a text of unchanged content: first cut, dropped, or sent in another part."""
    if old and new and old.form == new.form == "full":
        return "promoted"  # only what stands around it is another: it moved into the library
    return "recut" if old and new and old.form == "compacted" else "pruned"


def _presence_cause(previous: Built, current: Built, key: str, came: bool) -> CauseName:
    if key in previous.inputs.tuning.excluded ^ current.inputs.tuning.excluded:
        return "excluded"
    if not came and current.inputs.settings.library.detached == "leave" and not _is_attached(current, key):
        return "detached"
    dropped = {pruned.id for built in (previous, current) for pruned in built.envelope.cuts.pruned}
    if previous.inputs.settings.filters != current.inputs.settings.filters:
        return "settings"
    if came and key not in dropped:
        return "promoted"
    return _settings_cause_or(previous, current, "pruned")


def _settings_cause_or(previous: Built, current: Built, otherwise: CauseName) -> CauseName:
    """The settings as the cause where the limits changed, since cuts follow them; else `otherwise`."""
    return "settings" if _limits(previous) != _limits(current) else otherwise


def _limits(built: Built) -> tuple[object, ...]:
    """Every setting that decides where an artifact is placed, and in what form."""
    rules = built.inputs.settings
    budgets = (rules.attachment_budget_tokens, built.envelope.budget, rules.counter)
    return (*budgets, rules.compaction, rules.freshness, rules.filters, rules.library)


def _history(previous: Built, current: Built) -> Iterator[Cause]:
    """Messages edited, trimmed or restored; where one rule affected many, one of them represents all."""
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
    asked = {} if _same_question(previous, current) else _question_segments(previous)
    for key, old in (_sent_segments(previous, "L4_STRIP") | asked).items():
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
    for key in _sent_segments(current, "L4_STRIP"):
        if key in absent:
            yield key, _absence_cause(key, previous, current)


def _absence_cause(key: str, absent: Built, sent: Built) -> CauseName:
    """Why one of two requests lacks a message that the other has."""
    if key in absent.inputs.tuning.excluded:
        return "excluded"
    if any(repair.id == key for repair in absent.envelope.cuts.repairs):
        return "history_edited"
    return "trimmed" if _admission(absent) == _admission(sent) else "settings"


def _admission(built: Built) -> tuple[object, ...]:
    """Every setting that can leave out a message."""
    rules = built.inputs.settings
    return rules.filters, rules.history.last_n_messages, rules.history.max_tokens


def _question_segments(built: Built) -> dict[str, Segment]:
    return {
        key: segment for key, segment in _sent_segments(built, "L5_USER").items() if segment.kind == "user"
    }


def _turn_context(previous: Built, current: Built) -> Iterator[Cause]:
    """Changes because the last question became history, so that what was attached around it is no longer sent there."""
    if _same_question(previous, current):
        yield from _turn_changes(previous, current)
        return
    question = previous.inputs.question
    around = [*previous.envelope.layer("L3_TURN").segments, *_labels(previous)]
    if question is not None and (around or _is_merged(current, question.id)):
        yield Cause("turn_context", question.id)
    if question is None and around:
        yield from _turn_changes(previous, current)


def _turn_changes(previous: Built, current: Built) -> Iterator[Cause]:
    """What changed in This turn and Your message between two requests, where no question became history."""
    before, after = _sent_segments(previous, "L3_TURN"), _sent_segments(current, "L3_TURN")
    both = {key: (before.get(key), after.get(key)) for key in (*before, *after)}
    changed = {key: pair for key, pair in both.items() if not _is_same(*pair)}
    yield from (Cause(turn_cause(previous, current, key, pair), key) for key, pair in changed.items())
    moved = [old for old, new in zip(before, after, strict=False) if old != new]
    if moved and not changed:
        # Detached and attached again in one go, it stands last now.
        yield Cause("attached", moved[0])
    if previous.inputs.now != current.inputs.now:
        yield Cause("turn_context", "time")


def _same_question(previous: Built, current: Built) -> bool:
    """Whether both are builds of one turn, so that the question did not become history."""
    before, after = previous.inputs.question, current.inputs.question
    return before is not None and after is not None and before.id == after.id


def _is_merged(built: Built, message_id: str) -> bool:
    """Whether a history message is now merged with the one before it, which has the same role."""
    return any(s.id == message_id and s.lead for s in built.envelope.layer("L4_STRIP").segments)


def turn_cause(
    previous: Built, current: Built, key: str, copies: tuple[Segment | None, Segment | None]
) -> CauseName:
    """Why an artifact of this turn is sent differently than in the last build."""
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
    return _settings_cause_or(previous, current, _sent_part(old, new))


def _labels(built: Built) -> list[Segment]:
    return [s for s in built.envelope.layer("L5_USER").segments if s.lead or s.kind == "time"]


def _sent_segments(built: Built, layer: LayerName) -> dict[str, Segment]:
    return {segment.id: segment for segment in built.envelope.layer(layer).segments if segment.sent}


def _is_same(old: Segment | None, new: Segment | None) -> bool:
    """Whether the same bytes are sent; where one is missing, no digest is needed to know."""
    return old is new or (old is not None and new is not None and old.digest == new.digest)


def _is_attached(built: Built, key: str) -> bool:
    return any(artifact.key == key for artifact in built.inputs.attached)


def _reprioritised(previous: Built, current: Built, key: str) -> bool:
    old, new = _newest(previous, key), _newest(current, key)
    if old is new or old is None or new is None:
        return False
    return (old.priority, old.essential) != (new.priority, new.essential)


def _resized(previous: Built, current: Built, key: str) -> bool:
    """Whether the user chose another length for the same text."""
    old, new = (_newest(built, key) for built in (previous, current))
    same = old is not None and new is not None and old.content_digest == new.content_digest
    return same and old is not None and new is not None and old.length != new.length


def _newest_digest(built: Built, key: str) -> str | None:
    found = _newest(built, key)
    return None if found is None else found.content_digest


def _newest(built: Built, key: str) -> Artifact | None:
    for artifact in built.inputs.attached:
        if artifact.key == key:
            return artifact
    return next((entry.latest for entry in built.inputs.library if entry.key == key), None)


def _name_for_model(built: Built, key: str) -> str | None:
    found = _newest(built, key)
    return None if found is None else found.name_for_model


# Messages of the history that two requests have differently: cut, edited, brought back, or new to it.


Priced = tuple[Segment, int]

_BY_RULE: tuple[CauseName, ...] = ("trimmed", "settings")


@dataclass(frozen=True, slots=True)
class Moved:
    """Messages that changed for one reason; `cause` is None where they are simply history now.

    `numbers` are those of `DiffCause`.
    """

    cause: CauseName | None
    subject: str
    before: tuple[Priced, ...]
    after: tuple[Priced, ...]
    numbers: tuple[int, int]


def moved_messages(before: Built, after: Built, causes: tuple[Cause, ...]) -> Iterator[Moved]:
    """The messages that changed, grouped by cause, then those that are new."""
    old, new = _messages(before), _messages(after)
    named = {cause.subject: cause.cause for cause in causes}
    rules = (cause.cause for cause in causes if cause.cause in _BY_RULE and cause.subject in old)
    rule: CauseName = next(rules, "trimmed")
    groups: dict[CauseName, list[str]] = {}
    for key in old:
        if _sent_text(old.get(key)) != _sent_text(new.get(key)):
            groups.setdefault(named.get(key) or _cause_of_unnamed(old[key], new.get(key), rule), []).append(
                key
            )
    for cause, keys in groups.items():
        yield _moved_by(cause, keys, (before, after), (old, new))
    yield from _new_history(before, after, causes)


def _cause_of_unnamed(old: Priced, new: Priced | None, rule: CauseName) -> CauseName:
    """The cause for a changed message that no cause names: of many that one rule cut, only one is named."""
    if old[0].kind == LEFT:
        return rule  # it changes with what left
    if new is None or new[0].content_digest != old[0].content_digest:
        return "history_edited"
    return "recut" if old[0].form == new[0].form == "compacted" else rule


def _moved_by(
    cause: CauseName, keys: list[str], built: tuple[Built, Built], rows: tuple[dict[str, Priced], ...]
) -> Moved:
    old, new = ([some[key] for key in keys if key in some and some[key][0].sent] for some in rows)
    trims = (built[0].envelope.cuts.trim.boundary, built[1].envelope.cuts.trim.boundary)
    numbers = trims if cause == "trimmed" else (0, len(keys))
    return Moved(cause, keys[0], tuple(old), tuple(new), numbers)


def _new_history(before: Built, after: Built, causes: tuple[Cause, ...]) -> Iterator[Moved]:
    """The turns between the two requests, which are history only for the later one."""
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
    """Digest of what is sent of a message; None where nothing is."""
    return None if priced is None or not priced[0].sent else priced[0].digest


@dataclass(frozen=True, slots=True)
class Shared:
    """The common prefix of two requests, in tokens.

    `whole`: it covers every message of the earlier one, to its end.
    """

    tokens: int
    change: Change = "diverged"
    index: int = 0
    same_tools: bool = True
    whole: bool = False

    @property
    def extends(self) -> bool:
        """Whether the later request begins with all of the earlier one; the last message may have become longer."""
        return self.change in ("identical", "extended")


def shared_beginning(previous: Built, current: Built, counter: TokenCounter) -> Shared:
    """The common prefix of two requests in wire order: tools, then messages."""
    if previous.inputs.settings.model != current.inputs.settings.model:
        return Shared(0)
    same = _shared_tools(previous, current)
    tools = _tool_tokens(current, same, counter)
    if max(len(previous.inputs.settings.tools), len(current.inputs.settings.tools)) > same:
        return Shared(tools, index=same, same_tools=False)
    before, after = previous.envelope.messages, current.envelope.messages
    index = _shared_messages(before, after)
    reused = tools + counter.total(_shared_cost(before, after, index, counter))
    return Shared(reused, _classify(before, after, index), index, whole=index == len(before))


def compare(previous: Built | None, current: Built, counter: TokenCounter) -> PrefixChange:
    """Classify the step from one request to the next, in wire order: tools, then messages."""
    if previous is None:
        return PrefixChange()
    if previous.inputs.settings.model != current.inputs.settings.model:
        return _diverged(previous, current, _first_segment(current), 0)
    shared = shared_beginning(previous, current, counter)
    if not shared.same_tools:
        return _diverged(previous, current, _tool_at(current, shared.index), shared.tokens)
    if shared.extends:
        return PrefixChange(shared.change, reused_tokens=shared.tokens)
    if shared.change == "shrunk":
        return PrefixChange(shared.change, None, find_causes(previous, current), shared.tokens)
    before, after = previous.envelope.messages[shared.index], current.envelope.messages[shared.index]
    return _diverged(previous, current, _first_difference(before, after), shared.tokens)


def _diverged(previous: Built, current: Built, where: Segment | None, tokens: int) -> PrefixChange:
    at = None if where is None else Divergence(where.layer, where.id, tokens)
    return PrefixChange("diverged", at, find_causes(previous, current), tokens)


def _classify(before: Sequence[WireMessage], after: Sequence[WireMessage], index: int) -> Change:
    if index == len(before) == len(after):
        return "identical"
    if index == len(before):
        return "extended"
    if index == len(after):
        return "shrunk"
    grew = index == len(before) - 1 and before[index].role == after[index].role
    return "extended" if grew and _continues(before[index], after[index]) else "diverged"


def _continues(before: WireMessage, after: WireMessage) -> bool:
    native = any(s.tool_calls or s.images for s in before.segments)
    return not native and before.role != "tool" and after.content.startswith(before.content)


def _shared_messages(before: Sequence[WireMessage], after: Sequence[WireMessage]) -> int:
    # Long histories are the same objects but for the last: to see that takes no loop.
    same = max(0, min(len(before), len(after)) - 1)
    start = same if before[:same] == after[:same] else 0
    for index, (old, new) in enumerate(zip(before[start:], after[start:], strict=False), start):
        if old is not new and not _equal(old, new):
            return index
    return min(len(before), len(after))


def _equal(old: WireMessage, new: WireMessage) -> bool:
    return old.role == new.role and _native(old) == _native(new) and old.content == new.content


def _native(message: WireMessage) -> list[object]:
    return [
        (s.tool_calls, s.tool_call_id, s.images, s.text if s.tool_call_id else None)
        for s in message.segments
        if s.tool_calls or s.tool_call_id or s.images
    ]


def _shared_cost(
    before: Sequence[WireMessage], after: Sequence[WireMessage], index: int, counter: TokenCounter
) -> int:
    """The raw cost of the common messages, and of what the first differing pair starts with."""
    # The system message is made anew every turn; what follows it is what the last comparison began with.
    raw = counter.raw_cost(after[: min(index, 1)]) + counter.raw_cost(after[1:index])
    if index < len(before) and index < len(after):
        return raw + counter.common_cost(before[index], after[index])
    # A request ends by opening an answer; that opening is shared where the other goes on with one, or ends too.
    longer = max(before, after, key=len)
    follows = longer[index].role if index < len(longer) else "assistant"
    # A request without messages opens nothing.
    return raw + (counter.reply_cost if index and follows == "assistant" else 0)


def _first_difference(old: WireMessage, new: WireMessage) -> Segment:
    for one, other in zip(old.segments, new.segments, strict=False):
        if (one.lead, one.text) != (other.lead, other.text) or one.digest != other.digest:
            return other
    # One of them ends here: what the other goes on with is what makes the difference.
    longer = max(old, new, key=lambda message: len(message.segments))
    return longer.segments[min(len(old.segments), len(new.segments), len(longer.segments) - 1)]


def _first_segment(built: Built) -> Segment | None:
    return next(
        (segment for layer in built.envelope.layers for segment in layer.segments if segment.sent), None
    )


def _shared_tools(previous: Built, current: Built) -> int:
    pairs = zip(previous.inputs.settings.tools, current.inputs.settings.tools, strict=False)
    return next((i for i, (old, new) in enumerate(pairs) if old != new), _fewer_tools(previous, current))


def _fewer_tools(previous: Built, current: Built) -> int:
    return min(len(previous.inputs.settings.tools), len(current.inputs.settings.tools))


def _tool_tokens(built: Built, number: int, counter: TokenCounter) -> int:
    return sum(counter.tool_tokens(tool) for tool in built.inputs.settings.tools[:number])


def _tool_at(built: Built, index: int) -> Segment | None:
    """The first tool that differs, or the one that took the place of removed tools."""
    tools = tool_segments(built.inputs.settings.tools[index : index + 1])
    if tools:
        return tools[0]
    return next((s for message in built.envelope.messages for s in message.segments), None)
