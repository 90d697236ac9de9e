"""Money in the window: its page by the palette, and a question that a cap held back, sent by one click."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.fakes.chat_model import FakeModel, FakeModels, words
from tests.fakes.given import PaperGiven
from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.spending import PRICE, MemoryLedger, spent
from tests.fakes.widgets import all_of
from tests.ui.window.test_session import at_work
from workbench.domain.model import ModelCard
from workbench.domain.spending import SpendCaps
from workbench.domain.usage import Price
from workbench.engine.metering import MeteredModels, Spending
from workbench.engine.world import World
from workbench.ports.history import HistoryStore
from workbench.ui.chat.messages.failure_card import FailureCard
from workbench.ui.given import Given, Report


class OnePrice:
    """The same price for every model → PriceList."""

    def price(self, card: ModelCard) -> Price | None:
        return PRICE


def counted(ledger: MemoryLedger, model: FakeModel, caps: SpendCaps) -> Given:
    """A window whose requests are counted."""
    given = PaperGiven().given()
    made: Callable[[HistoryStore, Report], World] = given.world

    def world(store: HistoryStore, report: Report) -> World:
        plain = made(store, report)
        spending = Spending(ledger, OnePrice(), plain.builder.catalogue, plain.utc, lambda: caps, plain.tasks)
        return replace(plain, models=MeteredModels(FakeModels(model), spending), spending=spending)

    return replace(given, world=world)


@in_qt_loop
async def test_a_question_over_a_cap_is_not_sent_until_one_click_sends_it_once(qapp):
    ledger, model = MemoryLedger(), FakeModel([words("An answer.")])
    async with at_work(given=counted(ledger, model, SpendCaps(day_usd=0.0001))) as working:
        session, chat = working.session, working.session.window.chat
        chat.composer.text.setPlainText("Well?")
        await until(lambda: session.chat is not None and session.chat.draft == "Well?")
        chat.composer.send()
        await until(lambda: bool(all_of(FailureCard, chat)))
        (card,) = all_of(FailureCard, chat)
        assert "left today; this one may cost" in card.sentence.text()
        assert "Nothing was sent" in card.accessibleName()
        await until(lambda: chat.composer.text.text() == "Well?")
        assert (model.requests, ledger.kept) == ([], {})
        card.buttons["over_cap"].click()
        await until(lambda: len(model.requests) == 1 and len(ledger.kept) == 1)
        await until(lambda: session.chat is not None and len(session.chat.turns) == 1)
        assert chat.composer.text.text() == ""
        chat.composer.text.setPlainText("Again?")
        await until(lambda: session.chat is not None and session.chat.draft == "Again?")
        chat.composer.send()
        await until(lambda: session.chat is not None and chat.composer.text.text() == "Again?")
        assert len(model.requests) == 1


@in_qt_loop
async def test_the_page_is_in_place_of_chat_and_inspector_and_esc_goes_back(qapp):
    ledger = MemoryLedger(spent(0.5, "2026-01-01T09:00:00Z"))
    async with at_work(given=counted(ledger, FakeModel([words("An answer.")]), SpendCaps())) as working:
        session, window = working.session, working.session.window
        working.actions.run("spend")
        await until(window.money.figures.isVisible)
        assert window.money.figures.cells[0].accessibleName() == "Spent: $0.50"
        assert not window.chat.isVisible()
        assert not window.inspector.isVisible()
        assert window.rail.isVisible()
        await until(window.money.chart.hasFocus)
        QTest.keyClick(window.money.chart, Qt.Key.Key_Escape)
        await until(window.chat.isVisible)
        assert not window.money_shown()
        await until(lambda: session.state.spending is None)
        working.actions.run("spend")
        await until(window.money_shown)
        first = session.chat_id
        working.actions.run("new-chat")
        await until(lambda: session.chat_id not in ("", first) and window.chat.isVisible())
        assert not window.money_shown()
