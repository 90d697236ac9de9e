"""Starts a chat from a watched request: its system prompt and history, with tool calls as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workbench.context.watch.body import wire_segments
from workbench.context.watch.conversations import removed_text
from workbench.domain.envelope import WireMessage
from workbench.domain.errors import NotKept
from workbench.domain.message import Message, Role
from workbench.domain.provider import BY_NAME
from workbench.domain.record import Chat, Record, TurnRecord, noted_table, noted_text
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.translation import tr
from workbench.domain.watch.request import Passed
from workbench.engine.watch.kept_turn import watched_turn
from workbench.ports.history import HistoryStore

_HERE = "builtin"
REMOVED_TITLE = tr("Removed by compaction")


async def start_chat_from_request(
    store: HistoryStore, chat: str, number: int | None, new: str, when_utc: str
) -> Chat:
    """Creates and returns a chat with everything that a watched request contained, and its answer."""
    watched = await store.chat(chat)
    turns = await store.turns(chat)
    turn = next((one for one in reversed(turns) if number in (None, one.number)), None)
    if turn is None:
        raise NotKept(tr("There is no request {number} in this chat. Nothing was made.", number=number))
    said = [*_asked(turn), *_answered(turn, await store.path(chat))]
    made = Chat(new, when_utc, watched.title, _settings(turn))
    await store.create_chat(made)
    records: list[Record] = []
    for place, message in enumerate(said, 1):
        parent = records[-1].id if records else None
        records.append(Record(new, replace(message, id=f"w{place}"), when_utc, parent))
    await store.append(records)
    return made


async def removed_before(store: HistoryStore, chat: str, number: int | None) -> str:
    """Returns what a compaction removed before a request, as text to attach again; empty where none did."""
    turns, path, watched = await store.turns(chat), await store.path(chat), await store.chat(chat)
    place = next((n for n in range(len(turns) - 1, 0, -1) if number in (None, turns[n].number)), None)
    if place is None:
        return ""
    before, now = (watched_turn(watched, turns[n], path) for n in (place - 1, place))
    return removed_text((*before.request.pieces, *before.answer.pieces), now.request.pieces)


def _settings(turn: TurnRecord) -> ContextSettings:
    system = [one.text for one in turn.built.envelope.layer("L1_SYSTEM").segments if one.kind == "system"]
    return ContextSettings(model=model_of(turn), system_prompt="\n\n".join(system))


def model_of(turn: TurnRecord) -> str:
    """Returns the model of the request if this program can reach it, else the built-in one."""
    kept = turn.built.inputs.settings.model
    api, _, name = kept.partition(":")
    upstream = noted_text(noted_table(turn.usage or {}, "request"), "upstream")
    if not upstream or upstream.startswith(BY_NAME[api].url if api in BY_NAME else kept):
        return kept
    if api == "openai":
        return f"server:{upstream}#{name}"
    return f"ollama:{name}@{upstream}" if api == "ollama" else _HERE


def _asked(turn: TurnRecord) -> Iterator[Message]:
    envelope, passed = turn.built.envelope, turn.built.inputs.passed or Passed()
    names = {one.id: name for one, name in zip(wire_segments(envelope), passed.names, strict=False)}
    for message in envelope.messages:
        if message.role != "system":
            texts = tuple(_as_text(one.kind, names.get(one.id, ""), one.text) for one in message.segments)
            yield Message("", _speaker(message), tuple(text for text in texts if text.strip()))


def _speaker(message: WireMessage) -> Role:
    return "assistant" if message.role == "assistant" else "user"


def _answered(turn: TurnRecord, path: tuple[Record, ...]) -> Iterator[Message]:
    """Yields the answer to the request, where there is one."""
    for record in path:
        if record.id == turn.reply and isinstance(record.entry, Message):
            calls = (_as_text("call", call.name, call.arguments) for call in record.entry.tool_calls)
            yield Message("", "assistant", (*record.entry.texts, *calls))


def _as_text(kind: str, name: str, text: str) -> str:
    match kind:
        case "call":
            return f"[Called {name} with {text}]"
        case "result":
            return f"[{name} gave back]\n{text}" if name else text
        case "thought":
            return ""
        case _:
            return text
