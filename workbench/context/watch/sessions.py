"""Reads session files of other programs as the requests that these must have sent."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from workbench.context.watch.pieces import UNSEEN_TEXT, compact
from workbench.context.watch.reading import body_of, read_request
from workbench.domain.reading.loose_json import count_in, parsed, table_in, tables_in, text_in
from workbench.domain.translation import tr
from workbench.domain.watch.exchange import Exchange, WatchedFormat

_FOREIGN_NAMED = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """A request and its answer, from a session file; the bodies are serialised only on access.

    Attributes:
        said: the messages before it, each as JSON. body: its other fields. answer: as its interface gives one.
    """

    at: float
    said: Sequence[str]
    body: Mapping[str, Any]
    answer: Mapping[str, Any]
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Session:
    """One session: its requests, and notes on what could not be read of its file."""

    format: WatchedFormat
    id: str = ""
    title: str = ""
    folder: str = ""
    asked: tuple[Asked, ...] = ()
    notes: tuple[str, ...] = ()

    def exchanges(self) -> Iterator[Exchange]:
        """The requests one at a time, since all of them together may not fit into memory."""
        for n, one in enumerate(self.asked, 1):
            yield _exchange(n, self.format, one)


def first_question(session: Session) -> str:
    """The user's first question, as far as the session has it."""
    for exchange in session.exchanges():
        pieces = read_request(exchange, body_of(exchange)).pieces
        return next((one.text for one in pieces if one.kind == "question" and one.text.strip()), "")
    return ""


def _exchange(n: int, name: WatchedFormat, one: Asked) -> Exchange:
    path, field_name = ("/v1/messages", "messages") if name == "anthropic" else ("/v1/responses", "input")
    head = compact(dict(one.body))[:-1]
    joined = f"{head}{',' if one.body else ''}{json.dumps(field_name)}:[{','.join(one.said)}]}}"
    request = joined.encode("utf-8", "replace")
    answer = compact(dict(one.answer)).encode("utf-8", "replace")
    return Exchange(
        n, name, "POST", path, one.at, one.headers, request, len(request), 200, answer, len(answer)
    )  # fmt: skip


@dataclass(slots=True)
class Lines:
    """Parses the lines of a file that are JSON objects, and counts those that are not."""

    broken: int = 0
    foreign: Counter[str] = field(default_factory=Counter)

    def objects(self, lines: Iterable[str]) -> Iterator[dict[str, Any]]:
        for line in lines:
            if not line.strip():
                continue
            value = parsed(line)
            if isinstance(value, dict):
                yield value
            else:
                self.broken += 1

    def notes(self) -> tuple[str, ...]:
        """What could not be read, in sentences."""
        found = []
        if self.broken:
            found.append(
                tr("1 line is damaged.")
                if self.broken == 1
                else tr("{broken:,} lines are damaged.", broken=self.broken)
            )
        if count := self.foreign.total():
            named = ", ".join(f"“{kind[:40]}”" for kind, _ in self.foreign.most_common(_FOREIGN_NAMED))
            found.append(
                tr("1 line of an unknown kind was left out: {named}.", named=named) if count == 1
                else tr("{count:,} lines of unknown kinds were left out: {named}.", count=count, named=named)
            )  # fmt: skip
        return tuple(found)


def time_in(line: Mapping[str, Any]) -> float:
    """The timestamp of a line, in seconds since 1970; 0 where it has none."""
    try:
        return datetime.fromisoformat(text_in(line, "timestamp")).astimezone(UTC).timestamp()
    except (ValueError, OverflowError):
        return 0.0


# Sessions of Claude Code: lines that name the line before them, so that a file is a tree of messages.


_SYNTHETIC = "<synthetic>"
# Lines about the program and not about what was said.
_ASIDE = frozenset({
    "queue-operation", "last-prompt", "mode", "file-history-snapshot", "progress", "summary", "ai-title",
    "custom-title", "permission-mode", "agent-name", "agent-color", "tag", "pr-link", "worktree-state",
    "attribution-snapshot", "content-replacement", "bridge-session", "speculation-accept",
})  # fmt: skip
_TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}


def read_claude(lines: Iterable[str]) -> Session:
    """Parse a session file of Claude Code; never raises, whatever it contains."""
    tree = _Tree()
    for line in tree.lines.objects(lines):
        tree.take(line)
    return Session("anthropic", tree.id, tree.title, tree.folder, tuple(tree.asked()), tree.lines.notes())


class _Tree:
    """The lines of a session by id, in the order of the file."""

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
        """Every answer of a model, with the messages before it."""
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
        before = list(self._messages_before(first))
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

    def _messages_before(self, line: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """The messages before a line, the oldest first; messages kept by a compaction come after its summary."""
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
        """A line as a JSON message, serialised once; empty where it holds nothing for the model."""
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
        case "attachment" if text := _attachment_text(table_in(line, "attachment")):
            return {"role": "system", "content": text}
    return None


def _attachment_text(attachment: Mapping[str, Any]) -> str:
    """What the client attached to a question, as far as its session file has it."""
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
    """The cache mark that the client sets at its instructions and newest message, where answers report a cache."""
    written = table_in(usage, "cache_creation")
    if count_in(written, "ephemeral_1h_input_tokens"):
        return {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    used = count_in(usage, "cache_creation_input_tokens") or count_in(usage, "cache_read_input_tokens")
    return {"cache_control": {"type": "ephemeral"}} if used else {}


# Sessions of Codex: items one after the other, with what was used after each answer, and compactions between.


_CODEX_ASIDE = frozenset({"event_msg", "world_state", "turn_context", "token_usage_record", "ghost_snapshot"})
# Fields that Codex adds to an item for itself.
_OWN = ("internal_chat_message_metadata_passthrough", "status", "id")


def read_codex(lines: Iterable[str]) -> Session:
    """Parse a session file of Codex; never raises, whatever it contains."""
    talk = _Talk()
    for line in talk.lines.objects(lines):
        talk.take(line)
    talk.close()
    return Session("responses", talk.id, "", talk.folder, tuple(talk.asked), talk.lines.notes())


class _Talk:
    """A session while it is read: the messages so far, and the answer in progress."""

    def __init__(self) -> None:
        self.lines = Lines()
        self.id = self.folder = ""
        self.asked: list[Asked] = []
        self._model = self._parent = self._client = self._instructions = ""
        self._said: list[str] = []
        self._answer: list[Mapping[str, Any]] = []
        self._used: Mapping[str, Any] = {}
        self._said_at = self._asked_at = 0.0

    def take(self, line: Mapping[str, Any]) -> None:
        payload, kind = table_in(line, "payload"), text_in(line, "type")
        match kind:
            case "session_meta":
                self._begin(payload)
            case "turn_context":
                self._model = text_in(payload, "model") or self._model
            case "response_item":
                self._item(payload, time_in(line))
            case "compacted":
                self._compacted(payload)
            case "token_usage_record":
                self._count(table_in(payload, "usage"))
            case "event_msg" if text_in(payload, "type") == "token_count":
                self._count(table_in(table_in(payload, "info"), "last_token_usage"))
            case _ if kind not in _CODEX_ASIDE:
                self.lines.foreign[kind] += 1

    def close(self) -> None:
        """Finish the current answer."""
        if not self._answer:
            return
        said = self._said[: len(self._said) - len(self._answer)]
        usage = self._used and _usage(self._used)
        answer = {"object": "response", "status": "completed", "output": self._answer, "usage": usage}
        body = {"model": self._model, "tools": [{"type": UNSEEN_TEXT}], "instructions": self._instructions}
        headers = [("session-id", self.id), ("user-agent", self._client)]
        headers += [("x-codex-parent-thread-id", self._parent)] if self._parent else []
        self.asked.append(Asked(self._asked_at, tuple(said), body, answer, tuple(headers)))
        self._answer, self._used = [], {}

    def _begin(self, meta: Mapping[str, Any]) -> None:
        if self.id:
            return  # a resumed session may repeat whom it goes on from
        self.id, self.folder = text_in(meta, "id"), text_in(meta, "cwd")
        self._client = f"{text_in(meta, 'originator') or 'codex'}/{text_in(meta, 'cli_version')}"
        told = text_in(table_in(meta, "base_instructions"), "text") or text_in(meta, "instructions")
        self._instructions = told
        spawned = table_in(table_in(table_in(meta, "source"), "subagent"), "thread_spawn")
        self._parent = text_in(spawned, "parent_thread_id") or text_in(meta, "parent_thread_id")

    def _item(self, item: Mapping[str, Any], at: float) -> None:
        bare = {key: value for key, value in item.items() if key not in _OWN}
        if _is_from_model(item):
            if not self._answer or self._used:
                self.close()
                self._asked_at = self._said_at or at
            self._answer.append(bare)
        else:
            self.close()
            self._said_at = at
        self._said.append(compact(bare))

    def _compacted(self, payload: Mapping[str, Any]) -> None:
        """Replace the messages so far by a compacted history or summary."""
        self.close()
        kept = tables_in(payload, "replacement_history")
        summary = {"type": "message", "role": "user", "content": text_in(payload, "message")}
        self._said = [compact(dict(one)) for one in kept] or [compact(summary)]

    def _count(self, usage: Mapping[str, Any]) -> None:
        """Note the usage after an answer; some sessions report it twice."""
        if usage and self._answer and not self._used:
            self._used = usage


def _is_from_model(item: Mapping[str, Any]) -> bool:
    kind = text_in(item, "type")
    return kind == "reasoning" or kind.endswith("_call") or text_in(item, "role") == "assistant"


def _usage(used: Mapping[str, Any]) -> dict[str, Any]:
    """Token counts under the names of the API."""
    cached, written = count_in(used, "cached_input_tokens"), count_in(used, "cache_write_input_tokens")
    return {
        "input_tokens": count_in(used, "input_tokens"),
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": written or None},
        "output_tokens": count_in(used, "output_tokens"),
        "output_tokens_details": {"reasoning_tokens": count_in(used, "reasoning_output_tokens")},
    }
