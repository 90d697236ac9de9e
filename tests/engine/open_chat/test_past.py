"""Past back: a request as it was sent, and two of them side by side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.chat_model import words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop
from tests.fakes.turns import artifact
from workbench.domain.answer import Failure
from workbench.domain.errors import NotKept
from workbench.domain.shown.diff_view import DiffView
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.engine.events import EnvelopeBuilt
from workbench.engine.intents import (
    AttachArtifact,
    ChangeSettings,
    CloseChat,
    CompareTurns,
    EditDraft,
    OpenChat,
    OpenTurn,
    RegenerateAnswer,
    SendMessage,
    ShowBranch,
    StartChat,
)


async def talk(*answers: str, parameters: dict[str, object] | None = None) -> Bench:
    """A chat of as many turns as answers, a file attached before the second."""
    bench = fake_bench(*(words(answer) for answer in answers))
    await bench.workbench.dispatch(StartChat("talk", SETTINGS, parameters=parameters or {}))
    for number in range(len(answers)):
        if number == 1:
            await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", "Alpha.")))
        await bench.do(SendMessage("talk", f"Question {number + 1}?"))
    return bench


def opened(bench: Bench) -> EnvelopeView:
    view = bench.workbench.state.open["talk"].opened
    assert view is not None
    return view


def compared(bench: Bench) -> DiffView:
    difference = bench.workbench.state.open["talk"].compared
    assert difference is not None
    return difference


@in_calm_loop
async def test_a_turn_is_shown_as_it_was_sent():
    bench = await talk("One.", "Two.", parameters={"top_p": 0.5})
    sent = [event.prepared for event in bench.told(EnvelopeBuilt)]
    for number, prepared in enumerate(sent, start=1):
        await bench.workbench.dispatch(OpenTurn("talk", number))
        view = opened(bench)
        row = bench.workbench.state.open["talk"].turns[number - 1]
        assert (view.turn, view.standing, view.sent_utc) == (number, "sent", row.sent_utc)
        assert view.total_tokens == prepared.built.envelope.total_tokens == row.total_tokens
        form = view.wire()
        assert form is not None
        assert form.body["top_p"] == 0.5
        assert form.digest == row.digest
    await bench.workbench.dispatch(OpenTurn("talk", None))
    assert bench.workbench.state.open["talk"].opened is None


@in_calm_loop
async def test_what_was_sent_is_only_read():
    bench = await talk("One.", "Two.")
    await bench.workbench.dispatch(OpenTurn("talk", 2))
    rows = [row for layer in opened(bench).layers for row in layer.rows]
    assert {row.key.id for row in rows} >= {"a.md"}
    assert not any(row.tunable or row.excludable for row in rows)


@in_calm_loop
async def test_an_opened_turn_says_how_it_differed_from_the_one_before():
    bench = await talk("One.", "Two.")
    await bench.workbench.dispatch(OpenTurn("talk", 1))
    assert opened(bench).diff() is None
    await bench.workbench.dispatch(OpenTurn("talk", 2))
    difference = opened(bench).diff()
    assert difference is not None
    assert (difference.before.turn, difference.after.turn) == (1, 2)
    assert difference.after.sent_utc, "without it the page calls it the next request"
    assert "a.md" in [cause.subject for cause in difference.causes]


@in_calm_loop
async def test_of_several_answers_the_one_in_view_is_opened():
    bench = await talk("One.")
    question, first = (record.id for record in await bench.world.store.path("talk"))
    await bench.workbench.dispatch(
        ChangeSettings("talk", replace(SETTINGS, system_prompt="Be brief and clear."))
    )
    await bench.do(RegenerateAnswer("talk", question))
    await bench.workbench.dispatch(OpenTurn("talk", 1))
    later = opened(bench).total_tokens
    await bench.workbench.dispatch(ShowBranch("talk", first))
    await bench.workbench.dispatch(OpenTurn("talk", 1))
    assert opened(bench).total_tokens < later


@in_calm_loop
async def test_a_turn_that_failed_is_found_beside_a_later_answer():
    """The newest turn of its question is another one, on another branch."""
    bench = fake_bench([Failure("rate", "Too many.")], words("Now."))
    await bench.start()
    await bench.do(SendMessage("talk", "Well?"))
    (question,) = (record.id for record in await bench.world.store.path("talk"))
    await bench.workbench.dispatch(
        ChangeSettings("talk", replace(SETTINGS, system_prompt="Be brief and clear."))
    )
    await bench.do(RegenerateAnswer("talk", question))
    answered = bench.workbench.state.open["talk"].turns[0].total_tokens
    store = bench.world.store
    await store.save_chat(replace(await store.chat("talk"), leaf=question))
    await bench.workbench.dispatch(OpenChat("talk"))
    (row,) = bench.workbench.state.open["talk"].turns
    assert (row.state, row.total_tokens < answered) == ("failed", True)
    await bench.workbench.dispatch(OpenTurn("talk", 1))
    assert opened(bench).total_tokens == row.total_tokens


@in_calm_loop
async def test_a_turn_that_is_not_there_is_said():
    bench = await talk("One.")
    for intent in (OpenTurn("talk", 2), CompareTurns("talk", 1, 9), CompareTurns("talk", 0)):
        with pytest.raises(NotKept, match="no turn"):
            await bench.workbench.dispatch(intent)


@in_calm_loop
async def test_two_turns_side_by_side():
    bench = await talk("One.", "Two.", "Three.")
    await bench.workbench.dispatch(CompareTurns("talk", 1, 3))
    difference = compared(bench)
    rows = bench.workbench.state.open["talk"].turns
    assert (difference.before.turn, difference.before.sent_utc) == (1, rows[0].sent_utc)
    assert (difference.after.turn, difference.after.total_tokens) == (3, rows[2].total_tokens)
    moved = [cause for cause in difference.causes if cause.kind == "turn"]
    assert [cause.numbers for cause in moved] == [(1, 2)]
    await bench.workbench.dispatch(CompareTurns("talk", None, None))
    assert bench.workbench.state.open["talk"].compared is None


@in_calm_loop
async def test_a_comparison_with_the_next_request_follows_what_is_typed():
    """Shown once and left, it would be about a question that is no longer there."""
    bench = await talk("One.", "Two.")
    await bench.workbench.dispatch(CompareTurns("talk", 1))
    assert compared(bench).after.turn == 3
    await bench.workbench.dispatch(EditDraft("talk", "And this?"))
    asked = compared(bench).causes[-1]
    assert (asked.kind, asked.texts()[1]) == ("question", "And this?")
    await bench.workbench.dispatch(CompareTurns("talk", 1, 2))
    told = len(bench.shows("compared"))
    await bench.workbench.dispatch(EditDraft("talk", "And that?"))
    assert len(bench.shows("compared")) == told


@in_calm_loop
async def test_the_next_request_may_stand_on_either_side():
    bench = await talk("One.")
    await bench.workbench.dispatch(CompareTurns("talk", None, 1))
    assert (compared(bench).before.turn, compared(bench).after.turn) == (2, 1)


@in_calm_loop
async def test_a_chat_that_is_closed_is_no_longer_followed():
    bench = await talk("One.")
    await bench.workbench.dispatch(CompareTurns("talk", 1))
    await bench.workbench.dispatch(CloseChat("talk"))
    told = len(bench.shows("compared"))
    await bench.do(SendMessage("talk", "More?"))
    assert len(bench.shows("compared")) == told
