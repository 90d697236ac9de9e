"""The sheet of a summary: it asks for what is chosen, says its cost and its check, and applies only what holds."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from workbench.domain.shown.summary_view import SummaryView
from workbench.domain.summary import OUTLINE, Summary, SummaryWish
from workbench.ui.dialogs.summary import SummarySheet

VIEW = SummaryView(
    "talk", SummaryWish("gpt-4o"), "offered", "turns 1–8, 16 messages", 1, 8, 12, "User: long", 3_210, "gpt-4o",
    3_500, 0.0123, 0, 3,
)  # fmt: skip


def opened(qtbot: QtBot, artifact: str = "") -> tuple[SummarySheet, list[tuple[str, SummaryWish]]]:
    sheet = SummarySheet(SummaryWish(artifact=artifact), "gpt-4o")
    qtbot.addWidget(sheet)
    asked: list[tuple[str, SummaryWish]] = []
    sheet.offered.connect(lambda one: asked.append(("offer", one)))
    sheet.made.connect(lambda one: asked.append(("make", one)))
    sheet.show()
    sheet.begin()
    return sheet, asked


def test_what_costs_nothing_is_made_at_once_and_a_model_only_on_demand(qtbot: QtBot):
    sheet, asked = opened(qtbot)
    assert asked == [("make", SummaryWish(OUTLINE))]
    sheet.writer.setCurrentIndex(1)
    assert asked[-1] == ("offer", SummaryWish("gpt-4o"))
    sheet.show_view(VIEW, None)
    assert sheet.cost.text() == (
        "gpt-4o reads 3,500 tokens in 3 requests, ≈ $0.012, and writes its answers; twice that if it has to try again."
    )
    sheet.last.setValue(5)
    assert asked[-1] == ("offer", SummaryWish("gpt-4o", 1, 5))
    sheet.show_view(VIEW, None)
    assert sheet.last.value() == 5, "what was found for another wish is not shown"
    sheet.write.click()
    assert asked[-1] == ("make", SummaryWish("gpt-4o", 1, 5))


def test_progress_can_be_cancelled_a_refusal_is_said_and_only_what_holds_is_applied(qtbot: QtBot):
    sheet, _ = opened(qtbot)
    sheet.writer.setCurrentIndex(1)
    sheet.show_view(replace(VIEW, stage="working", part=2), None)
    assert (sheet.progress.isVisible(), sheet.progress.amount.text()) == (True, "part 2 of 3")
    with qtbot.waitSignal(sheet.stopped):
        sheet.progress.cancel.click()
    sheet.show_view(replace(VIEW, stage="refused", text="No.", problem="lost from your messages: Mara"), None)
    assert sheet.check.text() == "Rejected, nothing was changed: lost from your messages: Mara"
    assert sheet.check.property("token") == "err"
    assert not sheet.apply.isEnabled()
    summary = Summary("s", "Short.", ("u1",))
    sheet.show_view(replace(VIEW, stage="ready", text="Short.", text_tokens=9, summary=summary), None)
    assert (sheet.before_head.text(), sheet.after_head.text()) == (
        "Turns 1–8, 16 messages: 3,210 tokens", "In short: 9 tokens",
    )  # fmt: skip
    with qtbot.waitSignal(sheet.applied):
        sheet.apply.click()


def test_an_attachment_has_no_turns_and_is_written_by_a_model(qtbot: QtBot):
    sheet, asked = opened(qtbot, "a.md")
    assert asked == [("offer", SummaryWish("gpt-4o", artifact="a.md"))]
    assert not sheet.first.isVisible()
