"""Summaries in the real window over a real store: seen, refused in words, applied, read in the transcript, undone."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.window_stage import WindowStage, dialog
from tests.ui.whole.test_words import picture
from workbench.domain.message import Message
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.engine.intents import SendMessage, StartChat
from workbench.ui.chat.transcript.feed_column import SummaryRule
from workbench.ui.dialogs.summary import SummarySheet

pytestmark = pytest.mark.usefixtures("no_window_left")
LONG = "Rounding is done once, at the end of the invoice, and never for a single line of it. " * 14
SAID = [
    LONG,
    LONG,
    "As you wish.",
    "The budget is 99 EUR.",
    "Still 99 EUR for Bob and Tom Lind.",
    "Mara wants invoices from 2026-03-01 on, with at most 4,500 EUR.\nRounding is done once.",
]
ASKED = ("Mara wants invoices from 2026-03-01 on.", "With at most 4,500 EUR?", "And tax?")


async def talked(data: Path, tmp_path: Path) -> WindowStage:
    """A window with a chat of three turns, and a model that summarises badly before it does well."""
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"text": text} for text in SAID]), encoding="utf-8")
    stage = await WindowStage.open(data)
    settings = stage.open_chat.chat.settings
    history = replace(settings.history, keep_last_n_assistant=1)
    own = replace(settings, model=f"scripted:{script}", history=history)
    await stage.workbench.dispatch(StartChat("talk", own, "Invoices"))
    stage.session.open_chat("talk")
    await until(lambda: stage.session.chat_id == "talk" and stage.open_chat.view is not None)
    for number, words in enumerate(ASKED, start=1):
        await stage.workbench.dispatch(SendMessage("talk", words))
        await until(lambda: len(stage.open_chat.records) == 2 * number and stage.open_chat.running is None)  # noqa: B023
    return stage


def look(sheet: SummarySheet, name: str) -> None:
    """A look at the sheet, where somebody wants one."""
    place = os.environ.get("WORKBENCH_PICTURES")
    if place:
        sheet.grab().save(str(Path(place) / f"{name}.png"))


def summaries(stage: WindowStage) -> int:
    return len(stage.open_chat.conversation.tuning.summaries)


@in_qt_loop
async def test_a_summary_is_made_refused_made_again_applied_read_and_undone(data, tmp_path):
    """Were it applied before somebody says so, or were its messages lost, a chat would forget what was said."""
    stage = await talked(data, tmp_path)
    before = stage.open_chat.view
    stage.working.actions.run("summarise")
    sheet = cast(SummarySheet, await dialog(SummarySheet))
    await until(sheet.apply.isEnabled)
    assert sheet.after.toPlainText().startswith("User: Mara wants invoices from 2026-03-01 on.")
    assert (sheet.first.value(), sheet.last.value(), sheet.write.isVisible()) == (1, 2, False)
    assert sheet.check.text().startswith("Checked: every number")
    await until(lambda: sheet.price.text() != "")
    look(sheet, "summary-outline")
    sheet.writer.setCurrentIndex(1)
    await until(lambda: "1 request" in sheet.cost.text())
    assert not sheet.apply.isEnabled()
    sheet.write.click()
    await until(lambda: "Rejected" in sheet.check.text())
    assert (
        "lost from your messages: 2026-03-01, 4,500 EUR, Mara; not in the original: 99 EUR, Bob"
        in sheet.check.text()
    )
    assert sheet.apply.isEnabled() is False
    look(sheet, "summary-refused")
    assert summaries(stage) == 0
    sheet.write.click()
    await until(sheet.apply.isEnabled)
    look(sheet, "summary-ready")
    sheet.apply.click()
    await until(lambda: summaries(stage) == 1)
    await stage.settle()
    await read_and_undone(stage, before)
    stage.working.actions.run("undo")
    await until(lambda: summaries(stage) == 1)
    assert stage.crashes == []
    await stage.close()


async def read_and_undone(stage: WindowStage, before: EnvelopeView | None) -> None:
    """The summary in the transcript: it is read there, what it stands for is there, and it is undone."""
    assert before is not None
    rules: list[SummaryRule] = list(stage.window.chat.transcript.findChildren(SummaryRule))
    (rule,) = rules
    assert rule.line.words() == "4 messages above are sent as a summary"
    rule.read.click()
    assert rule.body.isVisible()
    view = stage.open_chat.view
    assert view is not None
    assert [row.kind for layer in view.layers for row in layer.rows].count("summary") == 1
    assert view.total_tokens < before.total_tokens
    picture(stage, "summary-applied")
    said = [one.entry.text for one in stage.open_chat.records if isinstance(one.entry, Message)]
    assert said[1] == LONG, "what was said is kept"
    rule.undo.click()
    await until(lambda: summaries(stage) == 0)
    await stage.settle()
    assert stage.open_chat.view is not None
    assert stage.open_chat.view.digest == before.digest
