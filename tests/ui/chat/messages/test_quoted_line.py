"""From where an answer was quoted: how many sections of how many files, the first as buttons, the rest on demand."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.domain.folder_index import QuotedFile
from workbench.ui.attachments.preview import QuotedSheet
from workbench.ui.chat.messages.quoted_line import FEW, QuotedLine
from workbench.ui.wishes import OpenFoundFile, Wishes

QUOTES = tuple((f"/docs/{n % 4}.md#L{n}-{n}", f"docs/{n % 4}.md", f"Part {n}") for n in range(1, 8))


def test_it_counts_sections_and_files_and_opens_one_where_it_stands(qtbot: QtBot):
    line = QuotedLine()
    qtbot.addWidget(line)
    line.resize(500, 60)
    line.show_quotes(QUOTES)
    assert line.words.text() == "Quoted 7 sections of 4 files:"
    assert [one.text() for one in line.buttons] == [
        "1.md › Part 1",
        "2.md › Part 2",
        "3.md › Part 3",
        "4 more",
    ]
    with qtbot.waitSignal(line.wanted) as wanted:
        line.buttons[1].click()
    assert wanted.args == [QUOTES[1][0]]
    line.buttons[FEW].click()
    assert len(line.buttons) == len(QUOTES)
    line.show_quotes(QUOTES[:1])
    assert (line.words.text(), len(line.buttons)) == ("Quoted 1 section of 1 file:", 1)


def test_the_file_is_shown_with_the_quoted_lines_selected_also_where_only_a_part_is_shown(qtbot: QtBot):
    text = "\n".join(f"line {n}" for n in range(201, 260))
    wishes = Wishes()
    sheet = QuotedSheet(QuotedFile("/docs/a.md", text, 210, 212, 201), None, wishes)
    qtbot.addWidget(sheet)
    selected = sheet.text.textCursor().selectedText().replace("\u2029", "\n")
    assert selected == "line 210\nline 211\nline 212"
    assert "lines 210–212" in sheet.note.text()
    with qtbot.waitSignal(wishes.wish) as wanted:
        sheet.open_it.click()
    assert wanted.args == [OpenFoundFile("/docs/a.md")]
    gone = QuotedSheet(QuotedFile("/docs/a.md", "", 1, 2))
    qtbot.addWidget(gone)
    assert "isn’t in the index" in gone.note.text()
