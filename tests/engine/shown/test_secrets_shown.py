"""Keys and passwords are marked before anything is sent; where they are replaced, what is shown is what is sent."""

from __future__ import annotations

import json

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModels, words
from tests.fakes.engine import SETTINGS, Bench, FilesInMemory, fake_bench
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.recording_server import RECORDED_WIRES, RecordingServer
from tests.fakes.secret_texts import GITHUB
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import fake_builder
from workbench.domain.envelope import SECRET_REPLACED
from workbench.domain.settings.app_preferences import Redaction
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.engine.intents import (
    AttachFiles,
    AttachText,
    DetachArtifacts,
    EditDraft,
    EditInPlace,
    OpenTurn,
    SendMessage,
)
from workbench.engine.shown.inspection import stored_report

ENV = f"A=1\nTOKEN={GITHUB}\n"


async def bench(mode: Redaction = "warn", **changes: object) -> Bench:
    builder = fake_builder(WORD_MODEL)
    builder.guard.prefer(mode)
    made = fake_bench(words("So."), words("So."), builder=builder, **changes)
    await made.start()
    return made


def view_of(made: Bench) -> EnvelopeView:
    view = made.workbench.state.open["talk"].view
    assert view is not None
    return view


def marked(made: Bench) -> dict[str, list[tuple[str, int]]]:
    rows = [row for layer in view_of(made).layers for row in layer.rows if row.secrets]
    return {row.key.id: [(one.kind, one.line) for one in row.secrets] for row in rows}


@in_calm_loop
async def test_a_draft_is_marked_as_it_is_typed_and_no_longer_when_it_is_gone():
    made = await bench()
    await made.workbench.dispatch(EditDraft("talk", "Why?"))
    assert marked(made) == {}
    await made.workbench.dispatch(EditDraft("talk", f"Why?\n\nMine is {GITHUB}"))
    assert marked(made) == {"draft": [("github", 3)]}
    await made.workbench.dispatch(EditDraft("talk", "Why? Mine is gone"))
    assert marked(made) == {}


@in_calm_loop
async def test_attachments_are_marked_in_their_rows_and_in_the_library_after_they_were_sent():
    made = await bench(attachments=FilesInMemory(**{"app.env": ENV}))
    await made.workbench.dispatch(AttachFiles("talk", ("app.env",)))
    await made.calm()
    (row,) = made.workbench.state.open["talk"].attachments
    assert [(one.kind, one.line, one.replaced) for one in row.secrets] == [("github", 2, False)]
    await made.do(SendMessage("talk", "Look."))
    await made.calm()
    (row,) = made.workbench.state.open["talk"].attachments
    assert len(row.secrets) == 1
    assert marked(made) == {"app.env": [("github", 2)]}
    await made.workbench.dispatch(DetachArtifacts("talk", ("app.env",)))
    assert marked(made) == {"app.env": [("github", 2)]}  # the library still sends it


@in_calm_loop
async def test_what_a_command_reads_is_marked_with_the_line_of_the_file():
    made = await bench(toolbox=FakeToolbox({"a.env": ENV}))
    await made.workbench.dispatch(EditDraft("talk", "What does @read a.env say?"))
    await until(lambda: bool(marked(made)))
    assert marked(made) == {"turn1:command:1": [("github", 2)]}


@in_calm_loop
async def test_an_edit_of_an_earlier_question_is_marked():
    made = await bench()
    await made.do(SendMessage("talk", "Why?"))
    question = (await made.world.store.path("talk"))[0].id
    await made.workbench.dispatch(EditInPlace("talk", question, f"Why is {GITHUB} refused?"))
    await made.calm()
    view = made.workbench.state.open["talk"].edits[question].view
    assert view is not None
    assert [one.kind for row in view.layers[-1].rows for one in row.secrets] == ["github"]


@in_calm_loop
async def test_off_marks_nothing():
    made = await bench("off")
    await made.workbench.dispatch(EditDraft("talk", f"Mine is {GITHUB}"))
    assert marked(made) == {}


async def _ask_with_a_secret(server: RecordingServer, mode: Redaction) -> Bench:
    builder = fake_builder(WORD_MODEL)
    builder.guard.prefer(mode)
    made = fake_bench(builder=builder, models=FakeModels(server.model()), toolbox=FakeToolbox({"a.env": ENV}))
    await made.start(settings=SETTINGS)
    await made.workbench.dispatch(AttachText("talk", ENV))
    await made.workbench.dispatch(EditDraft("talk", f"Is {GITHUB} in @read a.env?"))
    await until(lambda: len(view_of(made).layers[3].rows) == 2)
    await made.calm()
    return made


@in_calm_loop
async def test_replaced_secrets_are_in_no_request_and_what_is_shown_is_what_is_sent():
    """The setting said "replace them", and nothing was replaced."""
    for wire in RECORDED_WIRES:
        async with RecordingServer(wire) as server:
            made = await _ask_with_a_secret(server, "replace")
            shown = view_of(made)
            form = shown.wire()
            for number in range(2):
                await made.do(SendMessage("talk", f"Is {GITHUB} in @read a.env?", drafted=number == 0))
            assert len(server.bodies) == 2
            assert all(
                GITHUB.encode() not in body and GITHUB[4:20].encode() not in body for body in server.bodies
            )
            assert form is not None
            said = "contents" if wire.name == "gemini" else "messages"
            assert form.body[said] == json.loads(server.bodies[0])[said]
            assert b"[GitHub key was here]" in server.bodies[0]
            assert GITHUB in (await made.world.store.path("talk"))[0].entry.text  # type: ignore[union-attr]


@in_calm_loop
async def test_marked_secrets_go_out_as_they_were_written():
    async with RecordingServer(RECORDED_WIRES[0]) as server:
        made = await _ask_with_a_secret(server, "warn")
        assert len(marked(made)) == 3
        await made.do(SendMessage("talk", "Well?", drafted=True))
        assert GITHUB.encode() in server.bodies[0]


@in_calm_loop
async def test_an_old_request_is_reported_as_it_was_sent_whatever_is_set_today():
    made = await bench("replace")
    await made.do(SendMessage("talk", f"Is {GITHUB} old?"))
    (turn,) = (await made.world.store.turns("talk"))[:1]
    made.world.builder.guard.prefer("off")
    report = stored_report(turn, None, made.world.builder)
    assert report["violations"] == []
    assert [one["reason"] for one in report["repaired"]] == [SECRET_REPLACED]
    await made.workbench.dispatch(OpenTurn("talk", 1))
    made.world.builder.guard.prefer("replace")
    await made.do(SendMessage("talk", "And now?"))
