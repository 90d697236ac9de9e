"""Answers judged by a model."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.engine.experiment.test_trial import HOSTED, asked_once, ran, said, trial_of
from tests.engine.influence.test_asking import PerMillion
from tests.fakes.chat_model import FakeModels, Forever
from tests.fakes.engine import fake_bench
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.tokenizer import WordTokenizer
from tests.fakes.turns import fake_builder
from tests.fakes.wires import OpenAiWire
from workbench.domain.answer import Failure
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.experiment import Plan, parse_check
from workbench.domain.usage import Usage
from workbench.engine.experiment.trial import Judge
from workbench.engine.intents import SendMessage
from workbench.engine.tasks import Stopper

POLITE = parse_check("judged:It is polite.")


@pytest.mark.parametrize(("verdict", "passed"), [("PASS", True), ("Fail.", False), ("It passes.", True)])
@in_calm_loop
async def test_the_verdict_is_the_model_s_word(verdict: str, passed: bool):
    bench, turn = await asked_once(said("Gladly: alpha."), said(verdict))
    (cell,) = (await ran(bench, turn, Plan(checks=(POLITE,)))).cells
    assert cell.checks == (("judged: It is polite.", passed),)
    asked = bench.model.requests[-1].messages[-1].text
    assert all(part in asked for part in ("It is polite.", "Which one?", "Gladly: alpha."))


@in_calm_loop
async def test_without_a_verdict_a_check_fails_and_the_answer_stays():
    bench, turn = await asked_once(
        said("Alpha."), said("Hm."), said("Beta."), [Failure("network", "It is gone.")]
    )
    found = await ran(bench, turn, Plan(repeats=2, checks=(POLITE, parse_check("contains:a"))))
    first, second = found.cells
    assert (first.answer, first.state, first.checks[0][1], first.checks[1][1]) == (
        "Alpha.",
        "complete",
        False,
        True,
    )
    assert "gave no verdict" in first.problem
    assert second.problem == "It is gone."


@pytest.mark.parametrize("cap", [0.0, 0.002, 0.004, 0.01])
@in_calm_loop
async def test_judging_is_paid_for_under_the_same_cap(cap: float):
    bench, turn = await asked_once(
        *[said("Yes."), said("PASS")] * 6, prices=PerMillion(2.0, 8.0), builder=fake_builder(HOSTED)
    )
    plan = Plan(repeats=6, cap_usd=cap, longest_answer=100, checks=(POLITE,))
    trial = await trial_of(bench, turn, plan)
    bare = await trial_of(bench, turn, Plan(repeats=6, longest_answer=100))
    assert (trial.most_usd or 0) > (bare.most_usd or 0)
    assert (trial.requests, trial.judgements) == (6, 6)
    found = await ran(bench, turn, plan)
    assert found.spent_usd is not None
    assert found.spent_usd <= cap
    asked = [cell for cell in found.cells if cell.state == "complete"]
    assert found.spent_usd == pytest.approx(sum((cell.usd or 0) + (cell.judge_usd or 0) for cell in asked))


@in_calm_loop
async def test_a_judge_without_a_price_is_refused_under_a_cap():
    bench, _ = await asked_once(builder=fake_builder(HOSTED))
    with pytest.raises(InvalidInput, match="no price is known"):
        Judge(HOSTED.name, "Which one?", bench.world, 1.0)
    judge = Judge(HOSTED.name, "Which one?", bench.world, None)
    assert judge.most((POLITE,), 100) is None
    with pytest.raises(WorkbenchError, match="no verdict"):
        await judge.passes(POLITE, "Yes.", lambda most: True)


@in_calm_loop
async def test_a_judge_that_fails_is_paid_for_as_if_it_had_read_all():
    """Otherwise requests that failed halfway could pass the cap together."""
    hosted = {"prices": PerMillion(2.0, 8.0), "builder": fake_builder(HOSTED)}
    bench, turn = await asked_once(said("Alpha."), [Failure("network", "It is gone.")], **hosted)
    (cell,) = (await ran(bench, turn, Plan(checks=(POLITE,), cap_usd=1.0))).cells
    assert cell.judge_usd


@pytest.mark.parametrize("question", ["Which one?", "a " * 900])
@in_calm_loop
async def test_what_is_reserved_for_a_judge_is_what_its_request_counts(question: str):
    """A third of its letters was reserved: a question in Chinese has a token a letter, and passed the cap."""
    bench, _ = await asked_once(said("PASS"), prices=PerMillion(2.0, 8.0), builder=fake_builder(HOSTED))
    judge = Judge(HOSTED.name, question, bench.world, 1.0)
    asked: list[float | None] = []

    def allows(most: float | None) -> bool:
        asked.append(most)
        return True

    await judge.passes(POLITE, "one two three", allows)
    assert judge.most((POLITE,), 3) == pytest.approx(asked[0])


@in_calm_loop
async def test_an_answer_too_long_to_be_judged_under_the_cap_is_kept_unjudged():
    """An answer may have more tokens for its judge than whoever wrote it reported."""
    hosted = {"prices": PerMillion(2.0, 8.0), "builder": fake_builder(HOSTED)}
    bench, turn = await asked_once(said("word " * 5_000), said("PASS", prompt=5_100), **hosted)
    found = await ran(bench, turn, Plan(checks=(POLITE,), cap_usd=0.006, longest_answer=100))
    (cell,) = found.cells
    assert (cell.state, cell.passed, len(bench.model.requests)) == ("complete", False, 2)
    assert "“It is polite.” was not judged, so it counts as failed: that may cost up to $0.01" in cell.problem
    assert found.spent_usd == pytest.approx(0.00028)


@in_calm_loop
async def test_a_cap_for_answers_alone_says_that_judging_is_counted():
    bench, turn = await asked_once(prices=PerMillion(2.0, 8.0), builder=fake_builder(HOSTED))
    found = await ran(bench, turn, Plan(checks=(POLITE,), cap_usd=0.001, longest_answer=100))
    assert found.notes[0].startswith("A cap of $0.001 allows no request: one with its judging may cost up to")
    assert (found.asked, len(bench.model.requests)) == (0, 1)


@in_calm_loop
async def test_a_stop_while_an_answer_is_judged_keeps_the_answer():
    """It was paid for, and gone."""
    hosted = {"prices": PerMillion(2.0, 8.0), "builder": fake_builder(HOSTED)}
    bench, turn = await asked_once(said("Alpha."), [Forever()], **hosted)
    trial = await trial_of(bench, turn, Plan(repeats=2, checks=(POLITE,), longest_answer=100))
    stopper = Stopper(bench.world.tasks)
    running = bench.world.tasks.start("try", trial.run(stopper, lambda done, planned, left_s: None))
    await until(lambda: len(bench.model.requests) == 3)
    stopper.stop()
    found = await running
    first, second = found.cells
    assert (first.state, first.answer, first.passed, second.state) == ("complete", "Alpha.", False, "waiting")
    assert "Stopped before it was checked" in first.problem
    assert "Stopped. 1 of 2" in found.notes[0]
    judged = trial.most_usd or 0.0
    assert 0.00028 < (found.spent_usd or 0.0) < judged / 2  # the answer, and what the judge may have read


class BillingServer:
    """Counts what it reads as its provider would, writes as much as it may, and adds up what that costs."""

    def __init__(self) -> None:
        self.usd: list[float] = []
        self._count = WordTokenizer().count

    async def act(self, connection: Connection) -> None:
        if connection.asked.method != "POST":
            await connection.whole(b"{}", "application/json")
            return
        asked = json.loads(connection.asked.body)
        wire, messages = OpenAiWire(), asked["messages"]
        answer = "PASS" if "PASS" in messages[0]["content"] else " ".join(["word"] * asked["max_tokens"])
        read = HOSTED.reply_tokens + sum(
            HOSTED.message_tokens + self._count(one["content"]) for one in messages
        )
        used = Usage(read, completion_tokens=self._count(answer))
        self.usd.append((read * 2.0 + self._count(answer) * 8.0) / 1e6)
        await connection.head()
        await connection.send(wire.text(answer), wire.finish("stop", used))


@pytest.mark.parametrize(("share", "asked"), [(0.0, 0), (0.99, 0), (1.0, 1), (1.7, 1), (3.0, 3)])
@in_calm_loop
async def test_what_a_provider_bills_for_answers_and_judge_is_never_over_the_cap(share: float, asked: int):
    """Every answer is as long as it may be, and the question is of short words: what is reserved is all used."""
    billing = BillingServer()
    async with FaultServer({"play": billing.act}) as server:
        bench = fake_bench(
            models=FakeModels(OpenAiWire().model(server.url("play"))),
            prices=PerMillion(2.0, 8.0), builder=fake_builder(HOSTED),
        )  # fmt: skip
        await bench.start()
        await bench.do(SendMessage("talk", "a " * 700))
        (turn,) = await bench.world.store.turns("talk")
        billing.usd.clear()
        plan = Plan(repeats=3, longest_answer=50, checks=(POLITE,) * 2)
        cap = share * ((await trial_of(bench, turn, plan)).most_usd or 0.0) / 3
        found = await ran(bench, turn, replace(plan, cap_usd=cap))
        await bench.workbench.close()
    assert sum(billing.usd) <= cap
    assert found.spent_usd == pytest.approx(sum(billing.usd))
    assert all(cell.passed for cell in found.cells if cell.state == "complete")
    assert len(billing.usd) == 3 * found.asked
    assert found.asked == asked
