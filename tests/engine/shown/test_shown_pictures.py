"""Pictures in what is shown: the preview, an edit, a trial and an old turn hold the bytes that are sent."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModels
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop
from tests.fakes.pictures import png
from tests.fakes.turns import fake_builder
from tests.fakes.wires import OpenAiWire
from workbench.domain.model import PictureRule
from workbench.domain.record import Snapshot
from workbench.domain.request import WireForm
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.engine.intents import (
    AttachPicture,
    DetachArtifacts,
    EditDraft,
    EditInPlace,
    EditQuestion,
    OpenTurn,
    SendMessage,
    TrySettings,
)

PICTURE, OTHER = png(640, 400, b"one" * 400), png(32, 32, b"other")


class CountingHistory(MemoryHistory):
    """Counts how often the bytes of attachments are read."""

    reads = 0

    async def snapshots(self, chat: str) -> tuple[Snapshot, ...]:
        self.reads += 1
        return await super().snapshots(chat)


def serving() -> FaultServer:
    """A server that answers every question with a word."""

    async def act(connection: Connection) -> None:
        await connection.head()
        await connection.send(OpenAiWire().text("Yes."), OpenAiWire().finish())

    return FaultServer({"play": act})


async def bench_at(server: FaultServer) -> Bench:
    bench = fake_bench(models=FakeModels(OpenAiWire().model(server.url("play"))), store=CountingHistory())
    await bench.start()
    return bench


def form_of(view: EnvelopeView | None) -> WireForm:
    assert view is not None
    form = view.wire()
    assert form is not None
    return form


def next_form(bench: Bench) -> WireForm:
    return form_of(bench.workbench.state.open["talk"].view)


def sent_bodies(server: FaultServer) -> list[bytes]:
    return [asked.body for asked in server.asked if asked.method == "POST"]


def written(form: WireForm) -> bytes:
    return json.dumps(form.body, ensure_ascii=False, separators=(",", ":")).encode()


def urls(form: WireForm) -> list[str]:
    contents = [message["content"] for message in form.body["messages"]]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


def url(content: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"


@in_calm_loop
async def test_the_preview_has_the_picture_before_it_is_sent():
    """445 bytes were shown, 16,136 were sent, and a green mark said that they were the same."""
    async with serving() as server:
        bench = await bench_at(server)
        do = bench.workbench.dispatch
        await do(AttachPicture("talk", PICTURE), EditDraft("talk", "What is it?"))
        before = next_form(bench)
        await bench.do(SendMessage("talk", "What is it?"))
        (row,) = bench.workbench.state.open["talk"].turns
        await bench.workbench.close()
    assert urls(before) == [url(PICTURE)]
    assert [written(before)] == sent_bodies(server)
    assert (row.shown_digest, row.digest) == (before.digest, before.digest)


@in_calm_loop
async def test_a_picture_that_was_sent_stands_in_the_next_request_and_in_the_old_one():
    """Later previews held `data:image/png;base64,` with nothing behind it."""
    async with serving() as server:
        bench = await bench_at(server)
        do = bench.workbench.dispatch
        await do(AttachPicture("talk", PICTURE))
        await bench.do(SendMessage("talk", "What is it?"))
        await do(DetachArtifacts("talk", (bench.workbench.state.open["talk"].conversation.attached[0].key,)))
        await do(EditDraft("talk", "And now?"))
        later = next_form(bench)
        await bench.do(SendMessage("talk", "And now?"))
        await do(OpenTurn("talk", 1))
        old = form_of(bench.workbench.state.open["talk"].opened)
        await bench.workbench.close()
    first, second = sent_bodies(server)
    assert (urls(later), urls(old)) == ([url(PICTURE)], [url(PICTURE)])
    assert (written(old), written(later)) == (first, second)
    assert later.digest


@in_calm_loop
async def test_an_edit_and_a_trial_have_their_pictures():
    async with serving() as server:
        bench = await bench_at(server)
        do = bench.workbench.dispatch
        await do(AttachPicture("talk", PICTURE))
        await bench.do(SendMessage("talk", "What is it?"))
        question = bench.workbench.state.open["talk"].records[0].id
        await do(EditInPlace("talk", question, "Which colour?"))
        await do(AttachPicture("talk", OTHER))
        await do(TrySettings("talk", replace(SETTINGS, system_prompt="Be short.")))
        await bench.calm()
        state = bench.workbench.state.open["talk"]
        assert state.trial is not None
        assert state.editing is not None
        tried, edited = form_of(state.trial.view), form_of(state.editing.view)
        await bench.do(EditQuestion("talk", question, "Which colour?"))
        await bench.workbench.close()
    assert urls(tried) == [url(PICTURE), url(OTHER)]
    assert urls(edited) == [url(PICTURE), url(OTHER)]
    assert sent_bodies(server)[-1] == written(edited)


@in_calm_loop
async def test_typing_reads_no_picture_from_the_store():
    async with serving() as server:
        bench = await bench_at(server)
        await bench.workbench.dispatch(AttachPicture("talk", PICTURE))
        store = bench.world.store
        assert isinstance(store, CountingHistory)
        before = store.reads
        for length in range(1, 12):
            await bench.workbench.dispatch(EditDraft("talk", "What is it?"[:length]))
            assert urls(next_form(bench)) == [url(PICTURE)]
        assert store.reads == before
        await bench.workbench.close()


@in_calm_loop
async def test_a_picture_stands_in_the_request_before_a_word_is_written():
    async with serving() as server:
        bench = await bench_at(server)
        await bench.workbench.dispatch(AttachPicture("talk", PICTURE))
        assert urls(next_form(bench)) == [url(PICTURE)]
        await bench.workbench.close()


@in_calm_loop
async def test_a_picture_is_counted_by_its_size_and_never_called_exact():
    """640 × 400 and 3000 × 2000 were counted 46 and 42 tokens, those of a line about them, and called exact."""
    rule = PictureRule("tiles", base_tokens=85, tile_tokens=170)
    for size, known, tokens in (((640, 400), rule, 425), ((3000, 2000), rule, 1105), ((640, 400), None, 425)):
        card = replace(WORD_MODEL, context_window_tokens=9000, pictures=known)
        bench = fake_bench(builder=fake_builder(card))
        await bench.start()
        await bench.workbench.dispatch(EditDraft("talk", "What is it?"))
        await bench.workbench.dispatch(AttachPicture("talk", png(*size)))
        state = bench.workbench.state.open["talk"]
        assert state.view is not None
        (attached,), question = state.attachments, state.view.layers[-1]
        (line,) = state.view.layers[-2].rows
        assert attached.tokens - line.tokens == tokens
        assert tokens < question.tokens < tokens + 10
        assert not state.view.exact
        assert [question.rows[-1].state, attached.state] == (
            ["locked", "sent"] if known else ["estimated", "estimated"]
        )
        await bench.workbench.close()
