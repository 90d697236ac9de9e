"""A model that cannot see: said before sending, with what to do about it; a picture is never called sent."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModel, FakeModels, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.pictures import png
from tests.fakes.turns import fake_builder
from workbench.domain.shown.envelope_view import Reason, SegmentRow
from workbench.engine.intents import AttachPicture, ChangeSettings, EditDraft, SendMessage

BLIND = replace(WORD_MODEL, name="blind-1", images=False)
CANNOT_SEE = Reason("cannot_see", "blind-1")


def bench_with(*cards: object) -> Bench:
    return fake_bench(builder=fake_builder(*cards))


def rows(bench: Bench) -> dict[str, SegmentRow]:
    view = bench.workbench.state.open["talk"].view
    assert view is not None
    return {f"{row.key.layer} {row.kind}": row for layer in view.layers for row in layer.rows}


@in_calm_loop
async def test_the_rows_say_that_the_model_cannot_see_before_anything_is_sent():
    """It was "sent" while only a line about it went out."""
    bench = bench_with(BLIND)
    await bench.start(settings=replace(SETTINGS, model="blind-1"))
    await bench.workbench.dispatch(AttachPicture("talk", png(64, 64)), EditDraft("talk", "What is it?"))
    found = rows(bench)
    for name in ("L3_TURN image", "L5_USER question"):
        assert (found[name].state, found[name].reason) == ("unseen", CANNOT_SEE)
    (attached,) = bench.workbench.state.open["talk"].attachments
    assert (attached.state, attached.tokens) == ("unseen", found["L3_TURN image"].tokens)
    await bench.workbench.close()


@in_calm_loop
async def test_another_model_is_the_fix_and_a_picture_of_the_history_is_said_too():
    bench = bench_with(WORD_MODEL, BLIND)
    await bench.start()
    await bench.workbench.dispatch(AttachPicture("talk", png(64, 64)))
    await bench.do(SendMessage("talk", "What is it?"))
    assert not any(row.state == "unseen" for row in rows(bench).values())
    await bench.workbench.dispatch(ChangeSettings("talk", replace(SETTINGS, model="blind-1")))
    found = rows(bench)
    assert {row.kind for row in found.values() if row.state == "unseen"} == {"turn", "image"}
    assert found["L4_STRIP turn"].reason == CANNOT_SEE
    assert bench.workbench.state.open["talk"].attachments[0].state == "unseen"
    await bench.workbench.dispatch(ChangeSettings("talk", SETTINGS))
    assert not any(row.state == "unseen" for row in rows(bench).values())
    await bench.workbench.close()


@in_calm_loop
async def test_what_a_server_says_about_its_model_is_shown_as_soon_as_it_says_it():
    """Ollama lists what a model can do; the catalogue knows nothing of it."""
    model = FakeModel([words("Yes.")], refine=lambda card: replace(card, images=False))
    card = replace(WORD_MODEL, exact=False)
    bench = fake_bench(builder=fake_builder(card), models=FakeModels(model))
    await bench.start()
    await bench.workbench.dispatch(AttachPicture("talk", png(64, 64)), EditDraft("talk", "What is it?"))
    await until(lambda: rows(bench)["L3_TURN image"].state == "unseen")
    await bench.workbench.close()
