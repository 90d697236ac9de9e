"""Open WebUI's export: chats with a table of messages, whose answers hold thoughts and calls as tags in their text."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from workbench.domain.message import Role
from workbench.domain.record import ChatArchive, Record
from workbench.domain.translation import tr
from workbench.engine.exchange.foreign_json import to_utc
from workbench.engine.exchange.imported import (
    Fresh,
    Ids,
    Imported,
    ImportedMessage,
    Losses,
    each_chat,
    started,
)
from workbench.engine.exchange.kept_files import FILE, PICTURE, KeptFiles, in_data_url
from workbench.engine.exchange.message_tree import MessageTree, Node
from workbench.engine.exchange.spoken import Spoken, said_in

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_DETAILS = re.compile(r'<details type="(reasoning|tool_calls)"([^>]*)>(.*?)</details>\n?', re.DOTALL)
_ATTRIBUTE = re.compile(r'([a-z_]+)="([^"]*)"')
_SUMMARY = re.compile(r"\s*<summary>.*?</summary>\s*", re.DOTALL)
_QUOTED = re.compile(r"^> ?", re.MULTILINE)
_STEPS = ("reasoning", "function_call", "function_call_output", "message")
_COUNTED = ("sources", "embeds", "code_executions")

_NO_CHAT = tr("chat {number}: it has no messages; left out")


def is_open_webui(one: dict[str, Any]) -> bool:
    """Whether it is a chat of this export."""
    chat = one.get("chat")
    return isinstance(chat, dict) and ("history" in chat or "messages" in chat)


def import_open_webui(document: object, fresh: Fresh) -> Imported:
    """Every chat with all its branches."""
    return each_chat(document, fresh, is_open_webui, partial(_archive, fresh), _NO_CHAT)


def _archive(fresh: Fresh, one: dict[str, Any], ids: Ids, lost: Losses) -> ChatArchive:
    chat = one["chat"]
    messages, current = _messages(chat)
    title = said_in(one, "title") or said_in(chat, "title")
    when = to_utc(one.get("created_at")) or to_utc(chat.get("timestamp")) or fresh.now_utc
    params = chat.get("params")
    prompt = said_in(params, "system") or said_in(chat, "system")
    made = started(ids.take(one.get("id", chat.get("id"))), title, when, prompt)
    files = KeptFiles(made.id, fresh.beside, lost)
    reading = _Reading(messages, files, lost)
    nodes = {
        key: Node(
            parent if isinstance(parent := message.get("parentId"), str) else None,
            _listed(message, "childrenIds"),
        )
        for key, message in messages.items()
    }
    return MessageTree(made, Ids(fresh.new_id), lost).grow(nodes, reading.read, current, files.snapshots)


def _messages(chat: dict[str, Any]) -> tuple[dict[str, dict[str, Any]], object]:
    """The table of messages; older chats have a list of those in view only."""
    history = chat.get("history")
    table = history.get("messages") if isinstance(history, dict) else None
    if isinstance(history, dict) and isinstance(table, dict) and table:
        return {key: one for key, one in table.items() if isinstance(one, dict)}, history.get("currentId")
    found: dict[str, dict[str, Any]] = {}
    before: str | None = None
    for number, one in enumerate(_listed(chat, "messages")):
        if isinstance(one, dict):
            given = one.get("id")
            key = given if isinstance(given, str) and given not in found else f"message {number}"
            found[key] = {**one, "parentId": before, "childrenIds": []}
            before = key
    return found, before


def _listed(table: dict[str, Any], name: str) -> list[Any]:
    found = table.get(name)
    return found if isinstance(found, list) else []


@dataclass(slots=True)
class _Reading:
    messages: dict[str, dict[str, Any]]
    files: KeptFiles
    lost: Losses

    def read(self, key: str, before: Record | None) -> list[ImportedMessage]:
        """The messages of a node, which may hold several steps."""
        message = self.messages[key]
        role = _ROLES.get(str(message.get("role")))
        if role is None:
            self.lost.changed["message of an unknown role: kept as the user's"] += 1
        when = to_utc(message.get("timestamp"))
        model = said_in(message, "model", "modelName")
        like = ImportedMessage(
            role or "user",
            created_utc=when,
            id=key,
            state="failed" if message.get("error") else "complete",
            metadata={"model": model} if model else {},
        )
        spoken = Spoken(like)
        for one in _listed(message, "files"):
            self._file(one, spoken, when or "")
        if self._output(_listed(message, "output"), spoken):
            return spoken.messages()
        content = message.get("content")
        for part in content if isinstance(content, list) else [content]:
            self._content(part, spoken, when or "")
        for name in _COUNTED:
            if _listed(message, name):
                self.lost.left_out[name] += len(_listed(message, name))
        said = spoken.messages()
        if not said and message.get("error"):
            spoken.say(said_in(message["error"], "content", "message", "detail"))
            said = spoken.messages()
        return said

    def _output(self, items: list[Any], spoken: Spoken) -> bool:
        """Parse the steps that newer versions list beside the answer's text; False if there are none."""
        known = [one for one in items if isinstance(one, dict) and one.get("type") in _STEPS]
        for one in known:
            words = "\n\n".join(filter(None, (said_in(part, "text") for part in _listed(one, "content"))))
            match one["type"]:
                case "reasoning":
                    spoken.think(words)
                case "function_call":
                    spoken.call(said_in(one, "name"), one.get("arguments", ""), one.get("call_id"))
                case "function_call_output":
                    parts = (said_in(part, "text") for part in _listed(one, "output"))
                    spoken.give_back(one.get("call_id"), "\n\n".join(filter(None, parts)))
                case _:
                    spoken.say(words)
        return bool(known)

    def _content(self, part: object, spoken: Spoken, when: str) -> None:
        if isinstance(part, dict) and "image_url" in part:
            given = part["image_url"]
            self._picture(given.get("url") if isinstance(given, dict) else given, spoken, when)
            return
        text = part if isinstance(part, str) else said_in(part, "text")
        for kind, attributes, inside in _pieces(text):
            if kind == "reasoning":
                spoken.think(_QUOTED.sub("", html.unescape(_SUMMARY.sub("", inside))).strip())
            elif kind == "tool_calls":
                _call(attributes, html.unescape(_SUMMARY.sub("", inside)).strip(), spoken)
            elif inside.strip():
                spoken.say(inside.strip("\n") if spoken.like.role == "assistant" else inside)

    def _file(self, one: object, spoken: Spoken, when: str) -> None:
        table: dict[str, Any] = one if isinstance(one, dict) else {}
        if table.get("type") == "image":
            self._picture(table.get("url"), spoken, when)
            return
        inner: dict[str, Any] = table["file"] if isinstance(table.get("file"), dict) else table
        data = inner.get("data")
        text = said_in(data, "content") or said_in(inner, "content")
        name = said_in(inner, "filename", "name") or said_in(table, "name")
        if text:
            spoken.attach(self.files.text(name, text, when))
        else:
            self.lost.left_out[FILE] += 1

    def _picture(self, url: object, spoken: Spoken, when: str) -> None:
        content = in_data_url(url)
        if content is None:
            self.lost.left_out[PICTURE] += 1
            return
        image = self.files.picture(content, when)
        if image is not None:
            spoken.show(image)


def _pieces(text: str) -> Iterator[tuple[str, str, str]]:
    """Plain text and tagged blocks in turn: kind, attributes, content."""
    at = 0
    for found in _DETAILS.finditer(text):
        yield "", "", text[at : found.start()]
        yield found.group(1), found.group(2), found.group(3)
        at = found.end()
    yield "", "", text[at:]


def _call(attributes: str, inside: str, spoken: Spoken) -> None:
    given = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(attributes)}
    made = spoken.call(given.get("name", ""), _unwrapped(given.get("arguments", "")), given.get("id"))
    if given.get("result") or inside:
        spoken.give_back(made, _unwrapped(given.get("result") or inside))


def _unwrapped(written: str) -> object:
    """Decode JSON that was encoded once or twice."""
    found: object = written
    for _ in range(2):
        try:
            found = json.loads(found) if isinstance(found, str) and found else found
        except (ValueError, RecursionError):
            return found
    return found
