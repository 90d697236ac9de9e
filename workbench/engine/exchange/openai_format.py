"""Exports and imports chats in the format of OpenAI's API and fine-tuning: one JSON line per chat."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from workbench.domain.message import Message, Role, ToolCall
from workbench.domain.record import ChatArchive, Record
from workbench.domain.text import repair_text
from workbench.domain.translation import tr
from workbench.engine.exchange.branch import active_branch, role_and_texts
from workbench.engine.exchange.imported import Fresh, Ids, Imported, ImportedMessage, Losses, listed_chat

_ROLES: dict[str, Role] = {
    "system": "system", "developer": "system", "user": "user", "assistant": "assistant",
    "tool": "tool", "function": "tool",
}  # fmt: skip

_CHAT_FIELDS = ("messages", "id", "title")
_FIELDS = ("role", "content", "tool_calls", "function_call", "tool_call_id")


def export_openai(archives: Sequence[ChatArchive]) -> bytes:
    """Writes the current branch of each chat as a line; the system prompt is its first message."""
    return "".join(f"{_line(archive)}\n" for archive in archives).encode("utf-8")


def import_openai(document: object, fresh: Fresh) -> Imported:
    """Imports chats from a list, from lines, or from one `{"messages": […]}`; a bare list of messages is one chat."""
    ids = Ids(fresh.new_id)
    archives, problems = [], []
    lost = Losses()
    for number, one in enumerate(_conversations(document), start=fresh.first):
        messages = one.get("messages") if isinstance(one, dict) else None
        if not isinstance(one, dict) or not isinstance(messages, list):
            problems.append(tr("chat {number}: it has no list of messages; left out", number=number))
            continue
        lost.note_fields("chat", one, _CHAT_FIELDS)
        said = list(read_messages(messages, f"chat {number}", problems, lost))
        archives.append(listed_chat(one, said, ids, fresh))
    return Imported(tuple(archives), tuple(problems), refused=0 if archives else 1, losses=lost)


def _line(archive: ChatArchive) -> str:
    # Message by message: written at once, a long chat would let nothing else run until its end.
    messages = (json.dumps(message, ensure_ascii=False) for message in _messages(archive))
    return f'{{"messages": [{", ".join(messages)}]}}'


def _messages(archive: ChatArchive) -> list[dict[str, Any]]:
    prompt = repair_text(archive.chat.settings.system_prompt)
    first = [{"role": "system", "content": prompt}] if prompt else []
    return [*first, *(_message(record) for record in active_branch(archive))]


def _message(record: Record) -> dict[str, Any]:
    role, texts = role_and_texts(record.entry)
    content: Any = [{"type": "text", "text": text} for text in texts] if len(texts) > 1 else "".join(texts)
    message: dict[str, Any] = {"role": role, "content": content}
    if isinstance(record.entry, Message):
        if record.entry.tool_calls:
            message["content"] = content or None
            message["tool_calls"] = [_call(call) for call in record.entry.tool_calls]
        if record.entry.tool_call_id is not None:
            message["tool_call_id"] = repair_text(record.entry.tool_call_id)
    return message


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": repair_text(call.name), "arguments": repair_text(call.arguments)}
    return {"id": repair_text(call.id), "type": "function", "function": function}


def _conversations(document: object) -> list[Any]:
    if not isinstance(document, list):
        return [document]
    bare = document and isinstance(document[0], dict) and "role" in document[0]
    return [{"messages": document}] if bare else document


def read_messages(
    messages: Sequence[object], where: str, problems: list[str], lost: Losses
) -> Iterator[ImportedMessage]:
    """Reads the messages of a list; what cannot be read is reported or counted."""
    for number, message in enumerate(messages, start=1):
        if not isinstance(message, dict):
            problems.append(
                tr("{where}, message {number}: expected an object; left out", where=where, number=number)
            )
            continue
        role = message.get("role")
        known = _ROLES.get(role) if isinstance(role, str) else None
        if known is None:
            problems.append(
                tr(
                    "{where}, message {number}: its role is unknown; kept as the user's",
                    where=where,
                    number=number,
                )
            )
        lost.note_fields("message", message, _FIELDS)
        call_id = message.get("tool_call_id")
        yield ImportedMessage(
            role=known or "user",
            texts=tuple(_texts(message.get("content"), lost)),
            tool_calls=tuple(_calls(message, lost)),
            tool_call_id=call_id if isinstance(call_id, str) else None,
        )


def _texts(content: object, lost: Losses) -> Iterator[str]:
    if isinstance(content, str):
        yield content
        return
    if content is not None and not isinstance(content, list):
        lost.left_out["content that is neither text nor a list"] += 1
    for part in content if isinstance(content, list) else ():
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]
        else:
            kind = part.get("type") if isinstance(part, dict) else None
            lost.left_out[kind if isinstance(kind, str) else "part without a type"] += 1


def _calls(message: dict[str, Any], lost: Losses) -> Iterator[ToolCall]:
    given = message.get("tool_calls")
    calls = list(given) if isinstance(given, list) else []
    if isinstance(message.get("function_call"), dict):
        calls.append({"id": "call_1", "function": message["function_call"]})
    for number, call in enumerate(calls, start=1):
        # A trajectory has the name and the arguments in the call itself.
        function = call.get("function", call) if isinstance(call, dict) else None
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            found = call.get("id")
            yield ToolCall(
                found if isinstance(found, str) else f"call_{number}", function["name"], _arguments(function)
            )
        else:
            lost.left_out["tool call without a name"] += 1


def _arguments(function: dict[str, Any]) -> str:
    given = function.get("arguments", "{}")
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
