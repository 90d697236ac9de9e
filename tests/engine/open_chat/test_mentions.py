"""What a question names is attached before it is sent, once, and no more of a file than is named."""

from __future__ import annotations

import asyncio

import pytest

from tests.fakes.attachments import MemoryAttachments
from tests.fakes.chat_model import words
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.loop import in_calm_loop, until
from workbench.domain.files.attached import CannotAttach
from workbench.engine.intents import (
    AttachFiles,
    AttachText,
    DetachArtifacts,
    EditDraft,
    EditInPlace,
    EditQuestion,
    OpenChat,
    SendMessage,
)
from workbench.engine.open_chat import chat as mentions_ahead
from workbench.engine.workbench import Workbench

NOTES = "one\ntwo\nthree\nfour\n"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    monkeypatch.setattr(mentions_ahead, "SETTLE_S", 0.02)


async def bench_with(**files: str) -> Bench:
    named = {name.replace("_", "."): text for name, text in files.items()}
    bench = fake_bench(words("So."), words("So."), words("So."), attachments=MemoryAttachments(named))
    await bench.start()
    return bench


def attached(bench: Bench) -> dict[str, str]:
    return {one.key: one.text for one in bench.workbench.state.open["talk"].conversation.attached}


@in_calm_loop
async def test_a_file_that_is_named_is_in_the_request_before_it_is_sent():
    bench = await bench_with(notes_md=NOTES)
    await bench.workbench.dispatch(EditDraft("talk", "What says @notes.md?"))
    await until(lambda: attached(bench) == {"notes.md": NOTES})


@in_calm_loop
async def test_a_part_that_is_named_is_attached_under_that_very_name():
    bench = await bench_with(notes_md=NOTES)
    await bench.workbench.dispatch(EditDraft("talk", "What says @notes.md#L2-3?"))
    await until(lambda: attached(bench) == {"notes.md#L2-3": "two\nthree\n"})


@in_calm_loop
async def test_what_was_detached_is_not_brought_again_by_the_same_words():
    bench = await bench_with(notes_md=NOTES)
    await bench.workbench.dispatch(EditDraft("talk", "@notes.md"))
    await until(lambda: bool(attached(bench)))
    await bench.workbench.dispatch(DetachArtifacts("talk", ("notes.md",)))
    await bench.workbench.dispatch(EditDraft("talk", "@notes.md and more"))
    await asyncio.sleep(0.1)
    assert attached(bench) == {}
    await bench.workbench.dispatch(EditDraft("talk", "no name"))
    await bench.workbench.dispatch(EditDraft("talk", "@notes.md again"))
    await until(lambda: bool(attached(bench)))


@in_calm_loop
async def test_a_question_that_nobody_looked_at_carries_what_it_names():
    bench = await bench_with(notes_md=NOTES, more_md="more")
    await bench.do(SendMessage("talk", "About @notes.md and @gone.md and @you"))
    assert attached(bench) == {"notes.md": NOTES}
    asked = bench.workbench.state.open["talk"].records[0]
    assert asked.attached == ("notes.md",)
    await bench.do(EditQuestion("talk", asked.id, "About @more.md"))
    assert set(attached(bench)) == {"notes.md", "more.md"}


@in_calm_loop
async def test_without_commands_a_name_is_only_a_word():
    bench = await bench_with(notes_md=NOTES)
    await bench.do(SendMessage("talk", "About @notes.md", commands=False))
    assert attached(bench) == {}


class Barred(MemoryAttachments):
    """A workspace that one name leads out of → AttachmentReader."""

    async def find(self, name, folder="", workspace=""):
        """Refuses what is outside."""
        if name.startswith("/"):
            raise CannotAttach(name, "it lies outside of the workspace folder", "Attach it with the button.")
        return await super().find(name, folder, workspace)


@in_calm_loop
async def test_what_is_refused_is_named_and_the_question_goes_out():
    bench = fake_bench(words("So."), attachments=Barred({}))
    await bench.start()
    await bench.do(SendMessage("talk", "About @/etc/passwd"))
    assert [one.left_out[0].path for one in bench.workbench.state.notices] == ["/etc/passwd"]
    assert len(bench.workbench.state.open["talk"].records) == 2


@in_calm_loop
async def test_no_line_is_attached_twice():
    """A part of what is attached is left out, and what holds attached parts takes their place."""
    bench = await bench_with(notes_md=NOTES)
    for path in ("notes.md#L2", "notes.md#L4", "notes.md#L2-3"):
        await bench.workbench.dispatch(AttachFiles("talk", (path,)))
    assert list(attached(bench)) == ["notes.md#L4", "notes.md#L2-3"]
    await bench.workbench.dispatch(AttachFiles("talk", ("notes.md#L3",)))
    assert list(attached(bench)) == ["notes.md#L4", "notes.md#L2-3"]
    told = bench.workbench.state.notices[-1].left_out[0]
    assert (told.path, told.reason) == ("notes.md#L3", "it is part of notes.md#L2-3, which is attached")
    await bench.workbench.dispatch(AttachFiles("talk", ("notes.md",)))
    assert list(attached(bench)) == ["notes.md"]


@in_calm_loop
async def test_opening_a_chat_with_a_draft_attaches_nothing_and_sends_what_is_shown():
    """A chat of somebody else may name any file; and what was detached must not come back by opening it."""
    bench = await bench_with(notes_md=NOTES, more_md="more")
    await bench.workbench.dispatch(EditDraft("talk", "About @notes.md"))
    await until(lambda: bool(attached(bench)))
    await bench.workbench.dispatch(DetachArtifacts("talk", ("notes.md",)))
    again = Workbench(bench.world)
    await bench.world.store.save_draft("talk", "About @notes.md")
    await again.dispatch(OpenChat("talk"))
    await asyncio.sleep(0.1)
    assert not again.state.open["talk"].conversation.attached
    await again.dispatch(EditDraft("talk", "About @notes.md and @more.md"))
    await until(lambda: bool(again.state.open["talk"].conversation.attached))
    assert [one.key for one in again.state.open["talk"].conversation.attached] == ["more.md"]


@in_calm_loop
async def test_names_in_a_question_that_is_edited_are_in_the_request_it_shows():
    bench = await bench_with(notes_md=NOTES)
    await bench.do(SendMessage("talk", "About @gone.md"))
    question = bench.workbench.state.open["talk"].records[0].id
    await bench.workbench.dispatch(EditInPlace("talk", question, "About @gone.md"))
    await bench.workbench.dispatch(EditDraft("talk", "a draft"))
    await bench.workbench.dispatch(EditInPlace("talk", question, "About @notes.md"))
    await until(lambda: "notes.md" in attached(bench))
    await bench.workbench.dispatch(DetachArtifacts("talk", ("notes.md",)))
    await bench.do(EditQuestion("talk", question, "About @notes.md"))
    assert attached(bench) == {}


class SlowDocument(MemoryAttachments):
    """Reads one file only when a test lets it → AttachmentReader."""

    go_on: asyncio.Event
    asked = False

    async def find(self, name, folder="", workspace=""):
        """Late."""
        self.asked = True
        await self.go_on.wait()
        return await super().find(name, folder, workspace)


@in_calm_loop
async def test_other_changes_do_not_wait_for_a_document_that_a_draft_names():
    files = SlowDocument({"notes.md": NOTES})
    files.go_on = asyncio.Event()
    bench = fake_bench(attachments=files)
    await bench.start()
    await bench.workbench.dispatch(EditDraft("talk", "@notes.md"))
    await until(lambda: files.asked)
    async with asyncio.timeout(250):
        await bench.workbench.dispatch(AttachText("talk", "meanwhile"))
    files.go_on.set()
    await until(lambda: "notes.md" in attached(bench))
