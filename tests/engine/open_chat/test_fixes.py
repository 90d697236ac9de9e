"""Ways to make a request fit: each does what it says when it is done, and undoing it gives the same bytes again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModel, FakeModels, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench, fake_world
from tests.fakes.history import MemoryHistory
from tests.fakes.long_texts import long_log
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.turns import artifact, fake_builder, selection
from tests.fakes.views import OnePrice
from workbench.domain.envelope import budget_for
from workbench.domain.files.attachment import Artifact
from workbench.domain.model import ModelListing
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation
from workbench.engine.intents import AttachArtifact, ChangeSettings, DetachArtifacts, EditDraft, SendMessage
from workbench.engine.open_chat.fixes import Tight, find_fixes
from workbench.engine.program_intents import ListModels
from workbench.engine.shown.request_view import RequestViewer, Scene
from workbench.engine.state import ChatState, Fix
from workbench.engine.tuning_intents import AttachedChange, PutBackAttached, TuneAttached

LARGE = replace(WORD_MODEL, name="large-1", context_window_tokens=5000)
UNTRIMMED = HistorySettings(threshold=None)
TIGHT = replace(SETTINGS, context_window=600, reserved_output_tokens=100, history=UNTRIMMED)


def pinned(key: str, words: int, **changes: Any) -> Artifact:
    return artifact(key, "word " * words, essential=True, **changes)


async def found(
    *attached: Artifact, settings: ContextSettings = TIGHT, models: tuple[ModelListing, ...] = ()
) -> tuple[Fix, ...]:
    world = fake_world(builder=fake_builder(WORD_MODEL, LARGE), prices=OnePrice())
    conversation = Conversation("talk", attached=attached)
    prepared = prepare_turn(conversation, Ask(settings), world.builder)
    view = RequestViewer(world.builder, world.prices).view(prepared, Scene())
    assert view.over_tokens
    return await find_fixes(Tight(conversation, settings, prepared, view, Ask, models), world)


def kinds(fixes: tuple[Fix, ...]) -> list[tuple[str, str, bool]]:
    return [(fix.kind, fix.subject, fix.fits) for fix in fixes]


@in_calm_loop
async def test_the_largest_that_is_pinned_may_be_let_go():
    fixes = await found(
        pinned("a", 100),
        pinned("b", 450, priority=9, title="Log"),
        settings=replace(TIGHT, context_window=None, reserved_output_tokens=500),
    )
    assert kinds(fixes) == [("unpin", "Log", True), ("detach", "Log", True), ("unpin", "a", True)]
    first = fixes[0]
    assert (first.priority, first.saved_tokens > 450) == (9, True)
    assert first.cost_usd == first.total_tokens
    assert first.do == (TuneAttached("talk", (AttachedChange("b", pinned=False),)),)
    assert first.undo == (TuneAttached("talk", (AttachedChange("b", pinned=True),)),)


@in_calm_loop
async def test_a_detached_one_is_put_back_where_it_was():
    one, wide = pinned("b", 450), replace(TIGHT, context_window=None, reserved_output_tokens=500)
    fixes = await found(pinned("a", 100), one, settings=wide)
    (detach,) = [fix for fix in fixes if fix.kind == "detach"]
    assert detach.do == (DetachArtifacts("talk", ("b",)),)
    assert detach.undo == (PutBackAttached("talk", (one,), ("a", "b")),)


@in_calm_loop
async def test_a_window_that_was_set_smaller_than_the_model_s_is_doubled_until_it_is_enough():
    fixes = await found(
        pinned("a", 550), settings=replace(TIGHT, context_window=300, reserved_output_tokens=0)
    )
    (larger,) = [fix for fix in fixes if fix.kind == "larger_window"]
    assert (larger.number, larger.fits, larger.subject, larger.saved_tokens) == (600, True, "word-1", 0)
    fixes = await found(
        pinned("a", 950), settings=replace(TIGHT, context_window=300, reserved_output_tokens=0)
    )
    (most,) = [fix for fix in fixes if fix.kind == "larger_window"]
    assert (most.number, most.fits) == (1000, True)


@in_calm_loop
async def test_a_larger_budget_is_named_as_it_is_shown_then_and_what_is_missing_by_what_is_missing():
    """It named the window, of which the answer gets a part; and it called the whole request still over."""
    settings = replace(TIGHT, context_window=300, reserved_output_tokens=100)
    (larger,) = [
        fix for fix in await found(pinned("a", 550), settings=settings) if fix.kind == "larger_window"
    ]
    (change,) = larger.do
    assert isinstance(change, ChangeSettings)
    assert larger.number == budget_for(change.settings, 1_000).window_tokens == 900
    fixes = await found(pinned("a", 550), pinned("b", 500), settings=settings)
    still = [(fix.over_tokens, fix.total_tokens - 200) for fix in fixes if fix.kind == "unpin"]
    assert (bool(still), all(over == missing > 0 for over, missing in still)) == (True, True)


@in_calm_loop
async def test_a_window_that_is_not_enough_even_so_is_not_offered():
    fixes = await found(pinned("a", 2000))
    assert [fix.kind for fix in fixes if not fix.fits] == []
    assert "larger_window" not in {fix.kind for fix in fixes}


@in_calm_loop
async def test_another_model_is_the_smallest_that_is_enough_and_can_be_used():
    cards = {
        window: replace(WORD_MODEL, name=f"m-{window}", context_window_tokens=window)
        for window in (400, 2000, 3000, 9000)
    }
    elsewhere = replace(cards[3000], name="other", provider="elsewhere", context_window_tokens=2500)
    models = (
        ModelListing("word-1", replace(WORD_MODEL, context_window_tokens=10**6), True),
        ModelListing("m-9000", cards[9000], True),
        ModelListing("large-1", cards[3000], True),
        ModelListing("m-400", cards[400], True),
        ModelListing("m-2000", cards[2000], False, "add a key"),
        ModelListing("other", elsewhere, True),
        ModelListing("openai:NAME", None, True),
    )
    fixes = await found(pinned("a", 1500), models=models)
    (other,) = [fix for fix in fixes if fix.kind == "other_model"]
    assert (other.subject, other.number, other.fits) == ("large-1", 3000, True)
    (do,) = other.do
    assert isinstance(do, ChangeSettings)
    assert (do.settings.model, do.settings.context_window) == ("large-1", None)


@in_calm_loop
async def test_what_helps_but_is_not_enough_comes_after_what_is():
    wide = replace(TIGHT, context_window=None, reserved_output_tokens=0)
    fixes = await found(pinned("a", 1200), pinned("b", 100), pinned("c", 1100), settings=wide)
    assert [(fix.kind, fix.fits) for fix in fixes] == [("unpin", False), ("detach", False), ("unpin", False)]
    assert all(fix.saved_tokens > 0 for fix in fixes)
    small = replace(TIGHT, context_window=300, reserved_output_tokens=0)
    mixed = await found(pinned("a", 450), pinned("b", 400), settings=small)
    assert [(fix.kind, fix.fits) for fix in mixed][:2] == [("larger_window", True), ("unpin", False)]


@in_calm_loop
async def test_nothing_is_offered_where_nothing_helps():
    assert await found(settings=replace(TIGHT, context_window=None, system_prompt="word " * 2000)) == ()


@in_calm_loop
async def test_at_most_four_are_offered():
    models = (ModelListing("large-1", LARGE, True),)
    fixes = await found(pinned("a", 450), pinned("b", 90), selection("s", "word " * 80), models=models)
    assert [fix.kind for fix in fixes] == ["unpin", "larger_window", "other_model", "detach"]


LONG = long_log(2, 300)


@in_calm_loop
async def test_the_largest_may_be_shortened_to_what_then_fits_though_it_is_pinned():
    fixes = await found(
        artifact("a.log", LONG, essential=True),
        pinned("b", 100),
        settings=replace(TIGHT, context_window=1_400),
    )
    first = fixes[0]
    assert (first.kind, first.subject, first.fits) == ("shorten", "a.log", True)
    assert 0.8 * 1_300 < first.total_tokens <= 1_300
    assert first.number % 10 == 0
    assert first.do == (TuneAttached("talk", (AttachedChange("a.log", most_tokens=first.number),)),)
    assert first.undo == (TuneAttached("talk", (AttachedChange("a.log", most_tokens=0),)),)


@in_calm_loop
async def test_what_was_shortened_already_goes_back_to_that():
    one = artifact("a.log", LONG, essential=True, most_tokens=1_500)
    fixes = await found(one, settings=replace(TIGHT, context_window=1_400))
    assert fixes[0].undo == (TuneAttached("talk", (AttachedChange("a.log", most_tokens=1_500),)),)


@in_calm_loop
async def test_what_is_short_or_nowhere_else_is_not_offered_to_be_shortened():
    fixes = await found(pinned("a", 450), selection("s", LONG), settings=replace(TIGHT, context_window=1_400))
    assert "shorten" not in {fix.kind for fix in fixes}


@in_calm_loop
async def test_shortening_is_done_undone_kept_with_the_chat_and_reloaded():
    """Through the front door and a store: the promised total, the same bytes after undo, and after a restart."""
    store = MemoryHistory()
    bench = fake_bench(store=store)
    await bench.start(settings=replace(TIGHT, context_window=1_400))
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.log", LONG, essential=True)))
    await bench.workbench.dispatch(EditDraft("talk", "What is wrong?"))
    await until(lambda: bool(state(bench).fixes))
    before = state(bench).view
    fix = state(bench).fixes[0]
    assert (fix.kind, before is not None) == ("shorten", True)
    for intent in fix.do:
        await bench.workbench.dispatch(intent)
    now = state(bench).view
    assert now is not None
    assert (now.total_tokens, now.over_tokens) == (fix.total_tokens, 0)
    (row,) = state(bench).attachments
    assert (row.most_tokens, row.can_shorten, row.state, row.tokens <= fix.number) == (
        fix.number, True, "compacted", True,
    )  # fmt: skip
    assert [one.most_tokens for one in await store.attached("talk")] == [fix.number]
    for intent in fix.undo:
        await bench.workbench.dispatch(intent)
    assert state(bench).view == before
    await bench.workbench.close()


class ListedModels(FakeModels):
    """One large model can be used."""

    async def available(self) -> tuple[ModelListing, ...]:
        return (ModelListing("large-1", LARGE, True),)


async def over_limit() -> Bench:
    """Five turns behind, three files pinned, and more than fits."""
    answers = [words("word " * 40 + str(n)) for n in range(5)]
    models = ListedModels(FakeModel(answers))
    bench = fake_bench(models=models, builder=fake_builder(WORD_MODEL, LARGE))
    await bench.start(settings=TIGHT)
    for number in range(5):
        await bench.do(SendMessage("talk", f"q{number}?"))
    await bench.workbench.dispatch(ListModels())
    await until(lambda: bench.workbench.state.models is not None)
    for key, size in (("a.md", 100), ("b.md", 80), ("c.md", 200)):
        await bench.workbench.dispatch(AttachArtifact("talk", pinned(key, size)))
    await bench.workbench.dispatch(EditDraft("talk", "Why does it not fit?"))
    return bench


def state(bench: Bench) -> ChatState:
    return bench.workbench.state.open["talk"]


@in_calm_loop
async def test_every_fix_does_what_it_says_and_can_be_taken_back():
    """Done through the front door: the total is the one that was promised, and undoing gives the same bytes."""
    bench = await over_limit()
    await until(lambda: len(state(bench).fixes) == 4)
    before = state(bench).view
    assert before is not None
    fixes = state(bench).fixes
    assert {fix.kind for fix in fixes} == {"unpin", "leave", "larger_window", "other_model"}
    for fix in fixes:
        for intent in fix.do:
            await bench.workbench.dispatch(intent)
        now = state(bench).view
        assert now is not None
        assert (now.total_tokens, now.over_tokens == 0) == (fix.total_tokens, fix.fits)
        assert (fix.kind, now.cost_usd) == (fix.kind, fix.cost_usd)
        if fix.fits:
            assert state(bench).fixes == ()
        for intent in fix.undo:
            await bench.workbench.dispatch(intent)
        again = state(bench).view
        assert again is not None
        assert (again.digest, again) == (before.digest, before)
    await bench.workbench.close()


@in_calm_loop
async def test_a_full_chat_of_old_offers_that_its_oldest_turns_leave_from_now_on():
    bench = await over_limit()
    await bench.workbench.dispatch(DetachArtifacts("talk", ("b.md",)))
    await until(lambda: any(fix.kind == "leave" and fix.fits for fix in state(bench).fixes))
    (fix,) = [fix for fix in state(bench).fixes if fix.kind == "leave"]
    for intent in fix.do:
        await bench.workbench.dispatch(intent)
    view = state(bench).view
    assert view is not None
    assert (view.total_tokens, view.over_tokens) == (fix.total_tokens, 0)
    first = view.layers[2].rows[0]
    assert (first.state, first.reason.code, first.counted) == ("trimmed", "left", True)
    assert (first.full_tokens or 0) > first.tokens > 0
    assert sum(row.tokens for row in view.layers[2].rows if row.counted) == view.layers[2].tokens
    await bench.workbench.close()


@in_calm_loop
async def test_the_oldest_turns_in_a_summary_are_a_way_and_undoing_it_gives_the_same_bytes():
    answer = "This is a long answer that nobody will ever need again, word by word. " * 20
    one = fake_bench(words(answer), words(answer), words("Short."))
    await one.start("talk", replace(TIGHT, context_window=5_000))
    for asked in ("I have 4,500 EUR.", "Is that much?", "So?"):
        await one.do(SendMessage("talk", asked))
    await one.workbench.dispatch(ChangeSettings("talk", replace(TIGHT, context_window=500)))
    await until(lambda: bool(one.workbench.state.open["talk"].fixes))
    fix = next(fix for fix in one.workbench.state.open["talk"].fixes if fix.kind == "summarise")
    assert (fix.fits, fix.number) == (True, 2)
    before = one.workbench.state.open["talk"].view
    await one.workbench.dispatch(*fix.do)
    await one.calm()
    after = one.workbench.state.open["talk"].view
    assert after is not None
    assert (after.total_tokens, after.over_tokens) == (fix.total_tokens, 0)
    await one.workbench.dispatch(*fix.undo)
    await one.calm()
    again = one.workbench.state.open["talk"].view
    assert before is not None
    assert again is not None
    assert again.digest == before.digest
