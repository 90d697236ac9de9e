"""The dialog that searches the web: rows to tick, read when they are ticked."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import sample_state
from tests.fakes.web_searchers import HITS
from workbench.domain.files.attached import LeftOut
from workbench.domain.files.attachment import Artifact
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.web_search import WebSearch
from workbench.engine.attaching_intents import SearchWeb
from workbench.engine.intents import AttachFiles, DetachArtifacts
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.dialogs.web_search import WebSearchDialog
from workbench.ui.wishes import Wishes

CHAT = next(iter(sample_state().open.values()))
KEY = CHAT.chat.id
URL = HITS[0].url


def state_of(chat: ChatState = CHAT, place: str = "http://127.0.0.1:8888") -> WorkbenchState:
    return WorkbenchState(open={KEY: chat}, preferences=Preferences(search=place))


def attached(chat: ChatState) -> ChatState:
    artifact = Artifact(URL, "url", "words")
    talk = replace(chat.conversation, attached=(*chat.conversation.attached, artifact))
    rows = (replace(chat.attachments[0], key=URL, tokens=1_204),)
    return replace(chat, conversation=talk, attachments=rows)


def dialog_with(qtbot: QtBot, state: WorkbenchState) -> tuple[WebSearchDialog, list[object]]:
    wishes, sent = Wishes(), list[object]()
    wishes.intent.connect(sent.append)
    dialog = WebSearchDialog(KEY, wishes)
    qtbot.addWidget(dialog)
    dialog.show_state(state)
    dialog.show()
    return dialog, sent


def test_enter_searches_and_nothing_does_before(qtbot: QtBot, appearance):
    dialog, sent = dialog_with(qtbot, state_of())
    dialog.words.setText("  ")
    QTest.keyClick(dialog.words, Qt.Key.Key_Return)
    dialog.words.setText("why pools run dry")
    assert sent == []
    QTest.keyClick(dialog.words, Qt.Key.Key_Return)
    assert sent == [SearchWeb(KEY, "why pools run dry")]
    assert dialog.isVisible()


def test_a_ticked_page_is_read_and_says_what_it_takes(qtbot: QtBot, appearance):
    found = replace(CHAT, web=WebSearch("w", "h.example", HITS))
    dialog, sent = dialog_with(qtbot, state_of(found))
    first, second = dialog.hits
    first.check.click()
    assert sent == [AttachFiles(KEY, (URL,))]
    assert first.figure.text() == "reading…"
    dialog.show_state(state_of(found))
    assert first.check.isChecked()
    dialog.show_state(state_of(attached(found)))
    assert (first.figure.text(), second.figure.text()) == ("1,204 tokens", "")
    first.check.click()
    assert sent[-1] == DetachArtifacts(KEY, (URL,))
    dialog.show_state(state_of(found))
    assert not first.check.isChecked()
    assert "2 found by h.example" in dialog.state.text()


def test_a_page_that_cannot_be_read_says_why_in_its_row(qtbot: QtBot, appearance):
    found = replace(CHAT, web=WebSearch("w", "h", HITS))
    dialog, _ = dialog_with(qtbot, state_of(found))
    dialog.hits[0].check.click()
    assert dialog.refuse((LeftOut(URL, "it answered with 403", "Open it in a browser.", refused=True),))
    assert not dialog.hits[0].check.isChecked()
    assert "403. Open it" in dialog.hits[0].text.text()
    assert not dialog.refuse((LeftOut("notes.md", "it is gone", "", refused=True),))


def test_what_is_not_there_is_said(qtbot: QtBot, appearance):
    dialog, _ = dialog_with(qtbot, state_of(place=""))
    assert "No search is set up" in dialog.empty.title.text()
    assert dialog.card.isHidden()
    for search, said in (
        (WebSearch("w", running=True), "Searching…"),
        (WebSearch("w", "h"), "Nothing found"),
        (WebSearch("w", problem="h did not answer."), "Not searched"),
    ):
        dialog.show_state(state_of(replace(CHAT, web=search)))
        assert dialog.empty.title.text() == said
        assert dialog.card.isHidden()
