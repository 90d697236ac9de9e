"""Plans a turn before it runs: its branch, its question, and the request it continues."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from workbench.context.cache.forecast import MOST_HELD
from workbench.context.text.at_commands import PlannedCall
from workbench.domain.chunk import Chunk, EnvironmentChunk
from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.message import Message, ToolCall
from workbench.domain.model import ModelCard
from workbench.domain.reading.loose_json import parsed
from workbench.domain.recall import Found
from workbench.domain.record import PREFILL, Chat, Record, is_question, noted_text
from workbench.domain.request import ModelRequest, Picture
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import PATH_NAMES, Ruling, ToolOutcome, ToolPreview
from workbench.domain.translation import tr
from workbench.domain.turn import begun_by_hand
from workbench.engine.answers.side import with_side
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.conversation import Conversation
from workbench.engine.events import TurnEvent
from workbench.engine.intents import ContinueAnswer, EditQuestion, RegenerateAnswer, SendMessage
from workbench.engine.recall.finding import wanted_of, wants_past
from workbench.engine.recall.providers import gather
from workbench.engine.stored_conversation import branch_in_view, conversation_before
from workbench.engine.warming import with_refresh
from workbench.engine.world import World


@dataclass(frozen=True, slots=True)
class TurnPlan:
    """Plan of one turn: a question, and the conversation before it.

    Attributes:
        kept: whether the question is in the store already, because it is answered again or its answer continued.
        rounds: what was said after the question and is sent with it: calls and results of an answer to be continued.
        begun: the answer that the model is to go on with.
        begins: what becomes of `begun` where the model does not go on with it: it is told in words to go on ("asked"),
            nothing is sent ("must"), or the answer is the model's own ("may").
        answers: the message that the answer will stand after; the question itself where none is given.
        left_out: the attachments that may stay out of the request; None where nobody was promised anything.
        shortened: the same for those of which only a part may be sent.
        tool_results: what the question's own commands gave back (@read, @search, @ls), if `commands` lets them run.
        found: what of the past fits the question, the best first.
        workspace: the id of the one whose tools it has; empty for those of the program.
        dry: whether it ends with its request.
        side: whether it is no part of the chat: nothing of it is stored as a turn, and no tool is run.
        over_cap: whether its requests may pass the caps on spending.
        cold: whether the request was shown as one that no cache knows any more; None where nobody saw it before.
    """

    conversation: Conversation
    settings: ContextSettings
    question: Message
    now: str | None = None
    kept: bool = False
    rounds: tuple[Message, ...] = ()
    begun: Message | None = None
    begins: Literal["asked", "must", "may"] = "asked"
    answers: str | None = None
    tool_results: tuple[Chunk, ...] = ()
    commands: bool = True
    left_out: frozenset[str] | None = None
    shortened: frozenset[str] | None = None
    cold: bool | None = None
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    found: tuple[Found, ...] = ()
    workspace: str = ""
    dry: bool = False
    side: bool = False
    over_cap: bool = False

    @property
    def chat(self) -> str:
        return self.conversation.id

    @property
    def number(self) -> int:
        return self.conversation.turn + 1


@dataclass(frozen=True, slots=True)
class Sending:
    """One request of a turn: as it was built and shown, and as the model gets it."""

    prepared: Prepared
    request: ModelRequest


class Front(Protocol):
    """Whoever watches a turn and answers its questions: a window, a command line, a test."""

    @property
    def commands(self) -> Mapping[PlannedCall, ToolOutcome]:
        """Results of the question's commands that ran while it was written."""

    @property
    def foretold_tokens(self) -> int | None:
        """Tokens of the request that were forecast as cached before it was sent."""

    def emit(self, event: TurnEvent) -> None:
        """Report an event."""

    def permit(self, call: ToolCall, preview: ToolPreview) -> Awaitable[bool]:
        """Ask whether a tool may do that; not called for what is allowed already.

        Called before the question is shown, so that an answer given at once is not missed.
        """

    async def ruling(self) -> Ruling:
        """Approval rules for tools; read for every call, so that new rules apply at once."""

    def draft_left(self) -> str | None:
        """The rest of the draft after the question was taken from it; stored with the question."""

    async def question_kept(self) -> None:
        """Awaited right after the question is stored."""

    def steering(self) -> tuple[tuple[int, str], ...]:
        """What the user wants said in the next round of this turn, each with its key in the queue."""

    async def steered(self, key: int) -> None:
        """Awaited right after a message of the user is stored that goes into the next round."""


# Pictures of a turn: those attached go with the question once, and the bytes of all that are sent are
# found.


async def with_pictures(plan: TurnPlan, world: World) -> TurnPlan:
    """The plan with its pictures, from the same cache that the view uses."""
    pictures = await world.pictures.fill(plan.conversation, world.store, (plan.question,))
    if not pictures.found:
        return plan
    question = plan.question if plan.kept else pictures.asked(plan.conversation, plan.question)
    return replace(plan, question=question, pictures=pictures.found)


async def found_for(plan: TurnPlan, card: ModelCard, world: World) -> tuple[Found, ...]:
    """Recalled messages and sections that match the question."""
    wanted = wanted_of(plan.conversation, plan.question.text, plan.settings, card)
    wanted = replace(wanted, workspace=(await world.store.chat(plan.chat)).filed.workspace)
    return await gather(wanted, world.providers) if wants_past(wanted) else ()


class NothingToContinue(WorkbenchError):
    """Raised for a message that is a complete answer, or no answer."""

    def __init__(self) -> None:
        super().__init__(
            tr("This answer is complete; there is nothing to go on with. Ask a new question instead.")
        )


async def plan_send(intent: SendMessage, world: World, question_id: str) -> TurnPlan:
    """Plan a new question at the end of the branch in view."""
    chat, path, conversation, sides = await world.store.at_once(branch_in_view, intent.chat)
    conversation = await with_refresh(await with_side(conversation, world, sides), world)
    question = Message(question_id, "user", (intent.text,), intent.images)
    settings = await _effective_settings(chat, conversation, world, intent.once)
    begun = begun_by_hand(question_id, intent.prefill) if intent.prefill.strip() else None
    return TurnPlan(
        conversation,
        settings,
        question,
        intent.now,
        tool_results=undone_untold(path, conversation.turn + 1) if settings.tell_undone else (),
        parameters=chat.parameters,
        commands=intent.commands and not intent.side,
        left_out=intent.left_out,
        shortened=intent.shortened,
        dry=intent.dry,
        side=intent.side,
        workspace=_workspace_id(chat, world),
        begun=begun,
        begins="must",
    )


async def plan_regenerate(intent: RegenerateAnswer, world: World) -> TurnPlan:
    """Plan to ask a question again unchanged, with the stored results of its commands."""
    asked = await _question(world, intent.chat, intent.question)
    return await _with_previous_request(await _plan_unchanged(asked, world), world)


async def plan_edit(intent: EditQuestion, world: World, question_id: str) -> TurnPlan:
    """Plan an edited question on a new branch; the original's pictures are kept."""
    asked = await _question(world, intent.chat, intent.question)
    plan = await _plan_again(asked, world)
    begun = None if plan.begun is None else begun_by_hand(question_id, plan.begun.text)
    return replace(plan, question=replace(plan.question, id=question_id, texts=(intent.text,)), begun=begun)


async def plan_continue(intent: ContinueAnswer, world: World) -> TurnPlan:
    """Plan the rest of an answer, or of a turn that ended after its tools; their results are sent again."""
    path = await world.store.path(intent.chat, intent.answer)
    places = [place for place, record in enumerate(path) if is_question(record)]
    if not places or path[-1].id != intent.answer:
        raise NothingToContinue
    asked, said = path[places[-1]], path[places[-1] + 1 :]
    tuning = await world.store.tuning(intent.chat)
    last = path[-1].entry
    whole = (
        isinstance(last, Message) and not last.tool_calls
    )  # a call waits for its result, whatever was said
    edited = whole and any(one.shown for one in tuning.versions(intent.answer))
    if not said or not (edited or intent.begun or await _can_go_on(world, asked, said)):
        raise NothingToContinue
    spoken = tuning.edited(tuple(record.entry for record in said))
    messages = tuple(one for one in spoken if isinstance(one, Message))
    plan = replace(await _plan_unchanged(asked, world), begun=None)
    if messages[-1].role == "tool":
        plan = replace(plan, rounds=messages, answers=intent.answer)
    elif intent.begun or edited:
        # A person's words are gone on with as a begun answer is, or not at all.
        begun = begun_by_hand(asked.id, intent.begun or messages[-1].text)
        plan = replace(plan, rounds=messages[:-1], begun=begun, begins="must", answers=said[-1].parent)
    else:
        plan = replace(
            plan, rounds=messages[:-1], begun=messages[-1], begins="asked", answers=said[-1].parent
        )
    return await _with_previous_request(plan, world)


async def _plan_unchanged(asked: Record, world: World) -> TurnPlan:
    plan = await _plan_again(asked, world)
    return replace(plan, kept=True, tool_results=asked.commands, commands=not asked.commands)


async def _with_previous_request(plan: TurnPlan, world: World) -> TurnPlan:
    """The plan with the request that asked the same before, which a log goes on from: a cache may hold that one.

    Built anew it would be another where that one was begun anew because no cache held anything.
    """
    conversation, question = plan.conversation, plan.question
    newest = await world.store.newest_turns(plan.chat, MOST_HELD)
    turns = [turn.built for turn in newest.begun if turn.question == question.id]
    if not turns or turns[-1].envelope.layout != "append_only":
        return plan
    before = turns[-1].without_beginning
    then, now = before.inputs, (plan.settings, conversation.attached, conversation.tuning, plan.now)
    settings = replace(then.settings, parameters=plan.settings.parameters)  # they stand beside the messages
    same = (settings, then.attached, then.tuning, then.now) == now
    said = (then.question, then.history, then.tool_results) == (
        question,
        conversation.said,
        plan.tool_results,
    )
    if not same or not said or plan.rounds[: len(then.rounds)] != then.rounds:
        return plan
    return replace(plan, conversation=replace(conversation, current=before))


async def _plan_again(asked: Record, world: World) -> TurnPlan:
    chat = await world.store.chat(asked.chat)
    conversation = await with_refresh(await conversation_before(world.store, asked), world)
    if not isinstance(asked.entry, Message):
        raise NotKept(tr("This is not a question you asked."))
    settings = await _effective_settings(chat, conversation, world)
    prefill = noted_text(asked.hints, PREFILL)
    return TurnPlan(
        conversation,
        settings,
        asked.entry,
        parameters=chat.parameters,
        workspace=_workspace_id(chat, world),
        begun=begun_by_hand(asked.id, prefill) if prefill else None,
        begins="may",
    )


def _workspace_id(chat: Chat, world: World) -> str:
    """Id of the workspace whose tools the turn uses; empty for the program's own."""
    place = world.workspaces.of(chat)
    return "" if place is None else place.id


async def _effective_settings(
    chat: Chat, conversation: Conversation, world: World, once: ContextSettings | None = None
) -> ContextSettings:
    """Settings of the chat, or of this turn only, completed by its workspace."""
    await world.workspaces.ready()
    return world.workspaces.effective(chat, once or chat.settings, conversation.attached)


async def _question(world: World, chat: str, message: str) -> Record:
    found = await world.store.tail(chat, 1, message)
    # Of a deleted message the one before it is found.
    if not found or found[0].id != message or not is_question(found[0]):
        raise NotKept(tr("The message {message!r} is no question, or it was deleted.", message=message))
    return found[0]


async def _can_go_on(world: World, asked: Record, said: Sequence[Record]) -> bool:
    """Whether an answer was cut off, by a person, a failure or its length limit."""
    last = said[-1]
    if not isinstance(last.entry, Message) or last.entry.tool_calls:
        return False
    if last.entry.role == "assistant" and last.state != "complete":
        return True
    lines = await world.store.turn_lines(asked.chat, last.id, newest=1)
    # Without a reply on this branch, how it ended is nowhere.
    if not lines or lines[0].question != asked.id or lines[0].reply is None:
        return False
    if last.entry.role == "tool":
        return lines[0].state != "complete"
    return (lines[0].usage or {}).get("finish_reason") == "length"


_NAME = "undo"
_BETWEEN = f":{_NAME}:"
_TOLD = "The user took this change back: everything is as it was before that call."


def undone_untold(path: Sequence[Record], turn: int) -> tuple[Chunk, ...]:
    """A line for each undone tool call that the model was not told of yet, to stand before question `turn`."""
    if not any(record.metadata.get("undone") for record in path):
        return ()
    told = {chunk.id.partition(_BETWEEN)[2] for record in path for chunk in record.commands}
    return tuple(_line(turn, key, call) for key, call in _undone(path) if key not in told)


def _undone(path: Sequence[Record]) -> Iterator[tuple[str, ToolCall]]:
    """Undone tool calls, each with the id of the message that has its result."""
    calls: dict[str, ToolCall] = {}
    for record in path:
        entry = record.entry
        if isinstance(entry, Message):
            calls |= {call.id: call for call in entry.tool_calls}
            call = calls.get(entry.tool_call_id or "")
            if call is not None and record.metadata.get("undone"):
                yield record.id, call


def _line(turn: int, key: str, call: ToolCall) -> EnvironmentChunk:
    """A chunk that reports an undone call, in the form of a command's result; stored and shown with the question."""
    name = f"turn{turn}{_BETWEEN}{key}"
    what = json.dumps({"call": " ".join((call.name, *_paths(call)))}, ensure_ascii=False)
    return EnvironmentChunk(
        id=name, body=f"{_NAME} {what}\n{_TOLD}", action="tool_result", name=_NAME, call_id=name, success=True
    )


def _paths(call: ToolCall) -> Iterator[str]:
    """Paths that the call changed."""
    given = parsed(call.arguments)
    for name, value in given.items() if isinstance(given, dict) else ():
        if name in PATH_NAMES and isinstance(value, str):
            yield value
