"""The line that offers to leave something out."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.fakes.influence_results import looked_back
from workbench.domain.influence import Reliability
from workbench.engine.intents import PriceStep
from workbench.ui.inspector.influence.could_go import CouldGoLine, suggested


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
