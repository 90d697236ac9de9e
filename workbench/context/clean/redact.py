"""The redaction hook: every text of a turn goes through it before anything is built from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from workbench.domain.chunk import Chunk
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Entry, Message
from workbench.domain.recall import Found
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.tool import ToolDefinition
from workbench.domain.turn import LibraryEntry, Tuning, TurnInputs

Redact = Callable[[str], str]

_CHUNK_TEXTS = ("body", "error", "reason")


def redacted(inputs: TurnInputs, redact: Redact) -> TurnInputs:
    """The same turn with redacted texts; ids, names and keys stay, so that pairs and references hold."""
    question = inputs.question
    return replace(
        inputs,
        settings=_settings(inputs.settings, redact),
        history=tuple(_entry(entry, redact) for entry in inputs.history),
        attached=tuple(_artifact(artifact, redact) for artifact in inputs.attached),
        library=tuple(_shelved(entry, redact) for entry in inputs.library),
        question=None if question is None else _message(question, redact),
        tool_results=tuple(_chunk(chunk, redact) for chunk in inputs.tool_results),
        rounds=tuple(_message(message, redact) for message in inputs.rounds),
        found=tuple(_found(one, redact) for one in inputs.found),
        tuning=_tuning(inputs.tuning, redact),
    )


def _tuning(tuning: Tuning, redact: Redact) -> Tuning:
    if not tuning.summaries:
        return tuning
    return replace(tuning, summaries=tuple(replace(one, text=redact(one.text)) for one in tuning.summaries))


def _settings(settings: ContextSettings, redact: Redact) -> ContextSettings:
    persona = settings.persona
    return replace(
        settings,
        system_prompt=redact(settings.system_prompt),
        persona=replace(
            persona,
            default=redact(persona.default),
            workspace=redact(persona.workspace),
            user=redact(persona.user),
        ),
        tool_guidelines=redact(settings.tool_guidelines),
        project_instructions=redact(settings.project_instructions),
        user_memory=redact(settings.user_memory),
        tools=tuple(_tool(tool, redact) for tool in settings.tools),
    )


def _tool(tool: ToolDefinition, redact: Redact) -> ToolDefinition:
    return replace(tool, description=redact(tool.description), schema_json=redact(tool.schema_json))


def _entry(entry: Entry, redact: Redact) -> Entry:
    return _message(entry, redact) if isinstance(entry, Message) else _chunk(entry, redact)


def _chunk(chunk: Chunk, redact: Redact) -> Chunk:
    texts = {name: getattr(chunk, name, None) for name in _CHUNK_TEXTS}
    changed: dict[str, Any] = {name: redact(text) for name, text in texts.items() if text is not None}
    return replace(chunk, **changed)


def _message(message: Message, redact: Redact) -> Message:
    calls = tuple(replace(call, arguments=redact(call.arguments)) for call in message.tool_calls)
    return replace(message, texts=tuple(redact(text) for text in message.texts), tool_calls=calls)


def _artifact(artifact: Artifact, redact: Redact) -> Artifact:
    return replace(artifact, text=redact(artifact.text), title=redact(artifact.title))


def _found(found: Found, redact: Redact) -> Found:
    return replace(found, text=redact(found.text), title=redact(found.title)) if found.text else found


def _shelved(entry: LibraryEntry, redact: Redact) -> LibraryEntry:
    return replace(entry, shelved=_artifact(entry.shelved, redact), latest=_artifact(entry.latest, redact))
