"""Rewrites the texts of a turn's inputs, or removes pictures, reusing objects wherever nothing changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from workbench.domain.chunk import Chunk
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Entry, Message
from workbench.domain.recall import Found
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ToolDefinition
from workbench.domain.turn import LibraryEntry, Tuning, TurnInputs

Redact = Callable[[str], str]

_CHUNK_TEXTS = ("body", "error", "reason")


def redacted(inputs: TurnInputs, redact: Redact) -> TurnInputs:
    """The turn with all texts redacted; ids, names and keys stay, so that references remain valid."""
    question = inputs.question
    return replace(
        inputs,
        settings=_settings(inputs.settings, redact),
        history=tuple(_entry(entry, redact) for entry in inputs.history),
        attached=tuple(_artifact(artifact, redact) for artifact in inputs.attached),
        library=tuple(_library_entry(entry, redact) for entry in inputs.library),
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


def _library_entry(entry: LibraryEntry, redact: Redact) -> LibraryEntry:
    return replace(entry, shelved=_artifact(entry.shelved, redact), latest=_artifact(entry.latest, redact))


def without_pictures(inputs: TurnInputs) -> tuple[TurnInputs, tuple[str, ...]]:
    """The turn without pictures, and the ids of messages that lost one; the same object where none did."""
    question = inputs.question
    said = (*inputs.history, *inputs.rounds, *(() if question is None else (question,)))
    seen = tuple(entry.id for entry in said if isinstance(entry, Message) and entry.images)
    if not seen:
        return inputs, ()
    return replace(
        inputs,
        history=tuple(_without_images(entry) for entry in inputs.history),
        rounds=tuple(replace(message, images=()) for message in inputs.rounds),
        question=None if question is None else replace(question, images=()),
    ), seen


def _without_images(entry: Entry) -> Entry:
    return replace(entry, images=()) if isinstance(entry, Message) and entry.images else entry


# In the order of the request. What is the same object as last time is not looked through again.
_PARTS: dict[str, Any] = {
    "library": (), "history": (), "attached": (), "tool_results": (), "question": None, "rounds": (),
    "found": (),
    "tuning": Tuning(),
}  # fmt: skip
_SYSTEM = "system"


class Rewriter:
    """Rewrites turns incrementally: caches the last turn and its rewritten parts."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Any, Any, tuple[str, ...]]] = {}

    def forget(self) -> None:
        self._known = {}

    def apply(self, inputs: TurnInputs, change: Callable[[str], str]) -> tuple[TurnInputs, tuple[str, ...]]:
        """The turn with changed texts, and the ids of what changed; the same object where nothing did."""
        self._learn(inputs, change)
        changed = [key for name in ("settings", *_PARTS) for key in self._known[name][2]]
        if not changed:
            return inputs, ()
        parts = {name: clean for name, (_, clean, _) in self._known.items()}
        return replace(inputs, **parts), tuple(dict.fromkeys(changed))

    def _learn(self, inputs: TurnInputs, change: Callable[[str], str]) -> None:
        """Process the parts that differ from the last turn's."""
        same = {name for name in ("settings", *_PARTS) if self._is_known(name, getattr(inputs, name))}
        rest = replace(inputs, **{name: empty for name, empty in _PARTS.items() if name in same})
        walked = redacted(rest, change)
        for name in {"settings", *_PARTS} - same:
            before, after = getattr(inputs, name), getattr(walked, name)
            self._known[name] = (before, *_reuse_unchanged(name, before, after))

    def _is_known(self, name: str, value: Any) -> bool:
        return name in self._known and self._known[name][0] is value


def _reuse_unchanged(name: str, before: Any, after: Any) -> tuple[Any, tuple[str, ...]]:
    """The rewritten part, reusing old objects wherever nothing changed, and the ids of what did."""
    if after == before:
        return before, ()
    if name == "settings":
        return after, (_SYSTEM,)
    if name == "question":
        return after, (after.id,)
    if name == "tuning":
        texts = zip(before.summaries, after.summaries, strict=True)
        return after, tuple(new.id for old, new in texts if new != old)
    pairs = [(old, old if old == new else new) for old, new in zip(before, after, strict=True)]
    return tuple(new for _, new in pairs), tuple(_ids(new for old, new in pairs if new is not old))


def _ids(entries: Iterable[Any]) -> Iterator[str]:
    return (entry.key if hasattr(entry, "key") else entry.id for entry in entries)
