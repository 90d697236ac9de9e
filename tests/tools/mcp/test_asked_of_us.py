"""What a server may ask of this program itself: its model, and its folder; neither unless a person allowed it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.mcp_runs import Bench
from tests.fakes.server_fronts import FakeFront
from tests.tools.mcp.test_questions import ASKING, LEGACY
from workbench.domain.errors import WorkbenchError
from workbench.domain.mcp_question import McpAnswer, McpQuestion
from workbench.domain.mcp_server import McpServer
from workbench.tools.mcp.limits import McpLimits

PROTOCOLS = pytest.mark.parametrize("server", [ASKING, LEGACY], ids=["2026-07-28", "2025-11-25"])

REFUSED = {
    "huge": "at most 100,000 characters",
    "tools": "No tools are used",
    "picture": "they must be text",
}


def answered(question: McpQuestion) -> McpAnswer:
    """What a model says."""
    assert question.sampling is not None
    return McpAnswer("accept", {"text": "Soon.", "model": "m", "stop": "endTurn"})


@PROTOCOLS
def test_a_model_is_asked_for_a_server_whose_text_is_shown_whole(server: McpServer):
    @in_loop
    async def run() -> None:
        async with Bench(replace(server, sampling=True), limits=McpLimits(questions=3)) as bench:
            front = FakeFront(answered)
            bench.servers.attend(front)
            await bench.approved("asking")
            assert (await bench.call("asking__ponder")).text == "Soon. (m, endTurn)"
            (question,) = front.asked
            wanted = question.sampling
            assert wanted is not None
            assert wanted.turns == (
                ("user", "You rhyme?"), ("assistant", "I do."), ("user", "Rhyme on <U+202E>moon."),
            )  # fmt: skip
            assert (wanted.system, wanted.answer_tokens) == ("You are a poet.", McpLimits().sampled_tokens)

            front.answers = lambda question: McpAnswer("decline")
            refused = await bench.call("asking__ponder")
            assert refused.failed
            assert "The user did not want this" in refused.text

            def no_model(question: McpQuestion) -> McpAnswer:
                raise WorkbenchError("The model is away.")

            front.answers = no_model
            assert "The model is away." in (await bench.call("asking__ponder")).text

            # What no model should get is refused before anybody is asked.
            asked, front.answers = len(front.asked), answered
            for kind, said in REFUSED.items():
                outcome = await bench.call("asking__ponder", {"kind": kind})
                assert outcome.failed
                # The library of a server refuses tools itself where they were not announced.
                assert said in outcome.text or (kind == "tools" and "sampling tools" in outcome.text)
            assert len(front.asked) == asked

            outcome = await bench.call("asking__ponder", {"kind": "loop"})
            assert "more than 3 questions" in outcome.text
            assert len(front.asked) == asked + 3
            assert (await bench.call("asking__work", {"steps": 0})).text == "worked", "the server goes on"

    run()


@PROTOCOLS
def test_the_folder_is_told_to_who_may_know_it(server: McpServer, tmp_path: Path):
    @in_loop
    async def run() -> None:
        async with Bench(replace(server, roots=True), folder=str(tmp_path)) as bench:
            await bench.approved("asking")
            assert (await bench.call("asking__where")).text == tmp_path.as_uri()
        async with Bench(replace(server, roots=True)) as bench:
            await bench.approved("asking")
            assert (await bench.call("asking__where")).text == "nowhere", "nor the folder programs start in"
        async with Bench(server, folder=str(tmp_path)) as bench:
            front = FakeFront(answered)
            bench.servers.attend(front)
            await bench.approved("asking")
            for tool in ("asking__where", "asking__ponder"):
                outcome = await bench.call(tool)
                assert outcome.failed
                assert str(tmp_path) not in outcome.text
            assert front.asked == []

    run()
