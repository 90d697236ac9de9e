"""The strip under the tabs: what each stage of a measurement says, and what its buttons ask for."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.influence_results import looked_back, measuring
from workbench.domain.files.attachment import Artifact
from workbench.domain.influence import CouldGo, InfluenceWish, PieceInfluence, Reliability
from workbench.engine.intents import PriceStep
from workbench.engine.program_intents import MeasureInfluence, StopInfluence
from workbench.engine.state import ChatState
from workbench.ui.inspector.influence.strip import HEIGHT, CouldGoLine, InfluenceStrip, suggested
from workbench.ui.steps import leave_out_members


@pytest.fixture
def strip(qtbot: QtBot) -> InfluenceStrip:
    made = InfluenceStrip()
    qtbot.addWidget(made)
    made.resize(760, 58)
    return made


def test_without_a_turn_that_is_looked_at_there_is_none(strip: InfluenceStrip):
    state, chat = looked_back()
    strip.show_state(state, chat)
    assert strip.isVisibleTo(strip.parentWidget()) or strip.isVisible()
    strip.show_state(state, replace(chat, opened=None))
    assert not strip.isVisible()


def test_a_result_says_how_far_to_trust_it_and_how_it_was_found(strip: InfluenceStrip):
    state, chat = looked_back()
    strip.show_state(state, chat)
    assert chat.influence is not None
    assert strip.title.text() == f"Influence on the answer of turn {chat.influence.turn}"
    assert strip.badge.word() == "reliable"
    assert strip.badge.tone() == "ok"
    assert strip.line.text() == "leave-one-out · 14 of 14 requests · 93 % read from cache"
    assert "reliable" in strip.accessibleDescription()


@pytest.mark.parametrize(
    ("rank", "tone", "words"),
    [
        (Reliability(0.31, 20), "warn", "not reliable here"),
        (Reliability(0.9, 10), "neutral", "reliability unknown, 10 unseen masks"),
        (Reliability(None, 1), "neutral", "reliability unknown, 1 unseen mask"),
        (Reliability(None, 1, complete=True), "neutral", "every combination was scored"),
    ],
)
def test_a_result_that_is_not_to_be_trusted_says_so(
    strip: InfluenceStrip, rank: Reliability, tone: str, words: str
):
    strip.show_state(*looked_back(reliability=rank))
    assert (strip.badge.tone(), strip.badge.word()) == (tone, words)


def test_a_stale_result_is_marked_and_can_be_measured_again(strip: InfluenceStrip, qtbot: QtBot):
    state, chat = looked_back()
    assert chat.influence is not None
    strip.show_state(state, replace(chat, influence=replace(chat.influence, stale=True)))
    assert strip.badge.word() == "out of date"
    assert strip.line.text().startswith("the request changed since")
    with qtbot.waitSignal(strip.wishes.intent) as told:
        strip.again.click()
    assert told.args is not None
    assert told.args[0].offer


def test_what_the_next_request_says_otherwise_is_named_until_it_is_as_it_was(strip: InfluenceStrip):
    """A file that was read anew, and instructions that were written anew, left the figures as if nothing had been."""
    state, chat = looked_back()
    file = chat.conversation.attached[0]
    assert chat.influence is not None
    chat = replace(chat, influence=replace(chat.influence, texts={file.key: file.content_digest}))
    strip.show_state(state, chat)
    calm = strip.notes.text()
    newer = replace(chat.conversation, attached=(replace(file, text="other words"),))
    strip.show_state(state, replace(chat, conversation=newer))
    assert strip.notes.text().startswith("Changed since it was sent: ")
    assert strip.changed == (file.key,)
    strip.show_state(state, chat)
    assert strip.notes.text() == calm
    view = chat.view
    assert view is not None
    system = view.layers[0]
    rows = (replace(system.rows[0], digest="another"), *system.rows[1:])
    strip.show_state(
        state, replace(chat, view=replace(view, layers=(replace(system, rows=rows), *view.layers[1:])))
    )
    assert strip.changed == (system.rows[0].key.id,)


def test_nothing_moves_when_a_measurement_begins_or_ends(strip: InfluenceStrip):
    """The table under it went down by two pixels, and up again."""
    state, chat = looked_back()
    heights, tops = set(), set()
    stages = (
        measuring(state, chat, stage="offered", planned=14),
        measuring(state, chat, done=3, planned=14),
        state,
    )
    for stage in stages:
        strip.show_state(stage, chat)
        strip.layout().activate()
        heights.add(strip.sizeHint().height())
        tops.add((strip.title.y(), strip.line.y()))
    assert (len(heights), len(tops)) == (1, 1)
    assert max(heights) <= HEIGHT


def test_instead_of_a_ranking_of_noise(strip: InfluenceStrip):
    strip.show_state(*looked_back(carried=False))
    assert strip.notes.text() == "Nothing here carried the answer."
    assert strip.ranked() is None
    assert not strip.sort.isVisibleTo(strip)
    strip.show_state(*looked_back(carried=False, requests=2, planned=9))
    assert strip.notes.text() == "Nothing measured so far carried the answer."
    strip.show_state(*looked_back(method="asking", drift=0.2))
    assert strip.badge.word() == "reliable; differences under 20 % mean nothing"


def test_the_drift_is_per_token_as_the_figures_beside_it_are(strip: InfluenceStrip):
    state, chat = looked_back(drift=1.2)
    strip.show_state(state, chat)
    result = None if chat.influence is None else chat.influence.result
    assert result is not None
    least = math.ceil(120 / result.answer_tokens) / 100
    assert strip.badge.word() == f"reliable; differences under {least:.2f} mean nothing"
    assert f"{1.2 / result.answer_tokens:.3f}" in strip.badge.toolTip(), "the rest is told on hover"
    assert "0.81" in strip.badge.toolTip()


def test_before_it_starts_it_says_what_it_takes(strip: InfluenceStrip, qtbot: QtBot):
    state, chat = looked_back()
    offered = measuring(state, chat, stage="offered", planned=14, cost_usd=0.0, left_s=42.0)
    strip.show_state(offered, chat)
    for_what = "one without each piece, the others check the figures"
    assert strip.line.text() == f"14 requests · no cost · up to 42 s · {for_what}"
    with qtbot.waitSignal(strip.wishes.intent) as told:
        strip.start.click()
    kept = chat.influence
    assert kept is not None
    assert told.args == [MeasureInfluence(chat.chat.id, kept.question, kept.reply, InfluenceWish(), False)]
    strip.put_off.click()
    assert strip.line.text().startswith("leave-one-out")


def test_a_price_is_told_before(strip: InfluenceStrip):
    state, chat = looked_back()
    strip.show_state(measuring(state, chat, stage="offered", planned=1, cost_usd=0.25), chat)
    assert strip.line.text() == "1 request · at most $0.250"
    strip.show_state(measuring(state, chat, stage="offered", planned=2), chat)
    assert strip.line.text().startswith("2 requests · price unknown · ")


def test_while_it_runs_it_says_how_far_it_is_and_can_be_stopped(strip: InfluenceStrip, qtbot: QtBot):
    state, chat = looked_back()
    strip.show_state(measuring(state, chat, done=3, planned=14, left_s=22.0), chat)
    assert strip.line.text() == "3 of 14 requests · about 22 s left"
    assert strip.progress.fraction() == pytest.approx(3 / 14)
    with qtbot.waitSignal(strip.wishes.intent) as told:
        strip.stop.click()
    assert told.args == [StopInfluence()]


def test_a_failure_says_what_happened_and_what_is_kept(strip: InfluenceStrip):
    state, chat = looked_back()
    strip.show_state(measuring(state, chat, stage="failed", problem="No response from the server."), chat)
    assert strip.notes.text() == "No response from the server. The earlier result is still shown."
    assert strip.again.isVisibleTo(strip)


def test_a_second_round_is_offered_first(strip: InfluenceStrip, qtbot: QtBot):
    state, chat = looked_back()
    kept = chat.influence
    assert kept is not None
    assert kept.result is not None
    bare = replace(kept.result, pieces=tuple(replace(one, sentences=()) for one in kept.result.pieces))
    strip.show_state(state, replace(chat, influence=replace(kept, result=bare)))
    with qtbot.waitSignal(strip.wishes.intent) as told:
        QTest.mouseClick(strip.sentences, Qt.MouseButton.LeftButton)
    assert told.args is not None
    assert told.args[0].wish.sentences
    assert told.args[0].offer


def test_an_offer_stays_while_another_answer_is_measured(strip: InfluenceStrip):
    state, chat = looked_back()
    offered = measuring(state, chat, stage="offered", planned=14)
    strip.show_state(offered, chat)
    assert strip.showing() is offered.influence
    strip.show_state(measuring(state, chat, question="another"), chat)
    assert strip.showing() is offered.influence


def test_nothing_is_suggested_that_is_not_to_be_trusted():
    results = {
        "reliable": looked_back()[1],
        "unsure": looked_back(reliability=Reliability(0.3, 16))[1],
        "few": looked_back(reliability=Reliability(0.9, 4))[1],
        "noise": looked_back(carried=False)[1],
    }
    kept = {name: chat.influence for name, chat in results.items()}
    found = {name: one is not None and suggested(one.result, False) is not None for name, one in kept.items()}
    assert found == {"reliable": True, "unsure": False, "few": False, "noise": False}
    assert kept["reliable"] is not None
    assert suggested(kept["reliable"].result, stale=True) is None


def test_it_asks_for_its_price_once_and_leaves_out_in_one_step(qtbot: QtBot):
    _, chat = looked_back()
    assert chat.influence is not None
    result = chat.influence.result
    assert result is not None
    line = CouldGoLine()
    qtbot.addWidget(line)
    sent: list[object] = []
    line.wishes.intent.connect(sent.append)
    line.show_result(chat, result, False)
    line.show_result(chat, result, False)
    assert [type(one) for one in sent] == [PriceStep]
    assert line.words.text().endswith("influence −0.01")
    with qtbot.waitSignal(line.wishes.step) as told:
        line.leave_out.click()
    assert told.args is not None
    assert told.args[0] == line.step()


def left_over(chat: ChatState) -> tuple[Artifact, ChatState]:
    """A result that an attached file did nothing for."""
    file = chat.conversation.attached[0]
    assert chat.influence is not None
    assert chat.influence.result is not None
    piece = PieceInfluence(file.key, "a.md", "L2_PREVIOUS", "artifact", 30, (file.key,), 0.0, 0.0)
    result = replace(chat.influence.result, pieces=(piece,), could_go=CouldGo(file.key, 30, 0.0))
    return file, replace(chat, influence=replace(chat.influence, result=result))


def test_what_was_left_out_can_be_put_back_in_the_same_place(qtbot: QtBot):
    file, chat = left_over(looked_back()[1])
    assert chat.influence is not None
    line = CouldGoLine()
    qtbot.addWidget(line)
    line.show_result(chat, chat.influence.result, False)
    assert line.leave_out.text() == "Leave out"
    tuning = replace(chat.conversation.tuning, excluded=frozenset({file.key}))
    out = replace(chat, conversation=replace(chat.conversation, tuning=tuning))
    line.show_result(out, chat.influence.result, False)
    assert (line.leave_out.text(), line.price.text()) == ("Put back", "left out of the next request")
    with qtbot.waitSignal(line.wishes.step) as told:
        line.leave_out.click()
    assert told.args is not None
    assert told.args[0] == leave_out_members(out, (file.key,), False)


def test_what_is_not_there_any_more_or_says_something_else_is_not_suggested(qtbot: QtBot):
    file, chat = left_over(looked_back()[1])
    assert chat.influence is not None
    line = CouldGoLine()
    qtbot.addWidget(line)
    line.show_result(chat, chat.influence.result, False, changed=(file.key,))
    assert not line.isVisible()
    gone = replace(chat, conversation=replace(chat.conversation, attached=(), library=()))
    line.show_result(gone, chat.influence.result, False)
    assert not line.isVisible()
    line.show_result(chat, chat.influence.result, False)
    assert line.isVisible()
