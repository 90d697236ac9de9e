"""A step is priced by the request it would really make, and nothing of it is kept until it is taken."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.chat_model import FakeModel, FakeModels, words
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.meter import SERVED_MODEL, HoldingMeter
from tests.fakes.turns import artifact, fake_builder
from workbench.context.explain.differences import price_tag
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.domain.shown.envelope_view import PriceTag
from workbench.engine.conversation import Conversation
from workbench.engine.intents import (
    AttachArtifact,
    ChangeSettings,
    CloseChat,
    DetachArtifacts,
    EditDraft,
    EditQuestion,
    Priceable,
    PriceStep,
    RenameChat,
    SendMessage,
)
from workbench.engine.open_chat import requests as cache_ahead
from workbench.engine.open_chat.prices import after_step, settings_after
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import (
    AttachedChange,
    PutBackAttached,
    TuneAttached,
    TuneLog,
    TuneMessages,
)

LAYERED = ContextSettings(model="served-1", system_prompt="Be kind.")
LOG = replace(LAYERED, layout="append_only")
OTHER = replace(SERVED_MODEL, name="served-2")
A, B = artifact("a.md", "Alpha " * 20), artifact("b.md", "Beta " * 20)


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody types here: the server is asked at once."""
    monkeypatch.setattr(cache_ahead, "SETTLE_S", 0.0)


class Shop:
    """A chat of three turns with two files, whose server holds what it answered last."""

    def __init__(self) -> None:
        self.meter = HoldingMeter()
        model = FakeModel([words(f"Answer {n}. " + "So it is. " * 9) for n in range(1, 9)], counts=self.meter)
        models = FakeModels(model, {"served-2": FakeModel([words("Hi.")], counts=HoldingMeter("served-2"))})
        self.bench: Bench = fake_bench(models=models, builder=fake_builder(SERVED_MODEL, OTHER))

    @property
    def chat(self) -> ChatState:
        return self.bench.workbench.state.open["talk"]

    async def open(self, settings: ContextSettings) -> None:
        await self.bench.start(settings=settings)
        await self.bench.workbench.dispatch(AttachArtifact("talk", A))
        for number in range(1, 4):
            await self.ask(f"Question {number}?")
            await self.bench.workbench.dispatch(AttachArtifact("talk", B))
        await self.bench.workbench.dispatch(EditDraft("talk", "And then?"))
        await self.calm()

    async def ask(self, text: str) -> None:
        await self.bench.do(SendMessage("talk", text))
        sent = self.bench.model.requests
        self.meter.hold(sent[-1], f"Answer {len(sent)}. " + "So it is. " * 9)
        await self.calm()

    async def calm(self) -> None:
        """Until the server was asked about everything that is shown."""
        await self.bench.calm()
        await until(lambda: self.chat.prepared is not None and self.chat.prepared.forecast is not None)

    async def price(self, *step: Priceable) -> PriceTag:
        await self.bench.workbench.dispatch(PriceStep("talk", "it", step))
        await until(lambda: self.chat.price is not None and self.chat.price.tag.reread_tokens is not None)
        await self.bench.calm()
        assert self.chat.price is not None
        assert self.chat.price.key == "it"
        return self.chat.price.tag


def steps(chat: ChatState) -> dict[str, tuple[Priceable, ...]]:
    """One of every kind that a control can take."""
    settings = chat.chat.settings
    said = [record.id for record in chat.records]
    return {
        "pin": (TuneAttached("talk", (AttachedChange("a.md", pinned=True),)),),
        "priority": (TuneAttached("talk", (AttachedChange("a.md", priority=9),)),),
        "exclude": (TuneMessages("talk", leave_out=frozenset(said[1:2])),),
        "exclude a file": (TuneMessages("talk", leave_out=frozenset({"a.md"})),),
        "detach": (DetachArtifacts("talk", ("a.md",)),),
        "purge": (DetachArtifacts("talk", ("a.md",)), TuneLog("talk", purge=frozenset({"a.md"}))),
        "rebuild": (TuneLog("talk", rebuild=True),),
        "instructions": (ChangeSettings("talk", replace(settings, system_prompt="Be brief.")),),
        "trim": (ChangeSettings("talk", replace(settings, history=HistorySettings(last_n_messages=2))),),
        "layout": (ChangeSettings("talk", replace(settings, layout="layered")),),
        "log": (ChangeSettings("talk", replace(settings, layout="append_only")),),
        "attach": (AttachArtifact("talk", artifact("c.md", "Gamma " * 9)),),
    }  # fmt: skip


@pytest.mark.parametrize("name", [
    "pin", "priority", "exclude", "exclude a file", "detach", "purge", "rebuild", "instructions", "trim", "layout",
    "log", "attach",
])  # fmt: skip
@pytest.mark.parametrize("settings", [LAYERED, LOG], ids=["layered", "log"])
def test_what_was_told_is_what_the_step_makes_of_the_request(settings: ContextSettings, name: str):
    @in_calm_loop
    async def run() -> None:
        shop = Shop()
        await shop.open(settings)
        now, kept = shop.chat.view, shop.chat.conversation
        assert now is not None
        step = steps(shop.chat)[name]
        tag = await shop.price(*step)
        assert shop.chat.view is not None
        assert (shop.chat.view.digest, shop.chat.conversation) == (now.digest, kept), "nothing is kept of it"
        forecast = shop.chat.prepared.forecast if shop.chat.prepared is not None else None
        await shop.bench.workbench.dispatch(PriceStep("talk"))
        await shop.bench.workbench.dispatch(*step)
        await shop.calm()
        assert shop.chat.view is not None
        assert price_tag(now, shop.chat.view, forecast) == tag

    run()


@in_calm_loop
async def test_in_a_log_a_rebuild_reads_again_and_a_detached_file_stays_until_then():
    shop = Shop()
    await shop.open(LOG)
    detach = await shop.price(DetachArtifacts("talk", ("a.md",)))
    assert detach.reread_tokens == 0, "it stays where it is"
    assert detach.tokens_delta > 0, "and a line says that it is gone"
    purge = await shop.price(DetachArtifacts("talk", ("a.md",)), TuneLog("talk", purge=frozenset({"a.md"})))
    assert purge.tokens_delta < -10
    assert (purge.reread_tokens or 0) > 0
    rebuild = await shop.price(TuneLog("talk", rebuild=True))
    assert (rebuild.reread_tokens or 0) > 0


@in_calm_loop
async def test_after_an_edit_the_new_text_is_not_read_again_by_a_rebuild():
    """The old copy that a cache holds and the new text have the same id: the one was counted for the other."""
    shop = Shop()
    await shop.open(LOG)
    before = (await shop.price(TuneLog("talk", rebuild=True))).reread_tokens
    await shop.bench.workbench.dispatch(PriceStep("talk"))
    await shop.bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", "Other " * 20)))
    await shop.calm()
    now = shop.chat.view
    assert now is not None
    old = next(row for layer in now.layers for row in layer.rows if row.superseded)
    assert (old.members, old.cached_tokens) == (("a.md",), old.tokens)
    after = (await shop.price(TuneLog("talk", rebuild=True))).reread_tokens
    assert before is not None
    assert after is not None
    assert before - after >= 20, "the old copy goes away, and the new one is read for the first time"


@in_calm_loop
async def test_another_model_reads_everything_again():
    shop = Shop()
    await shop.open(LOG)
    tag = await shop.price(ChangeSettings("talk", replace(LOG, model="served-2")))
    assert tag.cached_tokens is not None
    assert tag.reread_tokens is not None
    assert 0 < tag.reread_tokens <= tag.cached_tokens


@in_calm_loop
async def test_an_edit_of_an_earlier_question_is_priced_where_it_would_be_asked():
    shop = Shop()
    await shop.open(LAYERED)
    first, second = (turn.question for turn in shop.chat.turns[:2])
    assert shop.chat.view is not None
    total = shop.chat.view.total_tokens
    for question in (first, second):
        tag = await shop.price(EditQuestion("talk", question, "Other words?"))
        assert tag.tokens_delta < 0, "what came after it is on another branch"
        assert total + tag.tokens_delta > 0
    await shop.bench.workbench.dispatch(PriceStep("talk", "it", (EditQuestion("talk", "nobody", "?"),)))
    assert shop.chat.price is None


@in_calm_loop
async def test_the_newest_step_wins_and_looking_away_ends_it():
    shop = Shop()
    await shop.open(LOG)
    await shop.bench.workbench.dispatch(
        PriceStep("talk", "one", (TuneLog("talk", rebuild=True),)),
        PriceStep("talk", "two", (DetachArtifacts("talk", ("a.md",)),)),
    )
    await shop.calm()
    assert [one.key for one in shop.bench.shows("price") if one is not None][-1] == "two"
    await shop.bench.workbench.dispatch(PriceStep("talk"))
    assert shop.chat.price is None
    told = len(shop.bench.shows("price"))
    await shop.bench.workbench.dispatch(EditDraft("talk", "And then what?"))
    await shop.calm()
    assert len(shop.bench.shows("price")) == told


@in_calm_loop
async def test_the_price_follows_what_is_typed():
    shop = Shop()
    await shop.open(LOG)
    await shop.price(ChangeSettings("talk", replace(LOG, system_prompt="")))
    before = shop.chat.price
    await shop.bench.workbench.dispatch(EditDraft("talk", "And then? " + "Go on. " * 20))
    await shop.calm()
    assert shop.chat.price is not None
    assert before is not None
    assert shop.chat.price.tag.cached_tokens == before.tag.cached_tokens


@in_calm_loop
async def test_a_long_request_is_priced_beside_the_loop():
    """Built in the loop, hovering over a button would hold up the typing."""
    shop = Shop()
    await shop.open(LAYERED)
    await shop.bench.workbench.dispatch(AttachArtifact("talk", artifact("big.txt", "word " * 12_000)))
    await shop.bench.calm()
    await shop.bench.workbench.dispatch(PriceStep("talk", "it", (DetachArtifacts("talk", ("a.md",)),)))
    names = [task.get_name() for task in shop.bench.world.tasks._running]
    assert any(name.startswith("build the request") for name in names)
    await until(lambda: shop.chat.price is not None)


@in_calm_loop
async def test_a_chat_out_of_view_has_no_price():
    shop = Shop()
    await shop.open(LOG)
    await shop.bench.workbench.dispatch(
        PriceStep("talk", "it", (TuneLog("talk", rebuild=True),)), CloseChat("talk")
    )
    await shop.bench.workbench.dispatch(PriceStep("talk", "it", (TuneLog("talk", rebuild=True),)))
    assert "talk" not in shop.bench.workbench.state.open


def test_steps_lead_to_what_they_will_do_and_others_change_nothing():
    talk = Conversation("talk", attached=(A, B))
    assert after_step(talk, (RenameChat("talk", "Other"),)) is talk
    gone = after_step(talk, (DetachArtifacts("talk", ("a.md",)),))
    back = PutBackAttached("talk", (A,), ("a.md", "b.md"))
    assert gone.attached == (B,)
    assert after_step(gone, (back,)).attached == (A, B)
    brief = replace(LOG, system_prompt="Be brief.")
    assert settings_after(LOG, (ChangeSettings("talk", brief),)) == brief
    assert settings_after(LOG, ()) == LOG
