"""Tools of servers in a turn, and in the window's loop: a server that dies costs only its own result."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.fakes.chat_model import calls, words
from tests.fakes.engine import SETTINGS, Bench, TickingUtc, fake_bench, fake_world
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.mcp_runs import SAMPLE, hostile
from tests.fakes.mcp_runs import Bench as ServerBench
from tests.fakes.schemas import problems
from tests.fakes.tool_servers import FakeToolServers
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.workspace_store import MemoryWorkspaces
from workbench.cli.ask.asking import Asking, Text
from workbench.domain.mcp_question import McpQuestion, read_form
from workbench.domain.mcp_server import McpListing, McpServer, McpTool, approve, called
from workbench.domain.tool import ApprovalRule
from workbench.domain.workspace import EVERYWHERE, Filed, Workspace
from workbench.engine.events import Event, ToolAsked, ToolRan
from workbench.engine.intents import AnswerToolRequest, SendMessage, StartChat
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.state import WorkbenchState
from workbench.engine.workspace_intents import StartWorkspace
from workbench.tools.toolbox import JoinedTools
from workbench.tools.workspace_toolboxes import WorkspaceToolboxes


@in_loop
async def test_a_turn_with_servers_goes_on_whatever_they_do():
    async with ServerBench(SAMPLE, hostile("dying")) as servers:
        await servers.approved("sample")
        await servers.approved("dying")
        box = JoinedTools(FakeToolbox({"a.md": "Alpha."}), servers.servers)
        wanted = calls(
            ("sample__add", '{"a": 20, "b": 22}'),
            ("dying__act", "{}"),
            ("sample__surroundings", "{}"),
            ("sample__nothing", "{}"),
            ("read", '{"path": "a.md"}'),
        )
        rules = (
            ApprovalRule(("*__surroundings",), decision="never"),
            ApprovalRule(("dying__*",), decision="allow"),
        )
        known = Workspaces()
        known.note(Workspace(EVERYWHERE, rules=rules))
        bench = fake_bench(wanted, words("So."), toolbox=box, workspaces=known)

        def hear(event: Event, _: WorkbenchState) -> None:
            if isinstance(event, ToolAsked):
                bench.workbench.decide(AnswerToolRequest(event.chat, event.call.id, allowed=True))

        bench.workbench.subscribe(hear)
        await bench.start(settings=replace(SETTINGS, tools=tuple(tool.definition for tool in box.tools)))
        end = await bench.do(SendMessage("talk", "How much?"))
        assert (end.outcome.state, end.outcome.answer) == ("complete", "So.")
        (asked,) = bench.told(ToolAsked)
        assert asked.call.name == "sample__add", "although its server says that it only reads"
        assert asked.preview.summary.startswith("Use add (server sample), with:")
        told = {ran.call.name: ran.outcome.text for ran in bench.told(ToolRan)}
        assert (told["sample__add"], told["read"]) == ("42", "Alpha.")
        assert told["dying__act"].endswith("it may or may not have done what was asked. Go on without it.")
        assert told["sample__surroundings"].startswith("A rule of the user forbids this call.")
        assert told["sample__nothing"].startswith("There is no tool 'sample__nothing'.")
        assert [tool.name for tool in bench.model.requests[0].tools][-1] == "dying__act"


def asking_turn(form: McpQuestion) -> tuple[FakeToolServers, Bench]:
    """A turn that calls a server's tool, which asks the person by a form."""
    tool = McpTool("book", called("shop", "book"), "Books.", '{"type":"object"}')
    servers = FakeToolServers(
        {"shop": McpListing("shop", "connected", tools=(tool,))}, asks={tool.called: form}
    )
    store = MemoryHistory()
    world = fake_world(
        calls((tool.called, "{}")),
        words("So."),
        store=store,
        workspaces=Workspaces(MemoryWorkspaces(store), TickingUtc()),
        toolbox=FakeToolbox(),
        rooms=WorkspaceToolboxes(lambda where: FakeToolbox(), FakeToolbox(), lambda where: servers),
    )
    return servers, Bench(world)


@pytest.mark.parametrize(
    ("answers", "said", "told"),
    [
        ({}, "decline: {}", "declined (no --answer for it): shop asks: Who comes? [name (Name)]"),
        (
            {"shop": {"name": "Ada"}},
            "accept: {'name': 'Ada'}",
            "answered: shop asks: Who comes? [name (Name)]",
        ),
        ({"shop": {"name": ""}}, "decline: {}", "declined (--answer: name: it must be filled in): shop asks"),
    ],
)
def test_ask_answers_a_servers_question_from_a_file_or_declines_it(
    answers: dict[str, object], said: str, told: str, capsys: pytest.CaptureFixture[str]
):
    form = read_form(
        "shop",
        "Who comes?",
        {"properties": {"name": {"type": "string", "title": "Name"}}, "required": ["name"]},
    )

    @in_loop
    async def run() -> None:
        servers, bench = asking_turn(form)
        tool = servers.has["shop"].tools[0]
        shop = approve(McpServer("shop", "shop"), (tool,))
        settings = replace(SETTINGS, tools=(tool.definition,))
        place = Workspace("w", "Work", servers=(shop,))
        start = StartChat("talk", settings, filed=Filed("w"))
        await bench.workbench.dispatch(StartWorkspace(place, settings), start)
        asking = Asking(json=True, allow=True, stream=True, answers=answers)
        await asking.all([Text("Book it.")], "talk", bench.workbench)
        assert bench.workbench.state.questions == ()

    run()
    out, err = capsys.readouterr()
    assert told in err
    lines = {line["event"]: line for line in map(json.loads, out.splitlines())}
    assert lines["tool_ran"]["text"] == said
    question = {
        "server": "shop",
        "message": "Who comes?",
        "url": None,
        "fields": [{"name": "name", "title": "Name", "kind": "text", "required": True, "secret": False}],
        "action": said.partition(":")[0],
    }
    assert lines["question"] == {"event": "question", **question}
    assert lines["turn"]["questions"] == [question]
    assert lines["tool_progress"]["words"] == "half"
    assert problems("ask", {name: value for name, value in lines["turn"].items() if name != "event"}) == []
