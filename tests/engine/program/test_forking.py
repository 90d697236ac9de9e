"""A fork goes on exactly as its chat would have from there, and neither knows of the other afterwards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.chat_model import calls, words
from tests.fakes.engine import SETTINGS, FilesInMemory, fake_bench
from tests.fakes.loop import in_calm_loop
from tests.fakes.stores import open_store
from tests.fakes.toolbox import FakeToolbox
from workbench.domain.codec import encode
from workbench.domain.errors import NotKept
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation
from workbench.engine.intents import AttachFiles, OpenChat, RegenerateAnswer, SendMessage
from workbench.engine.program.forking import forked
from workbench.engine.program_intents import ForkChat
from workbench.engine.stored_conversation import load_conversation


def bare(conversation: Conversation) -> Conversation:
    """A conversation without what says whose it is, and without what a cache may hold of other branches."""
    previous = conversation.previous
    if previous is not None:
        inputs = replace(previous.inputs, conversation="")
        previous = replace(previous, inputs=inputs, envelope=replace(previous.envelope, conversation=""))
    return replace(conversation, id="", previous=previous, held=())


@in_calm_loop
async def test_a_fork_sends_what_its_chat_would_have_sent_from_there(tmp_path: Path):
    """Over a real store: attachments, library and trim stand as they stood, though the chat went on since."""
    files = FilesInMemory(**{"/p/notes.md": "Friday is the release."})
    store = open_store(tmp_path / "h.db")
    answers = (words("First."), words("Second."), words("First again."), words("Third."))
    bench = fake_bench(*answers, attachments=files, store=store)
    await bench.start()
    await bench.workbench.dispatch(AttachFiles("talk", ("/p/notes.md",)))
    await bench.do(SendMessage("talk", "One?"))
    await bench.do(SendMessage("talk", "Two?"))
    path = await store.path("talk")
    await bench.do(RegenerateAnswer("talk", path[0].id))
    await bench.workbench.dispatch(ForkChat("talk", path[1].id, "fork"), OpenChat("fork"))
    kept = bench.workbench.state.open["fork"]
    assert [text for _, text, _ in await bench.texts("fork")] == ["One?", "First."]
    assert kept.chat.title == "One? (fork)"
    there, here = await load_conversation(store, "talk", path[1].id), await load_conversation(store, "fork")
    assert encode(bare(here)) == encode(bare(there))
    ask = Ask(kept.chat.settings)
    sent = [prepare_turn(one, ask, bench.world.builder).built.envelope for one in (there, here)]
    assert encode(replace(sent[0], conversation="")) == encode(replace(sent[1], conversation=""))
    (copy,) = await store.copies("fork")
    assert copy.place == (await store.copies("talk"))[0].place != ""
    assert (await store.verify()).problems == ()
    await bench.do(SendMessage("fork", "And?"))
    assert len(await store.path("talk")) == 2
    await bench.workbench.close()


@in_calm_loop
async def test_a_fork_within_an_answer_takes_its_tools_along():
    """A call without its result could not be gone on from."""
    box = FakeToolbox({"a.md": "Old."})
    bench = fake_bench(calls(("read", '{"path": "a.md"}')), words("Done."), toolbox=box)
    await bench.start(settings=replace(SETTINGS, tools=tuple(tool.definition for tool in box.tools)))
    await bench.do(SendMessage("talk", "Read it."))
    archive = await bench.world.store.archive("talk")
    called = archive.records[1].id
    assert [one.id for one in forked(archive, called, "f").records] == [one.id for one in archive.records]
    assert len(archive.records) == 4
    question = forked(archive, archive.records[0].id, "f")
    assert (len(question.records), question.turns) == (1, ())
    with pytest.raises(NotKept, match="no message"):
        forked(archive, "nowhere", "f")
    await bench.workbench.close()
