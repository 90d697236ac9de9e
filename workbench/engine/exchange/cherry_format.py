"""Imports Cherry Studio's backup, `data.json`: topics with messages, whose blocks are in a separate table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from workbench.domain.message import Role
from workbench.domain.reading.loose_json import parsed
from workbench.domain.record import ChatArchive, Record
from workbench.engine.exchange.foreign_json import to_utc
from workbench.engine.exchange.imported import Fresh, Ids, Imported, ImportedMessage, Losses, started
from workbench.engine.exchange.kept_files import FILE, KeptFiles, in_data_url
from workbench.engine.exchange.message_tree import MessageTree, Node
from workbench.engine.exchange.spoken import Spoken, said_in

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_SETTINGS = "persist:cherry-studio"
_TOPIC = "topic:"
_FAILED = ("error",)


def is_cherry(one: dict[str, Any]) -> bool:
    """Tells whether a JSON object is a backup of Cherry Studio."""
    return isinstance(one.get("localStorage"), dict) and isinstance(one.get("indexedDB"), dict | list)


def import_cherry(document: object, fresh: Fresh) -> Imported:
    """Import every topic; several answers to one question are branches."""
    one: dict[str, Any] = document if isinstance(document, dict) else {}
    ids, lost = Ids(fresh.new_id), Losses()
    named = dict(_topics_named(one.get("localStorage")))
    blocks = {block["id"]: block for block in _blocks(one) if isinstance(block.get("id"), str)}
    archives = []
    for topic in _topics(one.get("indexedDB")):
        if isinstance(topic, dict) and isinstance(topic.get("messages"), list):
            about = named.get(str(topic.get("id")), _About())
            archives.append(_archive(topic, about, blocks, _Given(ids, fresh, lost)))
        else:
            lost.left_out["topic without messages"] += 1
    return Imported(tuple(archives), refused=0 if archives else 1, losses=lost)


@dataclass(frozen=True, slots=True)
class _About:
    """Metadata of a topic beside its messages."""

    title: str = ""
    created_utc: str | None = None
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class _Given:
    ids: Ids
    fresh: Fresh
    lost: Losses


def _parsed(written: object) -> Any:
    """Decode a JSON value that is stored as text inside the document."""
    return parsed(written) if isinstance(written, str) else written


def _topics_named(storage: object) -> Iterator[tuple[str, _About]]:
    settings = _parsed(storage.get(_SETTINGS)) if isinstance(storage, dict) else None
    slice_ = _parsed(settings.get("assistants")) if isinstance(settings, dict) else None
    table = slice_ if isinstance(slice_, dict) else {}
    listed = table.get("assistants")
    for assistant in (table.get("defaultAssistant"), *(listed if isinstance(listed, list) else ())):
        topics = assistant.get("topics") if isinstance(assistant, dict) else None
        for topic in topics if isinstance(topics, list) else ():
            if isinstance(topic, dict) and isinstance(topic.get("id"), str):
                prompt = said_in(topic, "prompt") or said_in(assistant, "prompt")
                yield topic["id"], _About(said_in(topic, "name"), to_utc(topic.get("createdAt")), prompt)


def _topics(database: object) -> Iterable[object]:
    if isinstance(database, dict):
        found = database.get("topics")
        return found if isinstance(found, list) else ()
    # The first version kept names and values in a list.
    entries = (one for one in database if isinstance(one, dict)) if isinstance(database, list) else ()
    return [one.get("value") for one in entries if str(one.get("key", "")).startswith(_TOPIC)]


def _blocks(one: dict[str, Any]) -> Iterator[dict[str, Any]]:
    database = one.get("indexedDB")
    found = database.get("message_blocks") if isinstance(database, dict) else None
    yield from (block for block in (found if isinstance(found, list) else ()) if isinstance(block, dict))


def _archive(topic: dict[str, Any], about: _About, blocks: dict[str, Any], given: _Given) -> ChatArchive:
    messages: dict[str, dict[str, Any]] = {}
    for number, message in enumerate(topic["messages"]):
        if isinstance(message, dict) and message.get("type") == "clear":
            given.lost.left_out["mark that nothing before it is sent"] += 1
        elif isinstance(message, dict):
            key = message.get("id")
            messages[key if isinstance(key, str) and key not in messages else f"message {number}"] = message
        else:
            given.lost.left_out["message that is no object"] += 1
    first = next((to_utc(message.get("createdAt")) for message in messages.values()), None)
    when = about.created_utc or first or given.fresh.now_utc
    chat = started(given.ids.take(topic.get("id")), about.title, when, about.prompt)
    files = KeptFiles(chat.id, given.fresh.beside, given.lost)
    reading = _Reading(messages, blocks, files, given.lost)
    nodes, current = _nodes(messages)
    return MessageTree(chat, Ids(given.fresh.new_id), given.lost).grow(
        nodes, reading.read, current, files.snapshots
    )


def _nodes(messages: dict[str, dict[str, Any]]) -> tuple[dict[str, Node], str | None]:
    """Messages as a tree: answers that name the same question are siblings, one of them chosen."""
    nodes: dict[str, Node] = {}
    before: str | None = None
    asked: str | None = None
    for key, message in messages.items():
        question = message.get("askId")
        beside = message.get("role") == "assistant" and isinstance(question, str) and question in messages
        if beside and question == asked:
            nodes[key] = Node(asked)
            before = key if message.get("foldSelected") is True or before is None else before
            continue
        asked = question if beside and question == before else None
        nodes[key] = Node(before)
        before = key
    return nodes, before


@dataclass(slots=True)
class _Reading:
    messages: dict[str, dict[str, Any]]
    blocks: dict[str, Any]
    files: KeptFiles
    lost: Losses

    def read(self, key: str, before: Record | None) -> list[ImportedMessage]:
        """The messages of a node with its blocks; older versions have the text in the message itself."""
        message = self.messages[key]
        model = message.get("model")
        name = said_in(model, "id", "name") or said_in(message, "modelId")
        when = to_utc(message.get("createdAt"))
        like = ImportedMessage(
            _ROLES.get(str(message.get("role")), "user"),
            created_utc=when,
            id=key,
            state="failed" if message.get("status") in _FAILED else "complete",
            metadata={"model": name} if name else {},
        )
        spoken = Spoken(like)
        spoken.think(said_in(message, "reasoning_content"))
        spoken.say(said_in(message, "content"))
        for one in message["files"] if isinstance(message.get("files"), list) else ():
            self._file(one, spoken, when or "")
        for one in message["blocks"] if isinstance(message.get("blocks"), list) else ():
            block = self.blocks.get(one) if isinstance(one, str) else None
            if block is None:
                self.lost.left_out["block that is not in the file"] += 1
            else:
                self._block(block, spoken, when or "")
        return spoken.messages()

    def _block(self, block: dict[str, Any], spoken: Spoken, when: str) -> None:
        kind = block.get("type")
        if kind == "thinking":
            spoken.think(said_in(block, "content"))
        elif kind in ("main_text", "compact"):
            spoken.say(said_in(block, "content"))
        elif kind == "code":
            spoken.say(f"```{said_in(block, 'language')}\n{said_in(block, 'content')}\n```")
        elif kind == "tool":
            self._call(block, spoken)
        elif kind == "image" and in_data_url(block.get("url")) is not None:
            image = self.files.picture(in_data_url(block.get("url")), when)
            if image is not None:
                spoken.show(image)
        elif kind in ("file", "image"):
            self._file(block.get("file"), spoken, when)
        elif kind == "error":
            spoken.say(said_in(block.get("error"), "message") or said_in(block, "content"))
        else:
            self.lost.left_out[kind if isinstance(kind, str) else "block without a type"] += 1

    def _call(self, block: dict[str, Any], spoken: Spoken) -> None:
        metadata = block.get("metadata")
        raw = metadata.get("rawMcpToolResponse") if isinstance(metadata, dict) else None
        told: dict[str, Any] = raw if isinstance(raw, dict) else {}
        name = said_in(block, "toolName") or said_in(told.get("tool"), "name")
        made = spoken.call(name, block.get("arguments", told.get("arguments", {})), block.get("toolId"))
        result = block.get("content", told.get("response"))
        if result is not None:
            spoken.give_back(made, result)

    def _file(self, one: object, spoken: Spoken, when: str) -> None:
        """A file of the backup, found by its id."""
        table: dict[str, Any] = one if isinstance(one, dict) else {}
        if not table:
            self.lost.left_out[FILE] += 1
            return
        places = (table.get("name"), f"{table.get('id')}{table.get('ext', '')}", table.get("id"))
        kept = self.files.found(places, table.get("origin_name", table.get("name")), when)
        if isinstance(kept, str):
            spoken.attach(kept)
        elif kept is not None:
            spoken.show(kept)
