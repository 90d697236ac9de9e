"""Price tags, rebuild, purge and untrim in the real window, over a real store and a real engine with a warm cache."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.fakes.priced_stage import LOG, ask, open_warm, warm, warm_world
from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.secret_texts import GITHUB
from tests.fakes.widgets import all_of, point_at, point_away
from tests.fakes.window_stage import WindowStage
from workbench.context.explain.differences import price_tag
from workbench.domain.files.attachment import Artifact
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.shown.envelope_view import EnvelopeView, PriceTag, RowKey, SegmentRow
from workbench.engine.intents import AttachArtifact, AttachText
from workbench.engine.open_chat import requests as cache_ahead
from workbench.engine.tuning_intents import AttachedChange, TuneAttached
from workbench.ui import steps
from workbench.ui.chat.messages.answer_view import AnswerView
from workbench.ui.inspector.layers.cells import Column
from workbench.ui.inspector.rows.row_words import reason_words
from workbench.ui.inspector.what_if.controls import WhatIfChoice
from workbench.ui.price_words import price_line, price_lines, short_price
from workbench.ui.widgets.labels import KeyCap
from workbench.ui.window.working import PriceTip


@pytest.fixture(autouse=True)
def quick_and_tidy(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The server is asked at once, and the next test finds no window that is left."""
    monkeypatch.setattr(cache_ahead, "SETTLE_S", 0.01)
    qapp.setQuitOnLastWindowClosed(False)
    yield
    for window in QApplication.topLevelWidgets():
        window.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder of the test's own."""
    place = tmp_path / "data"
    place.mkdir(mode=0o700)
    return place


def picture(stage: WindowStage, name: str) -> None:
    """A look at the window, where somebody wants one."""
    place = os.environ.get("WORKBENCH_PICTURES")
    if place:
        tip = stage.working.prices.tip
        whole = stage.window.grab()
        if tip is not None and tip.isVisible():
            from PySide6.QtGui import QPainter

            painter = QPainter(whole)
            painter.drawPixmap(stage.window.mapFromGlobal(tip.pos()), tip.grab())
            painter.end()
        whole.save(str(Path(place) / f"{name}.png"))


async def priced_tip(stage: WindowStage) -> tuple[PriceTip, PriceTag]:
    """The tip as soon as it says what something costs, and the price behind it."""

    def known() -> bool:
        price, tip = stage.open_chat.price, stage.working.prices.tip
        if price is None or not price.key.startswith("tip") or price.tag.reread_tokens is None:
            return False
        lines = price_lines(price.tag)
        told = " | ".join(filter(None, lines[:2]))
        return tip is not None and tip.isVisible() and told in tip.words()

    await until(known)
    tip, price = stage.working.prices.tip, stage.open_chat.price
    assert tip is not None
    assert price is not None
    return tip, price.tag


def view_of(stage: WindowStage) -> EnvelopeView:
    view = stage.open_chat.view
    assert view is not None
    return view


def row_of(stage: WindowStage, layer: str) -> SegmentRow:
    return next(row for each in view_of(stage).layers if each.name == layer for row in each.rows)


@asynccontextmanager
async def at_work(folder: Path, settings: ContextSettings = LOG) -> AsyncIterator[WindowStage]:
    """A window with a new chat, which is closed whatever happens."""
    stage = await open_warm(folder, settings)
    try:
        yield stage
    finally:
        await stage.close()


@asynccontextmanager
async def talked(folder: Path) -> AsyncIterator[WindowStage]:
    """The same after three questions about an attached text."""
    async with at_work(folder) as stage:
        stage.session.send(AttachText(stage.session.chat_id, "Alpha beta gamma. " * 12, "notes.txt"))
        await until(lambda: bool(stage.open_chat.conversation.attached))
        for number in range(1, 4):
            await ask(stage, f"Question {number}?")
        yield stage


def hover_cell(stage: WindowStage, key: RowKey, column: Column) -> None:
    tree = stage.window.inspector.layers.tree
    index = tree.rows.index_of(key)
    cell = tree.visualRect(tree.rows.index(index.row(), column, index.parent()))
    at, nothing, plain = QPointF(cell.center()), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    screen = tree.viewport().mapToGlobal(at)
    # Not by QTest, which lets other tasks run inside of this one.
    moved = QMouseEvent(QMouseEvent.Type.MouseMove, at, screen, nothing, nothing, plain)
    QApplication.sendEvent(tree.viewport(), moved)


@in_qt_loop
async def test_a_row_is_left_out_for_the_price_that_was_said(folder: Path, qapp: QApplication):
    async with talked(folder) as stage:
        tree, row = stage.window.inspector.layers.tree, row_of(stage, "L4_STRIP")
        now, forecast = view_of(stage), stage.open_chat.prepared
        menu = tree.menu_for(row)
        assert menu is not None
        menu.popup(tree.viewport().mapToGlobal(QPoint(40, 40)))
        leave = next(action for action in menu.actions() if action.text().startswith("Leave out"))
        menu.setActiveAction(leave)
        tip, tag = await priced_tip(stage)
        picture(stage, "row-menu")
        assert "Leave out: turn 1" in tip.words()
        assert "re-reads" in tip.words()
        assert "$" not in tip.words(), "the model runs on this computer"
        menu.close()
        await until(lambda: not tip.isVisible())
        tree.act(row, "leave_out")
        await stage.until_chat(lambda chat: bool(chat.conversation.tuning.excluded))
        await warm(stage)
        assert forecast is not None
        assert price_tag(now, view_of(stage), forecast.forecast) == tag


@in_qt_loop
async def test_a_pin_says_its_price_under_the_pointer_and_a_row_by_keyboard(folder: Path, qapp: QApplication):
    async with talked(folder) as stage:
        row = row_of(stage, "L4_STRIP")
        hover_cell(stage, row.key, Column.PIN)
        tip, tag = await priced_tip(stage)
        picture(stage, "pin-cell")
        assert "Space" in tip.accessibleName() or "Pin" in tip.words()
        assert tag.tokens_delta == 0
        tree = stage.window.inspector.layers.tree
        hover_cell(stage, row.key, Column.SEGMENT)
        await until(lambda: not tip.isVisible())
        stage.window.activateWindow()
        await until(stage.window.isActiveWindow)
        tree.setFocus(Qt.FocusReason.TabFocusReason)
        stage.window.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange, True)
        tree.setCurrentIndex(tree.rows.index_of(row.key))
        tip, tag = await priced_tip(stage)
        assert "Leave out" in tip.words(), "what Del would do"
        assert (tag.reread_tokens or 0) > 0
        QTest.keyClick(tree, Qt.Key.Key_Down)
        tip, _ = await priced_tip(stage)
        assert "turn 2" in tip.words()


@in_qt_loop
async def test_rebuild_now_is_priced_shown_at_once_sent_once_and_can_be_undone(
    folder: Path, qapp: QApplication
):
    async with talked(folder) as stage:
        line = stage.window.inspector.layers.what_if.layout_line
        assert "Append-only" in line.words.text()
        assert line.rebuild.isVisible()
        now = view_of(stage)
        point_at(line.rebuild)
        tip, tag = await priced_tip(stage)
        picture(stage, "rebuild")
        assert [cap.text() for cap in all_of(KeyCap, tip)] == ["Ctrl+Shift+R"]
        assert (tag.reread_tokens or 0) > 0
        point_away(line.rebuild)
        stage.working.actions.run("rebuild")
        await stage.until_chat(lambda chat: chat.view is not None and chat.view.rebuilt == "asked")
        await warm(stage)
        assert price_tag(now, view_of(stage)).reread_tokens == tag.reread_tokens
        assert line.words.text().startswith("Rebuilt: you asked for it")
        stage.working.actions.run("undo")
        await stage.until_chat(lambda chat: chat.view is not None and chat.view.rebuilt is None)
        stage.working.actions.run("rebuild")
        await stage.until_chat(lambda chat: chat.view is not None and chat.view.rebuilt == "asked")
        await ask(stage, "And now?")
        assert stage.open_chat.turns[-1].broke == "rebuilt"
        assert view_of(stage).rebuilt is None, "the wish is gone with the question"


@in_qt_loop
async def test_a_file_that_the_cache_keeps_short_is_sent_whole_for_the_price_that_was_said(
    folder: Path, qapp: QApplication
):
    small = replace(LOG, layout="layered", context_window=2_100)
    async with at_work(folder, small) as stage:
        text = "".join(f"word{number} and more\n" for number in range(400))
        file = Artifact("notes.log", "file", text)
        stage.session.send(AttachArtifact(stage.session.chat_id, file))
        await until(lambda: bool(stage.open_chat.conversation.attached))
        await ask(stage, "ask " * 700)
        await ask(stage, "Short?")
        stage.session.do_step(steps.leave_out_members(stage.open_chat, [stage.open_chat.records[0].id], True))
        await until(lambda: any(row.held for row in stage.open_chat.attachments))
        await ask(stage, "And now?")
        tree = stage.window.inspector.layers.tree
        row = next(one for layer in view_of(stage).layers for one in layer.rows if one.key.id == file.key)
        assert reason_words(row.reason) == "kept short: the cache holds this part"
        tree.setCurrentIndex(tree.rows.index_of(row.key))
        hover_cell(stage, row.key, Column.REASON)
        tip, tag = await priced_tip(stage)
        picture(stage, "kept-short")
        assert tip.words().startswith(
            "Send whole: notes.log | It fits; the cache holds the short copy. | re-reads"
        )
        assert row.full_tokens is not None
        assert tag.tokens_delta >= row.full_tokens - row.tokens > 0
        assert (tag.reread_tokens or 0) > 0
        now, forecast = view_of(stage), stage.open_chat.prepared
        QTest.keyClick(tree, Qt.Key.Key_A)
        await stage.until_chat(lambda chat: any(one.whole for one in chat.conversation.attached))
        await warm(stage)
        assert forecast is not None
        assert price_tag(now, view_of(stage), forecast.forecast) == tag
        picture(stage, "sent-whole")
        stage.working.actions.run("undo")
        await until(lambda: any(row.held for row in stage.open_chat.attachments))
        stage.working.actions.run("redo")
        await stage.until_chat(lambda chat: any(one.whole for one in chat.conversation.attached))
        await ask(stage, "All of it?")
        sent = stage.workbench._world.models.open("served-1").requests[-1]  # type: ignore[attr-defined]
        assert text in "".join(message.text for message in sent.messages)


@in_qt_loop
async def test_a_detached_file_stays_until_it_is_purged(folder: Path, qapp: QApplication):
    async with talked(folder) as stage:
        key = stage.open_chat.conversation.attached[0].key
        pane, toast = stage.window.left.attachments, stage.window.toast
        pane.view.setCurrentIndex(pane.view.tree().index_of(key))
        QTest.keyClick(pane.view, Qt.Key.Key_Delete)
        await until(lambda: toast.text() == "notes.txt stays until the next rebuild")
        await until(lambda: "Remove now: re-reads" in toast.action.text())
        await stage.settle()
        picture(stage, "detached")
        assert any(row.key.id == key for layer in view_of(stage).layers for row in layer.rows if row.counted)
        assert not pane.empty.isVisible(), "it is still sent"
        point_at(toast.action)
        tip, tag = await priced_tip(stage)
        assert tip.words().startswith("Remove")
        assert toast.action.text() == f"Remove now: {short_price(tag)}"
        point_away(toast.action)
        await stage.settle()
        pane.view.setCurrentIndex(pane.view.tree().index_of(key))
        QTest.keyClick(pane.view, Qt.Key.Key_Delete)
        await stage.until_chat(lambda chat: chat.view is not None and chat.view.rebuilt == "asked")
        assert pane.empty.isVisible()
        stage.working.actions.run("undo")
        await stage.until_chat(lambda chat: chat.view is not None and chat.view.rebuilt is None)
        assert pane.view.tree().index_of(key).isValid()
        stage.working.actions.run("redo")
        await stage.until_chat(lambda chat: chat.view is not None and chat.view.rebuilt == "asked")
        await ask(stage, "Without it?")
        sent = stage.workbench._world.models.open("served-1").requests[-1]  # type: ignore[attr-defined]
        assert "Alpha beta" not in "".join(message.text for message in sent.messages)


@in_qt_loop
async def test_a_detached_file_with_a_key_in_it_is_purged_by_itself(folder: Path, qapp: QApplication):
    async with at_work(folder) as stage:
        secret = f"token = {GITHUB}"
        stage.session.send(AttachText(stage.session.chat_id, secret, "keys.env"))
        await until(
            lambda: bool(stage.open_chat.attachments) and bool(stage.open_chat.attachments[0].secrets)
        )
        await ask(stage, "What is this?")
        key = stage.open_chat.conversation.attached[0].key
        pane, toast = stage.window.left.attachments, stage.window.toast
        pane.view.setCurrentIndex(pane.view.tree().index_of(key))
        QTest.keyClick(pane.view, Qt.Key.Key_Delete)
        await until(lambda: "was removed" in toast.text())
        await stage.until_chat(lambda chat: chat.view is not None and chat.view.rebuilt == "asked")
        picture(stage, "purged")
        toast.action.click()
        await stage.until_chat(
            lambda chat: bool(chat.conversation.attached) and not chat.conversation.tuning.purged
        )


@in_qt_loop
async def test_a_rebuild_that_is_taken_back_does_not_bring_a_detached_key_back(
    folder: Path, qapp: QApplication
):
    async with at_work(folder) as stage:
        stage.session.send(AttachText(stage.session.chat_id, f"token = {GITHUB}", "keys.env"))
        await until(
            lambda: bool(stage.open_chat.attachments) and bool(stage.open_chat.attachments[0].secrets)
        )
        await ask(stage, "What is this?")
        key, toast = stage.open_chat.conversation.attached[0].key, stage.window.toast
        stage.session.do_step(steps.rebuild(stage.open_chat))
        await stage.until_chat(lambda chat: chat.conversation.rebuild_wanted)
        stage.session.do_step(steps.detach(stage.open_chat, (key,)))
        await until(lambda: "was removed" in toast.text())
        await stage.until_chat(lambda chat: not chat.conversation.attached)
        stage.session.do_step(steps.rebuild(stage.open_chat))
        await stage.until_chat(lambda chat: not chat.conversation.rebuild_wanted)
        await ask(stage, "And now?")
        sent = stage.workbench._world.models.open("served-1").requests[-1]  # type: ignore[attr-defined]
        assert GITHUB not in "".join(message.text for message in sent.messages)


@in_qt_loop
async def test_what_was_trimmed_is_brought_back_for_the_price_that_was_said(folder: Path, qapp: QApplication):
    history = replace(LOG.history, keep_last_n_assistant=1)
    async with at_work(folder, replace(LOG, context_window=420, history=history)) as stage:
        for number in range(1, 7):
            await ask(stage, f"Question {number}?")
            if view_of(stage).trimmed:
                break
        trimmed = view_of(stage).trimmed
        assert trimmed, "the window is small"
        view = stage.window.chat.transcript.column.view(trimmed[-1])
        assert isinstance(view, AnswerView)
        assert view.head.words().state == "trimmed"
        roles = {record.id: getattr(record.entry, "role", "") for record in stage.open_chat.records}
        assert {roles[message] for message in trimmed} == {"assistant"}, "a question is never trimmed"
        stage.window.chat.transcript.ensureWidgetVisible(view)
        now = view_of(stage)
        point_at(view)
        assert view.foot is not None
        await until(lambda: view.foot is not None and "tokens" in view.foot.price())
        await until(
            lambda: stage.open_chat.price is not None and stage.open_chat.price.tag.reread_tokens is not None
        )
        tag = stage.open_chat.price.tag if stage.open_chat.price is not None else PriceTag()
        await stage.settle()
        picture(stage, "trimmed")
        assert tag.tokens_delta > 0
        assert view.foot.price() == price_line(tag).words
        assert view.foot.untrim is not None
        view.foot.untrim.click()
        await stage.until_chat(lambda chat: bool(chat.conversation.tuning.pinned))
        await warm(stage)
        after = view_of(stage)
        assert trimmed[-1] not in after.trimmed
        assert after.rebuilt in ("history_edited", "over_threshold")
        assert after.total_tokens - now.total_tokens == tag.tokens_delta


@in_qt_loop
async def test_another_model_the_tools_and_the_layout_say_their_prices(folder: Path, qapp: QApplication):
    async with talked(folder) as stage:
        stage.working.openings.model_picker(stage.window.chat.head.model)
        picker = stage.working.openings._picker
        assert picker is not None
        await until(lambda: any(row.listing.name == "served-2" for row in picker._rows))
        row = next(row for row in picker._rows if row.listing.name == "served-2")
        point_at(row)
        tip, tag = await priced_tip(stage)
        picture(stage, "model")
        assert tip.words().startswith("Ask served-2")
        assert (tag.reread_tokens or 0) > 0
        picker.close()
        await until(lambda: not tip.isVisible())
        stage.working.actions.run("tools")
        tools = stage.working.actions._tools._tools
        assert tools is not None
        await until(lambda: all(row.figure.text() for row in tools.groups.tools.values()))
        point_at(tools.groups.heads[""].switch)
        tip, tag = await priced_tip(stage)
        assert tip.words().startswith("Tools")
        assert tag.tokens_delta > 0
        tools.close()
        choice = stage.window.inspector.layers.what_if.controls["layout"]
        assert isinstance(choice, WhatIfChoice)
        menu = choice.open_menu()
        menu.popup(choice.mapToGlobal(QPoint(0, 20)))
        menu.setActiveAction(next(action for action in menu.actions() if action.text() == "Layered"))
        tip, tag = await priced_tip(stage)
        picture(stage, "layout")
        assert tip.words().startswith("Layout: Layered")
        assert (tag.reread_tokens or 0) > 0
        menu.close()


@in_qt_loop
async def test_steps_are_taken_back_after_a_restart_and_one_that_does_not_hold_says_so(
    folder: Path, qapp: QApplication
):
    async with at_work(folder) as stage:
        file = Artifact("notes.log", "file", "Alpha beta gamma. " * 40)
        stage.session.send(AttachArtifact(stage.session.chat_id, file))
        await until(lambda: bool(stage.open_chat.conversation.attached))
        await ask(stage, "One?")
        chat = stage.session.chat_id
        stage.session.do_step(steps.set_priority(stage.open_chat, (file.key,), 8))
        await stage.until_chat(lambda now: now.conversation.attached[0].priority == 8)
        stage.session.do_step(steps.detach(stage.open_chat, (file.key,)))
        await stage.until_chat(lambda now: not now.conversation.attached)
    again = await WindowStage.open(folder, warm_world)
    try:
        again.session.open_chat(chat)
        await until(lambda: again.session.chat_id == chat and again.open_chat.view is not None)
        await until(lambda: again.session.undo.undo_text() == "Detach notes.log")
        again.working.actions.run("undo")
        await again.until_chat(lambda now: len(now.conversation.attached) == 1)
        assert again.open_chat.conversation.attached[0] == replace(file, priority=8)
        picture(again, "undone-after-restart")
        changed = TuneAttached(chat, (AttachedChange(file.key, priority=2),))
        again.session.send(changed)
        await again.until_chat(lambda now: now.conversation.attached[0].priority == 2)
        again.working.actions.run("undo")
        assert again.window.toast.text().startswith("Not undone: Priority 8 for notes.log.")
        await again.settle()
        picture(again, "not-undone")
        assert again.open_chat.conversation.attached[0].priority == 2
        assert again.session.undo.undo_text() == ""
    finally:
        await again.close()
