"""Relevance while a question is written: after a pause, only suggested, and never over a person's own choice."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.fakes.chat_model import words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.turns import artifact
from workbench.domain.errors import WorkbenchError
from workbench.domain.shown.attachment_view import Relevance, Suggestion
from workbench.engine.intents import AttachArtifact, CloseChat, EditDraft, SendMessage
from workbench.engine.open_chat.relevance import SETTLE_S
from workbench.engine.tuning_intents import (
    AskPriorities,
    AttachedChange,
    DismissSuggestions,
    OfferPriorities,
    TuneAttached,
    TuneMessages,
)

KEY = artifact("keys.md", "The spare key lies under the blue stone.", recoverable=False)
RIVER = artifact("river.md", "The river is wide and has many fish.", priority=3)
PICTURE = artifact("shot.png", "", kind="image")
QUESTION = "Where is the spare key?"
BOTH = (Suggestion("keys.md", 5, 2), Suggestion("river.md", 3, 7))


async def begun(*answers: Sequence[object]) -> Bench:
    bench = fake_bench(*answers)  # type: ignore[arg-type]
    await bench.start(settings=SETTINGS)
    await bench.workbench.dispatch(*(AttachArtifact("talk", one) for one in (KEY, RIVER, PICTURE)))
    return bench


def seen(bench: Bench) -> Relevance | None:
    return bench.workbench.state.open["talk"].relevance


async def written(bench: Bench, text: str = QUESTION) -> Relevance:
    await bench.workbench.dispatch(EditDraft("talk", text))
    await until(lambda: seen(bench) is not None)
    found = seen(bench)
    assert found is not None
    return found


def suggested(bench: Bench) -> tuple[Suggestion, ...]:
    found = seen(bench)
    return () if found is None else found.suggestions


@in_calm_loop
async def test_many_keys_are_one_look_which_ends_with_the_question():
    bench = await begun()
    for end in range(1, len(QUESTION)):
        await bench.workbench.dispatch(EditDraft("talk", QUESTION[:end]))
    assert SETTLE_S > 0
    assert seen(bench) is None, "never with a keystroke"
    found = await written(bench)
    assert dict(found.shares) == {"keys.md": 1.0, "river.md": 0.0}, "a picture has no words to compare"
    assert (found.suggestions, found.open) == (BOTH, True)
    assert len(bench.shows("relevance")) == 1
    await bench.workbench.dispatch(EditDraft("talk", "  "))
    assert seen(bench) is None
    await written(bench)
    await bench.do(SendMessage("talk", QUESTION, drafted=True))
    assert seen(bench) is None
    attached = bench.workbench.state.open["talk"].conversation.attached
    assert [one.priority for one in attached] == [5, 3, 5], "nothing is applied by itself"
    await bench.workbench.dispatch(EditDraft("talk", QUESTION), CloseChat("talk"))
    await bench.workbench.close()


@in_calm_loop
async def test_what_was_typed_and_taken_back_at_once_leaves_nothing_on_the_rows():
    """The rows kept how well everything fits the words that are not there any more."""
    bench = await begun()
    found = await written(bench)
    await bench.workbench.dispatch(EditDraft("talk", "Which fish?"), EditDraft("talk", QUESTION))
    await until(lambda: not bench.world.tasks.is_at("relevance in talk"))
    assert seen(bench) == found
    assert len(bench.shows("relevance")) == 1
    await bench.workbench.close()


@in_calm_loop
async def test_a_persons_own_number_wins_until_the_next_question_and_what_is_accepted_can_be_taken_back():
    bench = await begun()
    by_hand = TuneAttached("talk", (AttachedChange("river.md", priority=4),))
    await bench.workbench.dispatch(by_hand)
    assert (await written(bench)).suggestions == BOTH[:1]
    accepted = TuneAttached("talk", (AttachedChange("keys.md", priority=2),), suggested=True)
    await bench.workbench.dispatch(accepted)
    assert (suggested(bench), getattr(seen(bench), "open", None)) == ((), False)
    back = TuneAttached("talk", (AttachedChange("keys.md", priority=5),), suggested=True)
    await bench.workbench.dispatch(back)
    assert suggested(bench) == BOTH[:1]
    await bench.workbench.dispatch(TuneMessages("talk", leave_out=frozenset({"keys.md"})))
    assert suggested(bench) == (), "what is left out needs no priority"
    await bench.workbench.dispatch(TuneMessages("talk", put_back=frozenset({"keys.md"})))
    await bench.do(SendMessage("talk", QUESTION, drafted=True))
    assert (await written(bench)).suggestions == (BOTH[0], Suggestion("river.md", 4, 7))
    await bench.workbench.close()


@in_calm_loop
async def test_dismissed_holds_for_this_question_and_what_was_offered_stays_open_while_it_is_typed():
    bench = await begun()
    await written(bench)
    await bench.workbench.dispatch(EditDraft("talk", "Elephants"))
    await until(lambda: suggested(bench) == ())
    assert getattr(seen(bench), "open", None), "nothing jumps while somebody types"
    await bench.workbench.dispatch(EditDraft("talk", QUESTION))
    await until(lambda: suggested(bench) == BOTH)
    await bench.workbench.dispatch(DismissSuggestions("talk"))
    assert (suggested(bench), getattr(seen(bench), "open", None)) == ((), False)
    await bench.workbench.dispatch(EditDraft("talk", "And the river?"))
    await until(lambda: getattr(seen(bench), "shares", {}).get("river.md") == 1.0)
    assert suggested(bench) == ()
    await bench.workbench.dispatch(EditDraft("talk", ""))
    assert (await written(bench)).suggestions == BOTH
    await bench.workbench.close()


@in_calm_loop
async def test_a_model_is_asked_after_its_price_was_said_with_outlines_only_and_its_numbers_are_only_suggested():
    bench = await begun(words('```json\n{"river.md": 10, "keys.md": 1, "else.md": 2}\n```'), words("Sure!"))
    long = artifact("long.md", "# Alpha\n" + "It is secret inside. " * 400)
    await bench.workbench.dispatch(AttachArtifact("talk", long))
    with pytest.raises(WorkbenchError, match="Write your question first"):
        await bench.workbench.dispatch(OfferPriorities("talk"))
    await written(bench)
    await bench.workbench.dispatch(OfferPriorities("talk"))
    await until(lambda: _stage(bench) == "offered")
    found = seen(bench)
    assert found is not None
    assert found.opinion is not None
    assert (found.opinion.model, found.opinion.tokens > 0, bench.model.requests) == ("word-1", True, [])
    await bench.workbench.dispatch(AskPriorities("talk"))
    await until(lambda: _stage(bench) == "done")
    asked = bench.model.requests[-1].messages[-1].text
    assert QUESTION in asked
    assert "- long.md (8,408 characters)\n  Alpha" in asked
    assert "secret inside" not in asked
    assert suggested(bench) == (Suggestion("keys.md", 5, 1), Suggestion("river.md", 3, 10))
    await bench.workbench.dispatch(AskPriorities("talk"))
    await until(lambda: _stage(bench) == "failed")
    found = seen(bench)
    assert found is not None
    assert found.opinion is not None
    assert found.opinion.problem.startswith("No priority was changed. The model did not answer with")
    await bench.workbench.close()


def _stage(bench: Bench) -> str:
    found = seen(bench)
    return "" if found is None or found.opinion is None else found.opinion.stage
