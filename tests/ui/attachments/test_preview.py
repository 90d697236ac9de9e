"""An attachment as the model gets it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QGuiApplication, QImage, QTextCursor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, sample_attachments, sample_state
from workbench.domain.files.document import ReadAs, Reading
from workbench.domain.secrets import FoundSecret
from workbench.domain.shown.attachment_view import AttachmentRow, FileFacts, ShownPicture
from workbench.domain.shown.parts_view import ChangedLine, FileChanges
from workbench.engine.attaching_intents import CompareFile, ReadOtherwise
from workbench.engine.intents import AttachText
from workbench.ui.attachments.preview import AS_SENT, CHANGES, WHOLE, Preview
from workbench.ui.steps import Step
from workbench.ui.wishes import ShowSections

ROW = replace(sample_attachments()[0], text="short", content="the whole text")


def test_the_text_is_what_is_sent_until_the_whole_is_wanted(qtbot: QtBot):
    preview = Preview(ROW)
    qtbot.addWidget(preview)
    assert preview.text.toPlainText() == "short"
    preview._switch.set_current(WHOLE)
    preview._switch.chosen.emit(WHOLE)
    assert preview.text.toPlainText() == "the whole text"


def test_markup_in_a_file_is_text(qtbot: QtBot):
    preview = Preview(replace(ROW, text="<b>bold</b><img src='x'>", name="<i>a</i>"))
    qtbot.addWidget(preview)
    assert preview.text.toPlainText() == "<b>bold</b><img src='x'>"
    assert preview.title.textFormat() == Qt.TextFormat.PlainText


def test_what_is_not_sent_is_said_to_be_so(qtbot: QtBot):
    preview = Preview(replace(ROW, text="", state="dropped"))
    qtbot.addWidget(preview)
    assert preview.text.toPlainText() == ""
    assert preview._note.text().startswith("Not in the next request")
    preview.show_row(replace(ROW, text="", state="reference"))
    assert "reference" in preview._note.text()


def test_what_was_shortened_by_hand_says_to_how_much(qtbot: QtBot):
    preview = Preview(replace(ROW, state="compacted", most_tokens=2_000))
    qtbot.addWidget(preview)
    assert preview._note.text().startswith("Shortened to at most 2,000 tokens")


def test_it_follows_the_attachment(qtbot: QtBot):
    preview = Preview(ROW)
    qtbot.addWidget(preview)
    preview.show_row(replace(ROW, text="other", tokens=1_234, state="sent"))
    assert preview.text.toPlainText() == "other"
    assert preview._tokens.text() == "1,234 tokens"
    assert preview._badge.word() == "sent"


def test_escape_closes_it(qtbot: QtBot):
    preview = Preview(ROW)
    qtbot.addWidget(preview)
    preview.open()
    QTest.keyClick(preview.text, Qt.Key.Key_Escape)
    assert not preview.isVisible()


def test_keys_are_marked_in_both_texts_and_said_with_their_lines(qtbot: QtBot):
    key = FoundSecret("github", 2, 6, 10, "ghp_…")
    row = replace(ROW, content="first\nghp_ rest", text="<file>\nfirst\nghp_ rest\n</file>", secrets=(key,))
    preview = Preview(row)
    qtbot.addWidget(preview)
    assert preview._note.text() == "looks like a GitHub key (line 2)"
    for shown in ("as sent", WHOLE):
        if shown == WHOLE:
            preview._switch.set_current(WHOLE)
            preview._switch.chosen.emit(WHOLE)
        (mark,) = preview.text.extraSelections()
        assert mark.cursor.selectedText() == "ghp_"  # type: ignore[attr-defined]
    preview.show_row(ROW)
    assert preview.text.extraSelections() == []


# --- what a file became, and how it changed ------------------------------------------------------------------

CHAT_STATE = sample_state().open[CHAT]
FACTS = FileFacts(ReadAs("text", "cp1252", notes=("2 rows left out",)), "ab12cd34" + "0" * 56, 2_048)
CODE = replace(
    CHAT_STATE.attachments[2], key="src/auth.py", name="src/auth.py", kind="file", text="<f>\nb = 2\n</f>",
    content="a = 1\nb = 2\nc = 3\n", disk="changed",
)  # fmt: skip


class Out:
    """A preview and everything that came out of it."""

    def __init__(self, qtbot: QtBot, row: AttachmentRow = CODE) -> None:
        self.preview = Preview(row)
        qtbot.addWidget(self.preview)
        self.intents: list[object] = []
        self.steps: list[Step] = []
        self.wished: list[object] = []
        self.preview.wishes.intent.connect(self.intents.append)
        self.preview.wishes.step.connect(self.steps.append)
        self.preview.wishes.wish.connect(self.wished.append)
        self.show(row)
        self.preview.show()

    def show(self, row: AttachmentRow, changes: FileChanges | None = None) -> None:
        chat = replace(CHAT_STATE, attachments=(row,), files={row.key: FACTS}, changes=changes)
        self.preview.show_chat(chat)

    def switch(self, view: str) -> None:
        self.preview._switch.set_current(view)
        self.preview._switch.chosen.emit(view)

    def select_line(self, number: int) -> None:
        cursor = self.preview.text.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        cursor.movePosition(QTextCursor.MoveOperation.Down, n=number)
        cursor.movePosition(QTextCursor.MoveOperation.EndOfLine, QTextCursor.MoveMode.KeepAnchor)
        self.preview.text.setTextCursor(cursor)


def test_what_the_file_was_read_as_is_told_with_its_digest(qtbot: QtBot):
    line = Out(qtbot).preview.file
    assert line.kind.currentText() == "plain text (found)"
    assert line.encoding.currentText() == "cp1252 (found)"
    assert line.digest.text() == "sha256 ab12cd34"
    assert line.notes.text() == "2 rows left out"
    line.copy.click()
    assert QGuiApplication.clipboard().text() == FACTS.sha256


def test_another_encoding_is_a_step_that_can_be_taken_back(qtbot: QtBot):
    out = Out(qtbot)
    out.preview.file.encoding.choose("utf-16")
    out.preview.file.encoding.activated.emit(out.preview.file.encoding.currentIndex())
    (step,) = out.steps
    assert step.do == (ReadOtherwise(CHAT, "src/auth.py", Reading("", "utf-16")),)
    assert step.undo == (ReadOtherwise(CHAT, "src/auth.py", Reading()),)
    # Until it is read so, or where that is refused, what is shown is how it was read.
    assert out.preview.file.encoding.currentText() == "cp1252 (found)"


def test_the_changes_are_asked_for_when_they_are_looked_at_and_let_go_after(qtbot: QtBot):
    out = Out(qtbot)
    assert out.intents == []
    out.switch(CHANGES)
    assert out.intents == [CompareFile(CHAT, "src/auth.py")]
    out.show(CODE, FileChanges("src/auth.py", (ChangedLine(1, None, "-", "a = 1"),)))
    assert out.preview.changes.lines.lines()[0].text == "a = 1"
    assert out.preview.refresh.isVisible()
    assert out.preview.freeze.isVisible()
    out.preview.reject()
    assert out.intents[-1] == CompareFile(CHAT)


def test_the_same_text_and_one_that_cannot_be_read_are_said(qtbot: QtBot):
    out = Out(qtbot)
    out.switch(CHANGES)
    out.show(CODE, FileChanges("src/auth.py"))
    assert out.preview.changes.words.text() == "The text on the disk is the same."
    out.show(CODE, FileChanges("src/auth.py", problem="It can’t be read now."))
    assert out.preview.changes.words.text() == "It can’t be read now."


@pytest.mark.parametrize("view", [AS_SENT, WHOLE])
def test_a_selection_is_attached_with_its_lines(qtbot: QtBot, view: str):
    """In what is sent there are tags around the file: its own lines are meant."""
    out = Out(qtbot)
    out.switch(view)
    out.select_line(1)
    out.preview.selection.click()
    assert out.intents == [AttachText(CHAT, "b = 2", "src/auth.py, line 2", "selection")]


def test_a_selection_in_a_part_counts_from_where_the_part_begins(qtbot: QtBot):
    part = replace(CODE, key="src/auth.py#L88-90", name="src/auth.py#L88-90")
    out = Out(qtbot, part)
    out.preview._chat = replace(CHAT_STATE, files={part.key: replace(FACTS, anchor="L88-90")})
    out.switch(WHOLE)
    out.select_line(1)
    out.preview.selection.click()
    assert isinstance(out.intents[0], AttachText)
    assert out.intents[0].title == "src/auth.py, line 89"


def test_its_parts_are_chosen_in_the_inspector(qtbot: QtBot):
    out = Out(qtbot)
    out.preview.parts.click()
    assert out.wished == [ShowSections("src/auth.py")]
    assert not out.preview.isVisible()


def test_a_picture_has_no_parts_and_nothing_to_select(qtbot: QtBot):
    out = Out(qtbot, replace(CODE, kind="image", key="a.png", name="a.png"))
    assert not out.preview.parts.isVisible()
    assert not out.preview.selection.isVisible()


def test_a_picture_is_shown_with_how_it_is_sent(qtbot: QtBot):
    """Where the file lies on its side or is too large, what is sent is another picture, and that is said."""
    picture = QImage(40, 20, QImage.Format.Format_RGB32)
    held = QBuffer()
    held.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(held, "PNG")  # type: ignore[call-overload]
    sent = ShownPicture(bytes(held.data().data()), "dd" * 32, 40, 20)
    row = replace(CODE, kind="image", key="a.png", name="a.png")
    out = Out(qtbot, row)
    with qtbot.waitSignal(out.preview._reader.ready, timeout=5_000):
        out.preview.show_chat(
            replace(CHAT_STATE, attachments=(row,), files={row.key: FACTS}, pictures={row.key: sent})
        )
    assert out.preview.picture.zoom() == 1.0
    assert out.preview._note.text().startswith("40 × 20 pixels, shown at 100")
    assert "smaller than the file" in out.preview._note.text()
    assert out.preview.fit.isVisible()


@pytest.mark.parametrize(("can_be_read", "words"), [(True, "with its tools"), (False, "can’t see the rest")])
def test_that_the_model_can_have_the_rest_is_said_only_where_it_has_a_tool(
    qtbot: QtBot, can_be_read: bool, words: str
):
    row = replace(ROW, state="compacted", text="a", tokens=420, full_tokens=20_545, can_be_read=can_be_read)
    preview = Preview(row)
    qtbot.addWidget(preview)
    assert words in preview._note.text()
    assert preview._tokens.text() == "420 of 20,545 tokens"
