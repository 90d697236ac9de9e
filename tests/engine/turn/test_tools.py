"""Calls of tools: understood or not, allowed or not, done or broken, and what the model is told."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from tests.fakes.chat_model import FakeModel, FakeModels, calls, words
from tests.fakes.engine import SETTINGS, Bench, FilesInMemory, fake_bench
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.stores import open_store
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.workspace_store import MemoryWorkspaces
from workbench.domain.message import Message
from workbench.domain.on_demand import NO_NAMES
from workbench.domain.tool import ApprovalRule, ToolOutcome
from workbench.domain.workspace import EVERYWHERE, Filed, Workspace
from workbench.engine.events import Event, ToolAsked, ToolRan, TurnEnded
from workbench.engine.intents import AnswerToolRequest, OpenChat, SendMessage, StartChat
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.state import WorkbenchState
from workbench.engine.tasks import Tasks
from workbench.engine.workspace_intents import FileChats, StartWorkspace
from workbench.engine.world import Limits
from workbench.tools.toolbox import WorkspaceTools
from workbench.wiring.folder import workspace_store

ASK = SendMessage("talk", "What is in it?")


async def ready(box: FakeToolbox, *answers: object, **changes: object) -> Bench:
    """A chat whose model may use the tools of a box."""
    bench = fake_bench(*answers, toolbox=box, **changes)  # type: ignore[arg-type]
    await bench.start(settings=replace(SETTINGS, tools=tuple(tool.definition for tool in box.tools)))
    return bench


def ruled(*rules: ApprovalRule) -> Workspaces:
    """Rules for all chats."""
    known = Workspaces()
    known.note(Workspace(EVERYWHERE, rules=rules))
    return known


def deciding(bench: Bench, allowed: bool) -> None:
    """Somebody who answers every question at once."""

    def hear(event: Event, _: WorkbenchState) -> None:
        if isinstance(event, ToolAsked):
            bench.workbench.decide(AnswerToolRequest(event.chat, event.call.id, allowed))

    bench.workbench.subscribe(hear)


async def results(bench: Bench) -> list[str]:
    """What the model was told, as it is kept."""
    return [text for role, text, _ in await bench.texts() if role == "tool"]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("read", '{"path": "a.md"}', "Alpha."),
        ("read", '{"path": "b.md"}', "There is no 'b.md'."),
        ("fly", "{}", "There is no tool 'fly'. Tools: read, grep, write."),
        ("read", '{"path": ', "The arguments are not a JSON object; write them as one."),
        ("read", '["a.md"]', "The arguments are not a JSON object; write them as one."),
        ("read", "[" * 100_000, "The arguments are not a JSON object; write them as one."),
        ("read", "", "There is no ''."),
    ],
)
def test_the_model_is_told_in_words_it_can_act_on(name: str, arguments: str, told: str):
    @in_calm_loop
    async def turn() -> None:
        bench = await ready(FakeToolbox({"a.md": "Alpha."}), calls((name, arguments)), words("So."))
        end = await bench.do(ASK)
        assert (end.outcome.state, end.outcome.answer) == ("complete", "So.")
        assert await results(bench) == [told]
        assert bench.model.requests[1].messages[-1].text == told
        (ran,) = bench.told(ToolRan)
        assert (ran.outcome.text, ran.outcome.failed) == (told, told != "Alpha.")

    turn()


@in_calm_loop
async def test_what_was_found_stands_before_the_question_again():
    """After much found text, the question is what the model should have in mind last."""
    box = FakeToolbox({"a.md": "Alpha."})
    bench = await ready(box, calls(("grep", '{"pattern": "Alpha"}')), words("So."))
    await bench.do(ASK)
    (told,) = await results(bench)
    opening, found, *_ = told.splitlines()
    assert (opening.startswith("<search_results"), found) == (True, "a.md")
    assert told.endswith("[User query]:\nWhat is in it?")


@in_calm_loop
async def test_a_long_result_is_cut_and_the_question_after_it_is_not():
    files = {f"{number}.md": "x" for number in range(100)}
    box = FakeToolbox(files | {"long.md": "y" * 500})
    both = calls(("grep", '{"pattern": "x"}'), ("read", '{"path": "long.md"}'))
    bench = await ready(box, both, words("So."), limits=Limits(tool_result_chars=50))
    await bench.do(ASK)
    found, read = await results(bench)
    assert found.endswith("[User query]:\nWhat is in it?")
    assert "more characters left out; ask for a smaller part]" in found
    assert read == "y" * 50 + "\n[450 more characters left out; ask for a smaller part]"


@pytest.mark.parametrize("allowed", [True, False])
def test_what_changes_the_world_is_asked_first(allowed: bool):
    @in_calm_loop
    async def turn() -> None:
        box = FakeToolbox()
        writing = calls(("write", '{"path": "a.md", "text": "New."}'))
        bench = await ready(box, writing, words("So."))
        deciding(bench, allowed)
        end = await bench.do(ASK)
        assert end.outcome.state == "complete"
        (asked,) = bench.told(ToolAsked)
        assert asked.preview.summary == "write a.md"
        assert box.files == ({"a.md": "New."} if allowed else {})
        told = "a.md was written." if allowed else "The user did not allow this call."
        assert (await results(bench))[0].startswith(told)
        record = (await bench.world.store.path("talk"))[2]
        undo = {"undo": {"path": "a.md", "before": None, "now": "New."}} if allowed else {"failed": True}
        assert record.metadata == {"tool": "write", **undo}

    turn()


@in_calm_loop
async def test_nothing_happens_while_nobody_has_decided():
    box = FakeToolbox()
    bench = await ready(box, calls(("write", '{"path": "a.md"}')), words("So."))
    await bench.workbench.dispatch(ASK)
    await until(lambda: bool(bench.told(ToolAsked)))
    await asyncio.sleep(0.02)
    running = bench.workbench.state.open["talk"].running
    assert running is not None
    assert (box.written, running.tools[0].outcome) == ([], None)
    await bench.workbench.dispatch(AnswerToolRequest("talk", "another call", allowed=True))
    await bench.workbench.dispatch(AnswerToolRequest("another chat", "c1", allowed=True))
    await asyncio.sleep(0.02)
    assert box.written == []
    await bench.workbench.dispatch(AnswerToolRequest("talk", "c1", allowed=True))
    await bench.workbench.dispatch(AnswerToolRequest("talk", "c1", allowed=False))
    outcome = await bench.workbench.until_ended("talk")
    assert outcome is not None
    assert (outcome.state, len(box.written)) == ("complete", 1)


@in_calm_loop
async def test_stop_while_a_person_is_asked_does_nothing_and_keeps_the_call():
    box = FakeToolbox()
    bench = await ready(box, calls(("write", '{"path": "a.md"}')), words("So."))
    await bench.workbench.dispatch(ASK)
    await until(lambda: bool(bench.told(ToolAsked)))
    bench.workbench.stop("talk")
    outcome = await bench.workbench.until_ended("talk")
    assert outcome is not None
    assert (outcome.state, box.written, len(bench.model.requests)) == ("stopped", [], 1)
    record = (await bench.world.store.path("talk"))[-1]
    assert isinstance(record.entry, Message)
    assert [call.name for call in record.entry.tool_calls] == ["write"]
    # Too late: nobody is asked any more.
    await bench.workbench.dispatch(AnswerToolRequest("talk", "c1", allowed=True))
    await asyncio.sleep(0.02)
    assert box.written == []


@in_calm_loop
async def test_stop_while_a_tool_changes_something_keeps_what_it_did():
    """Else a file is changed and nobody can find out, or undo it."""
    box = FakeToolbox(waits_s=0.1)
    bench = await ready(box, calls(("write", '{"path": "a.md", "text": "New."}')), words("So."))
    deciding(bench, allowed=True)
    await bench.workbench.dispatch(ASK)
    await until(lambda: bool(bench.told(ToolAsked)))
    await asyncio.sleep(0.02)
    bench.workbench.stop("talk")
    outcome = await bench.workbench.until_ended("talk")
    assert outcome is not None
    assert (outcome.state, box.files, len(bench.model.requests)) == ("stopped", {"a.md": "New."}, 1)
    record = (await bench.world.store.path("talk"))[-1]
    assert record.metadata["undo"] == {"path": "a.md", "before": None, "now": "New."}


@in_calm_loop
async def test_stop_while_a_slow_tool_changes_something_says_that_nobody_knows():
    box = FakeToolbox(waits_s=60)
    bench = await ready(box, calls(("write", '{"path": "a.md"}')), words("So."))
    deciding(bench, allowed=True)
    await bench.workbench.dispatch(ASK)
    await until(lambda: bool(bench.told(ToolAsked)))
    await asyncio.sleep(0.02)
    bench.workbench.stop("talk")
    outcome = await bench.workbench.until_ended("talk")
    assert outcome is not None
    assert outcome.state == "stopped"
    assert (await results(bench))[0].startswith("The user stopped this before it said whether it was done.")


@in_calm_loop
async def test_stop_while_a_tool_looks_ends_it():
    bench = await ready(FakeToolbox({"a.md": ""}, waits_s=60), calls(("read", '{"path": "a.md"}')))
    await bench.workbench.dispatch(ASK)
    await until(lambda: len(bench.model.requests) == 1)
    await asyncio.sleep(0.02)
    bench.workbench.stop("talk")
    outcome = await bench.workbench.until_ended("talk")
    assert outcome is not None
    assert (outcome.state, await results(bench)) == ("stopped", [])


@pytest.mark.parametrize("name", ["read", "write"])
def test_a_tool_that_breaks_is_reported_and_does_not_cost_the_answer(name: str):
    @in_calm_loop
    async def turn() -> None:
        reports: list[str] = []
        tasks = Tasks(lambda name, error: reports.append(f"{name}: {error}"))
        box = FakeToolbox(breaks=RuntimeError("bug"))
        bench = await ready(box, calls((name, "{}")), words("So."), tasks=tasks)
        deciding(bench, allowed=True)
        end = await bench.do(ASK)
        assert (end.outcome.state, end.outcome.answer) == ("complete", "So.")
        assert (await results(bench))[0].startswith("The tool itself failed.")
        assert reports == [f"tool {name} in talk: bug"]
        assert len(bench.told(TurnEnded)) == 1

    turn()


@in_calm_loop
async def test_only_the_tools_that_were_set_for_the_chat_can_be_called():
    box = FakeToolbox({"a.md": "Alpha."})
    bench = fake_bench(calls(("read", '{"path": "a.md"}')), words("So."), toolbox=box)
    await bench.start(settings=replace(SETTINGS, tools=(box.tools[1].definition,)))
    await bench.do(ASK)
    assert await results(bench) == ["There is no tool 'read'. Tools: grep."]


def always_allowing(bench: Bench) -> None:
    """Somebody who does not want to be asked again."""

    def hear(event: Event, _: WorkbenchState) -> None:
        if isinstance(event, ToolAsked):
            bench.workbench.decide(AnswerToolRequest(event.chat, event.call.id, True, always=True))

    bench.workbench.subscribe(hear)


WRITES = calls(("write", '{"path": "a.md", "text": "one"}'), ("write", '{"path": "b.md", "text": "two"}'))


@in_calm_loop
async def test_what_is_allowed_in_this_chat_is_not_asked_about_again():
    box = FakeToolbox()
    bench = await ready(box, WRITES, words("Done."), WRITES, words("Again."))
    always_allowing(bench)
    await bench.do(ASK)
    await bench.do(ASK)
    assert len(bench.told(ToolAsked)) == len(box.previewed) == 1
    assert [one["path"] for one in box.written] == ["a.md", "b.md"] * 2
    assert [ran.outcome.failed for ran in bench.told(ToolRan)] == [False] * 4


@in_calm_loop
async def test_it_holds_for_that_tool_in_that_chat_also_after_a_restart():
    box = FakeToolbox()
    bench = await ready(box, WRITES, words("Done."), WRITES, words("Done."))
    always_allowing(bench)
    await bench.do(ASK)
    await bench.start("other", replace(SETTINGS, tools=tuple(tool.definition for tool in box.tools)))
    await bench.do(SendMessage("other", "And here?"))
    assert [event.chat for event in bench.told(ToolAsked)] == ["talk", "other"]
    again = Bench(replace(bench.world, models=FakeModels(FakeModel([WRITES, words("Done.")]))))
    always_allowing(again)
    await again.workbench.dispatch(OpenChat("talk"))
    await again.do(ASK)
    assert again.told(ToolAsked) == []
    assert (await again.world.store.chat("talk")).filed.rules == (ApprovalRule(("write",), decision="allow"),)


@in_calm_loop
async def test_a_refusal_is_never_remembered():
    """Who refuses a call refuses that call: what comes next may be what they want."""
    box = FakeToolbox()
    bench = await ready(box, WRITES, words("Done."))

    def hear(event: Event, _: WorkbenchState) -> None:
        if isinstance(event, ToolAsked):
            bench.workbench.decide(AnswerToolRequest(event.chat, event.call.id, False, always=True))

    bench.workbench.subscribe(hear)
    await bench.do(ASK)
    assert (len(bench.told(ToolAsked)), box.written) == (2, [])


@in_calm_loop
async def test_never_in_this_chat_is_remembered_where_somebody_says_so():
    box = FakeToolbox()
    bench = await ready(box, WRITES, words("Done."), WRITES, words("Done."))

    def hear(event: Event, _: WorkbenchState) -> None:
        if isinstance(event, ToolAsked):
            bench.workbench.decide(AnswerToolRequest(event.chat, event.call.id, False, scope="chat"))

    bench.workbench.subscribe(hear)
    await bench.do(ASK)
    await bench.do(ASK)
    assert (len(bench.told(ToolAsked)), box.written) == (1, [])
    assert (await results(bench))[-1].startswith("A rule of the user forbids this call.")


@in_calm_loop
async def test_never_in_this_chat_holds_for_the_other_calls_of_the_same_answer(tmp_path: Path):
    """The rule is kept beside the loop: the chat as it is stored is older than what was decided."""
    box, three = FakeToolbox(), calls(*(("read", f'{{"path": "{name}"}}') for name in "abc"))
    store = open_store(tmp_path / "store.db")
    places = Workspaces(workspace_store(store))
    bench = await ready(box, three, words("So."), workspaces=places, store=store, attachments=FilesInMemory())
    await bench.workbench.dispatch(FileChats(("talk",), rules=(ApprovalRule(("read",), "a", "ask"),)))

    def hear(event: Event, _: WorkbenchState) -> None:
        if isinstance(event, ToolAsked):
            bench.workbench.decide(AnswerToolRequest(event.chat, event.call.id, False, scope="chat"))

    bench.workbench.subscribe(hear)
    await bench.do(ASK)
    told = await results(bench)
    assert [text.startswith("A rule of the user forbids this call.") for text in told] == [False, True, True]
    assert len(bench.told(ToolAsked)) == 1
    await bench.workbench.close()


@in_calm_loop
async def test_a_rule_holds_whoever_looks_at_the_chat_as_it_was_before():
    """What is shown may be older than what is kept: a look at it brought the old rules back for a running turn."""
    box = FakeToolbox({"a": "Alpha."})
    both = calls(("write", '{"path": "b", "text": "x"}'), ("read", '{"path": "a"}'))
    bench = await ready(box, both, words("So."))
    before = await bench.world.store.chat("talk")
    await bench.workbench.dispatch(ASK)
    await until(lambda: bool(bench.told(ToolAsked)))
    never = ApprovalRule(("read",), decision="never")
    await bench.workbench.dispatch(FileChats(("talk",), rules=(never,)))
    bench.world.workspaces.effective(before, before.settings)
    bench.workbench.decide(AnswerToolRequest("talk", bench.told(ToolAsked)[0].call.id, True))
    await bench.workbench.until_ended("talk")
    told = await results(bench)
    assert [text.startswith("A rule of the user forbids this call.") for text in told] == [False, True]


@in_calm_loop
async def test_rules_decide_before_anybody_is_asked():
    """Never: the model is told so, without a question, even after "always in this chat"; looking can be asked about."""
    rules = (
        ApprovalRule(("*",), "secrets/**", "never"),
        ApprovalRule(("write",), "docs/**", "allow"),
        ApprovalRule(("grep",), decision="ask"),
    )
    wanted = [("write", "docs/a.md"), ("write", "b.md"), ("write", "secrets/c"), ("read", "./secrets//key")]
    asked = calls(*((name, f'{{"path": "{path}"}}') for name, path in wanted), ("grep", '{"pattern": "x"}'))
    box = FakeToolbox({"./secrets//key": "s3cret"})
    bench = await ready(box, asked, words("So."), workspaces=ruled(*rules))
    always_allowing(bench)
    await bench.do(ASK)
    assert [event.call.name for event in bench.told(ToolAsked)] == ["write", "grep"]
    assert [one["path"] for one in box.written] == ["docs/a.md", "b.md"]
    told = await results(bench)
    assert [text.startswith("A rule of the user forbids this call.") for text in told] == [
        False,
        False,
        True,
        True,
        False,
    ]


@in_calm_loop
async def test_what_is_allowed_in_a_workspace_is_kept_there():
    box, store = FakeToolbox(), MemoryHistory()
    places = MemoryWorkspaces(store)
    bench = fake_bench(
        *(WRITES, words("Done."), WRITES, words("Again.")),
        toolbox=box,
        store=store,
        workspaces=Workspaces(places),
    )
    tools = replace(SETTINGS, tools=tuple(tool.definition for tool in box.tools))
    await bench.workbench.dispatch(StartWorkspace(Workspace("w", "Work"), tools))
    for chat in ("talk", "other"):
        await bench.workbench.dispatch(StartChat(chat, tools, filed=Filed("w")))

    def hear(event: Event, _: WorkbenchState) -> None:
        if isinstance(event, ToolAsked):
            bench.workbench.decide(AnswerToolRequest(event.chat, event.call.id, True, scope="workspace"))

    bench.workbench.subscribe(hear)
    await bench.do(ASK)
    assert len(bench.told(ToolAsked)) == 1
    await until(lambda: bool(bench.workbench.state.workspaces["w"].rules))
    assert (await places.workspaces())[0].rules == (ApprovalRule(("write",), decision="allow"),)
    await bench.do(replace(ASK, chat="other"))
    assert (len(bench.told(ToolAsked)), len(box.written)) == (1, 4), "another chat of it is not asked again"
    assert AnswerToolRequest("talk", "c1", True, always=True).lasts == "chat"
    assert AnswerToolRequest("talk", "c1", True).lasts == "once"


@in_calm_loop
async def test_a_search_through_everything_is_one_of_what_is_forbidden(tmp_path: Path):
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "key").write_text("s3cret")
    rules = (ApprovalRule(("*",), "secrets/**", "never"),)
    searches = calls(("grep", '{"pattern": "s3cret"}'), ("grep", '{"pattern": "s3cret", "path": null}'))
    box = WorkspaceTools(tmp_path)
    bench = fake_bench(searches, words("So."), toolbox=box, workspaces=ruled(*rules))
    await bench.start(settings=replace(SETTINGS, tools=tuple(one.definition for one in box.tools)))
    await bench.do(ASK)
    told = await results(bench)
    assert [text.startswith("A rule of the user forbids this call.") for text in told] == [True, True]


@in_calm_loop
async def test_on_demand_a_definition_follows_when_the_model_asks_and_the_start_of_the_request_stays():
    box = FakeToolbox({"a.md": "Alpha."})
    asked = calls(("describe_tools", '{"names": ["read"]}'))
    used = calls(("use_tool", '{"name": "read", "arguments": {"path": "a.md"}}'))
    bench = fake_bench(asked, used, words("So."), toolbox=box)
    tools = tuple(replace(tool.definition, description="It is long. " * 60) for tool in box.tools)
    await bench.start(settings=replace(SETTINGS, tools=tools, tools_on_demand=True))
    assert (await bench.do(ASK)).outcome.answer == "So."
    described, read = await results(bench)
    assert (described.count('"name": "read"'), read) == (1, "Alpha.")
    assert [event.call.name for event in bench.told(ToolRan)] == ["describe_tools", "read"]
    requests = bench.model.requests
    assert [[tool.name for tool in one.tools] for one in requests] == [["describe_tools", "use_tool"]] * 3
    for before, after in pairwise(requests):
        said = [
            [(one.role, one.text, one.tool_calls) for one in request.messages] for request in (before, after)
        ]
        assert (after.tools, said[1][: len(said[0])]) == (before.tools, said[0])


@in_calm_loop
async def test_on_demand_who_asks_for_no_tool_is_told_how():
    box = FakeToolbox({})
    bench = fake_bench(calls(("describe_tools", '{"names": null}')), words("So."), toolbox=box)
    tools = tuple(replace(tool.definition, description="It is long. " * 60) for tool in box.tools)
    await bench.start(settings=replace(SETTINGS, tools=tools, tools_on_demand=True))
    assert (await bench.do(ASK)).outcome.answer == "So."
    assert [event.outcome for event in bench.told(ToolRan)] == [ToolOutcome(NO_NAMES, failed=True)]


@in_calm_loop
async def test_on_demand_a_change_is_asked_about_as_the_tool_that_makes_it():
    box = FakeToolbox({})
    used = calls(("use_tool", '{"name": "write", "arguments": {"path": "b.md", "text": "x"}}'))
    bench = fake_bench(used, words("So."), toolbox=box)
    tools = tuple(replace(tool.definition, description="It is long. " * 60) for tool in box.tools)
    await bench.start(settings=replace(SETTINGS, tools=tools, tools_on_demand=True))
    deciding(bench, False)
    await bench.do(ASK)
    (event,) = bench.told(ToolAsked)
    assert (event.call.name, box.written) == ("write", [])
