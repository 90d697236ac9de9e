"""The sample chat: real requests, real parity with the builder, and it can be kept and opened."""

from __future__ import annotations

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.engine import fake_bench
from tests.fakes.loop import in_loop
from tests.fakes.turns import fake_builder
from workbench.domain.files.attachment import Artifact
from workbench.domain.sample_chat import SampleChat, SampleTurn
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.intents import OpenChat
from workbench.engine.program.sample_chat import Frame, sample_archive

SPEC = Artifact("spec.md", "file", "# Spec\n")
API = Artifact("api.md", "file", "# API\n")
SAMPLE = SampleChat(
    "A sample",
    (SampleTurn("What is it?", "A service.", (SPEC,)), SampleTurn("Which errors?", "Two.", (SPEC, API))),
    "And now?",
    (SPEC,),
)
FRAME = Frame("sample", ContextSettings(model=WORD_MODEL.name), "2026-01-01T00:00:00Z")


def test_every_turn_of_the_story_is_a_turn_with_its_own_request():
    archive = sample_archive(SAMPLE, FRAME, fake_builder(WORD_MODEL))
    assert [turn.number for turn in archive.turns] == [1, 2]
    assert [record.entry.id for record in archive.records] == ["q1", "a1", "q2", "a2"]
    library = archive.turns[1].built.envelope.layer("L2_PREVIOUS")
    assert [segment.id for segment in library.segments] == ["spec.md"]


@in_loop
async def test_the_sample_is_opened_like_any_chat_with_its_question_ready_to_send():
    bench = fake_bench()
    await bench.world.store.adopt(sample_archive(SAMPLE, FRAME, bench.world.builder))
    await bench.workbench.dispatch(OpenChat("sample"))
    opened = bench.workbench.state.open["sample"]
    assert opened.draft == "And now?"
    assert opened.prepared is not None
    assert opened.prepared.built.envelope.turn == 3
    assert opened.prepared.change.change == "diverged"
    await bench.workbench.close()
