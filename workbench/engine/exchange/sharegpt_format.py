"""Exports and imports chats in ShareGPT's format: `{"conversations": [{"from": "human", "value": "…"}, …]}`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from workbench.domain.message import Role
from workbench.domain.record import ChatArchive
from workbench.domain.text import repair_text
from workbench.domain.translation import tr
from workbench.engine.exchange.branch import active_branch, role_and_texts
from workbench.engine.exchange.imported import Fresh, Ids, Imported, ImportedMessage, Losses, listed_chat

_NAMES: dict[Role, str] = {"user": "human", "assistant": "gpt", "system": "system", "tool": "tool"}
_ROLES: dict[str, Role] = {
    "human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant", "chatgpt": "assistant",
    "bing": "assistant", "bard": "assistant", "model": "assistant", "function_call": "assistant",
    "system": "system", "tool": "tool", "observation": "tool", "function_response": "tool",
}  # fmt: skip

_CHAT_FIELDS = ("conversations", "conversation", "id", "title", "system")


def export_sharegpt(archives: Sequence[ChatArchive]) -> bytes:
    """Writes the current branch of each chat; the system prompt is its first entry."""
    chats = [{"id": repair_text(one.chat.id), "conversations": _entries(one)} for one in archives]
    return json.dumps(chats, ensure_ascii=False, indent=1).encode("utf-8") + b"\n"


def import_sharegpt(document: object, fresh: Fresh) -> Imported:
    """Imports chats from a list, from lines, or from a single one."""
    ids = Ids(fresh.new_id)
    archives: list[ChatArchive] = []
    problems: list[str] = []
    lost = Losses()
    for number, one in enumerate(document if isinstance(document, list) else [document], start=fresh.first):
        entries = one.get("conversations", one.get("conversation")) if isinstance(one, dict) else None
        if not isinstance(entries, list):
            problems.append(tr("chat {number}: it has no list of conversations; left out", number=number))
            continue
        lost.note_fields("chat", one, _CHAT_FIELDS)
        said = list(_read(entries, f"chat {number}", problems, lost))
        prompt = one["system"] if isinstance(one.get("system"), str) else ""
        archives.append(listed_chat(one, said, ids, fresh, prompt))
    return Imported(tuple(archives), tuple(problems), refused=0 if archives else 1, losses=lost)


def _entries(archive: ChatArchive) -> list[dict[str, str]]:
    prompt = repair_text(archive.chat.settings.system_prompt)
    entries = [{"from": "system", "value": prompt}] if prompt else []
    for record in active_branch(archive):
        role, texts = role_and_texts(record.entry)
        entries.append({"from": _NAMES[role], "value": "\n\n".join(texts)})
    return entries


def _read(
    entries: Sequence[object], where: str, problems: list[str], lost: Losses
) -> Iterator[ImportedMessage]:
    for number, entry in enumerate(entries, start=1):
        place = f"{where}, entry {number}"
        value = entry.get("value") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(value, str):
            problems.append(tr("{place}: it has no text; left out", place=place))
            continue
        lost.note_fields("message", entry, ("from", "value"))
        name = entry.get("from")
        role = _ROLES.get(name.lower()) if isinstance(name, str) else None
        if role is None:
            problems.append(tr("{place}: who said it is unknown; kept as the user's", place=place))
        yield ImportedMessage(role or "user", (value,))
