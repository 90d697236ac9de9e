"""A server that has the chat's model asked: what is sent is what was shown, the chat is charged, and caps hold."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.engine.test_metering import OnePrice
from tests.fakes.chat_model import FakeModel, FakeModels, calls, words
from tests.fakes.engine import SETTINGS, Bench, TickingUtc, fake_world
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.schemas import problems
from tests.fakes.spending import MemoryLedger
from tests.fakes.tool_servers import FakeToolServers
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.workspace_store import MemoryWorkspaces
from workbench.cli.ask.asking import Asking, Text
from workbench.domain.errors import WorkbenchError
from workbench.domain.mcp_question import McpAnswer, McpQuestion, read_sampling
from workbench.domain.mcp_server import McpListing, McpServer, McpTool, approve, called
from workbench.domain.spending import SpendCaps
from workbench.domain.workspace import Filed, Workspace
from workbench.engine.events import Event, ToolRan
from workbench.engine.intents import StartChat
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.metering import MeteredModels, Spending
from workbench.engine.state import WorkbenchState
from workbench.engine.workspace_intents import StartWorkspace
from workbench.engine.workspaces.sampling import Sampler
from workbench.tools.workspace_toolboxes import WorkspaceToolboxes

TURNS = (("user", "You rhyme?"), ("assistant", "I do."), ("user", "Rhyme on \u202emoon."))
WANTED = read_sampling("poet", TURNS, "You are a poet.", 50, 1000, 100)  # type: ignore[arg-type]
TOOL = McpTool("rhyme", called("poet", "rhyme"), "Rhymes.", '{"type":"object"}')


class Sampled:
    """A chat whose model calls a server's tool, which has the model asked in turn."""

    def __init__(self, wanted: McpQuestion = WANTED) -> None:
        self.caps = SpendCaps()
        self.servers = FakeToolServers(
            {"poet": McpListing("poet", "connected", tools=(TOOL,))}, asks={TOOL.called: wanted}
        )
        store = MemoryHistory()
        world = fake_world(
            store=store,
            workspaces=Workspaces(MemoryWorkspaces(store), TickingUtc()),
            toolbox=FakeToolbox(),
            rooms=WorkspaceToolboxes(lambda where: FakeToolbox(), FakeToolbox(), lambda where: self.servers),
        )
        self.model, self.ledger = (
            FakeModel([calls((TOOL.called, "{}")), words("Soon."), words("So.")]),
            MemoryLedger(),
        )
        spending = Spending(
            self.ledger, OnePrice(), world.builder.catalogue, world.utc, lambda: self.caps, world.tasks
        )
        models = MeteredModels(FakeModels(self.model), spending)
        self.bench = Bench(replace(world, models=models, spending=spending, prices=OnePrice()))
        self.shown: list[McpQuestion] = []
        self.outcome = ""
        self.bench.workbench.subscribe(self._hear)

    def _hear(self, event: Event, state: WorkbenchState) -> None:
        if state.questions and state.questions[0] not in self.shown:
            self.shown.append(state.questions[0])
        if isinstance(event, ToolRan):
            self.outcome = event.outcome.text

    async def ask(self, answers: dict[str, object]) -> None:
        """One turn, headless."""
        poet = approve(McpServer("poet", "poet", sampling=True), (TOOL,))
        settings = replace(SETTINGS, tools=(TOOL.definition,))
        start = StartChat("talk", settings, filed=Filed("w"))
        place = Workspace("w", "Work", servers=(poet,))
        await self.bench.workbench.dispatch(StartWorkspace(place, settings), start)
        asking = Asking(json=True, allow=True, answers=answers)
        await asking.all([Text("Go.")], "talk", self.bench.workbench)


@in_loop
async def test_what_was_shown_is_sent_and_the_chat_is_charged():
    it = Sampled()
    await it.ask({"poet": "accept"})
    assert it.outcome == "accept: {'text': 'Soon.', 'model': 'word-1', 'stop': 'endTurn'}"
    _, sent, _ = it.model.requests
    (question,) = it.shown
    wanted = question.sampling
    assert wanted is not None
    assert [(one.role, one.text) for one in sent.messages] == [
        ("system", "You are a poet."),
        ("user", "You rhyme?"),
        ("assistant", "I do."),
        ("user", "Rhyme on <U+202E>moon."),
    ]
    assert wanted.text == "\n\n".join(f"[{one.role}]\n{one.text}" for one in sent.messages)
    assert (sent.tools, sent.max_output_tokens, wanted.answer_tokens) == ((), 50, 50)
    assert wanted.usd is not None
    assert wanted.usd > 0
    spent = await it.ledger.spent()
    assert [(one.chat, one.workspace) for one in spent] == [("talk", "w")] * 3


@pytest.mark.parametrize("answers", [{}, {"poet": "decline"}, {"poet": {"name": "Ada"}}, {"other": "accept"}])
def test_without_a_person_nothing_is_sent_unless_the_file_says_so(
    answers: dict[str, object], capsys: pytest.CaptureFixture[str]
):
    it = Sampled()
    in_loop(lambda: it.ask(answers))()
    assert len(it.model.requests) == 2
    assert it.outcome.startswith("decline")
    out, said = capsys.readouterr()
    turn = json.loads(out)
    assert turn["questions"][0]["sampling"]["model"] == "word-1"
    assert problems("ask", turn) == []
    assert "poet asks: may this be sent to word-1?" in said
    assert "[system]\nYou are a poet.\n\n[user]\nYou rhyme?" in said


@in_loop
async def test_a_cap_holds_for_it_and_that_is_said():
    it = Sampled()

    def reach(_event: Event, state: WorkbenchState) -> None:
        if state.questions:
            it.caps = SpendCaps(chat_usd=0.0)

    it.bench.workbench.subscribe(reach)
    await it.ask({"poet": "accept"})
    assert len(it.model.requests) == 1
    assert "left in this chat; this one may cost" in it.outcome


@in_loop
async def test_a_server_that_no_chat_waits_for_gets_no_model():
    it = Sampled()

    async def never(_question: McpQuestion) -> McpAnswer:
        raise AssertionError

    assert WANTED.sampling is not None
    sampler = Sampler(it.bench.world, it.bench.workbench._states, never)
    with pytest.raises(WorkbenchError, match="No chat waits for this server"):
        await sampler.sample(replace(WANTED, workspace="w"), WANTED.sampling)


@in_loop
async def test_what_does_not_fit_the_model_is_not_shown():
    it = Sampled(read_sampling("poet", (("user", "word " * 500_000),), "", 50, 5_000_000, 100))
    await it.ask({"poet": "accept"})
    assert "tokens too long for the model of the chat" in it.outcome
    assert it.shown == []
