"""Fixes are looked for in the background: what is shown does not wait, and what is offered fits what is shown."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.turns import artifact
from workbench.engine.intents import AttachArtifact, ChangeSettings, CloseChat, EditDraft, OpenChat
from workbench.engine.state import ChatState

TIGHT = replace(SETTINGS, context_window=100, reserved_output_tokens=0)
LARGE = artifact("a.md", "word " * 120, essential=True)


async def over_limit() -> Bench:
    bench = fake_bench()
    await bench.start(settings=TIGHT)
    await bench.workbench.dispatch(AttachArtifact("talk", LARGE))
    return bench


def state(bench: Bench) -> ChatState:
    return bench.workbench.state.open["talk"]


@in_calm_loop
async def test_a_request_is_shown_at_once_and_its_fixes_follow():
    bench = await over_limit()
    shown = state(bench)
    assert shown.view is bench.shows("view")[-1]
    assert (shown.view.over_tokens > 0, shown.fixes) == (True, ())
    await until(lambda: bool(state(bench).fixes))
    found = state(bench)
    assert found.view is shown.view
    assert found.attachments == shown.attachments
    assert [fix.kind for fix in found.fixes] == ["unpin", "larger_window", "detach"]


@in_calm_loop
async def test_a_keystroke_keeps_the_fixes_until_better_ones_are_there():
    bench = await over_limit()
    await until(lambda: bool(state(bench).fixes))
    old = state(bench).fixes
    await bench.workbench.dispatch(EditDraft("talk", "three more words"))
    assert state(bench).fixes is old
    await until(lambda: state(bench).fixes is not old)
    view = state(bench).view
    assert view is not None
    (unpin,) = [fix for fix in state(bench).fixes if fix.kind == "unpin"]
    assert unpin.total_tokens + unpin.saved_tokens == view.total_tokens


@in_calm_loop
async def test_a_request_that_is_no_longer_the_newest_is_not_shown_again():
    """Fixes that come late would otherwise bring back what was typed before."""
    bench = await over_limit()
    for text in ("one", "one two", "one two three"):
        for _ in range(3):
            await asyncio.sleep(0)  # the search is in the middle of its builds then
        await bench.workbench.dispatch(EditDraft("talk", text))
    await until(lambda: bool(state(bench).fixes))
    await bench.workbench.close()
    totals = [one.total_tokens for one in bench.shows("view") if one.over_tokens]
    assert totals == sorted(totals)


@in_calm_loop
async def test_fixes_for_other_attachments_are_not_offered():
    """Applied, they would bring back what was attached before."""
    bench = await over_limit()
    await until(lambda: bool(state(bench).fixes))
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("b.md", "word " * 90, essential=True)))
    assert state(bench).fixes == ()
    await until(lambda: bool(state(bench).fixes))
    await bench.workbench.dispatch(ChangeSettings("talk", replace(TIGHT, system_prompt="Be brief.")))
    assert state(bench).fixes == ()
    await until(lambda: bool(state(bench).fixes))


@in_calm_loop
async def test_a_request_that_fits_has_none():
    bench = await over_limit()
    await until(lambda: bool(state(bench).fixes))
    await bench.workbench.dispatch(ChangeSettings("talk", replace(TIGHT, context_window=900)))
    assert state(bench).fixes == ()
    before = len(bench.shows("fixes"))
    await bench.workbench.close()
    assert len(bench.shows("fixes")) == before


@in_calm_loop
async def test_a_chat_that_is_closed_meanwhile_is_left_alone():
    bench = await over_limit()
    await bench.workbench.dispatch(CloseChat("talk"))
    before = len(bench.shows("fixes"))
    await bench.workbench.close()
    assert len(bench.shows("fixes")) == before


@in_calm_loop
async def test_a_chat_that_is_opened_again_gets_its_fixes_again():
    bench = await over_limit()
    await until(lambda: bool(state(bench).fixes))
    await bench.workbench.dispatch(CloseChat("talk"))
    await bench.workbench.dispatch(OpenChat("talk"))
    assert state(bench).fixes == ()
    await until(lambda: bool(state(bench).fixes))
    await bench.workbench.close()
