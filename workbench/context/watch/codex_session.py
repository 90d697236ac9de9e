"""Sessions of Codex: items one after the other, with what was used after each answer, and compactions between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from workbench.context.watch.pieces import UNSEEN_TEXT, compact
from workbench.context.watch.sessions import Asked, Lines, Session, time_in
from workbench.domain.reading.loose_json import count_in, table_in, tables_in, text_in

_ASIDE = frozenset({"event_msg", "world_state", "turn_context", "token_usage_record", "ghost_snapshot"})
# Fields that Codex adds to an item for itself.
_OWN = ("internal_chat_message_metadata_passthrough", "status", "id")


def read_codex(lines: Iterable[str]) -> Session:
    """The session of a file; whatever is in it, this does not fail."""
    talk = _Talk()
    for line in talk.lines.objects(lines):
        talk.take(line)
    talk.close()
    return Session("responses", talk.id, "", talk.folder, tuple(talk.asked), talk.lines.notes())


class _Talk:
    """A session as it goes on: what was said so far, and the answer that is being written."""

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
            case _ if kind not in _ASIDE:
                self.lines.foreign[kind] += 1

    def close(self) -> None:
        """The answer so far is whole."""
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
        if _is_models(item):
            if not self._answer or self._used:
                self.close()
                self._asked_at = self._said_at or at
            self._answer.append(bare)
        else:
            self.close()
            self._said_at = at
        self._said.append(compact(bare))

    def _compacted(self, payload: Mapping[str, Any]) -> None:
        """What was said is replaced: by a history, or by a summary alone."""
        self.close()
        kept = tables_in(payload, "replacement_history")
        summary = {"type": "message", "role": "user", "content": text_in(payload, "message")}
        self._said = [compact(dict(one)) for one in kept] or [compact(summary)]

    def _count(self, usage: Mapping[str, Any]) -> None:
        """After an answer; some sessions tell it twice."""
        if usage and self._answer and not self._used:
            self._used = usage


def _is_models(item: Mapping[str, Any]) -> bool:
    kind = text_in(item, "type")
    return kind == "reasoning" or kind.endswith("_call") or text_in(item, "role") == "assistant"


def _usage(used: Mapping[str, Any]) -> dict[str, Any]:
    """The counts under the names of the interface."""
    cached, written = count_in(used, "cached_input_tokens"), count_in(used, "cache_write_input_tokens")
    return {
        "input_tokens": count_in(used, "input_tokens"),
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": written or None},
        "output_tokens": count_in(used, "output_tokens"),
        "output_tokens_details": {"reasoning_tokens": count_in(used, "reasoning_output_tokens")},
    }
