"""Tools of servers in a turn, and in the window's loop: a server that dies costs only its own result."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.chat_model import calls, words
from tests.fakes.engine import SETTINGS, fake_bench
from tests.fakes.loop import in_loop
from tests.fakes.mcp_runs import SAMPLE, hostile
from tests.fakes.mcp_runs import Bench as ServerBench
from tests.fakes.toolbox import FakeToolbox
from workbench.domain.tool import ApprovalRule
from workbench.domain.workspace import EVERYWHERE, Workspace
from workbench.engine.events import Event, ToolAsked, ToolRan
from workbench.engine.intents import AnswerToolRequest, SendMessage
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.state import WorkbenchState
from workbench.tools.toolbox import JoinedTools


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
