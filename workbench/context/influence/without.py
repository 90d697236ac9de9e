"""Removes pieces from a request's inputs, so that the builder makes the request that could have been sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from workbench.context.assembly.render import QUESTION_LABEL, system_message
from workbench.context.influence.pieces import Piece, instruction_texts
from workbench.domain.change import Built
from workbench.domain.envelope import Envelope, Layer, WireMessage
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Message
from workbench.domain.recall import parts_of
from workbench.domain.segment import Segment
from workbench.domain.settings.context_settings import ContextSettings, PersonaSources
from workbench.domain.text import digest_text
from workbench.domain.turn import TurnInputs
from workbench.domain.workspace import fact_spans

_GAP = "\n\n"
_MEMORY, _PERSONA = "memory:", "persona:"
_OPENING = re.compile(r'<[^>\n]* fence="([0-9a-f]+)">\n')


def inputs_without(inputs: TurnInputs, pieces: Iterable[Piece]) -> TurnInputs:
    """The turn's inputs as if the user had left these pieces out."""
    gone = tuple(pieces)
    out = {kind: frozenset(key for one in gone if one.kind == kind for key in one.keys) for kind in _KINDS}
    tuning = inputs.tuning
    summarised = [one for one in tuning.summaries if one.id in out["summary"]]
    told = frozenset(key for one in summarised for key in one.replaces)
    inputs = _without_sentences(inputs, [one for one in gone if one.kind == "sentence"])
    quotes = frozenset(part for key in out["quote"] for part in parts_of(key))
    return replace(
        inputs,
        settings=_settings_without(inputs.settings, gone),
        tuning=replace(
            tuning,
            excluded=tuning.excluded | out["artifact"] | out["exchange"] | told,
            unrecalled=tuning.unrecalled | quotes,
            summaries=tuple(one for one in tuning.summaries if one not in summarised),
            edits=(),  # the history has them; put in once more, they would bring back what is left out
        ),
        found=tuple(one for one in inputs.found if one.id not in quotes),
        tool_results=tuple(one for one in inputs.tool_results if one.id not in out["result"]),
    )


def _without_sentences(inputs: TurnInputs, gone: Sequence[Piece]) -> TurnInputs:
    if not gone:
        return inputs

    def cut(key: str, text: str) -> str:
        for one in gone:
            text = _cut(text, one) if key in one.keys else text
        return text

    def shorter(artifact: Artifact) -> Artifact:
        text = cut(artifact.key, artifact.text)
        return artifact if text == artifact.text else replace(artifact, text=text)

    return replace(
        inputs,
        attached=tuple(map(shorter, inputs.attached)),
        library=tuple(
            replace(one, shelved=shorter(one.shelved), latest=shorter(one.latest)) for one in inputs.library
        ),
        history=tuple(
            replace(one, texts=tuple(cut(one.id, text) for text in one.texts))
            if isinstance(one, Message)
            else one
            for one in inputs.history
        ),
    )


def _cut(text: str, sentence: Piece) -> str:
    """The text without one occurrence of a sentence."""
    at = text.find(sentence.text)
    for _ in range(sentence.nth):
        later = text.find(sentence.text, at + 1)
        at = at if later < 0 else later
    return text if at < 0 else text[:at] + text[at + len(sentence.text) :]


_KINDS = ("artifact", "exchange", "summary", "quote", "result")
_BLOCKS = {
    "system": "system_prompt",
    "tool_guidelines": "tool_guidelines",
    "project": "project_instructions",
    "memory": "user_memory",
}


def _settings_without(settings: ContextSettings, gone: Sequence[Piece]) -> ContextSettings:
    tools = {key for one in gone if one.kind == "tool" for key in one.keys}
    keys = {key for one in gone if one.kind in ("instruction", "fact") for key in one.keys}
    fields: dict[str, object] = {_BLOCKS[key]: "" for key in keys if key in _BLOCKS}
    if tools:
        fields["tools"] = tuple(tool for tool in settings.tools if tool.name not in tools)
    if "persona" in keys:
        fields["persona"] = PersonaSources()
    elif any(key.startswith(_PERSONA) for key in keys):
        said = instruction_texts("persona", settings)
        kept = [text for source, text in said if f"{_PERSONA}{source}" not in keys]
        # Without what replaced them, earlier sources would speak again.
        fields["persona"] = PersonaSources(user=_GAP.join(kept))
    if any(key.startswith(_MEMORY) for key in keys):
        memory, spans = settings.user_memory, fact_spans(settings.user_memory)
        for number, (start, end) in reversed(list(enumerate(spans))):
            if f"{_MEMORY}{number}" in keys:
                memory = memory[:start] + memory[end:]
        fields["user_memory"] = "\n".join(line for line in memory.splitlines() if line.strip())
    return replace(settings, **fields) if fields else settings  # type: ignore[arg-type]


def built_without(built: Built, pieces: Sequence[Piece], instructions: Sequence[Segment] | None) -> Built:
    """A request as if these pieces had never been in it; everything around them keeps its place.

    Used for the previous request of a log, so that the next one extends it without the pieces, and nothing else moves.
    `instructions` are those of the request without the pieces; None leaves them as they are.
    """
    partly = ("instruction", "fact", "sentence")
    gone = frozenset(member for one in pieces if one.kind not in partly for member in one.members)
    inputs = inputs_without(built.inputs, pieces)
    envelope = _without_sentences_in(
        built.envelope, [one for one in pieces if one.kind == "sentence"], inputs
    )
    messages = tuple(
        message for one in envelope.messages if (message := _message(one, gone, instructions)) is not None
    )
    messages = tuple(_merged(messages))
    layers = tuple(_layer(one, gone, instructions) for one in envelope.layers)
    total = sum(layer.total_tokens for layer in layers)
    shorter = replace(envelope, messages=messages, layers=layers, total_tokens=total)
    return Built(inputs, shorter)


def with_fences_of(sent: Built, built: Built) -> Built:
    """A request without some pieces whose wrapped texts keep the fences of the sent one.

    A fence is made of what it encloses: with a new one in the opening tag, a server's cache would hold nothing of a
    memory or a file of which only the last sentence is missing.
    """
    known = {(one.layer, one.id): fence for one, fence in _fences(sent)}
    changed = {
        one: (fence, known[one.layer, one.id])
        for one, fence in _fences(built)
        if known.get((one.layer, one.id), fence) != fence
    }
    if not changed:
        return built

    def kept(segment: Segment) -> Segment:
        if segment not in changed:
            return segment
        fence, before = changed[segment]
        text = segment.text.replace(f' fence="{fence}">', f' fence="{before}">', 1)
        return replace(segment, text=f" {before}>".join(text.rsplit(f" {fence}>", 1)))

    messages = tuple(replace(one, segments=tuple(map(kept, one.segments))) for one in built.envelope.messages)
    return replace(built, envelope=replace(built.envelope, messages=messages))


def _fences(built: Built) -> Iterator[tuple[Segment, str]]:
    for message in built.envelope.messages:
        for segment in message.segments:
            if found := _OPENING.match(segment.text):
                yield segment, found[1]


def _without_sentences_in(envelope: Envelope, sentences: Sequence[Piece], inputs: TurnInputs) -> Envelope:
    """The request with sentences removed from its texts."""
    if not sentences:
        return envelope
    digests = {one.key: one.content_digest for entry in inputs.library for one in (entry.latest,)}
    digests |= {one.key: one.content_digest for one in inputs.attached}

    def cut(segment: Segment) -> Segment:
        text = segment.text
        for one in sentences:
            text = _cut(text, one) if segment.id in one.members else text
        if text == segment.text:
            return segment
        return replace(segment, text=text, content_digest=digests.get(segment.id) or digest_text(text))

    messages = (replace(one, segments=tuple(map(cut, one.segments))) for one in envelope.messages)
    layers = (replace(one, segments=tuple(map(cut, one.segments))) for one in envelope.layers)
    return replace(envelope, messages=tuple(messages), layers=tuple(layers))


def _merged(messages: Iterable[WireMessage]) -> Iterator[WireMessage]:
    """Merge what accompanied a removed question into the next one, since many templates want alternating roles."""
    before: WireMessage | None = None
    for message in messages:
        if before is not None and before.role == message.role == "user" and not _asks(before):
            first, *others = message.segments
            joined = (*before.segments, replace(first, lead=_GAP + first.lead), *others)
            before = replace(message, segments=joined, merged=True)
            continue
        if before is not None:
            yield before
        before = message
    if before is not None:
        yield before


def _asks(message: WireMessage) -> bool:
    return any(one.kind == "user" for one in message.segments)


def _message(
    message: WireMessage, gone: frozenset[str], instructions: Sequence[Segment] | None
) -> WireMessage | None:
    if message.role == "system" and instructions is not None and _is_opening(message):
        library = tuple(one for one in message.segments if one.layer == "L2_PREVIOUS")
        kept = tuple(
            replace(one, lead=one.lead.removeprefix(_GAP)) for one in _remaining_segments(library, gone)
        )
        return system_message(instructions, kept)
    kept = tuple(_remaining_segments(message.segments, gone))
    if len(kept) == len(message.segments):
        return message
    if not kept:
        return None
    first = replace(kept[0], lead=kept[0].lead.removeprefix(_GAP).removeprefix(QUESTION_LABEL))
    return replace(message, segments=(first if kept[0] is not message.segments[0] else kept[0], *kept[1:]))


def _is_opening(message: WireMessage) -> bool:
    return all(one.layer in ("L1_SYSTEM", "L2_PREVIOUS") for one in message.segments)


def _remaining_segments(segments: Sequence[Segment], gone: frozenset[str]) -> Iterator[Segment]:
    """The segments that stay; a heading moves to the next segment of its kind."""
    heading: tuple[str, str] | None = None
    for segment in segments:
        if segment.id in gone:
            heading = heading or ((segment.layer, segment.lead) if segment.lead else None)
            continue
        inherits = (
            heading is not None and heading[0] == segment.layer and segment.kind not in ("user", "time")
        )
        yield replace(segment, lead=heading[1]) if heading is not None and inherits else segment
        heading = None


def _layer(layer: Layer, gone: frozenset[str], instructions: Sequence[Segment] | None) -> Layer:
    rows = list(zip(layer.segments, layer.tokens, strict=True))
    if layer.name == "L1_SYSTEM" and instructions is not None:
        tools = [row for row in rows if row[0].kind == "tool" and row[0].id not in gone]
        rows = [*tools, *((one, 0) for one in instructions)]
    elif layer.name == "L4_STRIP":
        rows = [(one.left_out, 0) if one.id in gone and one.sent else (one, cost) for one, cost in rows]
    else:
        rows = [row for row in rows if row[0].id not in gone]
    return Layer(layer.name, tuple(one for one, _ in rows), tuple(cost for _, cost in rows))
