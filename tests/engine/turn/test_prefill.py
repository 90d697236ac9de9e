"""An answer that the user begins: part of the request and of the answer, or refused before anything is sent."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.chat_model import FakeModel, FakeModels, Step, calls, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop
from tests.fakes.toolbox import FakeToolbox
from workbench.domain.answer import Failure, Finished, TextGrew, TokenLikely
from workbench.domain.probability import PROBABILITIES, Candidate, LikelyToken, likely_words
from workbench.domain.record import BEGUN_CHARS, PREFILL, split_draft, whole_draft
from workbench.engine.chats.drafts import joined
from workbench.engine.intents import (
    ContinueAnswer,
    EditDraft,
    EditQuestion,
    OpenChat,
    QueueMessage,
    RegenerateAnswer,
    SendMessage,
)

BEGIN = "Three changes:"
ASK = SendMessage("talk", "What changes?", prefill=BEGIN)


async def able(*answers: list[Step], prefill: bool = True, **changes: object) -> Bench:
    model = FakeModel(list(answers), refine=lambda card: replace(card, prefill=prefill))
    bench = fake_bench(models=FakeModels(model), **changes)
    if "store" in changes:
        await bench.workbench.dispatch(OpenChat("talk"))
    else:
        await bench.start()
    return bench


def sent(bench: Bench, number: int = -1) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in bench.model.requests[number].messages]


@in_calm_loop
async def test_the_answer_is_the_beginning_and_the_rest_and_says_where_it_began():
    bench = await able(words(" one."), words(" Sure."))
    end = await bench.do(ASK)
    assert sent(bench)[-2:] == [("user", "What changes?"), ("assistant", BEGIN)]
    assert end.outcome.answer == f"{BEGIN} one."
    question, answer = await bench.world.store.path("talk")
    assert question.hints == {PREFILL: BEGIN}
    assert answer.metadata[BEGUN_CHARS] == len(BEGIN)
    turn = await bench.world.store.last_turn("talk")
    assert turn is not None
    layer = turn.built.envelope.layer("L5_USER")
    assert [one.kind for one in layer.segments] == ["user", "beginning"]
    assert all(layer.tokens)
    assert turn.built.envelope.layer("L3_TURN").segments == ()


@in_calm_loop
async def test_the_next_request_goes_on_from_the_whole_answer_in_both_layouts():
    """The log was begun anew after every begun answer, since its last message had changed."""
    for layout in ("layered", "append_only"):
        bench = await able(words(" one."), words(" Sure."))
        await bench.workbench.dispatch(OpenChat("talk"))
        settings = replace(SETTINGS, layout=layout)
        await bench.do(replace(ASK, once=settings))
        await bench.do(SendMessage("talk", "And?", once=settings))
        assert sent(bench)[1:] == [
            ("user", "What changes?"), ("assistant", f"{BEGIN} one."), ("user", "And?"),
        ]  # fmt: skip
        turn = await bench.world.store.last_turn("talk")
        assert turn is not None
        assert (turn.built.envelope.layout, turn.built.envelope.rebuilt) == (layout, None)


@in_calm_loop
async def test_a_model_that_would_not_go_on_is_not_asked_and_the_words_come_back():
    bench = await able(words("Never."), prefill=False)
    await bench.workbench.dispatch(EditDraft("talk", "What changes?", prefill=BEGIN))
    end = await bench.do(replace(ASK, drafted=True))
    assert end.outcome.state == "failed"
    assert end.outcome.failure is not None
    assert end.outcome.failure.kind == "request"
    assert "doesn’t continue a begun answer. Nothing was sent." in end.outcome.failure.message
    assert bench.model.requests == []
    assert await bench.world.store.path("talk") == ()
    opened = bench.workbench.state.open["talk"]
    assert (opened.draft, opened.prefill) == ("What changes?", BEGIN)


@in_calm_loop
async def test_a_beginning_longer_than_the_budget_is_not_sent_and_comes_back():
    bench = await able(words("Never."))
    long = "word " * 60_000
    await bench.workbench.dispatch(EditDraft("talk", "What changes?", prefill=long))
    end = await bench.do(replace(ASK, prefill=long, drafted=True))
    assert end.outcome.state == "failed"
    assert end.outcome.failure is not None
    assert "Nothing was sent or kept." in end.outcome.failure.message
    assert bench.model.requests == []
    opened = bench.workbench.state.open["talk"]
    assert (opened.draft, opened.prefill) == ("What changes?", long)


@in_calm_loop
async def test_asked_again_or_edited_it_begins_as_before_and_another_model_is_asked_without_it():
    bench = await able(words(" one."), words(" two."), words(" three."))
    await bench.do(ASK)
    question = (await bench.world.store.path("talk"))[0].id
    assert (await bench.do(RegenerateAnswer("talk", question))).outcome.answer == f"{BEGIN} two."
    assert (await bench.do(EditQuestion("talk", question, "Why?"))).outcome.answer == f"{BEGIN} three."
    mute = await able(words("My own."), prefill=False, store=bench.world.store)
    end = await mute.do(RegenerateAnswer("talk", question))
    assert (end.outcome.answer, sent(mute)[-1]) == ("My own.", ("user", "What changes?"))


@in_calm_loop
async def test_an_interrupted_answer_that_was_begun_is_continued_from_its_end():
    bench = await able([TextGrew(" one"), Failure("network", "Lost.")], words(" and two."))
    await bench.do(ASK)
    cut = (await bench.world.store.path("talk"))[-1].id
    end = await bench.do(ContinueAnswer("talk", cut))
    assert end.outcome.answer == f"{BEGIN} one and two."
    assert sent(bench)[-2:] == [("user", "What changes?"), ("assistant", f"{BEGIN} one")]


@in_calm_loop
async def test_tools_may_be_called_after_a_beginning():
    box = FakeToolbox({"a.md": "Alpha."})
    model = FakeModel(
        [[TextGrew(" let me see."), *calls(("read", '{"path": "a.md"}'))], words("Done.")],
        refine=lambda card: replace(card, prefill=True, tools=True),
    )
    bench = fake_bench(models=FakeModels(model), toolbox=box)
    await bench.start(
        settings=replace(SETTINGS, tools=tuple(tool.definition for tool in box.tools), layout="append_only")
    )
    end = await bench.do(ASK)
    assert end.outcome.state == "complete"
    roles = [message.role for message in bench.model.requests[-1].messages]
    assert roles[-3:] == ["user", "assistant", "tool"]
    assert bench.model.requests[-1].messages[-2].text == f"{BEGIN} let me see."


@in_calm_loop
async def test_it_is_kept_in_the_draft_and_queued_with_its_message():
    bench = await able(words(" one."), words(" two."))
    await bench.workbench.dispatch(EditDraft("talk", "What", prefill="Bec"), EditDraft("talk", "What now"))
    opened = bench.workbench.state.open["talk"]
    assert (opened.draft, opened.prefill) == ("What now", "Bec")
    await bench.workbench.dispatch(QueueMessage("talk", "What now", "Bec"))
    assert (await bench.workbench.until_ended("talk")) is not None
    assert sent(bench)[-1] == ("assistant", "Bec")
    assert bench.workbench.state.open["talk"].prefill == ""


def test_a_kept_draft_is_its_words_and_the_beginning_and_both_survive_being_joined():
    assert split_draft(whole_draft("a", "b")) == ("a", "b")
    assert (whole_draft("a", ""), split_draft("a")) == ("a", ("a", ""))
    assert split_draft(joined(whole_draft("a", "b"), "c")) == ("a\n\nc", "b")
    assert split_draft(joined(whole_draft("a", "b"), whole_draft("", "c"))) == ("a", "c")


@in_calm_loop
async def test_a_version_goes_on_from_a_word_with_another_and_the_probabilities_are_kept():
    often = Candidate(" often", 0.27)
    token = LikelyToken(" usually", 0.38, (Candidate(" usually", 0.38), often))
    first: list[Step] = [
        TextGrew("It"),
        TokenLikely(LikelyToken("It", 0.9)),
        TextGrew(" usually"),
        TokenLikely(token),
        Finished("stop"),
    ]
    bench = await able(first, words(" fails."))
    await bench.do(SendMessage("talk", "Does it?"))
    answer = (await bench.world.store.path("talk"))[-1]
    assert [word.text for word in likely_words("It usually", answer.metadata) if word.is_doubted] == [
        "usually"
    ]
    end = await bench.do(ContinueAnswer("talk", answer.id, "It often"))
    assert (end.outcome.answer, sent(bench)[-1]) == ("It often fails.", ("assistant", "It often"))
    versions = await bench.world.store.siblings("talk", answer.id)
    assert [PROBABILITIES in one.metadata for one in versions] == [True, False]
    assert versions[1].metadata[BEGUN_CHARS] == len("It often")
