"""One question over variants, models and repeats."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.engine.influence.test_asking import PerMillion
from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import Forever, Step, calls, words
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.pictures import png
from tests.fakes.turns import artifact, fake_builder
from workbench.context.answer_checks import search_here
from workbench.domain.answer import Failure, Finished, TextGrew, UsageReported
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.experiment import Experiment, Plan, parse_check
from workbench.domain.record import TurnRecord
from workbench.domain.usage import Usage
from workbench.domain.variant import Variant, parse_variant
from workbench.engine.comparing import read_branch
from workbench.engine.experiment.taking import keep_experiment, last_experiment
from workbench.engine.experiment.trial import ExperimentRun, read_beside
from workbench.engine.intents import AttachArtifact, AttachPicture, SendMessage
from workbench.engine.tasks import Stopper

HERE = replace(WORD_MODEL, provider="builtin")
OTHER = replace(HERE, name="other")
HOSTED = replace(WORD_MODEL, provider="openai")
WITHOUT = parse_variant("Without=attach.a.md=out")


def said(text: str, prompt: int = 100, out: int = 10) -> list[Step]:
    return [TextGrew(text), UsageReported(Usage(prompt, completion_tokens=out)), Finished("stop")]


async def asked_once(*answers: list[Step], **changes: object) -> tuple[Bench, TurnRecord]:
    builder = changes.pop("builder", fake_builder(HERE, OTHER))
    bench = fake_bench(words("First."), *answers, builder=builder, **changes)
    await bench.start()
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", "Alpha beta gamma. " * 9)))
    await bench.do(SendMessage("talk", "Which one?"))
    (turn,) = await bench.world.store.turns("talk")
    return bench, turn


async def trial_of(bench: Bench, turn: TurnRecord, plan: Plan) -> ExperimentRun:
    line = await read_branch(bench.world.store, "talk", turn)
    return ExperimentRun(line, plan, bench.world, await read_beside(line, bench.world))


async def ran(bench: Bench, turn: TurnRecord, plan: Plan) -> Experiment:
    trial = await trial_of(bench, turn, plan)
    return await trial.run(Stopper(bench.world.tasks), lambda done, planned, left_s: None)


@in_calm_loop
async def test_every_cell_is_asked_with_its_own_request_those_of_a_model_together():
    bench, turn = await asked_once(said("Alpha."))
    plan = Plan((WITHOUT,), (WORD_MODEL.name, "other"), 2, checks=(parse_check("contains:Alpha"),))
    found = await ran(bench, turn, plan)
    assert [(one.variant, one.model, one.repeat) for one in found.cells] == [
        (variant, model, repeat)
        for variant in ("As sent", "Without")
        for model in (WORD_MODEL.name, "other")
        for repeat in (1, 2)
    ]
    assert all(one.passed and one.prompt_tokens == 100 for one in found.cells)
    requests = bench.model.requests[1:]
    assert [one.model for one in requests] == sorted(one.model for one in requests)
    texts = ["".join(message.text for message in one.messages) for one in requests]
    assert [text == before for text, before in zip(texts[1::2], texts[::2], strict=True)] == [True] * 4
    assert sum("Alpha beta" in text for text in texts) == 4
    assert (found.spent_usd, found.notes) == (0.0, ())


@pytest.mark.parametrize("cap", [0.0, 0.0008, 0.001, 0.002, 0.01])
@in_calm_loop
async def test_a_cap_is_never_passed_and_what_is_there_is_kept(cap: float):
    """Each answer costs less than it may: what is reserved is all of the input and the longest answer."""
    bench, turn = await asked_once(said("Yes."), prices=PerMillion(2.0, 8.0), builder=fake_builder(HOSTED))
    plan = Plan(repeats=12, cap_usd=cap, longest_answer=100)
    trial = await trial_of(bench, turn, plan)
    assert trial.most_usd is not None
    assert trial.expected_usd is not None
    assert trial.expected_usd <= trial.most_usd
    found = await ran(bench, turn, plan)
    assert found.spent_usd is not None
    assert found.spent_usd <= cap
    one, most = 0.00028, trial.most_usd / 12  # what an answer costs, and what is reserved for it
    asked = sum(place * one + most <= cap for place in range(12))
    assert found.asked == len(bench.model.requests) - 1 == asked
    assert bool(found.notes) == (found.asked < 12)


@in_calm_loop
async def test_no_more_is_reserved_than_the_longest_answer_that_is_asked_for():
    """A short reply reserve kept most of a cap from being used."""
    bench, turn = await asked_once(said("Yes."), prices=PerMillion(2.0, 8.0), builder=fake_builder(HOSTED))
    short = Variant("Short", {"reserved_output_tokens": 10})
    plain, both = await trial_of(bench, turn, Plan()), await trial_of(bench, turn, Plan((short,)))
    assert plain.most_usd is not None
    assert both.most_usd is not None
    await ran(bench, turn, Plan((short,)))
    longest = sorted(one.max_output_tokens or 0 for one in bench.model.requests[1:])
    assert longest[0] == 10
    saved = (longest[1] - longest[0]) * 8.0 / 1e6
    assert both.most_usd - plain.most_usd == pytest.approx(plain.most_usd - saved)


@in_calm_loop
async def test_pictures_and_parameters_of_the_chat_go_along():
    """A question with a picture was asked again without it."""
    bench, _ = await asked_once(said("A cat."), builder=fake_builder(replace(HERE, images=True)))
    await bench.workbench.dispatch(AttachPicture("talk", png(64, 64)))
    chat = await bench.world.store.chat("talk")
    await bench.world.store.save_chat(replace(chat, parameters={"top_p": 0.5}))
    await bench.do(SendMessage("talk", "What is this?"))
    turn = await bench.world.store.last_turn("talk")
    assert turn is not None
    await ran(bench, turn, Plan())
    sent, again = bench.model.requests[-2:]
    assert len(sent.pictures) == 1
    assert again.pictures == sent.pictures
    assert again.parameters == sent.parameters == {"top_p": 0.5}


@in_calm_loop
async def test_without_a_price_a_cap_cannot_be_kept():
    bench, turn = await asked_once(builder=fake_builder(HOSTED))
    with pytest.raises(InvalidInput, match="no price is known"):
        await trial_of(bench, turn, Plan(cap_usd=1.0))
    assert (await trial_of(bench, turn, Plan())).most_usd is None


@in_calm_loop
async def test_a_cell_that_fails_says_why_and_the_others_are_asked():
    bench, turn = await asked_once([Failure("network", "The server is gone.")], said("Yes."))
    found = await ran(bench, turn, Plan(repeats=2))
    assert [one.state for one in found.cells] == ["failed", "complete"]
    assert found.cells[0].problem == "The server is gone."


@in_calm_loop
async def test_a_stop_keeps_what_was_answered():
    bench, turn = await asked_once(said("Yes."), [TextGrew("Half"), Forever()])
    trial = await trial_of(bench, turn, Plan(repeats=3))
    stopper = Stopper(bench.world.tasks)
    running = bench.world.tasks.start("try", trial.run(stopper, lambda done, planned, left_s: None))
    await until(lambda: len(bench.model.requests) == 3)
    stopper.stop()
    found = await running
    assert [one.state for one in found.cells] == ["complete", "waiting", "waiting"]
    assert "Stopped. 1 of 3" in found.notes[0]


@in_calm_loop
@pytest.mark.parametrize("told", [None, 0, 40, 500_000_000, -7, "many"])
async def test_what_is_expected_is_never_more_than_what_it_may_cost(told: object):
    """A server that said half a milliard of tokens made it about $4,000, at most 5 cents."""
    bench, turn = await asked_once(prices=PerMillion(2.0, 8.0), builder=fake_builder(HOSTED))
    sent = replace(turn, usage={"completion_tokens": told})
    plan = Plan(
        repeats=2, checks=(parse_check("judged:short"), parse_check("judged:kind")), judge=HOSTED.name
    )
    trial = await trial_of(bench, sent, plan)
    assert trial.expected_usd is not None
    assert trial.most_usd is not None
    assert 0 < trial.expected_usd <= trial.most_usd


@in_calm_loop
async def test_a_request_that_is_stopped_counts_as_paid():
    """What was read of it is on the bill, and what it wrote."""
    bench, turn = await asked_once(
        said("Yes."),
        [TextGrew("word " * 60), Forever()],
        prices=PerMillion(2.0, 8.0),
        builder=fake_builder(HOSTED),
    )
    trial, stopper = await trial_of(bench, turn, Plan(repeats=3)), Stopper(bench.world.tasks)
    running = bench.world.tasks.start("try", trial.run(stopper, lambda done, planned, left_s: None))
    await until(lambda: len(bench.model.requests) == 3)
    stopper.stop()
    unwritten = ((bench.model.requests[-1].max_output_tokens or 0) - 100) * 8.0 / 1e6
    assert (await running).spent_usd == pytest.approx(0.00028 + (trial.most_usd or 0.0) / 3 - unwritten)


@pytest.mark.parametrize(
    ("answer", "state", "why"),
    [
        ([TextGrew("Half"), Finished("length")], "complete", "cut off: 250 tokens are the most"),
        (
            [TextGrew("Let me look."), *calls(("read", "{}"))],
            "complete",
            "called read, and tools are not run",
        ),
        (calls(("read", "{}")), "failed", "called read, and tools are not run"),
        ([TextGrew("No."), Finished("refusal")], "complete", "by its rules"),
    ],
)
@in_calm_loop
async def test_an_answer_that_is_not_whole_says_so(answer: list[Step], state: str, why: str):
    bench, turn = await asked_once(answer)
    (cell,) = (await ran(bench, turn, Plan(checks=(parse_check("lacks:Yes"),)))).cells
    assert cell.state == state
    assert why in cell.problem
    assert len(cell.checks) == (state == "complete")


@in_calm_loop
async def test_what_was_stopped_before_an_answer_keeps_none():
    bench, turn = await asked_once([Forever()])
    trial, stopper = await trial_of(bench, turn, Plan(repeats=2)), Stopper(bench.world.tasks)
    running = bench.world.tasks.start("try", trial.run(stopper, lambda done, planned, left_s: None))
    await until(lambda: len(bench.model.requests) == 2)
    stopper.stop()
    assert (await running).notes == ("Stopped before the first answer was there. Nothing is kept.",)


@in_calm_loop
async def test_a_model_that_nobody_knows_is_said_before_anything_is_asked():
    bench, turn = await asked_once()
    for plan in (Plan(models=("nonsense:",)), Plan(checks=(parse_check("judged:short"),), judge="nonsense:")):
        with pytest.raises(InvalidInput, match="names no model"):
            (await trial_of(bench, turn, plan)).open_models()


@in_calm_loop
async def test_it_is_kept_with_the_question_and_read_back():
    bench, turn = await asked_once(said("Yes."))
    assert await last_experiment(turn, bench.world.store) is None
    plan = Plan((WITHOUT, Variant("Narrow", {"history.threshold": 0.5})), checks=(parse_check("json"),))
    tried = [await ran(bench, turn, plan) for _ in range(7)]
    for found in tried:
        await keep_experiment(found, turn, bench.world.store)
    assert await last_experiment(turn, bench.world.store) == tried[-1]
    record = next(one for one in await bench.world.store.path("talk") if one.id == turn.question)
    assert len(record.metadata["experiments"]) == 5


@in_calm_loop
async def test_what_does_not_fit_or_cannot_be_built_is_said_and_the_others_are_asked():
    """One column that did not fit kept all others from being asked."""
    bench, turn = await asked_once(said("Yes."))
    small = Variant("Small", {"context_window": 12, "reserved_output_tokens": 4})
    gone = parse_variant("Gone=attach.b.md=out")
    plan = Plan((small, gone, WITHOUT))
    problems = (await trial_of(bench, turn, plan)).problems
    assert [one.split(" with ")[0] for one in problems] == ["Small", "Gone"]
    found = await ran(bench, turn, plan)
    assert [one.state for one in found.cells] == ["complete", "waiting", "waiting", "complete"]
    assert "does not fit, over by" in found.cells[1].problem
    assert "not attached" in found.cells[2].problem
    assert found.asked == 2
    with pytest.raises(InvalidInput, match="no price"):
        await trial_of(*(await asked_once(builder=fake_builder(HOSTED))), Plan((small,), cap_usd=1.0))


@in_calm_loop
async def test_where_nothing_fits_nothing_is_asked():
    bench, turn = await asked_once(builder=fake_builder(HERE, replace(OTHER, context_window_tokens=12)))
    with pytest.raises(WorkbenchError, match=r"over by .* Nothing was asked\."):
        await trial_of(bench, turn, Plan(models=("other",)))


@in_calm_loop
async def test_what_has_no_question_or_is_too_much_is_said_before_anything_is_asked():
    bench, turn = await asked_once()
    ghost = replace(turn, built=replace(turn.built, inputs=replace(turn.built.inputs, question=None)))
    with pytest.raises(WorkbenchError, match="write one first"):
        await trial_of(bench, ghost, Plan())
    for repeats, why in ((0, "1 or more"), (201, "at most 200")):
        with pytest.raises(InvalidInput, match=why):
            await trial_of(bench, turn, Plan(repeats=repeats))
    assert len(bench.model.requests) == 1


@in_calm_loop
async def test_a_check_that_takes_too_long_is_named_and_the_others_are_made():
    """A pattern such as `(a+)+$` never ends: it is looked for beside the loop, by somebody who can end it."""

    def matches(pairs: Sequence[tuple[str, str]]) -> Sequence[bool]:
        assert threading.current_thread() is not threading.main_thread()
        if pairs[0][0] == "(a+)+$":
            raise WorkbenchError("The pattern took longer than 2 s and was ended, so this counts as failed.")
        return search_here(pairs)

    bench, turn = await asked_once(said("Alpha."), said("Beta."), matches=matches)
    checks = tuple(map(parse_check, ("matches:^A", "matches:(a+)+$", "contains:a")))
    first, second = (await ran(bench, turn, Plan(repeats=2, checks=checks))).cells
    assert [one for _, one in first.checks] == [True, False, True]
    assert [one for _, one in second.checks] == [False, False, True]
    assert first.problem.startswith("matches (a+)+$: The pattern took longer than 2 s and was ended")
    assert (first.answer, first.state, first.passed) == ("Alpha.", "complete", False)
