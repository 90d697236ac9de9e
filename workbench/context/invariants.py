"""The invariants of envelopes: each violation is a sentence, and a correct build has none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from workbench.context.assembly.draft import after_the_question
from workbench.context.assembly.history import bare_text
from workbench.context.assembly.quotes import quoted_sections, section_body
from workbench.context.assembly.references import is_artifact
from workbench.context.assembly.render import WIRE_ORDER
from workbench.context.assembly.select import Admission
from workbench.domain.change import Built
from workbench.domain.message import Message
from workbench.domain.recall import FOUND_KINDS, found_of
from workbench.domain.segment import Segment
from workbench.domain.text import repair_text


def violations(built: Built) -> tuple[str, ...]:
    """Every invariant that the envelope violates; another program's request is exempt."""
    if built.inputs.passed is not None:
        return ()
    if built.envelope.layout == "append_only":
        log = (
            _layer_order, _sums, _log_is_shown, _one_current_copy, _verbatim_in_log, _history_is_bare,
            _log_s_system, _recovery, _tool_pairs, _newest_question, _nothing_purged, _quotes,
        )  # fmt: skip
        return tuple(finding for check in log for finding in check(built))
    checks = (
        _layer_order, _unique_ids, _once_in_full, _references, _sums, _wire_is_shown, _verbatim,
        _history_is_bare, _system_is_clean, _recovery, _tool_pairs, _newest_question, _nothing_purged, _quotes,
    )  # fmt: skip
    return tuple(finding for check in checks for finding in check(built))


def _layer_order(built: Built) -> Iterator[str]:
    names = tuple(layer.name for layer in built.envelope.layers)
    if names != WIRE_ORDER:
        yield f"layers stand in the order {', '.join(names)}"


def _log_is_shown(built: Built) -> Iterator[str]:
    """The layers show exactly what the messages carry, in any order."""
    shown = Counter(
        s.digest for layer in built.envelope.layers for s in layer.segments if s.sent and not _announces(s)
    )
    carried = Counter(s.digest for message in built.envelope.messages for s in message.segments)
    if shown != carried:
        yield "the layers do not show what the messages carry"


def _announces(segment: Segment) -> bool:
    return segment.kind == "tool" and segment.layer == "L1_SYSTEM"


def _one_current_copy(built: Built) -> Iterator[str]:
    """Every attachment has one current copy: one that is not superseded, or a base and its changes."""
    pruned = {dropped.id for dropped in built.envelope.cuts.pruned}
    admission = Admission(built.inputs.settings.filters, built.inputs.tuning.excluded)
    copies: dict[str, list[Segment]] = {}
    for message in built.envelope.messages:
        for segment in message.segments:
            if is_artifact(segment) and segment.form != "reference" and not segment.superseded:
                copies.setdefault(segment.id, []).append(segment)
    for artifact in built.inputs.attached:
        if artifact.key in pruned or not admission.admits_artifact(artifact):
            continue
        found = copies.get(artifact.key, [])
        if not found or found[-1].content_digest != artifact.content_digest:
            yield f"{artifact.key!r} is attached, but not in the request as it is now"
        if sum(one.form != "changes" for one in found) > 1:
            yield f"{artifact.key!r} is in the request more than once as the current copy"
    held = {artifact.key for artifact in built.inputs.attached}
    yield from (f"{key!r} is current, but not attached" for key in copies if key not in held)


def _verbatim_in_log(built: Built) -> Iterator[str]:
    """Non-recoverable text is verbatim somewhere in the log, or was dropped because the user allowed it."""
    pruned = {dropped.id for dropped in built.envelope.cuts.pruned}
    admission = Admission(built.inputs.settings.filters, built.inputs.tuning.excluded)
    texts = [s.text for message in built.envelope.messages for s in message.segments if is_artifact(s)]
    for artifact in built.inputs.attached:
        allowed = artifact.key in pruned and not artifact.essential
        if artifact.recoverable or allowed or not admission.admits_artifact(artifact):
            continue
        if not any(repair_text(artifact.text) in text for text in texts):
            yield f"{artifact.key!r} cannot be recovered, but is not sent verbatim"


def _log_s_system(built: Built) -> Iterator[str]:
    """The system message holds the System layer and nothing else."""
    for position, message in enumerate(built.envelope.messages):
        layers = {segment.layer for segment in message.segments}
        if "L1_SYSTEM" in layers and (layers != {"L1_SYSTEM"} or (position, message.role) != (0, "system")):
            yield f"the message {message.id!r} holds L1 and something else"


def _unique_ids(built: Built) -> Iterator[str]:
    for layer in built.envelope.layers:
        for key, number in Counter(segment.id for segment in layer.segments).items():
            if number > 1:
                yield f"{layer.name}: the id {key!r} occurs {number} times"


def _once_in_full(built: Built) -> Iterator[str]:
    library_rows = {segment.id for segment in built.envelope.layer("L2_PREVIOUS").segments}
    for segment in built.envelope.layer("L3_TURN").segments:
        if segment.form == "full" and segment.id in library_rows and not segment.override:
            yield f"{segment.id!r} is in full in L3 although the library knows it"


def _references(built: Built) -> Iterator[str]:
    library_rows = {s.id: s for s in built.envelope.layer("L2_PREVIOUS").segments if s.form == "full"}
    for segment in built.envelope.layer("L3_TURN").segments:
        if segment.form != "reference":
            continue
        copy = library_rows.get(segment.id)
        if copy is None or copy.content_digest != segment.content_digest:
            yield f"{segment.id!r} is a reference without a full and equal copy in the library"


def _sums(built: Built) -> Iterator[str]:
    envelope = built.envelope
    total = sum(layer.total_tokens for layer in envelope.layers)
    if total != envelope.total_tokens:
        yield f"the layers sum to {total}, not to {envelope.total_tokens}"
    if any(tokens < 0 for layer in envelope.layers for tokens in layer.tokens):
        yield "a segment has a negative count"


def _wire_is_shown(built: Built) -> Iterator[str]:
    """The layers show exactly what the messages carry, in the same order; tools are announced beside them."""
    layers = (s for layer in built.envelope.layers for s in layer.segments if s.sent)
    shown = after_the_question(layers, built.inputs.rounds)
    tools = len(built.inputs.settings.tools)
    carried = [s.digest for message in built.envelope.messages for s in message.segments]
    if [s.digest for s in shown[tools:]] != carried:
        yield "the layers do not show what the messages carry"


def _verbatim(built: Built) -> Iterator[str]:
    """Non-recoverable text is in full in This turn or dropped because the user allowed it; never in the library."""
    pruned = {dropped.id for dropped in built.envelope.cuts.pruned}
    turn = {segment.id: segment for segment in built.envelope.layer("L3_TURN").segments}
    admission = Admission(built.inputs.settings.filters, built.inputs.tuning.excluded)
    library_rows = [s.id for s in built.envelope.layer("L2_PREVIOUS").segments if not s.recoverable]
    yield from (f"{key!r} cannot be recovered, but was promoted" for key in library_rows)
    for artifact in built.inputs.attached:
        allowed = artifact.key in pruned and not artifact.essential
        if artifact.recoverable or allowed or not admission.admits_artifact(artifact):
            continue
        segment = turn.get(artifact.key)
        if segment is None or repair_text(artifact.text) not in segment.text:
            yield f"{artifact.key!r} cannot be recovered, but is not sent verbatim"


def _history_is_bare(built: Built) -> Iterator[str]:
    """The History layer holds what was said and nothing that was attached to it."""
    said = {entry.id: entry for entry in built.inputs.history}
    for segment in built.envelope.layer("L4_STRIP").segments:
        entry = said.get(segment.id)
        if segment.form != "full" or not isinstance(entry, Message):
            continue
        if segment.text != bare_text(entry):
            yield f"the message {segment.id!r} is not sent as it was said"


def _system_is_clean(built: Built) -> Iterator[str]:
    """System and Library are one system message at the very start, with nothing else in it."""
    prefix = {"L1_SYSTEM", "L2_PREVIOUS"}
    for position, message in enumerate(built.envelope.messages):
        layers = {segment.layer for segment in message.segments}
        if layers & prefix and not layers <= prefix:
            yield f"the message {message.id!r} holds more than L1 and L2"
        if layers & prefix and (position, message.role) != (0, "system"):
            yield f"the message {message.id!r} holds L1 or L2"


def _recovery(built: Built) -> Iterator[str]:
    hints: dict[str, list[str]] = {}
    for compacted in built.envelope.cuts.compacted:
        hints.setdefault(compacted.id, []).append(repair_text(compacted.recover_with))
    for layer in built.envelope.layers:
        for segment in layer.segments:
            said = any(hint in segment.text for hint in hints.get(segment.id, ()))
            if segment.form == "compacted" and not said:
                yield f"{segment.id!r} is compacted without saying how to have it whole"
            if segment.form == "compacted" and not segment.recoverable:
                yield f"{segment.id!r} cannot be recovered, but is compacted"


def _tool_pairs(built: Built) -> Iterator[str]:
    asked: set[str] = set()
    for message in built.envelope.messages:
        results = {s.tool_call_id for s in message.segments if s.tool_call_id is not None}
        if results != asked:
            yield f"the message {message.id!r} leaves calls and results unpaired"
        asked = {call.id for segment in message.segments for call in segment.tool_calls}
    if asked:
        yield "the request ends with calls that have no result"


def _nothing_purged(built: Built) -> Iterator[str]:
    """What was purged and is not attached is not in the request."""
    inputs = built.inputs
    purged = inputs.tuning.purged - inputs.reattached
    if purged:
        carried = (s for message in built.envelope.messages for s in message.segments if is_artifact(s))
        found = dict.fromkeys(segment.id for segment in carried if segment.id in purged)
        yield from (f"{key!r} was purged, but is in the request" for key in found)


def _quotes(built: Built) -> Iterator[str]:
    """Quotes are verbatim and whole, are sent only once, and never lie in the prefix."""
    said = {entry.id: entry for entry in built.inputs.history}
    whole = {one.id for one in built.envelope.layer("L4_STRIP").segments if one.form == "full"}
    quotes = [one for one in built.envelope.layer("L3_TURN").segments if one.kind == "recalled"]
    for one in quotes:
        entry = said.get(one.id)
        if entry is not None and one.id in whole:
            yield f"the message {one.id!r} is quoted, though it is sent anyway"
        text = repair_text(entry.body) if entry is not None and not isinstance(entry, Message) else ""
        if (bare_text(entry) if isinstance(entry, Message) else text) not in one.text:
            yield f"the message {one.id!r} is not quoted as it was said"
    layers = built.envelope.layers[:2]
    if any(one.kind in FOUND_KINDS for layer in layers for one in layer.segments):
        yield "a quote stands in the prefix"
    standing = Counter(one.id for one in built.envelope.layer("L4_STRIP").segments if one.kind in FOUND_KINDS)
    yield from (f"the id {key!r} of a quote occurs {n} times" for key, n in standing.items() if n > 1)
    yield from _quotes_from_elsewhere(built)
    purged = built.inputs.tuning.purged - built.inputs.reattached
    held = {artifact.key for artifact in built.inputs.attached}
    for key, _ in quoted_sections(built.envelope):
        if key in purged and key not in held:
            yield f"a section of {key!r} was purged, but is in the request"


def _quotes_from_elsewhere(built: Built) -> Iterator[str]:
    """Quotes from elsewhere pass the same filters, and a quoted section belongs to an attachment as that is sent."""
    if built.envelope.layout == "append_only" and built.inputs.rounds:
        return  # what stands before a question stays while its tools run, and they may change a file
    admission = Admission(built.inputs.settings.filters, built.inputs.tuning.excluded)
    attached = {one.key: one for one in built.inputs.attached if admission.admits_artifact(one)}
    found = {one.id: one for one in built.inputs.found}
    for segment in built.envelope.layer("L3_TURN").segments:
        one = found_of(found, segment.id)
        if segment.kind not in FOUND_KINDS or one is None:
            continue
        if segment.kind == "recalled":
            if one.text and not admission.admits_quote(one.id, one.speaker):
                yield f"{one.id!r} is quoted, though it is filtered out"
            continue
        if one.folder:
            if section_body(segment) not in repair_text(one.text):
                yield f"{one.id!r} is not quoted as it was found"
            continue
        artifact = attached.get(one.artifact)
        if artifact is None or section_body(segment) not in repair_text(artifact.text):
            yield f"{one.id!r} is quoted, though its artifact is not sent so"


def _newest_question(built: Built) -> Iterator[str]:
    question = built.inputs.question
    sent = {segment.id for segment in built.envelope.layer("L5_USER").segments if segment.sent}
    if question is not None and question.id not in sent:
        yield "the newest question is not in the request"
