"""A chat's turns in other layouts, worked out from what is kept."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import Step, calls, words
from tests.fakes.engine import SETTINGS, Bench, TickingUtc, fake_bench
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import artifact, fake_builder
from workbench.domain.answer import Finished, TextGrew, UsageReported
from workbench.domain.caching import CacheRules
from workbench.domain.model import ModelCard
from workbench.domain.settings.context_settings import ContextSettings, Layout
from workbench.domain.shown.turn_view import LayoutShares, LineName, ShareLine
from workbench.domain.usage import Usage
from workbench.engine.intents import (
    AttachArtifact,
    CloseChat,
    CompareLayouts,
    DetachArtifacts,
    OpenChat,
    RegenerateAnswer,
    SendMessage,
    ShowBranch,
)
from workbench.engine.open_chat import layouts
from workbench.engine.open_chat.layouts import PIECE

BUILTIN = replace(WORD_MODEL, provider="builtin", cache_rules="llamacpp")
LOOK = CompareLayouts("talk")


async def talk(layout: Layout, turns: int, settings: ContextSettings = SETTINGS) -> Bench:
    """A chat in which files come, are edited and go."""
    bench = fake_bench(
        *(words(f"Answer {number} of some words.") for number in range(turns)), builder=fake_builder(BUILTIN)
    )
    await bench.start(settings=replace(settings, layout=layout))
    for number in range(turns):
        if number % 3 == 1:
            file = artifact(f"f{number % 2}.md", f"Alpha beta gamma {number} " * 5)
            await bench.workbench.dispatch(AttachArtifact("talk", file))
        if number % 7 == 6:
            await bench.workbench.dispatch(DetachArtifacts("talk", ("f0.md",)))
        await bench.do(SendMessage("talk", f"Question {number}, which is this long?"))
    return bench


async def compared(bench: Bench) -> LayoutShares:
    await bench.workbench.dispatch(LOOK)
    await until(lambda: not bench.world.tasks.is_at("compare"))
    shares = bench.workbench.state.open["talk"].shares
    assert shares is not None
    assert shares.waiting == 0
    return shares


def line(shares: LayoutShares, name: LineName) -> ShareLine:
    return next(one for one in shares.lines if one.name == name)


@in_calm_loop
async def test_a_layout_that_was_not_sent_gets_what_it_would_have_got():
    """The same chat, held in both layouts: what is worked out for one is what was foretold in the other."""
    tight = replace(SETTINGS, context_window=400, reserved_output_tokens=40)
    for settings in (SETTINGS, tight):
        log, layers = await talk("append_only", 12, settings), await talk("layered", 12, settings)
        from_log, from_layers = await compared(log), await compared(layers)
        assert [one.name for one in from_log.lines] == ["sent", "layered", "trim_last"]
        assert [one.name for one in from_layers.lines] == ["sent", "append_only", "trim_last"]
        assert line(from_log, "layered").shares == line(from_layers, "sent").shares
        assert line(from_layers, "append_only").shares == line(from_log, "sent").shares
        assert line(from_log, "trim_last") == line(from_layers, "trim_last")
        assert from_log.lines[0].layout == "append_only"
        assert from_log.saving is not None
        assert from_layers.saving is not None
        assert from_log.saving.tokens == -from_layers.saving.tokens
        assert from_log.saving.usd is None
        assert all(share is not None for share in line(from_log, "trim_last").shares)


@in_calm_loop
async def test_a_turn_more_costs_one_turn_more():
    bench = await talk("append_only", 3)
    first = await compared(bench)
    told = len(bench.shows("shares"))
    await compared(bench)
    assert len(bench.shows("shares")) == told, "what is known is not told again"
    reads: list[int] = []
    read = bench.world.store.turn_inputs

    async def counted(chat, turns):
        reads.append(len(turns))
        return await read(chat, turns)

    bench.world.store.turn_inputs = counted  # type: ignore[method-assign]
    await bench.do(SendMessage("talk", "One more?"))
    after = await compared(bench)
    assert reads == [1]
    assert after.turns == (1, 2, 3, 4)
    assert [one.shares[:3] for one in after.lines] == [one.shares for one in first.lines]


@in_calm_loop
async def test_long_chats_are_worked_out_in_pieces():
    bench = await talk("append_only", 2 * PIECE + 3)
    await compared(bench)
    assert [one.waiting for one in bench.shows("shares")] == [PIECE + 3, 3, 0]


@in_calm_loop
async def test_another_branch_begins_anew():
    bench = await talk("append_only", 2)
    await compared(bench)
    question = bench.workbench.state.open["talk"].turns[-1].question
    await bench.do(RegenerateAnswer("talk", question))
    again = await compared(bench)
    assert again.turns == (1, 2)
    versions = bench.workbench.state.open["talk"].versions
    (first, *_) = next(iter(versions.values()))
    await bench.workbench.dispatch(ShowBranch("talk", first))
    assert (await compared(bench)).turns == (1, 2)


@in_calm_loop
async def test_a_chat_that_is_closed_is_no_longer_worked_on():
    bench = await talk("append_only", 2 * PIECE)
    await bench.workbench.dispatch(LOOK)
    await asyncio.sleep(0)
    await bench.workbench.dispatch(CloseChat("talk"))
    await until(lambda: not bench.world.tasks.is_at("compare"))
    assert all(one.waiting for one in bench.shows("shares"))
    await bench.workbench.dispatch(LOOK)
    assert not bench.world.tasks.is_at("compare")


@in_calm_loop
async def test_without_rules_nothing_is_known_and_without_turns_there_is_nothing():
    bench = fake_bench(words("Yes."))
    await bench.start()
    assert (await compared(bench)).turns == ()
    await bench.do(SendMessage("talk", "Well?"))
    shares = await compared(bench)
    assert (shares.turns, shares.known, shares.saving) == ((1,), False, None)


@in_calm_loop
async def test_requests_of_one_turn_count_together():
    """A turn with tools makes several requests, each going on from the one before it."""
    answers: list[list[Step]] = [calls(("read", '{"path": "a.md"}')), words("Found it."), words("Well.")]
    box = FakeToolbox({"a.md": "Alpha beta."})
    bench = fake_bench(*answers, builder=fake_builder(BUILTIN), toolbox=box)
    settings = replace(SETTINGS, layout="append_only", tools=tuple(tool.definition for tool in box.tools))
    await bench.start(settings=settings)
    await bench.do(SendMessage("talk", "Where is it?"))
    await bench.do(SendMessage("talk", "And now?"))
    assert [row.requests for row in bench.workbench.state.open["talk"].turns] == [2, 1]
    shares = await compared(bench)
    assert shares.turns == (1, 2)
    first = line(shares, "trim_last").shares[0]
    assert first is not None
    assert first > 0, "the second request of the turn finds the first one"


class Hours(TickingUtc):
    """Every look at the clock is an hour later → UtcClock."""

    def utc_now(self) -> str:
        """The moment."""
        looks = datetime.fromisoformat(super().utc_now()) - datetime(2026, 1, 1, tzinfo=UTC)
        return (datetime(2026, 1, 1, tzinfo=UTC) + 3600 * looks).isoformat().replace("+00:00", "Z")


@in_calm_loop
async def test_what_no_cache_can_hold_any_more_is_served_to_no_layout():
    builder = fake_builder(BUILTIN)
    assert builder.rulebook is not None
    lasting = builder.rulebook.rules(BUILTIN)
    assert lasting is not None
    short = replace(lasting, lifetime_s=300)

    class Short:
        def rules(self, card: ModelCard) -> CacheRules | None:
            return short

    for clock, found in ((TickingUtc(), True), (Hours(), False)):
        bench = fake_bench(*[words("Yes.")] * 3, builder=replace(builder, rulebook=Short()), utc=clock)
        await bench.start(settings=replace(SETTINGS, layout="append_only"))
        for _ in range(3):
            await bench.do(SendMessage("talk", "Well?"))
        shares = await compared(bench)
        assert [bool(share) for share in line(shares, "layered").shares] == [False, found, found]


@in_calm_loop
async def test_a_server_that_was_started_anew_would_have_served_no_other_layout_either():
    """What was measured then is less than the rules say: the others must not look better for it."""
    told = [UsageReported(Usage(60, n, None, 2)) for n in (0, 30, 0)]
    answers: list[list[Step]] = [[TextGrew("Yes, so it is."), usage, Finished("stop")] for usage in told]
    bench = fake_bench(*answers, builder=fake_builder(BUILTIN))
    await bench.start(settings=replace(SETTINGS, layout="append_only"))
    for _ in range(3):
        await bench.do(SendMessage("talk", "Well, what is it now?"))
    shares = await compared(bench)
    for one in shares.lines:
        assert [bool(share) for share in one.shares] == [False, True, False]


@in_calm_loop
async def test_of_a_very_long_chat_the_newest_turns_are_compared():
    """What stands before them is played unseen: their lines are those of the whole chat."""
    bench = fake_bench(*[words("Yes.")] * 9, builder=fake_builder(BUILTIN))
    await bench.start()
    for _ in range(9):
        await bench.do(SendMessage("talk", "Well?"))
    whole = await compared(bench)
    await bench.workbench.dispatch(CloseChat("talk"))
    with pytest.MonkeyPatch.context() as patch:
        for setting, value in (("NEWEST", 3), ("STEP", 2), ("UNSEEN", 4)):
            patch.setattr(layouts, setting, value)
        await bench.workbench.dispatch(OpenChat("talk"))
        shares = await compared(bench)
    assert (shares.turns, shares.older) == ((7, 8, 9), 6)
    names: tuple[LineName, ...] = ("sent", "append_only", "trim_last")
    for name in names:
        assert line(shares, name).shares == line(whole, name).shares[6:]
