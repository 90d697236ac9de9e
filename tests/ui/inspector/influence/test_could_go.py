"""The line that offers to leave something out."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from tests.fakes.influence_results import looked_back
from workbench.domain.files.attachment import Artifact
from workbench.domain.influence import CouldGo, PieceInfluence, Reliability
from workbench.engine.intents import PriceStep
from workbench.engine.state import ChatState
from workbench.ui.inspector.influence.strip import CouldGoLine, suggested
from workbench.ui.steps import leave_out_members


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
