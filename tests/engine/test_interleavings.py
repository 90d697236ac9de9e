"""Anything at any time, in several chats at once: every turn ends once, nothing shown is lost, nothing hangs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import reduce as fold
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.chat_model import Forever, Step
from tests.fakes.effort import tries
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.loop import in_calm_loop
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import artifact
from workbench.domain.answer import (
    CallMade,
    Failure,
    Finished,
    Progressed,
    Retrying,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.errors import WorkbenchError
from workbench.domain.message import Message, ToolCall
from workbench.domain.record import Record
from workbench.domain.usage import Usage
from workbench.engine.events import (
    AnswerGrew,
    Event,
    RetryScheduled,
    ThoughtGrew,
    ToolAsked,
    ToolRan,
    TurnBegan,
    TurnEnded,
)
from workbench.engine.intents import (
    AnswerToolRequest,
    AttachArtifact,
    CloseChat,
    ContinueAnswer,
    EditDraft,
    EditQuestion,
    Intent,
    OpenChat,
    RegenerateAnswer,
    RenameChat,
    SendMessage,
    ShowBranch,
    StopTurn,
)
from workbench.engine.state import WorkbenchState
from workbench.engine.store import reduce
from workbench.engine.tasks import Tasks
from workbench.engine.world import Limits

CHATS = ("one", "two", "three")
LOST = Failure("network", "The connection was lost.")
WITHIN_A_TURN = AnswerGrew | ThoughtGrew | RetryScheduled | ToolAsked | ToolRan


def call(name: str) -> CallMade:
    return CallMade(ToolCall("", name, '{"path": "a.md", "text": "New.", "pattern": "a"}'))


parts: st.SearchStrategy[Step] = st.one_of(
    st.sampled_from(["Once ", "upon ", "a ", "time."]).map(TextGrew),
    st.sampled_from([ThinkingGrew("hm"), ThinkingGrew("so", "signed"), Progressed("Loading", 0.5)]),
    st.sampled_from([UsageReported(Usage(5, 2, None, 3)), Retrying(1, 0.1, LOST), 0.0, 0.0, 0.002]),
    st.sampled_from(["read", "grep", "write", "fly"]).map(call),
)
ends: st.SearchStrategy[list[Step]] = st.sampled_from(
    [
        [Finished("stop")],
        [Finished("stop")],
        [Finished("length")],
        [LOST],
        [Forever()],
        [],
        [RuntimeError("bug")],
    ]
)
answers = st.builds(lambda body, end: [*body, *end], st.lists(parts, max_size=6), ends)


def numbered(given: list[list[Step]]) -> list[list[Step]]:
    """Calls with ids of their own, as every provider's adapter gives them."""
    ids = count(1)
    return [
        [
            CallMade(replace(step.call, id=f"c{next(ids)}")) if isinstance(step, CallMade) else step
            for step in one
        ]
        for one in given
    ]


@dataclass(frozen=True, slots=True)
class Action:
    """Something that somebody does in a chat; `pause` is how often others may go first after it."""

    what: str
    chat: str
    which: int
    pause: int


KINDS = (
    "send", "send", "send", "stop", "regenerate", "edit", "continue", "attach", "allow", "allow", "refuse",
    "draft", "rename", "branch", "hide", "show", "wait",
)  # fmt: skip
actions = st.builds(
    Action,
    st.sampled_from(KINDS),
    st.sampled_from(CHATS),
    st.integers(0, 5),
    st.sampled_from([0, 0, 1, 3, 10, 40]),
)


@dataclass
class Somebody:
    """Does what a script says, without waiting for it to be done."""

    bench: Bench
    doing: list[asyncio.Task[None]] = field(default_factory=list)

    async def act(self, action: Action) -> None:
        """Begin one thing."""
        intent = self._intent(action)
        if intent is not None:
            self.doing.append(self.bench.world.tasks.start(action.what, self._try(intent)))
        for _ in range(action.pause):
            await asyncio.sleep(0)
        if action.what == "wait":
            await asyncio.sleep(0.003)

    async def _try(self, intent: Intent) -> None:
        with suppress(WorkbenchError):
            await self.bench.workbench.dispatch(intent)

    def _intent(self, action: Action) -> Intent | None:
        chat, number = action.chat, action.which
        question, answer = self._message(action, "user"), self._message(action, "assistant")
        made: dict[str, Callable[[], Intent]] = {
            "send": lambda: SendMessage(chat, f"Question {number}?"),
            "stop": lambda: StopTurn(chat),
            "regenerate": lambda: RegenerateAnswer(chat, question),
            "edit": lambda: EditQuestion(chat, question, f"Other {number}?"),
            "continue": lambda: ContinueAnswer(chat, answer),
            "attach": lambda: AttachArtifact(chat, artifact(f"{number}.md")),
            "allow": lambda: AnswerToolRequest(chat, self._asked(chat), allowed=True),
            "refuse": lambda: AnswerToolRequest(chat, self._asked(chat), allowed=False),
            "draft": lambda: EditDraft(chat, f"draft {number}"),
            "rename": lambda: RenameChat(chat, f"title {number}"),
            "branch": lambda: ShowBranch(chat, answer),
            "hide": lambda: CloseChat(chat),
            "show": lambda: OpenChat(chat),
        }
        return made[action.what]() if action.what in made else None

    def _message(self, action: Action, role: str) -> str:
        opened = self.bench.workbench.state.open.get(action.chat)
        found = (
            [] if opened is None else [r.id for r in opened.records if getattr(r.entry, "role", "") == role]
        )
        return found[action.which % len(found)] if found else "none"

    def _asked(self, chat: str) -> str:
        state = self.bench.workbench.state
        running = state.open[chat].running if chat in state.open else state.away.get(chat)
        waiting = [] if running is None else [card.call.id for card in running.tools if card.outcome is None]
        return waiting[-1] if waiting else "none"


def of_chat(events: list[Event], chat: str) -> list[Event]:
    return [event for event in events if getattr(event, "chat", None) == chat]


def ends_once(events: list[Event]) -> None:
    """Between two beginnings exactly one end, and nothing of a turn outside of it."""
    running = False
    for event in events:
        match event:
            case TurnBegan():
                assert not running
                running = True
            case TurnEnded():
                running = False
            case _ if isinstance(event, WITHIN_A_TURN):
                assert running, event
    assert not running


def shown_texts(events: list[Event]) -> Iterator[str]:
    """Every stretch of text that somebody saw arriving."""
    text = ""
    for event in events:
        match event:
            case TurnBegan(begun=begun):
                text = begun
            case AnswerGrew(text=more):
                text += more
            case ToolRan() | TurnEnded():
                yield text
                text = ""


async def look(bench: Bench, store: FragileHistory) -> None:
    """What must be so when everything is over."""
    assert fold(reduce, bench.events, WorkbenchState()) == bench.workbench.state
    assert dict(bench.workbench.state.away) == {}
    for chat in CHATS:
        events = of_chat(bench.events, chat)
        ends_once(events)
        records: tuple[Record, ...] = (await store.archive(chat)).records
        turns = await store.turns(chat)
        assert "running" not in {record.state for record in records} | {turn.state for turn in turns}
        began = [event for event in events if isinstance(event, TurnBegan)]
        assert [turn.question for turn in turns] == [event.question for event in began]
        kept = {record.entry.text for record in records if isinstance(record.entry, Message)}
        assert {text for text in shown_texts(events) if text} <= kept
        assert (await store.chat(chat)).leaf in {None, *(record.id for record in records)}


@settings(max_examples=tries(150))
@given(st.lists(answers, min_size=1, max_size=8), st.lists(actions, max_size=25))
def test_whatever_happens_every_turn_ends_once_and_nothing_shown_is_lost(
    given_answers: list[list[Step]], script: list[Action]
):
    @in_calm_loop
    async def play() -> None:
        store, box = FragileHistory(), FakeToolbox({"a.md": "Alpha."})
        bench = fake_bench(
            *numbered(given_answers),
            store=store,
            toolbox=box,
            tasks=Tasks(lambda name, error: None),
            limits=Limits(tool_rounds=2),
        )
        tools = tuple(tool.definition for tool in box.tools)
        async with asyncio.timeout(250):
            for chat in CHATS:
                await bench.start(chat, replace(SETTINGS, tools=tools))
            somebody = Somebody(bench)
            for action in script:
                await somebody.act(action)
            await bench.workbench.close()
            if somebody.doing:
                await asyncio.wait(somebody.doing)
        await look(bench, store)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    play()
