"""What a file became, and as what else it could be read."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.domain.files.document import ReadAs, Reading
from workbench.domain.shown.attachment_view import FileFacts
from workbench.ui.attachments.preview import OTHER, FileLine, kinds_for


def test_what_is_text_can_be_any_text_and_what_is_not_only_itself_or_its_bytes():
    assert "markdown" in kinds_for(ReadAs("text"))
    assert kinds_for(ReadAs("pdf")) == ("pdf", "text")
    assert kinds_for(ReadAs("image")) == ()


def test_a_typed_encoding_is_wanted_and_another_kind_too(qtbot: QtBot):
    line = FileLine()
    qtbot.addWidget(line)
    wanted: list[Reading] = []
    line.reading_wanted.connect(wanted.append)
    line.show_facts(FileFacts(ReadAs("text", "utf-8")))
    assert line.encoding.findData(OTHER) >= 0
    line.read_in(" cp437 ")
    line.kind.choose("markdown")
    line.kind.activated.emit(line.kind.currentIndex())
    assert wanted == [Reading("", "cp437"), Reading("markdown", "")]


def test_a_document_has_pages_and_no_encoding(qtbot: QtBot):
    line = FileLine()
    qtbot.addWidget(line)
    line.show()
    line.show_facts(FileFacts(ReadAs("pdf", pages=84), size_bytes=120_000))
    assert "84 pages" in line.about.text()
    assert not line.encoding.isVisible()
    line.show_facts(None)
    assert not line.isVisible()
