"""The card of findings: the largest first, each with the way to what shows it; no room where there is none."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from tests.fakes.watched import watched_state
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.domain.watch.request import Finding, Mend
from workbench.ui.inspector.findings import MOST_SHOWN, FindingsCard, row_of


def view(*findings: Finding) -> EnvelopeView:
    _, chat = watched_state()
    assert chat.opened is not None
    return replace(chat.opened, findings=findings)


LOST = Finding("prefix_lost", 700, "700 tokens are read again.", "Keep one model.", 0.15)
UNUSED = Finding("unused_tools", 180, "2 of 3 tools were never called.", "Turn them off.", path="tools[1]")
STALE = Finding("stale_result", 140, "A result is old.", "Start anew.", path="messages[2].content[0].text")


def test_each_leads_to_what_shows_it(qtbot: QtBot):
    card = FindingsCard()
    qtbot.addWidget(card)
    rows: list[RowKey] = []
    card.row_wanted.connect(rows.append)
    card.show_view(view(LOST, UNUSED, STALE))
    assert not card.isHidden()
    assert [row.tokens.figure() for row in card.rows] == ["700", "180", "140"]
    assert [row.price.figure() for row in card.rows] == ["$0.150", "", ""]
    with qtbot.waitSignal(card.diff_wanted):
        card.rows[0].lead.click()
    card.rows[1].lead.click()
    card.rows[2].lead.click()
    assert rows == [RowKey("L1_SYSTEM", "tools"), RowKey("L4_STRIP", "messages[2].content[0].text")]


def test_it_takes_no_room_without_a_finding_and_unfolds_many(qtbot: QtBot):
    card = FindingsCard()
    qtbot.addWidget(card)
    card.show_view(view())
    assert card.isHidden()
    many = tuple(replace(UNUSED, tokens=number) for number in range(MOST_SHOWN + 2))
    card.show_view(view(*many))
    assert (len(card.rows), card.more.text()) == (MOST_SHOWN, "2 more")
    card.more.click()
    assert (len(card.rows), card.more.text()) == (MOST_SHOWN + 2, "Show fewer")
    card.show_view(None)
    assert card.isHidden()


def test_a_finding_about_nothing_in_view_has_no_row():
    assert row_of(view(), "messages[99]") is None
    assert row_of(view(), "") is None


def test_the_line_for_the_program_itself_is_copied_whole(qtbot: QtBot):
    """What is shown is cut to the width; what is copied is not."""
    line = f"claude --disallowedTools {','.join(f'Tool{n}' for n in range(90))}"
    card = FindingsCard()
    qtbot.addWidget(card)
    mends = (Mend("Claude Code", line, 18_204), Mend("Claude Code", "claude --strict-mcp-config", 96))
    card.show_view(view(LOST, replace(UNUSED, mends=mends)))

    assert card.rows[0].line is None
    shown = card.rows[1].line
    assert shown is not None
    assert (shown.where.text(), shown.saves.text()) == ("In Claude Code:", "should save 18,204 tokens")
    assert "claude --strict-mcp-config (should save 96 tokens)" in shown.text.toolTip()
    shown.copy.click()
    assert QGuiApplication.clipboard().text() == line
    assert shown.copy.text() == "Copied"
