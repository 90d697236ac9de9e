"""Between window and engine: states come at most thirty times a second, intents in order, refusals in words."""

from __future__ import annotations

import asyncio

from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.qt_loop import in_qt_loop, until
from workbench.engine.events import DraftEdited
from workbench.engine.intents import EditDraft, Intent, RenameChat, StartChat
from workbench.engine.state import WorkbenchState
from workbench.ui.bridge import Bridge


def bridged() -> tuple[Bench, Bridge, list[WorkbenchState], list[tuple[tuple[Intent, ...], str]]]:
    bench = fake_bench()
    bridge = Bridge(bench.workbench, bench.world.tasks)
    states: list[WorkbenchState] = []
    refusals: list[tuple[tuple[Intent, ...], str]] = []
    bridge.published.connect(states.append)
    bridge.refused.connect(lambda intents, words: refusals.append((intents, words)))
    return bench, bridge, states, refusals


@in_qt_loop
async def test_many_keystrokes_are_a_few_states_and_the_last_one_is_shown(qapp):
    bench, bridge, states, _ = bridged()
    await bench.start()
    for letters in range(1, 200):
        bridge.send(EditDraft("talk", "x" * letters))
    await until(lambda: bool(states) and states[-1].open["talk"].draft == "x" * 199)
    assert len(states) < 20
    bridge.close()
    await bench.workbench.close()


@in_qt_loop
async def test_changes_of_a_chat_are_done_in_the_order_they_were_sent(qapp):
    bench, bridge, states, _ = bridged()
    await bench.start()
    for number in range(30):
        bridge.send(RenameChat("talk", f"title {number}"))
    await until(lambda: bool(states) and states[-1].open["talk"].chat.title == "title 29")
    await asyncio.sleep(0.1)
    assert bench.workbench.state.open["talk"].chat.title == "title 29"
    bridge.close()
    await bench.workbench.close()


@in_qt_loop
async def test_what_cannot_be_done_is_said_in_words_and_nothing_breaks(qapp):
    bench, bridge, _, refusals = bridged()
    await bench.start()
    bridge.send(StartChat("talk", SETTINGS))
    await until(lambda: len(refusals) == 1)
    bridge.send(RenameChat("no-such-chat", "x"))
    await until(lambda: len(refusals) == 2)
    assert all(words for _, words in refusals)
    assert refusals[1][0] == (RenameChat("no-such-chat", "x"),)
    assert bridge.pending() == []
    bridge.close()
    await bench.workbench.close()


@in_qt_loop
async def test_a_draft_that_was_overtaken_is_not_built(qapp):
    """Keys that come faster than requests are built must not queue up behind one another."""
    bench, bridge, _, _ = bridged()
    await bench.start()
    drafts: list[str] = []
    bench.workbench.subscribe(
        lambda event, _: drafts.append(event.text) if isinstance(event, DraftEdited) else None
    )
    for text in ("a", "ab"):
        bridge.send(EditDraft("talk", text))
    bridge.send(RenameChat("talk", "between"))
    for text in ("abc", "abcd", "abcde"):
        bridge.send(EditDraft("talk", text))
    await until(lambda: bridge.pending() == [])
    assert drafts == ["ab", "abcde"]
    bridge.send(EditDraft("talk", "abcde", prefill="Yes"))
    bridge.send(EditDraft("talk", "abcdef"))  # says nothing of how the answer begins: that must not be lost
    await until(lambda: bridge.pending() == [])
    opened = bench.workbench.state.open["talk"]
    assert (opened.draft, opened.prefill) == ("abcdef", "Yes")
    assert bench.workbench.state.open["talk"].chat.title == "between"
    bridge.close()
    await bench.workbench.close()
