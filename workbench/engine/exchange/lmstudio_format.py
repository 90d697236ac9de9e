"""LM Studio's own files, one `….conversation.json` a chat: messages in a row, each with the versions it had."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from workbench.domain.message import Role
from workbench.domain.record import ChatArchive, Record
from workbench.engine.exchange.foreign_json import to_utc
from workbench.engine.exchange.imported import Fresh, Ids, Imported, ImportedMessage, Losses, started
from workbench.engine.exchange.kept_files import FILE, PICTURE, KeptFiles
from workbench.engine.exchange.message_tree import MessageTree, Node
from workbench.engine.exchange.spoken import Spoken, as_words, said_in

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_SAYS_NOTHING = ("status", "toolStatus", "debugInfoBlock", "genInfo", "citationBlock")
_MILLISECONDS = 1000
_PROMPT = "llm.prediction.systemPrompt"


def is_lmstudio(one: dict[str, Any]) -> bool:
    """Tells whether a JSON object is a conversation of LM Studio."""
    messages = one.get("messages")
    first = next((m for m in messages if isinstance(m, dict)), None) if isinstance(messages, list) else None
    return first is not None and isinstance(first.get("versions"), list)


def import_lmstudio(document: object, fresh: Fresh) -> Imported:
    """Import the chat; versions not in view become branches."""
    ids, lost = Ids(fresh.new_id), Losses()
    given = document if isinstance(document, list) else [document]
    archives = tuple(
        _archive(one, ids, fresh, lost) for one in given if isinstance(one, dict) and is_lmstudio(one)
    )
    return Imported(archives, refused=0 if archives else 1, losses=lost)


def _archive(one: dict[str, Any], ids: Ids, fresh: Fresh, lost: Losses) -> ChatArchive:
    made = one.get("createdAt")
    counted = isinstance(made, int | float) and not isinstance(made, bool) and made > 0
    when = to_utc(made, _MILLISECONDS if counted else 1)
    # The file has no id in it, and its name may be changed; to the millisecond, no two chats began together.
    chat_id = ids.take(f"lmstudio-{re.sub('[^0-9]', '', when)}" if when else None)
    title = one["name"] if isinstance(one.get("name"), str) else ""
    chat = started(chat_id, title, when or fresh.now_utc, said_in(one, "systemPrompt") or _prompt(one))
    files = KeptFiles(chat.id, fresh.beside, lost)
    reading = _Reading(files, lost)
    nodes, current = reading.nodes(one["messages"])
    return MessageTree(chat, Ids(fresh.new_id), lost).grow(nodes, reading.read, current, files.snapshots)


def _prompt(one: dict[str, Any]) -> str:
    """The system prompt where newer files have it: in the chat's own settings."""
    config = one.get("perChatPredictionConfig")
    fields = config.get("fields") if isinstance(config, dict) else None
    named = (f for f in (fields if isinstance(fields, list) else ()) if isinstance(f, dict))
    return next((said_in(f, "value") for f in named if f.get("key") == _PROMPT), "")


@dataclass(slots=True)
class _Reading:
    files: KeptFiles
    lost: Losses
    versions: dict[str, dict[str, Any]] = field(default_factory=dict)

    def nodes(self, messages: list[object]) -> tuple[dict[str, Node], str | None]:
        """Versions as nodes: each answers the chosen version of the message before."""
        nodes: dict[str, Node] = {}
        before: str | None = None
        for number, message in enumerate(messages):
            given = message.get("versions") if isinstance(message, dict) else None
            versions = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
            if not versions:
                self.lost.left_out["message without a version"] += 1
                continue
            keys = [f"{number}.{place}" for place in range(len(versions))]
            self.versions |= zip(keys, versions, strict=True)
            nodes |= {key: Node(before) for key in keys}
            chosen = message.get("currentlySelected") if isinstance(message, dict) else None
            before = keys[chosen if isinstance(chosen, int) and 0 <= chosen < len(keys) else -1]
        return nodes, before

    def read(self, key: str, before: Record | None) -> list[ImportedMessage]:
        """The messages of a version, which may hold several steps."""
        version = self.versions[key]
        role = _ROLES.get(str(version.get("role")), "user")
        spoken = Spoken(ImportedMessage(role, metadata=dict(_model_notes(version))))
        steps = version.get("steps")
        for step in steps if isinstance(steps, list) else [version]:
            self._step(step, spoken)
        said = spoken.messages()
        if not said and isinstance(steps, list) and isinstance(version.get("content"), list):
            self._step(version, spoken)
            said = spoken.messages()
        return said

    def _step(self, step: object, spoken: Spoken) -> None:
        content = step.get("content") if isinstance(step, dict) else None
        kind = step.get("type") if isinstance(step, dict) else None
        if not isinstance(step, dict) or not isinstance(content, list):
            if kind not in _SAYS_NOTHING:
                self.lost.left_out[kind if isinstance(kind, str) else "step without content"] += 1
            return
        style = step.get("style")
        thinking = isinstance(style, dict) and style.get("type") == "thinking"
        for part in content:
            self._part(part, spoken, thinking)

    def _part(self, part: object, spoken: Spoken, thinking: bool) -> None:
        kind = part.get("type") if isinstance(part, dict) else None
        if isinstance(part, dict) and part.get("isStructural") is True:
            return  # marks of the model's own template
        if kind == "toolCallRequest" and isinstance(part, dict):
            given = part.get("arguments", part.get("parameters", {}))
            spoken.call(said_in(part, "name"), given, _call_id(part))
        elif kind == "toolCallResult" and isinstance(part, dict):
            if not spoken.give_back(_call_id(part), _result(part.get("content"))):
                self.lost.left_out["result of a tool that was not called"] += 1
        elif kind == "file" and isinstance(part, dict):
            self._file(part, spoken)
        elif thinking:
            spoken.think(said_in(part, "text"))
        elif said_in(part, "text"):
            spoken.say(said_in(part, "text"))
        elif kind != "text":
            self.lost.left_out[kind if isinstance(kind, str) else "part without a type"] += 1

    def _file(self, part: dict[str, Any], spoken: Spoken) -> None:
        """Attach a file if its folder was imported along."""
        content = self.files.beside.find(said_in(part, "fileIdentifier"))
        if content is None:
            self.lost.left_out[PICTURE if part.get("fileType") == "image" else FILE] += 1
            return
        kept = self.files.found(
            (part.get("fileIdentifier"),), part.get("fileIdentifier"), spoken.like.created_utc or ""
        )
        if isinstance(kept, str):
            spoken.attach(kept)
        elif kept is not None:
            spoken.show(kept)


def _call_id(part: dict[str, Any]) -> str | None:
    found = part.get("toolCallRequestId", part.get("toolCallId", part.get("callId")))
    return str(found) if isinstance(found, str | int) and not isinstance(found, bool) else None


def _result(content: object) -> str:
    """The result of a tool as text; it may be a list of parts, perhaps as JSON text."""
    if isinstance(content, str) and content.startswith("[{"):
        try:
            content = json.loads(content)
        except (ValueError, RecursionError):
            return str(content)
    if isinstance(content, list):
        return "\n\n".join(filter(None, (said_in(part, "text") for part in content))) or as_words(content)
    return as_words(content)


def _model_notes(version: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Metadata of the model that answered."""
    sender = version.get("senderInfo")
    steps = version.get("steps")
    noted = [one.get("genInfo") for one in steps if isinstance(one, dict)] if isinstance(steps, list) else []
    names = [said_in(one, "indexedModelIdentifier", "identifier") for one in noted]
    model = next(filter(None, names), "") or said_in(sender, "senderName")
    if model:
        yield "model", model
