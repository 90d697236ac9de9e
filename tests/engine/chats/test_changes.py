"""What a person changes between turns is kept at once, whole, and seen."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.chat_model import Forever, Step, calls, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import artifact
from workbench.domain.answer import Failure, TextGrew
from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.turn import Tuning
from workbench.engine.chats.changes import NothingToUndo
from workbench.engine.events import AnswerGrew, DraftEdited, ToolAsked, TurnBegan
from workbench.engine.intents import (
    AnswerToolRequest,
    AttachArtifact,
    ChangeSettings,
    DeleteChat,
    DetachArtifacts,
    EditDraft,
    EditQuestion,
    ListChats,
    RegenerateAnswer,
    RenameChat,
    RestoreChat,
    SendMessage,
    ShowBranch,
    StartChat,
    UndoToolCall,
)
from workbench.engine.tuning_intents import AttachedChange, PutBackAttached, TuneAttached, TuneMessages

ASK = SendMessage("talk", "Well?")


async def opened(*answers: object, **changes: object) -> Bench:
    bench = fake_bench(*answers, **{"store": FragileHistory(), **changes})  # type: ignore[arg-type]
    await bench.start()
    return bench


def attached(bench: Bench) -> list[tuple[str, str, int]]:
    shown = bench.workbench.state.open["talk"].conversation.attached
    return [(one.key, one.text, one.priority) for one in shown]


@in_calm_loop
async def test_settings_title_and_tuning_are_kept_and_shown():
    bench = await opened(words("One."))
    await bench.do(ASK)
    question = (await bench.world.store.path("talk"))[0].id
    tuning = Tuning(pinned=frozenset({question}))
    for intent in (
        RenameChat("talk", "A talk"),
        TuneMessages("talk", pin=tuning.pinned),
        ChangeSettings("talk", replace(SETTINGS, user_memory="Remember.")),
    ):
        await bench.workbench.dispatch(intent)
    shown = bench.workbench.state.open["talk"]
    assert (shown.chat.title, shown.chat.settings.user_memory) == ("A talk", "Remember.")
    assert shown.conversation.tuning == tuning
    assert await bench.world.store.chat("talk") == shown.chat


@in_calm_loop
async def test_two_changes_from_the_same_settings_are_both_kept_and_each_is_taken_back_alone():
    """The second wrote the settings back as they were before the first."""
    bench = await opened()
    brief, roomy = replace(SETTINGS, system_prompt="Be brief."), replace(SETTINGS, context_window=5000)
    for wanted in (brief, roomy):
        await bench.workbench.dispatch(ChangeSettings("talk", wanted, SETTINGS))
    assert (await bench.world.store.chat("talk")).settings == replace(brief, context_window=5000)
    await bench.workbench.dispatch(ChangeSettings("talk", SETTINGS, brief))
    assert (await bench.world.store.chat("talk")).settings == roomy


def renaming(bench: Bench, when: type) -> list[asyncio.Task[None]]:
    """Somebody who renames the chat at some moment of a turn."""
    renamed: list[asyncio.Task[None]] = []

    def rename(event: object, _: object) -> None:
        if isinstance(event, when) and not renamed:
            intent = RenameChat("talk", "Renamed")
            renamed.append(bench.world.tasks.start("rename", bench.workbench.dispatch(intent)))

    bench.workbench.subscribe(rename)
    return renamed


LOST = Failure("network", "Lost.")
READ: list[Step] = [TextGrew("Look."), 0.005, *calls(("read", '{"path": "a.md"}'))]
WRITE: list[Step] = [0.005, TextGrew("Let me."), 0.005, *calls(("write", '{"path": "a.md"}'))]


@pytest.mark.parametrize(
    ("answers", "when", "kept"),
    [
        # A call that only the end keeps; a question alone; a tool's result; the beginning of an answer.
        ([[*READ[2:3], LOST]], TurnBegan, ["Well?", ""]),
        ([[LOST]], DraftEdited, ["Well?"]),
        ([READ, [LOST]], AnswerGrew, ["Well?", "Look.", "Alpha."]),
        ([WRITE], TurnBegan, ["Well?", "Let me."]),
    ],
)
def test_a_change_in_the_middle_of_a_turn_does_not_move_the_chat_back(
    answers: list[list[Step]], when: type, kept: list[str]
):
    """A chat is written as a whole: with the leaf it had when it was read, what was just said falls out of view."""

    @in_calm_loop
    async def turn() -> None:
        store, box = FragileHistory(), FakeToolbox({"a.md": "Alpha."})
        bench = fake_bench(*answers, store=store, toolbox=box)
        await bench.start(settings=replace(SETTINGS, tools=tuple(tool.definition for tool in box.tools)))
        store.slow = {"save_chat": 0.04}
        renamed = renaming(bench, when)
        bench.workbench.subscribe(
            lambda event, state: bench.workbench.stop("talk") if isinstance(event, ToolAsked) else None
        )
        await bench.workbench.dispatch(EditDraft("talk", "Well?"))
        await bench.do(ASK)
        await renamed[0]
        assert [text for _, text, _ in await bench.texts()] == kept
        shown = bench.workbench.state.open["talk"]
        assert (shown.chat.title, shown.records) == ("Renamed", await store.path("talk"))
        await bench.workbench.close()

    turn()


@in_calm_loop
async def test_a_branch_comes_into_view_up_to_its_newest_end():
    bench = await opened(words("One."), words("Two."), words("Three."), words("Four."))
    await bench.do(ASK)
    question, first = [record.id for record in await bench.world.store.path("talk")]
    await bench.do(SendMessage("talk", "And?"))
    await bench.do(RegenerateAnswer("talk", question))
    await bench.do(EditQuestion("talk", question, "Otherwise?"))
    assert [text for _, text, _ in await bench.texts()] == ["Otherwise?", "Four."]
    await bench.workbench.dispatch(ShowBranch("talk", first))
    assert [text for _, text, _ in await bench.texts()] == ["Well?", "One.", "And?", "Two."]
    await bench.workbench.dispatch(ShowBranch("talk", question))
    assert [text for _, text, _ in await bench.texts()] == ["Well?", "Three."]
    shown = bench.workbench.state.open["talk"]
    assert [entry.id for entry in shown.conversation.history] == [record.id for record in shown.records]
    with pytest.raises(NotKept):
        await bench.workbench.dispatch(ShowBranch("talk", "never"))
    assert [text for _, text, _ in await bench.texts()] == ["Well?", "Three."]


@in_calm_loop
async def test_a_deleted_chat_is_no_longer_listed_until_it_is_brought_back():
    bench = await opened()
    for intent, listed in ((DeleteChat("talk"), []), (RestoreChat("talk"), ["talk"])):
        await bench.workbench.dispatch(intent)
        await bench.workbench.dispatch(ListChats())
        assert [chat.id for chat in bench.workbench.state.chats] == listed


@in_calm_loop
async def test_a_chat_is_made_once():
    bench = await opened()
    with pytest.raises(NotKept):
        await bench.workbench.dispatch(StartChat("talk", SETTINGS))
    with pytest.raises(NotKept):
        await bench.workbench.dispatch(RenameChat("nowhere", "x"))
    assert list(bench.workbench.state.open) == ["talk"]


async def written(**settings: Any) -> tuple[Bench, FakeToolbox, str]:
    """A chat in which a tool wrote a file; and the message that says so."""
    box = FakeToolbox({"a.md": "Old."})
    writing = calls(("write", '{"path": "a.md", "text": "New."}'))
    answers = (writing, words("Done."), words("I see."), words("Fine."))
    bench = fake_bench(*answers, toolbox=box, store=FragileHistory())
    await bench.start(settings=replace(SETTINGS, tools=(box.tools[2].definition,), **settings))
    await bench.workbench.dispatch(ASK)
    await until(lambda: bool(bench.told(ToolAsked)))
    await bench.workbench.dispatch(AnswerToolRequest("talk", "c1", allowed=True))
    await bench.workbench.until_ended("talk")
    return bench, box, (await bench.world.store.path("talk"))[2].id


@in_calm_loop
async def test_what_a_tool_did_is_undone_once():
    bench, box, message = await written()
    assert box.files == {"a.md": "New."}
    undo = UndoToolCall("talk", message)
    done = await asyncio.gather(*(bench.workbench.dispatch(undo) for _ in range(2)), return_exceptions=True)
    assert [type(one) for one in done] == [type(None), NothingToUndo]
    assert (box.files, len(box.undone)) == ({"a.md": "Old."}, 1)
    shown = bench.workbench.state.open["talk"].records[2]
    assert "undone" in shown.metadata
    assert shown.metadata["tool"] == "write"


@pytest.mark.parametrize("layout", ["layered", "append_only"])
@pytest.mark.parametrize("told", [True, False])
def test_what_was_undone_is_told_with_the_next_question_and_once(layout: str, told: bool):
    """The model went on as if its change were there."""

    @in_calm_loop
    async def look() -> None:
        bench, _, message = await written(tell_undone=told, layout=layout)
        await bench.workbench.dispatch(UndoToolCall("talk", message), EditDraft("talk", "And now?"))
        shown = bench.workbench.state.open["talk"].prepared
        await bench.do(SendMessage("talk", "And now?", drafted=True))
        sent = bench.model.requests[-1].messages[-1].text
        assert ("undo" in sent, "The user took this change back" in sent) == (told, told)
        assert sent.endswith("And now?")
        assert ('{"call": "write a.md"}' in sent) == told
        assert shown is not None
        assert len(shown.built.inputs.tool_results) == told
        last = (await bench.world.store.turns("talk"))[-1]
        assert last.built.inputs.tool_results == shown.built.inputs.tool_results, "sent as it was shown"
        await bench.do(SendMessage("talk", "And then?"))
        assert "took this change back" not in bench.model.requests[-1].messages[-1].text
        everything = "".join(one.text for one in bench.model.requests[-1].messages)
        assert everything.count("took this change back") == told, "it stays where it was told"

    look()


@in_calm_loop
async def test_what_the_world_has_moved_on_from_is_not_undone():
    bench, box, message = await written()
    box.files["a.md"] = "Newer."
    with pytest.raises(WorkbenchError, match="was changed since"):
        await bench.workbench.dispatch(UndoToolCall("talk", message))
    assert box.files == {"a.md": "Newer."}


@in_calm_loop
async def test_a_message_that_is_no_result_has_nothing_to_undo():
    bench, box, message = await written()
    question = (await bench.world.store.path("talk"))[0].id
    with pytest.raises(NothingToUndo):
        await bench.workbench.dispatch(UndoToolCall("talk", question))
    # Of a deleted message the store finds the one before it.
    await bench.world.store.delete_message("talk", message, "2026-01-01T00:00:00Z")
    with pytest.raises(NothingToUndo):
        await bench.workbench.dispatch(UndoToolCall("talk", message))
    assert box.files == {"a.md": "New."}


@in_calm_loop
async def test_attaching_while_an_answer_arrives_is_for_the_next_question():
    bench = await opened([TextGrew("…"), Forever()], words("Two."))
    await bench.workbench.dispatch(ASK)
    await until(lambda: bool(bench.told(AnswerGrew)))
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("a", "Alpha.")))
    running = bench.workbench.state.open["talk"].running
    assert running is not None
    assert (running.text, attached(bench)) == ("…", [("a", "Alpha.", 5)])
    bench.workbench.stop("talk")
    await bench.workbench.until_ended("talk")
    await bench.do(SendMessage("talk", "And?"))
    assert "Alpha." in bench.model.requests[1].messages[-1].text


@in_calm_loop
async def test_tuning_at_the_same_time_is_all_kept():
    """Each reads what is kept and writes it as a whole: without the chat's lock the last one would win."""
    bench = await opened()
    for key in "abc":
        await bench.workbench.dispatch(AttachArtifact("talk", artifact(key)))
    intents = (
        TuneAttached("talk", (AttachedChange("a", priority=9),)),
        AttachArtifact("talk", artifact("d")),
        TuneAttached("talk", (AttachedChange("b", priority=1), AttachedChange("never", priority=1))),
        DetachArtifacts("talk", ("c",)),
        TuneMessages("talk", pin=frozenset({"m1"})),
        TuneMessages("talk", leave_out=frozenset({"m2"})),
        TuneMessages("talk", pin=frozenset({"m3"})),
    )
    await asyncio.gather(*(bench.workbench.dispatch(intent) for intent in intents))
    assert attached(bench) == [("a", "text", 9), ("b", "text", 1), ("d", "text", 5)]
    kept = Tuning(frozenset({"m1", "m3"}), frozenset({"m2"}))
    assert await bench.world.store.tuning("talk") == kept
    await bench.workbench.dispatch(PutBackAttached("talk", (artifact("c"),), ("a", "b", "c")))
    assert [key for key, _, _ in attached(bench)] == ["a", "b", "c", "d"]
