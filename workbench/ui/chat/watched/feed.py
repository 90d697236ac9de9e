"""The transcript items of a watched chat: every request with what was new in it, and its answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from workbench.domain.message import Message
from workbench.domain.record import Chat, Record
from workbench.domain.shown.turn_view import TurnRow
from workbench.engine.state import ChatState
from workbench.ui.chat.messages.feed import (
    Answer,
    Item,
    Note,
    Question,
    RequestMark,
    answered_call,
    arriving,
    without_answer,
)


def watched_items(chat: ChatState, began: Mapping[str, str] = MappingProxyType({})) -> tuple[Item, ...]:
    """All items of a watched chat; `began` are the chats of sub-agents by the ids of the calls that started them."""
    return tuple(_with_agents(_items(chat), began) if began else _items(chat))


def agents_of(chat: ChatState, chats: Sequence[Chat]) -> dict[str, str]:
    """The chats of sub-agents that a watched chat started, by the ids of the calls."""
    marks = ((one.id, one.filed.watched) for one in chats if one.filed.watched is not None)
    return {mark.call: key for key, mark in marks if mark.parent == chat.chat.id and mark.call}


def _with_agents(items: Iterator[Item], began: Mapping[str, str]) -> Iterator[Item]:
    for item in items:
        if isinstance(item, Answer) and item.calls:
            calls = tuple(replace(one, began=began.get(one.call.id, "")) for one in item.calls)
            yield replace(item, calls=calls)
        else:
            yield item


def _items(chat: ChatState) -> Iterator[Item]:
    by_question = {turn.question: turn for turn in chat.turns}
    first = _first_of_turn(chat, by_question)
    results = _results(chat)
    called = {call.id for one in _messages(chat) for call in one.tool_calls}
    opened_turn = 0 if chat.opened is None else chat.opened.turn
    for record in chat.records:
        if (begun := first.get(record.id)) is not None:
            yield RequestMark(f"request:{begun.number}", begun, begun.number == opened_turn)
        if isinstance(record.entry, Message):
            yield from _message_items(chat, record, record.entry, results, called)
        turn = by_question.get(record.id)
        if turn is not None and turn.reply is None:
            yield from without_answer(chat, turn, is_last=False)
    if chat.running is not None and not _is_answered(chat, chat.running.question):
        yield arriving(chat, chat.running)


def _is_answered(chat: ChatState, question: str) -> bool:
    """Whether the answer that is passing through is already among the stored messages."""
    return any(turn.question == question and turn.state != "running" for turn in chat.turns) or any(
        isinstance(record.entry, Message) and record.entry.role == "assistant" and record.parent == question
        for record in chat.records
    )


def _message_items(
    chat: ChatState, record: Record, entry: Message, results: Mapping[str, Record], called: set[str]
) -> Iterator[Item]:
    """The item of one message; a tool's result is shown with its call, so it has none."""
    if entry.role == "assistant":
        turn = next((one for one in chat.turns if one.reply == record.id), None)
        calls = tuple(answered_call(call, results.get(call.id)) for call in entry.tool_calls)
        model = "" if turn is None else turn.model
        yield Answer(record.id, record, "", model, turn=turn, calls=calls, ends=turn is not None, fixed=True)
    elif entry.role == "user" and (entry.text or entry.images):
        yield Question(record.id, record, fixed=True)
    elif entry.role != "user" and entry.tool_call_id not in called:
        yield Note(record.id, record)


def _messages(chat: ChatState) -> Iterator[Message]:
    return (record.entry for record in chat.records if isinstance(record.entry, Message))


def _results(chat: ChatState) -> dict[str, Record]:
    return {
        record.entry.tool_call_id: record
        for record in chat.records
        if isinstance(record.entry, Message) and record.entry.tool_call_id is not None
    }


def _first_of_turn(chat: ChatState, by_question: Mapping[str, TurnRow]) -> dict[str, TurnRow]:
    """The turn of each message that is the first new one of its request."""
    found: dict[str, TurnRow] = {}
    replies = {turn.reply for turn in chat.turns}
    begun: Record | None = None
    for record in chat.records:
        begun = None if record.id in replies else begun or record
        if record.id in by_question and begun is not None:
            found[begun.id] = by_question[record.id]
            begun = None
    return found
