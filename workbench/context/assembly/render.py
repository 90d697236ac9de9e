"""Renders placements and segments as wire messages; the one place that knows the wire order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from workbench.context.assembly.history import bare_text, image_places
from workbench.context.assembly.references import Placement
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.context.text.fence import escape_attribute, wrap
from workbench.domain.chunk import Chunk
from workbench.domain.envelope import WireMessage
from workbench.domain.files.attachment import Artifact, ArtifactKind
from workbench.domain.message import Message
from workbench.domain.segment import Form, LayerName, Segment
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.text import digest_text, repair_text
from workbench.domain.tool import ToolDefinition

WIRE_ORDER: tuple[LayerName, ...] = ("L1_SYSTEM", "L2_PREVIOUS", "L4_STRIP", "L3_TURN", "L5_USER")

_LIBRARY_HEADING = "Context library: what was attached to earlier messages.\n"
_REFERENCES_HEADING = "Attached to this message, in full in the context library above:\n"
_NEWER = "newer than the copy in the context library"
QUESTION_LABEL = "[User query]:\n"
_TURN_TAGS: dict[ArtifactKind, str] = {"selection": "selected_text", "web_selection": "web_selected_text"}


def library_segments(placements: Iterable[Placement]) -> tuple[Segment, ...]:
    """The Library layer in first-seen order, under one heading that counts with its first entry."""
    segments = [
        _library_segment(placement, placement.library_copy)
        for placement in placements
        if placement.library_copy
    ]
    shown = [segment for segment in segments if segment is not None]
    return tuple(_with_heading(shown, _LIBRARY_HEADING))


def turn_segments(placements: Sequence[Placement]) -> tuple[Segment, ...]:
    """The This turn layer: references to what is in the library, then artifacts in full."""
    referred = [p.artifact for p in placements if p.in_turn == "reference"]
    bodies = [
        _turn_segment(placement) for placement in placements if placement.in_turn in ("full", "compacted")
    ]
    return (*reference_segments(referred), *bodies)


def result_segments(chunks: Iterable[Chunk], renderers: RendererRegistry) -> tuple[Segment, ...]:
    """The results of the question's commands."""
    return tuple(_tool_result(chunk, renderers) for chunk in chunks)


def reference_segments(artifacts: Iterable[Artifact]) -> tuple[Segment, ...]:
    """A line for each artifact that is in full elsewhere in the request."""
    return tuple(_with_heading([_reference(artifact) for artifact in artifacts], _REFERENCES_HEADING))


def longest_segment(artifact: Artifact, text: str) -> Segment:
    """An artifact with `text` in its most expensive form, first in the library."""
    block = _block("L2_PREVIOUS", artifact, text)
    return replace(block, text=_LIBRARY_HEADING + block.text)


def artifact_segment(
    artifact: Artifact, more: tuple[tuple[str, str], ...] = (), text: str | None = None
) -> Segment:
    """An artifact in this turn's message, in full or with `text` instead."""
    return _block("L3_TURN", artifact, text, more)


def without_pictures_of(asked: Message | None, out: Iterable[str]) -> Message | None:
    """The question without the pictures of attachments that are left out, by key."""
    if asked is None or not asked.images:
        return asked
    keys = set(out)
    images = tuple(image for image in asked.images if not image.source or image.source not in keys)
    return asked if len(images) == len(asked.images) else replace(asked, images=images)


def question_segments(
    question: Message | None, now: str | None, something_before: bool
) -> tuple[Segment, ...]:
    """The Your message layer: the time, where given, and the question; labelled only when something precedes it."""
    segments = []
    if now is not None:
        text = f"Current time: {now}\n"
        segments.append(
            Segment(id="time", layer="L5_USER", kind="time", text=text, content_digest=digest_text(now))
        )
    if question is not None:
        text = bare_text(question)
        segments.append(
            Segment(
                id=question.id, layer="L5_USER", kind="user", text=text, content_digest=digest_text(text),
                lead=QUESTION_LABEL if segments or something_before else "", images=question.images,
                image_places=image_places(question, text),
            )
        )  # fmt: skip
    return tuple(segments)


def system_message(instructions: Sequence[Segment], library: Sequence[Segment]) -> WireMessage | None:
    """System and Library as one message; None when both are empty."""
    segments: list[Segment] = []
    for segment in (*instructions, *library):
        gap = "\n\n" if segments and not segments[-1].text.endswith("\n") else ""
        segments.append(replace(segment, lead=gap + segment.lead) if gap else segment)
    return WireMessage("system", "system", tuple(segments)) if segments else None


def user_message(turn: Sequence[Segment], question: Sequence[Segment], message_id: str) -> WireMessage | None:
    """This turn and Your message as one message; None when both are empty."""
    segments = (*turn, *question)
    return WireMessage(message_id, "user", segments) if segments else None


def _with_heading(segments: list[Segment], heading: str) -> list[Segment]:
    return [replace(segments[0], lead=heading), *segments[1:]] if segments else []


def _library_segment(placement: Placement, library_copy: Artifact) -> Segment | None:
    if placement.library_form is None:
        return None
    short = placement.library_short if placement.library_form == "compacted" else placement.library_wanted
    return _block("L2_PREVIOUS", library_copy, short, placement=placement)


def _turn_segment(placement: Placement) -> Segment:
    short = placement.short if placement.in_turn == "compacted" else placement.wanted
    # The old copy must stay as it was sent, or freezing it would be in vain; so the new one says which counts.
    newer = (("status", _NEWER),) if placement.library_form is not None and placement.superseded else ()
    segment = _block("L3_TURN", placement.artifact, short, newer)
    return replace(segment, override=True) if placement.library_form is not None else segment


def _block(
    layer: LayerName,
    artifact: Artifact,
    short: str | None,
    more: tuple[tuple[str, str], ...] = (),
    placement: Placement | None = None,
) -> Segment:
    """An artifact between its tags; a library copy has the importance of the one that is attached now."""
    newest = artifact if placement is None else placement.artifact
    tag, attributes = _tag(layer, artifact)
    attributes = (*attributes, *more)
    text = repair_text(artifact.text)
    full = wrap(tag, attributes, text, artifact.content_digest if text is artifact.text else "").text
    form: Form = "full" if short is None else "compacted"
    return Segment(
        id=artifact.key, layer=layer, kind=artifact.kind, content_digest=artifact.content_digest, form=form,
        text=full if short is None else wrap(tag, attributes, repair_text(short)).text,
        original=None if short is None else full,
        priority=newest.priority, essential=newest.essential, recoverable=artifact.recoverable,
        superseded=placement is not None and placement.superseded,
    )  # fmt: skip


def _tag(layer: LayerName, artifact: Artifact) -> tuple[str, tuple[tuple[str, str], ...]]:
    title = (
        (("title", repair_text(artifact.title)),)
        if artifact.title not in ("", artifact.key, artifact.name_for_model)
        else ()
    )
    key = repair_text(artifact.name_for_model)
    if layer == "L2_PREVIOUS":
        return "prior_context", (("source", key), ("type", artifact.kind), *title)
    return _TURN_TAGS.get(artifact.kind, f"{artifact.kind}_context"), (("id", key), *title)


def _reference(artifact: Artifact) -> Segment:
    text = f"- {escape_attribute(repair_text(artifact.name_for_model))}\n"
    return Segment(
        id=artifact.key, layer="L3_TURN", kind=artifact.kind, text=text, form="reference",
        content_digest=artifact.content_digest, priority=artifact.priority, essential=artifact.essential,
        recoverable=artifact.recoverable,
    )  # fmt: skip


def _tool_result(chunk: Chunk, renderers: RendererRegistry) -> Segment:
    text = repair_text(renderers.render(chunk).text)
    return Segment(
        id=chunk.id, layer="L3_TURN", kind=chunk.kind, text=text, content_digest=digest_text(chunk.body),
        recoverable=False,
    )  # fmt: skip


def tool_segments(tools: tuple[ToolDefinition, ...]) -> tuple[Segment, ...]:
    """Tool definitions as the inspector shows them; adapters send them in their provider's own form."""
    return tuple(
        Segment(
            id=f"tool:{tool.name}",
            layer="L1_SYSTEM",
            kind="tool",
            text=text,
            content_digest=digest_text(text),
        )
        for tool, text in ((tool, _definition(tool)) for tool in tools)
    )


def system_segments(settings: ContextSettings) -> tuple[Segment, ...]:
    """Persona, system prompt and tool guidelines as they are, then project instructions and memory, fenced."""
    guidelines = settings.tool_guidelines if settings.tools else ""
    stable = (
        ("persona", settings.persona_text),
        ("system", settings.system_prompt),
        ("tool_guidelines", guidelines),
    )
    overlays = (
        ("project", "project_instructions", settings.project_instructions),
        ("memory", "user_memory", settings.user_memory if settings.filters.include_memory else ""),
    )
    segments = [_plain(name, repair_text(text)) for name, text in stable if text]
    segments += [_fenced(name, tag, repair_text(text)) for name, tag, text in overlays if text]
    return tuple(segments)


def _plain(name: str, text: str) -> Segment:
    return Segment(id=name, layer="L1_SYSTEM", kind=name, text=text, content_digest=digest_text(text))


def _fenced(name: str, tag: str, text: str) -> Segment:
    block = wrap(tag, (), text).text
    return Segment(id=name, layer="L1_SYSTEM", kind=name, text=block, content_digest=digest_text(text))


def _definition(tool: ToolDefinition) -> str:
    head = json.dumps({"name": tool.name, "description": tool.description}, ensure_ascii=False)
    return f'{head[:-1]}, "input_schema": {tool.schema_json}}}'
