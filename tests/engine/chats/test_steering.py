"""What is sent while an answer runs goes into its next step, or takes its place; in either case nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from tests.fakes.chat_model import Forever, Step, calls, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench, fake_world
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.toolbox import FakeToolbox
from workbench.domain.answer import TextGrew
from workbench.domain.message import Message, is_steered
from workbench.engine.chats.queue import IN_STEP, NO_STEP
from workbench.engine.events import AnswerGrew, EnvelopeBuilt, NoticeGiven, ToolAsked, TurnEnded
from workbench.engine.exchange.formats import FORMATS
from workbench.engine.intents import (
    AnswerToolRequest,
    EditDraft,
    OpenChat,
    QueueMessage,
    RegenerateAnswer,
    SendMessage,
    SteerQueued,
)

WRITES = calls(("write", '{"path": "a.md", "text": "x"}'))


async def asked(
    *answers: Sequence[Step], store: MemoryHistory | None = None, layout: str = "append_only"
) -> Bench:
    """A chat whose model wants to write, and waits for permission."""
    box = FakeToolbox({"a.md": "old"})
    bench = Bench(fake_world(WRITES, *answers, toolbox=box, store=store or MemoryHistory()))
    tools = tuple(tool.definition for tool in box.tools)
    await bench.start(settings=replace(SETTINGS, tools=tools, layout=layout))  # type: ignore[arg-type]
    await bench.workbench.dispatch(SendMessage("talk", "Write it."))
    await until(lambda: bool(bench.told(ToolAsked)))
    return bench


async def allow(bench: Bench) -> TurnEnded:
    await bench.workbench.dispatch(AnswerToolRequest("talk", "c1", allowed=True))
    await bench.workbench.until_ended("talk")
    return bench.told(TurnEnded)[0]


def roles(messages: Sequence[object]) -> list[tuple[str, str]]:
    return [(one.role, one.text) for one in messages]  # type: ignore[attr-defined]


@in_calm_loop
async def test_after_this_step_it_goes_into_the_next_round_of_the_same_turn():
    bench = await asked(words("In German, then."), words("Yes."))
    await bench.workbench.dispatch(QueueMessage("talk", "In German, please.", way="step"))
    state = bench.workbench.state.open["talk"]
    assert state.queued_steps == state.queued_keys
    ended = await allow(bench)
    assert ended.outcome.state == "complete"
    first, second = bench.model.requests
    assert roles(second.messages[: len(first.messages)]) == roles(first.messages)
    assert [one.role for one in second.messages[-3:]] == ["assistant", "tool", "user"]
    assert second.messages[-1].text == "In German, please."
    # It is a row of the request before that is sent, counted as every other.
    built = bench.told(EnvelopeBuilt)[-1].prepared.built
    (segment,) = (one for one in built.envelope.layer("L3_TURN").segments if one.text == "In German, please.")
    assert segment.kind == "user"
    path = await bench.world.store.path("talk")
    said = [(one.entry.role, is_steered(one.id)) for one in path if isinstance(one.entry, Message)]
    assert said == [
        ("user", False),
        ("assistant", False),
        ("tool", False),
        ("user", True),
        ("assistant", False),
    ]
    assert (bench.workbench.state.open["talk"].queued, await bench.world.store.queued("talk")) == ((), ())
    view = bench.workbench.state.open["talk"].view
    assert view is not None
    rows = [row for layer in view.layers if layer.name == "L4_STRIP" for row in layer.rows]
    assert [(row.first_turn, row.last_turn, len(row.members)) for row in rows] == [(1, 1, 5)]
    assert [turn.number for turn in bench.workbench.state.open["talk"].turns] == [1]
    assert [one.text for one in bench.told(NoticeGiven)] == [IN_STEP]
    await bench.workbench.close()


@in_calm_loop
async def test_it_is_kept_with_its_turn_and_the_next_request_is_the_same_after_a_restart():
    """A message that lies in no turn would be lost from the log, and with it the cache."""
    for layout in ("append_only", "layered"):
        store = MemoryHistory()
        bench = await asked(words("In German, then."), words("Yes."), store=store, layout=layout)
        await bench.workbench.dispatch(QueueMessage("talk", "In German, please.", way="step"))
        await allow(bench)
        await bench.workbench.dispatch(EditDraft("talk", "And now?"))
        await bench.calm()
        now = bench.workbench.state.open["talk"].prepared
        assert now is not None
        sent = roles(bench.model.requests[-1].messages)
        (turn,) = await store.turns("talk")
        assert [one.text for one in turn.built.inputs.rounds if one.role == "user"] == ["In German, please."]
        ids = count(100)
        box = FakeToolbox({"a.md": "old"})
        again = Bench(
            fake_world(words("Yes."), store=store, toolbox=box, new_id=lambda ids=ids: f"id{next(ids)}")
        )
        await again.workbench.dispatch(OpenChat("talk"), EditDraft("talk", "And now?"))
        await again.calm()
        then = again.workbench.state.open["talk"].prepared
        assert then is not None
        contents = [[one.content for one in made.built.envelope.messages] for made in (now, then)]
        assert contents[0] == contents[1]
        assert any("In German, please." in one for one in contents[1])
        await again.do(SendMessage("talk", "And now?"))
        if layout == "append_only":
            assert roles(again.model.requests[-1].messages)[: len(sent)] == sent
        await again.do(RegenerateAnswer("talk", turn.question or ""))
        await again.workbench.close()
        await bench.workbench.close()


@in_calm_loop
async def test_it_is_in_every_export():
    bench = await asked(words("In German, then."))
    await bench.workbench.dispatch(QueueMessage("talk", "In German, please.", way="step"))
    await allow(bench)
    archive = await bench.world.store.archive("talk")
    for one in FORMATS:
        written = b"".join(body for _, body in one.export((archive,)))
        assert b"In German, please." in written, one.name
    await bench.workbench.close()


@in_calm_loop
async def test_where_there_is_no_next_step_it_is_sent_after_the_answer_and_that_is_told():
    bench = fake_bench([TextGrew("Word"), 0.01, *words("So.")], words("Yes."))
    await bench.start()
    await bench.workbench.dispatch(SendMessage("talk", "One?"))
    await until(lambda: bool(bench.told(AnswerGrew)))
    await bench.workbench.dispatch(QueueMessage("talk", "Two?"))
    (key,) = bench.workbench.state.open["talk"].queued_keys
    await bench.workbench.dispatch(SteerQueued("talk", key, "step"))
    await until(lambda: len(bench.told(TurnEnded)) == 2)
    assert [text for role, text, _ in await bench.texts() if role == "user"] == ["One?", "Two?"]
    assert [one.text for one in bench.told(NoticeGiven)] == [NO_STEP]
    await bench.workbench.close()


@in_calm_loop
async def test_instead_stops_the_answer_keeps_what_arrived_and_sends_this_first():
    bench = fake_bench([TextGrew("On and on"), Forever()], words("Better."), words("Last."))
    await bench.start()
    await bench.workbench.dispatch(SendMessage("talk", "One?"))
    await until(lambda: bool(bench.told(AnswerGrew)))
    await bench.workbench.dispatch(QueueMessage("talk", "Later."))
    await bench.workbench.dispatch(QueueMessage("talk", "No, this.", way="instead"))
    await until(lambda: len(bench.told(TurnEnded)) == 3)
    assert await bench.texts() == [
        ("user", "One?", "complete"), ("assistant", "On and on", "stopped"),
        ("user", "No, this.", "complete"), ("assistant", "Better.", "complete"),
        ("user", "Later.", "complete"), ("assistant", "Last.", "complete"),
    ]  # fmt: skip
    await asyncio.sleep(0)
    assert bench.workbench.state.open["talk"].queued == ()
    await bench.workbench.close()
