"""The items of a chat's transcript in order, as plain values made from the chat's state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from workbench.domain.answer import Failure
from workbench.domain.message import Message, ToolCall
from workbench.domain.on_demand import called_tool
from workbench.domain.probability import PROBABILITIES
from workbench.domain.record import Record, is_question
from workbench.domain.secrets import FoundSecret
from workbench.domain.shown.turn_view import TurnRow
from workbench.domain.summary import Summary
from workbench.domain.turn import Tuning
from workbench.engine.state import ChatState, EditedQuestion, Fix, RunningTurn
from workbench.ui import formatting
from workbench.ui.chat.standing import PLAIN, InRequest, Marks


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of an answer, and its result if there is one; `trimmed` if the result is sent shortened.

    `began` is the chat of the sub-agent that the call started, if that was watched. If `edited`, the result has a
    person's words; `edit` is what it is being changed to.
    """

    call: ToolCall
    result: Record | None = None
    trimmed: bool = False
    began: str = ""
    edited: bool = False
    edit: EditedQuestion | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A user's message; `turn` is the number of its turn, or 0. `shortened` are files that were sent in part.

    `edit` is the text it is being changed to, and `secrets` what in that looks like a key or a password. If `fixed`, it
    is of a watched chat and can only be read.
    """

    key: str
    record: Record
    siblings: tuple[str, ...] = ()
    standing: InRequest = PLAIN
    turn: int = 0
    edit: str | None = None
    secrets: tuple[FoundSecret, ...] = ()
    fixed: bool = False
    shortened: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """One message of the model; an answer with tools has several: the first one `begins` it, the last one `ends` it.

    `version` is which of its `siblings` it is: one that a person wrote is `edited`, and has a name of its own.
    `edit` is what it is being changed to. `not_continued_by` is the chat's model, where the answer could be begun with
    other words, and that model does not go on with them.
    """

    key: str
    record: Record
    question: str = ""
    model: str = ""
    siblings: tuple[str, ...] = ()
    standing: InRequest = PLAIN
    turn: TurnRow | None = None
    calls: tuple[Call, ...] = ()
    begins: bool = True
    ends: bool = True
    fixed: bool = False
    not_continued_by: str = ""
    version: str = ""
    edited: bool = False
    edit: EditedQuestion | None = None


VERSION = "\n"
"""Between the id of a message and the number of a version that a person wrote of it."""


@dataclass(frozen=True, slots=True)
class Note:
    """A message of neither user nor model: an instruction, or a part of an imported agent's memory."""

    key: str
    record: Record
    standing: InRequest = PLAIN


@dataclass(frozen=True, slots=True)
class Failed:
    """A failed turn, in the place of its answer; `proposed_tokens` is the size of a request that would fit.

    If `fixed`, it is of a watched chat, and nothing can be done about it here.
    """

    key: str
    failure: Failure
    question: str = ""
    turn: TurnRow | None = None
    fixes: tuple[Fix, ...] = ()
    proposed_tokens: int | None = None
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A question without any answer text: the user `stopped` it, or the program ended first.

    If `fixed`, it is of a watched chat.
    """

    key: str
    question: str
    stopped: bool = True
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class TrimMark:
    """The line below the last message that is sent trimmed.

    Attributes:
        members: the trimmed messages, in order; tokens: the size of what is still sent of them.
        since_turn: the turn whose request first trimmed them; 0 if the next request is the first.
        threshold_tokens: the threshold that was exceeded then; None if unknown.
        back: how many messages above are recalled in full for the next question.
    """

    key: str
    members: tuple[str, ...]
    tokens: int
    since_turn: int = 0
    threshold_tokens: int | None = None
    back: int = 0


@dataclass(frozen=True, slots=True)
class SummaryMark:
    """The line below the last message that a summary replaces."""

    key: str
    summary: Summary


@dataclass(frozen=True, slots=True)
class RequestMark:
    """The line above the messages of a watched request; `shown` if the inspector shows that request."""

    key: str
    turn: TurnRow
    shown: bool = False


@dataclass(frozen=True, slots=True)
class Arriving:
    """The answer that is arriving."""

    key: str
    running: RunningTurn
    model: str
    asked_utc: str = ""
    in_workspace: bool = False


@dataclass(frozen=True, slots=True)
class DayMark:
    """The line above the first message of a day, with the day's name."""

    key: str
    day: str


Item = (
    Question | Answer | Note | Failed | Unanswered | TrimMark | SummaryMark | RequestMark | DayMark | Arriving
)


def with_days(items: Sequence[Item], now_utc: str) -> Iterator[Item]:
    """The items with a line above the first message of each day; today gets one only below another day."""
    day, before = formatting.day_around(now_utc), ""
    for item in items:
        said = said_utc(item)
        moment = formatting.instant(said) if said not in ("", before) else None
        before = said
        if moment is not None and day is not None and not day[0] <= moment < day[1]:
            day = formatting.day_around(said)
            yield DayMark(f"day:{item.key}", formatting.day(said, now_utc))
        yield item


def said_utc(item: Item) -> str:
    """When a message was sent; empty if unknown, and for items that are not messages."""
    if isinstance(item, (Question, Answer, Note)):
        return item.record.created_utc
    if isinstance(item, RequestMark):
        return item.turn.sent_utc
    return item.asked_utc if isinstance(item, Arriving) else ""


def items_of(chat: ChatState, marks: Marks) -> tuple[Item, ...]:
    """All items of a chat, from the first message to the arriving answer."""
    items = list(_stored_items(chat, marks))
    if chat.running is not None and not chat.running.side:
        question = chat.running.question
        if all(item.key != question for item in items):
            items.extend(_unstored_question(chat, chat.running))
        items.append(arriving(chat, chat.running))
    else:
        items = _with_new_failure(chat, items)
    return tuple(_with_trim_mark(items, marks, _last_trimmed(chat)))


def arriving(chat: ChatState, running: RunningTurn) -> Arriving:
    """The item of the arriving answer."""
    asked = (record.created_utc for record in reversed(chat.records) if record.id == running.question)
    model, inside = chat.chat.settings.model, bool(chat.chat.filed.workspace)
    return Arriving(f"running:{running.question}", running, model, next(asked, ""), inside)


def _stored_items(chat: ChatState, marks: Marks) -> Iterator[Item]:
    by_reply = {turn.reply: turn for turn in chat.turns if turn.reply is not None}
    by_question = {turn.question: turn for turn in chat.turns}
    standing, trimmed = marks.standings(), frozenset(marks.trimmed)
    last, mute = len(by_question) and chat.turns[-1], mute_model(chat)
    question: Record | None = None
    group: list[Record] = []
    for record in (*_shown_records(chat), None):
        if record is not None and not is_question(record):
            group.append(record)
            continue
        if group:
            key = "" if question is None else question.id
            yield from _answers(chat, group, key, by_reply.get(group[0].id), mute, standing, trimmed)
        if question is not None and not group and not _is_running(chat, question.id):
            turn = by_question.get(question.id)
            if turn is not None and turn.reply is None:
                yield from without_answer(chat, turn, is_last=turn is last and record is None)
        question, group = record, []
        if record is not None:
            key = record.id
            turn, edit = by_question.get(key), chat.edits.get(key)
            yield Question(
                key,
                record,
                chat.versions.get(key, ()),
                standing(key),
                turn.number if turn else 0,
                None if edit is None else edit.text,
                () if edit is None else secrets_of_edit(chat, key),
                shortened=turn.shortened if turn else (),
            )


def secrets_of_edit(chat: ChatState, question: str) -> tuple[FoundSecret, ...]:
    """What looks like a key or a password in the text that a question is being changed to."""
    edit = chat.edits.get(question)
    layers = () if edit is None or edit.view is None else edit.view.layers
    return tuple(
        one for layer in layers if layer.name == "L5_USER" for row in layer.rows for one in row.secrets
    )


def _shown_records(chat: ChatState) -> Sequence[Record]:
    """The records up to the question being answered; later ones are on another branch or still arriving."""
    running = chat.running
    if running is None or running.side:
        return chat.records
    if running.replaces:
        before = [place for place, record in enumerate(chat.records) if record.id == running.replaces]
        return chat.records[: before[0]] if before else chat.records
    places = [place for place, record in enumerate(chat.records) if record.id == running.question]
    said_before = any(
        turn.number == running.number and turn.state == "complete" and turn.reply is not None
        for turn in chat.turns
    )
    if not places or said_before:
        return [record for record in chat.records if record.state != "running"]
    return chat.records[: places[0] + 1]


def _answers(
    chat: ChatState,
    group: Sequence[Record],
    question: str,
    turn: TurnRow | None,
    mute: str,
    standing: Callable[[str], InRequest],
    trimmed: frozenset[str],
) -> Iterator[Item]:
    """Items for the messages between two questions: answers, each with its tool calls, and notes."""
    tuning = chat.conversation.tuning
    spoken = [r for r in group if isinstance(r.entry, Message) and r.entry.role == "assistant"]
    called = {call.id for record in spoken for call in _message(record).tool_calls}
    results = _results(group) if called else {}
    for record in group:
        entry, key = record.entry, record.id
        if isinstance(entry, Message) and entry.role == "assistant":
            begins, ends = record is spoken[0], record is spoken[-1]
            versions = chat.versions.get(key, ()) if begins else ()
            shown = _as_edited(record, tuning) if tuning.edits else record
            calls = (
                tuple(_call_in(chat, call, results.get(call.id), trimmed) for call in entry.tool_calls)
                if called
                else ()
            )
            answer = Answer(
                key,
                shown,
                question,
                turn.model if turn is not None else str(record.metadata.get("model") or ""),
                _versions(key, versions, tuning) if tuning.edits else versions,
                standing(key),
                turn if ends else None,
                calls,
                begins,
                ends,
                version=_version_shown(key, tuning) if tuning.edits else key,
                edited=shown is not record,
                edit=chat.edits.get(key),
            )
            yield replace(answer, not_continued_by=mute) if mute and may_be_begun(answer) else answer
        elif not (isinstance(entry, Message) and entry.role == "tool" and entry.tool_call_id in called):
            yield Note(key, record, standing(key))


def _results(group: Sequence[Record]) -> dict[str | None, Record]:
    """The results of tools, by the calls that they answer."""
    entries = ((record, record.entry) for record in group)
    return {
        entry.tool_call_id: record
        for record, entry in entries
        if isinstance(entry, Message) and entry.role == "tool"
    }


def mute_model(chat: ChatState) -> str:
    """The chat's model, if it does not continue an answer that somebody else began."""
    return "" if chat.view is None or chat.view.continues else chat.view.model


def may_be_begun(item: Item) -> bool:
    """Whether the model may be asked to continue an answer from words that it did not write itself."""
    return isinstance(item, Answer) and (
        item.edited or item.edit is not None or PROBABILITIES in item.record.metadata
    )


def _as_edited(record: Record, tuning: Tuning) -> Record:
    """The record with the words of its version in view; the same object where that is what was said."""
    if not tuning.edits:
        return record
    (entry,) = tuning.edited((record.entry,))
    return record if entry is record.entry else replace(record, entry=entry)


def _versions(key: str, siblings: tuple[str, ...], tuning: Tuning) -> tuple[str, ...]:
    """All versions of an answer in order: each that was given, followed by what a person made of it."""
    counts = {one: len(tuning.versions(one)) for one in siblings or (key,)}
    return tuple(
        f"{one}{VERSION}{number}" if number else one for one in counts for number in range(counts[one] + 1)
    )


def _version_shown(key: str, tuning: Tuning) -> str:
    place = next((at for at, one in enumerate(tuning.versions(key), start=1) if one.shown), 0)
    return f"{key}{VERSION}{place}" if place else key


def _call_in(chat: ChatState, call: ToolCall, result: Record | None, trimmed: frozenset[str]) -> Call:
    made = answered_call(call, result, trimmed)
    if result is None:
        return made
    shown = _as_edited(result, chat.conversation.tuning)
    return replace(made, result=shown, edited=shown is not result, edit=chat.edits.get(result.id))


def answered_call(call: ToolCall, result: Record | None, trimmed: frozenset[str] = frozenset()) -> Call:
    """A tool call with its result."""
    return Call(called_tool(call), result, result is not None and result.id in trimmed)


def _message(record: Record) -> Message:
    assert isinstance(record.entry, Message)
    return record.entry


def _is_running(chat: ChatState, question: str) -> bool:
    return chat.running is not None and chat.running.question == question


def without_answer(chat: ChatState, turn: TurnRow, *, is_last: bool) -> Iterator[Item]:
    """What is shown in an answer's place; only the last failure offers fixes for the next request."""
    fixed = chat.chat.filed.watched is not None
    if turn.failure is not None:
        fixes, tokens = (chat.fixes, chat.proposed_tokens) if is_last else ((), None)
        yield Failed(f"failed:{turn.number}", turn.failure, turn.question, turn, fixes, tokens, fixed)
    elif turn.state in ("stopped", "interrupted"):
        yield Unanswered(f"unanswered:{turn.number}", turn.question, turn.state == "stopped", fixed)


def _with_new_failure(chat: ChatState, items: list[Item]) -> list[Item]:
    """The items with the turn that failed just now, unless a stored turn already shows that."""
    ended = chat.ended
    if ended is None or ended.failure is None or ended.state != "failed":
        return items
    question = chat.ended_question
    places = [
        place for place, item in enumerate(items) if question and question in (item.key, _question_of(item))
    ]
    place = places[-1] if places else len(items) - 1
    last = items[place] if items else None
    if isinstance(last, Failed):
        return items
    about = question if places else last.key if isinstance(last, Question) else ""
    failed = Failed("failed:now", ended.failure, about, None, chat.fixes, chat.proposed_tokens)
    return [*items[: place + 1], failed, *items[place + 1 :]]


def _question_of(item: Item) -> str:
    return item.question if isinstance(item, Answer | Failed) else ""


def _unstored_question(chat: ChatState, running: RunningTurn) -> Iterator[Question]:
    """The question as it was sent, if the chat has not been read again since."""
    if running.asked:
        asked = Message(running.question, "user", (running.asked,))
        yield Question(running.question, Record(chat.chat.id, asked, ""))


def _last_trimmed(chat: ChatState) -> TurnRow | None:
    """The last turn whose request was trimmed to fit; None if there was none."""
    return next((turn for turn in reversed(chat.turns) if _was_trimmed(turn)), None)


def _was_trimmed(turn: TurnRow) -> bool:
    return turn.broke == "trimmed" or (turn.broke == "rebuilt" and turn.broke_subject == "over_threshold")


def _with_trim_mark(items: Sequence[Item], marks: Marks, last_cut: TurnRow | None) -> Iterator[Item]:
    trimmed = frozenset(marks.trimmed)
    if not trimmed and not marks.summaries:
        yield from items
        return
    messages = [_messages_of(item) for item in items]
    there = trimmed.intersection(chain.from_iterable(messages))
    members = tuple(message for message in marks.trimmed if message in there)
    last = max((place for place, said in enumerate(messages) if not there.isdisjoint(said)), default=-1)
    ends = {one.replaces[-1]: one for one in marks.summaries}
    for place, item in enumerate(items):
        yield item
        yield from (SummaryMark(ends[key].id, ends[key]) for key in messages[place] if key in ends)
        if place == last:
            above = set(chain.from_iterable(messages[: place + 1]))
            back = len(above.intersection(marks.quoted))
            since = 0 if last_cut is None else last_cut.number
            over = marks.threshold_tokens if last_cut is None else last_cut.threshold_tokens
            yield TrimMark("trim", members, marks.trimmed_tokens, since, over, back)


def key_of(items: Sequence[Item], message: str) -> str:
    """Key of the item that shows a message; a tool's result is shown with its call. Empty if none does."""
    return next((item.key for item in items if message in _messages_of(item)), "")


def _messages_of(item: Item) -> tuple[str, ...]:
    """Ids of the messages that an item shows: an answer also shows its tools' results."""
    calls = item.calls if isinstance(item, Answer) else ()
    if not calls:
        return (item.key,)
    return (item.key, *(call.result.id for call in calls if call.result is not None))
