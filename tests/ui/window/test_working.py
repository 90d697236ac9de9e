"""The window at work: what is shown first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from threading import Event

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.engine import SETTINGS, fake_world
from tests.fakes.given import PaperGiven, PaperKeyKeeper
from tests.fakes.preferences import MemoryPreferences
from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.window_stage import dialog
from tests.ui.window.test_session import at_work
from workbench.domain.record import Chat
from workbench.domain.secrets import KeyStatus
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.shown.envelope_view import PriceTag
from workbench.ui.dialogs.transfer import ImportDialog
from workbench.ui.offers import Offer
from workbench.ui.widgets.floating import MARGIN
from workbench.ui.window.working import WIDTH, PriceTip


@in_qt_loop
async def test_a_new_store_begins_with_the_sample_and_a_welcome(qapp):
    async with at_work(fresh=True) as working:
        assert working.session.chat is not None
        assert working.session.chat.chat.title == "Sample"
        assert not working.session.window.chat.transcript.isVisible()
        working.session.window.end_welcome()
        await until(working.session.window.chat.transcript.isVisible)


@in_qt_loop
async def test_a_welcome_says_what_opens_the_chats(qapp):
    for kind, words in (
        ("key_file", "Opens with your key file"),
        ("keyring", "Opens with the system keyring"),
    ):
        paper = PaperGiven()
        paper.keeper.kinds = [kind, "recovery"]
        async with at_work(fresh=True, given=paper.given()) as working:
            labels: list[QLabel] = list(working.session.window.findChildren(QLabel))
            assert words in {label.text() for label in labels}


class SlowKeeper(PaperKeyKeeper):
    """A keyring that takes its time."""

    def status(self) -> KeyStatus:
        Event().wait(0.3)
        return super().status()


@in_qt_loop
async def test_a_welcome_says_what_opens_the_chats_also_where_the_keyring_takes_its_time(qapp):
    """The sample was drawn meanwhile, so nothing was new when the welcome came, and its line stayed empty."""
    paper = PaperGiven()
    paper.keeper = SlowKeeper()
    async with at_work(fresh=True, given=paper.given()) as working:
        labels: list[QLabel] = list(working.session.window.findChildren(QLabel))
        assert "Opens with your passphrase" in {label.text() for label in labels}


@in_qt_loop
async def test_an_old_store_that_is_empty_is_given_the_sample_without_a_word(qapp):
    async with at_work(fresh=False) as working:
        assert working.session.window.chat.transcript.isVisible()


async def warmed_for(settings: ContextSettings) -> bool:
    """Whether the preferred model is got ready where this chat is the one that opens."""
    paper, preferred = PaperGiven(), MemoryPreferences(Preferences(model=SETTINGS.model))
    await paper.store.create_chat(Chat("c", "2026-01-01T00:00:00Z", "Kept", settings))
    world = fake_world(store=paper.store, preferences=preferred)
    async with at_work(fresh=False, given=paper.given(world=lambda store, report: world)) as working:
        await until(lambda: working.session.state.models is not None)
        with suppress(TimeoutError):
            await until(lambda: SETTINGS.model in working.session.state.readiness, 0.5)
        return SETTINGS.model in working.session.state.readiness


@in_qt_loop
async def test_a_model_is_got_ready_only_for_a_chat_that_asks_it(qapp):
    """Warmed at every start, the built-in model would take its memory beside a chat with another one."""
    assert await warmed_for(SETTINGS)
    assert not await warmed_for(ContextSettings(model="another"))


@in_qt_loop
async def test_files_opened_from_outside_wait_for_a_word_before_they_are_taken_over(qapp):
    async with at_work() as working:
        working.open_files([])
        working.open_files(["/tmp/chats.workbench.json"])
        opened = await dialog(ImportDialog)
        assert isinstance(opened, ImportDialog)
        assert (opened.names.text(), opened.go.isEnabled()) == ("chats.workbench.json", True)
        opened.arrived.emit("c")
        await until(lambda: working.session._wanted == "c" or working.session.chat_id == "c")
        opened.close()


DEAR = PriceTag(784, 3_210, 14_820, 0.005, 0.0001, warm_s=220)


@pytest.fixture
def made(qtbot: QtBot) -> Iterator[PriceTip]:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    yield PriceTip(window)
    window.close()


def offer(at: QRect, key: str = "Space") -> Offer:
    return Offer("Pin message 24", (), "Sent in full in every turn, never trimmed.", key, "pin", at)


def test_it_says_everything_in_its_width(made: PriceTip):
    pin = offer(QRect(400, 400, 20, 20))
    made.show_offer(pin, None)
    assert "Checking the price…" in made.words()
    made.show_offer(pin, DEAR)
    assert made.words() == (
        "Pin message 24 | Sent in full in every turn, never trimmed. | +$0.0050 now | +784 tokens, re-reads 3,210"
        " | then +$0.0001 per turn | free in 3:40, when cold"
    )
    assert made.width() == WIDTH + 2 * MARGIN
    assert "re-reads 3,210 of 14,820 cached" in made.accessibleName()
    assert not made.grab().isNull()


def test_it_stands_over_its_control_or_under_it_and_on_the_screen(made: PriceTip):
    room = made.screen().availableGeometry()
    made.show_offer(offer(QRect(room.center().x(), 400, 20, 20)), DEAR)
    assert made.geometry().bottom() - MARGIN < 400
    made.show_offer(offer(QRect(room.right() - 10, room.top(), 10, 20), ""), DEAR)
    assert made.geometry().top() + MARGIN > room.top() + 20
    assert made.geometry().right() - MARGIN <= room.right()
    made.show_offer(offer(QRect(room.left(), 300, 10, 20)), PriceTag())
    assert made.geometry().left() + MARGIN >= room.left()
