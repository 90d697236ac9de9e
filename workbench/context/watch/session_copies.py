"""Copies a session of Claude Code or Codex into a new one: without some turns, with shorter results, or a summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.context.shorten.fit import plan_of
from workbench.context.watch.habits import path_in
from workbench.context.watch.pieces import compact
from workbench.domain.errors import InvalidInput
from workbench.domain.reading.loose_json import parsed, table_in, tables_in, text_in
from workbench.domain.text import digest_text
from workbench.domain.translation import tr
from workbench.domain.watch.session_copy import SessionCopy, SessionTuning, SessionTurn
from workbench.domain.watch.switch import SessionKind

Line = dict[str, Any]
_LONGEST_ASKED = 80
_COMPACTED = tr("it was compacted; only sessions that were not are written again")
_NO_MESSAGE = tr("it has no message that could be written again")
_ID_LENGTH = 36
_REMINDER = "<system-reminder>\n", "\n</system-reminder>"


def copied_session(kind: SessionKind, lines: Iterable[str], tuning: SessionTuning, seed: str) -> SessionCopy:
    """The session as a new one; `seed` is random, and the new ids come from it."""
    session = [line for text in lines if isinstance(line := parsed(text), dict)]
    return _copied_claude(session, tuning, seed) if kind == "claude" else _copied_codex(session, tuning, seed)


def _uuid(*parts: str) -> str:
    """A version 4 UUID made of texts, one of which is random."""
    found = digest_text("\0".join(parts))
    return f"{found[:8]}-{found[8:12]}-4{found[13:16]}-a{found[17:20]}-{found[20:32]}"


@dataclass(slots=True)
class _Turns:
    """The turns of a session while it is gone through."""

    tuning: SessionTuning
    asked: list[str] = field(default_factory=list)
    chars: list[int] = field(default_factory=list)

    @property
    def number(self) -> int:
        return len(self.asked)

    def begin(self, question: str) -> None:
        self.asked.append(" ".join(question.split())[:_LONGEST_ASKED])
        self.chars.append(0)

    def add(self, chars: int) -> None:
        if self.chars:
            self.chars[-1] += chars

    def told(self) -> tuple[SessionTurn, ...]:
        pairs = enumerate(zip(self.asked, self.chars, strict=True), 1)
        found = tuple(SessionTurn(n, asked, chars, not self.tuning.drops(n)) for n, (asked, chars) in pairs)
        named = {*self.tuning.left_out, *(n for n in self.tuning.summarised if n)}
        if odd := sorted(n for n in named if not 1 <= n <= len(found)):
            raise InvalidInput(
                "turns", tr("there is no turn {odd}; the session has {n}", odd=odd[0], n=len(found))
            )
        if not any(one.stays for one in found) and not self.tuning.summary:
            raise InvalidInput("turns", tr("none is left; the session would be empty"))
        return found


class _Shortener:
    """Cuts the results of older turns by their shape."""

    def __init__(self, tuning: SessionTuning, turns: int) -> None:
        self._limit, self._until = tuning.shorten_chars, turns - tuning.keep_last
        self.count = 0

    def cut(self, text: str, turn: int, name: str) -> str:
        """The text of a result, or the shorter one that takes its place."""
        if not self._limit or turn > self._until or len(text) <= self._limit:
            return text
        note = f"\n[shortened from {len(text):,} characters]"
        short = plan_of(name, text).cut(max(1, self._limit - len(note))) + note
        if len(short) >= len(text):
            return text
        self.count += 1
        return short

    def content(self, value: Any, turn: int, name: str) -> Any:
        """The content of a result: a text, or parts of which some have one."""
        if isinstance(value, str):
            return self.cut(value, turn, name)
        if isinstance(value, list):
            return [
                {**one, "text": self.cut(one["text"], turn, name)}
                if isinstance(one, dict) and isinstance(one.get("text"), str)
                else one
                for one in value
            ]
        return value


# Claude Code: a chain of lines, each of which names the one before it.


def _copied_claude(session: Sequence[Line], tuning: SessionTuning, seed: str) -> SessionCopy:
    chain = _chain(session)
    if not chain:
        raise InvalidInput("session", _NO_MESSAGE)
    new, turns = _uuid(seed), _Turns(tuning)
    numbered = [(line, _turn_of_claude(line, turns)) for line in chain]
    shortener, calls = _Shortener(tuning, turns.number), _claude_calls(chain)
    made: list[Line] = []
    said = False
    for line, turn in numbered:
        if tuning.drops(turn):
            if tuning.summary and not said and tuning.summarised[0] == turn:
                made.append(_claude_summary(line, tuning.summary))
                said = True
            continue
        made.append(_shortened_claude(line, turn, shortener, calls))
    last = session[-1] if session else {}
    lines = tuple(compact(line) for line in _relinked(made, new))
    messages, before = claude_messages(made), claude_messages(chain)
    body = compact({"model": _claude_model(chain), "messages": messages})
    return SessionCopy(
        "claude", new, text_in(chain[-1], "version"), text_in(chain[-1], "cwd") or text_in(last, "cwd"), lines,
        body.encode("utf-8", "replace"), turns.told(), shortener.count, _chars(messages), _chars(before),
    )  # fmt: skip


def _chain(session: Sequence[Line]) -> list[Line]:
    """The branch that the program would resume: the newest message, and all before it."""
    known = {name: line for line in session if (name := text_in(line, "uuid"))}
    own = [
        line
        for line in known.values()
        if not line.get("isSidechain") and line.get("type") in ("user", "assistant")
    ]
    found: list[Line] = []
    name, seen = text_in(own[-1], "uuid") if own else "", set[str]()
    while (line := known.get(name)) is not None and name not in seen:
        seen.add(name)
        found.append(line)
        name = text_in(line, "parentUuid")
    if any(line.get("subtype") == "compact_boundary" for line in found):
        raise InvalidInput("session", _COMPACTED)
    kinds = ("user", "assistant", "attachment")
    return [line for line in reversed(found) if line.get("type") in kinds and not _is_error(line)]


def _is_error(line: Line) -> bool:
    return (
        line.get("isApiErrorMessage") is True or text_in(table_in(line, "message"), "model") == "<synthetic>"
    )


def _turn_of_claude(line: Line, turns: _Turns) -> int:
    content = table_in(line, "message").get("content")
    texts = [content] if isinstance(content, str) else [text_in(one, "text") for one in _blocks(line)]
    results = any(one.get("type") == "tool_result" for one in _blocks(line))
    if line.get("type") == "user" and not results and not line.get("isMeta"):
        turns.begin("".join(texts))
    turns.add(len(compact(content)) if content else 0)
    return turns.number


def _blocks(line: Line) -> list[Mapping[str, Any]]:
    message = table_in(line, "message")
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else tables_in(message, "content")


def _claude_calls(chain: Sequence[Line]) -> dict[str, str]:
    """The file that each call is about, by its id."""
    blocks = (one for line in chain for one in _blocks(line) if one.get("type") == "tool_use")
    return {text_in(one, "id"): path_in(compact(dict(table_in(one, "input")))) for one in blocks}


def _claude_summary(line: Line, summary: str) -> Line:
    kept = ("isSidechain", "timestamp", "userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch")
    about = {name: line[name] for name in kept if name in line}
    return {**about, "type": "user", "uuid": "summary", "message": {"role": "user", "content": summary}}


def _shortened_claude(line: Line, turn: int, shortener: _Shortener, calls: Mapping[str, str]) -> Line:
    message, before = table_in(line, "message"), shortener.count
    content = message.get("content")
    if line.get("type") != "user" or not isinstance(content, list):
        return line
    blocks = [
        {
            **one,
            "content": shortener.content(
                one.get("content"), turn, calls.get(text_in(one, "tool_use_id"), "")
            ),
        }
        if isinstance(one, dict) and one.get("type") == "tool_result"
        else one
        for one in content
    ]
    if shortener.count == before:
        return line
    # Beside the message it keeps the whole result once more, for the screen.
    rest = {name: value for name, value in line.items() if name != "toolUseResult"}
    return {**rest, "message": {**message, "content": blocks}}


def _relinked(made: Sequence[Line], new: str) -> Iterator[Line]:
    """The lines under new ids, each after the one before it."""
    before: str | None = None
    own = {text_in(line, "uuid"): _uuid(new, text_in(line, "uuid")) for line in made}
    for line in made:
        name = own[text_in(line, "uuid")]
        changed: Line = {**line, "parentUuid": before, "uuid": name, "sessionId": new}
        if caller := text_in(line, "sourceToolAssistantUUID"):
            changed["sourceToolAssistantUUID"] = own.get(caller, caller)
        yield changed
        before = name


def _claude_model(chain: Sequence[Line]) -> str:
    models = (text_in(table_in(line, "message"), "model") for line in reversed(chain))
    return next((one for one in models if one), "")


def claude_messages(chain: Sequence[Line]) -> list[dict[str, Any]]:
    """The messages that Claude Code makes of its lines: what it attached stands around the question before it."""
    found: list[dict[str, Any]] = []
    for line in chain:
        kind, role = line.get("type"), text_in(line, "renderedRole")
        texts = [text_in(one, "content") for one in tables_in(line, "rendered")]
        if kind in ("user", "assistant"):
            _add_message(found, str(kind), [dict(one) for one in _blocks(line)])
        elif role == "system" and texts:
            _add_system(found, [one.removeprefix(_REMINDER[0]).removesuffix(_REMINDER[1]) for one in texts])
        elif role == "user" and texts:
            asked = next((one for one in reversed(found) if one["role"] == "user"), None)
            if asked is not None:
                place = sum(_is_attached(one) for one in asked["content"])
                asked["content"][place:place] = [{"type": "text", "text": one} for one in texts]
    return found


def _is_attached(block: Mapping[str, Any]) -> bool:
    return text_in(block, "text").startswith(_REMINDER[0])


def _add_message(found: list[dict[str, Any]], role: str, blocks: list[dict[str, Any]]) -> None:
    if found and found[-1]["role"] == role:
        found[-1]["content"] += blocks
    else:
        found.append({"role": role, "content": blocks})


def _add_system(found: list[dict[str, Any]], texts: Sequence[str]) -> None:
    if found and found[-1]["role"] == "system":
        texts = [found.pop()["content"], *texts]
    found.append({"role": "system", "content": "\n\n".join(texts)})


# Codex: items one after the other; every line names the turn that it belongs to.


_CODEX_KEPT = ("session_meta", "response_item", "world_state", "turn_context")
_METADATA = "internal_chat_message_metadata_passthrough"
_OWN = (_METADATA, "status", "id")


def _copied_codex(session: Sequence[Line], tuning: SessionTuning, seed: str) -> SessionCopy:
    meta = next((table_in(line, "payload") for line in session if line.get("type") == "session_meta"), {})
    if any(line.get("type") == "compacted" for line in session):
        raise InvalidInput("session", _COMPACTED)
    old, turns = text_in(meta, "id"), _Turns(tuning)
    new = _time_ordered(old, seed)
    numbered = [(line, _turn_of_codex(line, turns)) for line in session if line.get("type") in _CODEX_KEPT]
    shortener = _Shortener(tuning, turns.number)
    made: list[Line] = []
    said = False
    for line, turn in numbered:
        if tuning.drops(turn) and _is_said(line):
            if tuning.summary and not said and tuning.summarised[0] == turn:
                made.append(_codex_summary(line, tuning.summary))
                said = True
            continue
        made.append(_shortened_codex(line, turn, shortener))
    if not turns.number or len(old) != _ID_LENGTH:  # every occurrence of the id is replaced
        raise InvalidInput("session", _NO_MESSAGE)
    lines = (compact({**line, "ordinal": n}).replace(old, new) for n, line in enumerate(made))
    items, before = _codex_items(made), _codex_items([line for line, _ in numbered])
    model = next(
        (
            text_in(table_in(one, "payload"), "model")
            for one in reversed(made)
            if one["type"] == "turn_context"
        ),
        "",
    )
    body = compact({"model": model, "input": items})
    return SessionCopy(
        "codex", new, text_in(meta, "cli_version"), text_in(meta, "cwd"), tuple(lines),
        body.encode("utf-8", "replace"), turns.told(), shortener.count, _chars(items), _chars(before),
    )  # fmt: skip


def _time_ordered(old: str, seed: str) -> str:
    """A new id with the old one's time in front, since sessions are listed by it."""
    return old[:14] + _uuid(old, seed)[14:]


def _is_question(line: Line) -> bool:
    item = table_in(line, "payload")
    kinds = table_in(item, _METADATA).get("content_item_kinds")
    asked = isinstance(kinds, list) and "user.text" in kinds
    return line.get("type") == "response_item" and text_in(item, "role") == "user" and asked


def _is_said(line: Line) -> bool:
    """Whether a line is a question, an answer, a call or a result, rather than what the program itself tells."""
    item = table_in(line, "payload")
    by_program = text_in(item, "role") in ("developer", "system", "user") and not _is_question(line)
    return line.get("type") == "response_item" and not by_program


def _turn_of_codex(line: Line, turns: _Turns) -> int:
    item = table_in(line, "payload")
    if _is_question(line):
        turns.begin(" ".join(text_in(one, "text") for one in tables_in(item, "content")))
    if _is_said(line):
        turns.add(len(compact(_bare(item))))
    return turns.number


def _codex_summary(line: Line, summary: str) -> Line:
    item: Line = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": summary}]}
    mark = {_METADATA: {"content_item_kinds": ["user.text"]}}
    return {"timestamp": line.get("timestamp"), "type": "response_item", "payload": {**item, **mark}}


def _shortened_codex(line: Line, turn: int, shortener: _Shortener) -> Line:
    item = table_in(line, "payload")
    if line.get("type") != "response_item" or not text_in(item, "type").endswith("_output"):
        return line
    return {**line, "payload": {**item, "output": shortener.content(item.get("output"), turn, "")}}


def _bare(item: Mapping[str, Any]) -> Line:
    return {name: value for name, value in item.items() if name not in _OWN}


def _codex_items(lines: Sequence[Line]) -> list[Line]:
    return [_bare(table_in(line, "payload")) for line in lines if line.get("type") == "response_item"]


def _chars(messages: Sequence[Mapping[str, Any]]) -> int:
    return sum(len(compact(dict(one))) for one in messages)
