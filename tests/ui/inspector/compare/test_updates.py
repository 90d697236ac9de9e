"""Compare of a watched conversation: another one is chosen, and what changed is listed with its figures."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from pytestqt.qtbot import QtBot

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.engine import fake_bench
from tests.fakes.watched import CALL, QUESTION, TOOLS, watched
from workbench.domain.watch.update import Change
from workbench.engine.intents import ListChats, OpenChat
from workbench.engine.program_intents import CompareWatched
from workbench.engine.state import WorkbenchState
from workbench.engine.watch.stored_requests import Keeper
from workbench.ui.inspector.compare.page import ComparePage
from workbench.ui.inspector.compare.updates import ChangeRow
from workbench.ui.wishes import Wishes


def state_of(*compared: CompareWatched, names: tuple[str, ...] = ("aaa", "bbb")) -> WorkbenchState:
    """The same task twice, the second time with a tool more; `bbb` is open."""

    async def made() -> WorkbenchState:
        bench = fake_bench()
        keeper = Keeper(bench.world.store, FakeCatalogue(), "http://127.0.0.1:4040")
        for name in names:
            tools = (*TOOLS, "Cron") if name == "bbb" else TOOLS
            turn, exchange = watched(1, [("user", (QUESTION,))], CALL, tools=tools)
            await keeper.keep(replace(turn, conversation=name), exchange)
        await bench.workbench.dispatch(ListChats(), OpenChat("bbb"), *compared)
        state = bench.workbench.state
        await bench.workbench.close()
        return state

    return asyncio.run(made())


def page_of(qtbot: QtBot, state: WorkbenchState, wishes: Wishes | None = None) -> ComparePage:
    page = ComparePage(wishes or Wishes())
    qtbot.addWidget(page)
    page.show()
    page.show_state(state, state.open["bbb"])
    return page


def test_another_watched_conversation_is_chosen(qtbot: QtBot):
    wishes, sent = Wishes(), list[object]()
    wishes.intent.connect(sent.append)
    page = page_of(qtbot, state_of(), wishes)
    view = page.updates

    assert [view.other.itemData(n) for n in range(view.other.count())] == ["", "aaa"]
    assert view.table.isHidden()
    assert "The same task with another version" in view.words.text()
    assert page.entry() is view.other
    view.other.setCurrentIndex(1)
    view.other.activated.emit(1)
    assert sent == [CompareWatched("aaa", "bbb")]


def test_what_changed_is_listed(qtbot: QtBot):
    view = page_of(qtbot, state_of(CompareWatched("aaa", "bbb"))).updates

    assert [(row.change.kind, row.words.text(), row.tokens.figure()) for row in view.changes] == [
        ("tools", "The tool Cron was added.", "+90")
    ]
    assert view.other.chosen() == "aaa"
    assert not view.table.isHidden()


def test_what_cannot_be_compared_is_said_and_one_alone_has_nothing_to_choose(qtbot: QtBot):
    gone = page_of(qtbot, state_of(CompareWatched("gone", "bbb"))).updates
    assert "gone" in gone.words.text()
    alone = page_of(qtbot, state_of(names=("bbb",))).updates
    assert not alone.other.isEnabled()
    assert "a second time" in alone.words.text()


def test_what_is_saved_has_a_minus(qtbot: QtBot):
    row = ChangeRow(Change("tools", "The tool Cron was removed.", -1200, -0.25))
    qtbot.addWidget(row)
    assert (row.tokens.figure(), row.price.figure()) == ("−1,200", "−$0.250")
