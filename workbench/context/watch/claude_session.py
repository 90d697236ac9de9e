"""Sessions of Claude Code: lines that name the line before them, so that a file is a tree of messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from workbench.context.watch.pieces import UNSEEN_TEXT, compact
from workbench.context.watch.sessions import Asked, Lines, Session, time_in
from workbench.domain.reading.loose_json import count_in, table_in, tables_in, text_in

_SYNTHETIC = "<synthetic>"
# Lines about the program and not about what was said.
_ASIDE = frozenset({
    "queue-operation", "last-prompt", "mode", "file-history-snapshot", "progress", "summary", "ai-title",
    "custom-title", "permission-mode", "agent-name", "agent-color", "tag", "pr-link", "worktree-state",
    "attribution-snapshot", "content-replacement", "bridge-session", "speculation-accept",
})  # fmt: skip
_TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}


def read_claude(lines: Iterable[str]) -> Session:
    """The session of a file; whatever is in it, this does not fail."""
    tree = _Tree()
    for line in tree.lines.objects(lines):
        tree.take(line)
    return Session("anthropic", tree.id, tree.title, tree.folder, tuple(tree.asked()), tree.lines.notes())


class _Tree:
    """The lines of a session by their ids, in the order in which they stand in the file."""

    def __init__(self) -> None:
        self.lines = Lines()
        self.id = self.title = self.folder = ""
        self._said: dict[str, Mapping[str, Any]] = {}
        self._written: dict[str, str] = {}

    def take(self, line: Mapping[str, Any]) -> None:
        kind = text_in(line, "type")
        self.id = self.id or text_in(line, "sessionId")
        self.folder = self.folder or text_in(line, "cwd")
        self.title = text_in(line, _TITLES.get(kind, "")) or self.title
        if kind in ("user", "assistant", "system", "attachment") and (name := text_in(line, "uuid")):
            self._said[name] = line
        elif kind not in _ASIDE:
            self.lines.foreign[kind] += 1

    def asked(self) -> Iterator[Asked]:
        """Every answer of a model, with what was said before it."""
        whole: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for line in self._said.values():
            message = table_in(line, "message")
            if line.get("type") == "assistant" and text_in(message, "model") not in ("", _SYNTHETIC):
                # A model's answer is a line for each of its blocks.
                key = text_in(message, "id") or text_in(line, "uuid"), _agent(line)
                whole.setdefault(key, []).append(line)
        for parts in whole.values():
            yield self._one(parts)

    def _one(self, parts: list[Mapping[str, Any]]) -> Asked:
        first, last = parts[0], parts[-1]
        before = list(self._before(first))
        answer = dict(table_in(last, "message"))
        answer |= {"type": "message", "content": [one for part in parts for one in _blocks(part)]}
        marked = _mark(table_in(answer, "usage"))
        unseen = {"type": "text", "text": UNSEEN_TEXT, **marked}
        body: dict[str, Any] = {"model": text_in(answer, "model"), "system": [unseen], **marked}
        headers = [("x-claude-code-session-id", text_in(first, "sessionId") or self.id)]
        headers += [("x-claude-code-agent-id", agent)] if (agent := _agent(first)) else []
        headers += [("user-agent", f"claude-cli/{text_in(first, 'version')}")]
        at = time_in(before[-1]) if before else time_in(first)
        said = [text for one in before if (text := self._text(one))]
        return Asked(at or time_in(first), said, body, answer, tuple(headers))

    def _before(self, line: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """What was said before a line, the oldest first; what a compaction kept stands behind its summary."""
        found: list[Mapping[str, Any]] = []
        seen: set[str] = set()
        name = text_in(line, "parentUuid")
        while (one := self._said.get(name)) is not None and name not in seen:
            seen.add(name)
            found.append(one)
            name = text_in(one, "parentUuid")
        found.reverse()
        kept: list[Mapping[str, Any]] = []
        for one in found:
            if one.get("subtype") == "compact_boundary":
                kept = self._preserved(one)
            yield one
            if kept and one.get("isCompactSummary") is True:
                yield from kept
                kept = []

    def _preserved(self, boundary: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        names = table_in(table_in(boundary, "compactMetadata"), "preservedMessages").get("uuids")
        known = names if isinstance(names, list) else []
        return [self._said[name] for name in known if isinstance(name, str) and name in self._said]

    def _text(self, line: Mapping[str, Any]) -> str:
        """A line as a message in JSON, written once; empty where it says nothing to the model."""
        name = text_in(line, "uuid")
        if name not in self._written:
            message = _message(line)
            self._written[name] = "" if message is None else compact(message)
        return self._written[name]


def _message(line: Mapping[str, Any]) -> dict[str, Any] | None:
    match line.get("type"):
        case "user" | "assistant":
            message = table_in(line, "message")
            return {"role": line["type"], "content": message.get("content")} if message else None
        case "attachment" if text := _attached(table_in(line, "attachment")):
            return {"role": "system", "content": text}
    return None


def _attached(attachment: Mapping[str, Any]) -> str:
    """What a client put beside a question, as far as its session keeps it."""
    if text := text_in(attachment, "content"):
        return text
    file = table_in(table_in(attachment, "content"), "file")
    if text := text_in(file, "content"):
        return f"{text_in(file, 'filePath')}\n{text}"
    added = attachment.get("addedLines")
    if isinstance(added, list):
        return "\n".join(one for one in added if isinstance(one, str))
    return compact(dict(attachment)) if attachment else ""


def _blocks(line: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    message = table_in(line, "message")
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else tables_in(message, "content")


def _agent(line: Mapping[str, Any]) -> str:
    if line.get("isSidechain") is not True:
        return ""
    return text_in(line, "agentId") or "sidechain"


def _mark(usage: Mapping[str, Any]) -> dict[str, Any]:
    """The mark that the client sets after its instructions and at its newest message, where answers tell of a cache."""
    written = table_in(usage, "cache_creation")
    if count_in(written, "ephemeral_1h_input_tokens"):
        return {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    used = count_in(usage, "cache_creation_input_tokens") or count_in(usage, "cache_read_input_tokens")
    return {"cache_control": {"type": "ephemeral"}} if used else {}
