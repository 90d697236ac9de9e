"""LibreChat's export of a conversation: its messages in a list, or each inside the one it answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from workbench.domain.record import ChatArchive, Record, TurnState
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
from workbench.engine.exchange.message_tree import MessageTree, nodes_of
from workbench.engine.exchange.spoken import Spoken, said_in

_ROOT = "00000000-0000-0000-0000-000000000000"

_NO_CHAT = tr("conversation {number}: it has no messages; left out")


def is_librechat(one: dict[str, Any]) -> bool:
    """Whether it is a conversation of this export."""
    if not isinstance(one.get("conversationId"), str):
        return False
    given = _given(one)
    return isinstance(given, list) and all("messageId" in m for m in given[:3] if isinstance(m, dict))


def import_librechat(document: object, fresh: Fresh) -> Imported:
    """Every conversation with all its branches."""
    return each_chat(document, fresh, is_librechat, partial(_archive, fresh), _NO_CHAT)


def _given(one: dict[str, Any]) -> object:
    return one.get("messagesTree", one.get("messages"))


def _archive(fresh: Fresh, one: dict[str, Any], ids: Ids, lost: Losses) -> ChatArchive:
    found = dict(_flatten(_given(one), lost))
    options = one.get("options") if isinstance(one.get("options"), dict) else {}
    prompt = said_in(options, "promptPrefix", "instructions", "system")
    times = sorted(filter(None, (to_utc(message.get("createdAt")) for message, _ in found.values())))
    title = one["title"] if isinstance(one.get("title"), str) else ""
    chat = started(ids.take(one["conversationId"]), title, times[0] if times else fresh.now_utc, prompt)
    files = KeptFiles(chat.id, fresh.beside, lost)
    reading = _Reading({key: message for key, (message, _) in found.items()}, files, lost)
    nodes = nodes_of(((key, parent) for key, (_, parent) in found.items()), _ROOT)
    # Of messages that were made at one moment, the last.
    times_of = [
        (to_utc(message.get("createdAt")) or "", place) for place, (message, _) in enumerate(found.values())
    ]
    newest = list(found)[max(times_of)[1]] if found else None
    return MessageTree(chat, Ids(fresh.new_id), lost).grow(nodes, reading.read, newest, files.snapshots)


def _flatten(given: object, lost: Losses) -> Iterator[tuple[str, tuple[dict[str, Any], object]]]:
    """Yields every message with its id and parent; a nested message answers the one around it."""
    waiting: list[tuple[object, object]] = (
        [(one, None) for one in reversed(given)] if isinstance(given, list) else []
    )
    while waiting:
        message, parent = waiting.pop()
        if not isinstance(message, dict) or not isinstance(message.get("messageId"), str):
            lost.left_out["message without an id"] += 1
            continue
        key = message["messageId"]
        yield key, (message, message.get("parentMessageId") if parent is None else parent)
        children = message.get("children")
        if isinstance(children, list):
            waiting.extend((child, key) for child in reversed(children))


@dataclass(slots=True)
class _Reading:
    messages: dict[str, dict[str, Any]]
    files: KeptFiles
    lost: Losses

    def read(self, key: str, before: Record | None) -> list[ImportedMessage]:
        """A message, which several steps may have made."""
        message = self.messages[key]
        asked = message.get("isCreatedByUser") is True or message.get("sender") == "User"
        state: TurnState = "complete"
        if message.get("error") is True:
            state = "failed"
        elif message.get("unfinished") is True:
            state = "interrupted"
        noted = {"model": message.get("model"), "name": None if asked else message.get("sender")}
        metadata = {name: value for name, value in noted.items() if isinstance(value, str) and value}
        when = to_utc(message.get("createdAt"))
        like = ImportedMessage(
            "user" if asked else "assistant", created_utc=when, id=key, state=state, metadata=metadata
        )
        spoken = Spoken(like)
        for part in message["content"] if isinstance(message.get("content"), list) else ():
            self._part(part, spoken, when or "")
        said = spoken.messages()
        if not any(one.says_something for one in said):
            spoken.say(said_in(message, "text"))
            said = spoken.messages()
        self._count_files(message)
        return said

    def _part(self, part: object, spoken: Spoken, when: str) -> None:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "think":
            spoken.think(said_in(part, "think"))
        elif kind == "tool_call" and isinstance(part, dict):
            self._call(part.get("tool_call"), spoken)
        elif kind == "image_url" and isinstance(part, dict):
            given = part.get("image_url")
            content = in_data_url(given.get("url") if isinstance(given, dict) else given)
            image = self.files.picture(content, when)
            if image is not None:
                spoken.show(image)
        elif said_in(part, "text", "error"):
            spoken.say(said_in(part, "text", "error"))
        elif kind != "text":
            self.lost.left_out[kind if isinstance(kind, str) else "part without a type"] += 1

    def _call(self, call: object, spoken: Spoken) -> None:
        if not isinstance(call, dict):
            self.lost.left_out["tool_call"] += 1
            return
        inner: dict[str, Any] = call["function"] if isinstance(call.get("function"), dict) else call
        given = inner.get("args", inner.get("arguments", ""))
        made = spoken.call(said_in(inner, "name"), given, call.get("id"))
        result = inner.get("output", call.get("output"))
        if result is not None:
            spoken.give_back(made, result)

    def _count_files(self, message: dict[str, Any]) -> None:
        """Counts a message's files as left out: the export contains only their names."""
        for name in ("files", "attachments"):
            for one in message[name] if isinstance(message.get(name), list) else ():
                kind = one.get("type") if isinstance(one, dict) else None
                self.lost.left_out[PICTURE if str(kind).startswith("image/") else FILE] += 1
