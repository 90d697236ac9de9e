"""Servers that ask the person, tell of their progress and are cancelled: the library's, on both protocols."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace

import pytest
from mcp_types import ElicitRequestFormParams, ElicitResult, ErrorData

from tests.fakes.loop import in_loop, until
from tests.fakes.mcp_runs import HERE, Bench
from tests.fakes.server_fronts import FakeFront
from workbench.domain.mcp_question import McpAnswer, McpQuestion, check_answer
from workbench.domain.mcp_server import McpServer
from workbench.domain.tool import ToolOutcome, ToolProgress
from workbench.ports.tools import TellingTool
from workbench.tools.mcp.limits import McpLimits
from workbench.tools.mcp.running_calls import RunningCalls
from workbench.tools.mcp.servers import McpServers

ASKING = McpServer("asking", sys.executable, (str(HERE / "asking_mcp.py"),))
LEGACY = replace(ASKING, args=(*ASKING.args, "legacy"))


def agree(question: McpQuestion) -> McpAnswer | None:
    """Says yes to the table and to pages, no to everything else."""
    if question.url:
        return McpAnswer("accept")
    if question.message == "Who comes?":
        return McpAnswer("accept", check_answer(question, {"name": "Ada", "people": 3, "size": "large"}))
    return McpAnswer("decline")


@pytest.mark.parametrize("server", [ASKING, LEGACY], ids=["2026-07-28", "2025-11-25"])
def test_a_server_asks_the_person_and_tells_how_far_it_is(server: McpServer):
    @in_loop
    async def run() -> None:
        limits = McpLimits(questions=3)
        async with Bench(server, limits=limits) as bench:
            front = FakeFront(agree)
            bench.servers.attend(front)
            await bench.approved("asking")
            booked = await bench.call("asking__book")
            assert booked.text == "accept: {'name': 'Ada', 'people': 3, 'size': 'large'}"
            assert (await bench.call("asking__steal")).text == "decline"
            assert front.asked[-1].secret
            assert (await bench.call("asking__visit")).text == "accept"
            page = front.asked[-1]
            assert (page.server, page.host) == ("asking", "pay.example.com")
            assert (await bench.call("asking__first")).text == "paid", "visited first, then called again"

            asked = len(front.asked)
            opened = await bench.call("asking__visit", {"url": "file:///etc/passwd"})
            assert "https://" in opened.text
            assert len(front.asked) == asked, "an address that is none of a page is not shown"
            nagged = await bench.call("asking__nag")
            assert nagged.failed
            assert "more than 3 questions" in nagged.text
            assert len(front.asked) - asked == 3

            told: list[ToolProgress] = []
            work = next(one for one in bench.servers.tools("asking") if one.definition.name == "asking__work")
            assert isinstance(work, TellingTool)
            assert (await work.run_telling({"steps": 2}, told.append)).text == "worked"
            await until(lambda: len(told) == 2)
            assert told == [
                ToolProgress("step 1<U+202E> of 2", 0.5),
                ToolProgress("step 2<U+202E> of 2", 1.0),
            ]

    run()


@pytest.mark.parametrize("server", [ASKING, LEGACY], ids=["2026-07-28", "2025-11-25"])
def test_who_stops_a_call_stops_it_at_the_server_and_its_question_goes(server: McpServer):
    @in_loop
    async def run() -> None:
        async with Bench(server) as bench:
            front = FakeFront(lambda question: None)
            bench.servers.attend(front)
            await bench.approved("asking")
            tools = {one.definition.name: one for one in bench.servers.tools("asking")}
            told: list[ToolProgress] = []
            hanging = tools["asking__hang"]
            assert isinstance(hanging, TellingTool)
            calls = asyncio.gather(hanging.run_telling({}, told.append), tools["asking__book"].run({}))
            await until(lambda: bool(told and front.asked))
            calls.cancel()
            await until(lambda: len(front.withdrawn) == 1)
            assert isinstance(bench.servers, McpServers)
            child = bench.servers._sessions["asking"]._child
            assert child is not None
            ended = child.last_lines
            await until(lambda: "cancelled by CancelledError" in ended())
            assert (await bench.call("asking__work", {"steps": 0})).text == "worked", "the server goes on"

    run()


@in_loop
async def test_no_time_runs_while_the_person_is_asked():
    """A form that took longer to fill in than a call may take failed after it was sent."""
    async with Bench(ASKING, limits=McpLimits(call_s=0.3)) as bench:
        answered = asyncio.Event()

        class Slow(FakeFront):
            async def ask(self, question: McpQuestion) -> McpAnswer:
                self.asked.append(question)
                await answered.wait()
                return McpAnswer("cancel")

        front = Slow()
        bench.servers.attend(front)
        await bench.approved("asking")
        call = asyncio.gather(bench.call("asking__book"), asyncio.sleep(0))
        await until(lambda: bool(front.asked))
        await asyncio.sleep(0.6)
        answered.set()
        assert (await call)[0] == ToolOutcome("cancel: None")
        assert (await bench.call("asking__hang")).text.startswith("asking did not answer within 0.3 seconds")


@in_loop
async def test_without_a_person_questions_are_declined():
    async with Bench(ASKING) as bench:
        await bench.approved("asking")
        assert (await bench.call("asking__book")).text == "decline: None"


@in_loop
async def test_who_was_asked_for_nothing_has_nothing_to_ask():
    """A server could have put its questions to the person at any time, over whatever they do."""
    asked: list[McpQuestion] = []

    def ask(question: McpQuestion) -> asyncio.Future[McpAnswer]:
        asked.append(question)
        answer: asyncio.Future[McpAnswer] = asyncio.get_running_loop().create_future()
        answer.set_result(McpAnswer("accept", {"a": "b"}))
        return answer

    calls = RunningCalls("s", McpLimits(), ask)
    form = ElicitRequestFormParams(message="?", requested_schema={"properties": {"a": {"type": "string"}}})
    refused = await calls.on_question(None, form)
    assert isinstance(refused, ErrorData)
    assert asked == []
    async with calls.in_time():
        answer = await calls.on_question(None, form)
        assert answer == ElicitResult(action="accept", content={"a": "b"})
        wrong = ElicitRequestFormParams(
            message="?", requested_schema={"properties": {"a": {"type": "object"}}}
        )
        assert isinstance(await calls.on_question(None, wrong), ErrorData)
    assert len(asked) == 1
