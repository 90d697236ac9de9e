"""Facts of answers in the real window over a real store: after another chat and a restart, and brought back."""

from __future__ import annotations

import pytest

from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.window_stage import WindowStage, scripted_folder
from workbench.engine.intents import OpenTurn, SendMessage
from workbench.ui.chat.messages.answer_view import AnswerView

pytestmark = pytest.mark.usefixtures("no_window_left")


def lines(stage: WindowStage) -> list[str]:
    """What the lines under the answers say."""
    views = [one for one in stage.window.chat.transcript.column.views() if isinstance(one, AnswerView)]
    panels = [one.facts for one in views if one.facts is not None and one.facts.isVisible()]
    return [panel.line.accessibleName() for panel in panels]


@in_qt_loop
async def test_the_facts_of_a_chat_are_there_again_after_another_chat_and_a_restart(tmp_path):
    """They were asked for once in a lifetime, and what was found left with the chat."""
    data = scripted_folder(tmp_path, "It listens on port 8443.")
    stage = await WindowStage.open(data)
    first = (await stage.new_chat()).chat.id
    await stage.workbench.dispatch(SendMessage(first, "Is it port 8443?"))
    said = ["1 fact, all in the request or computed"]
    await until(lambda: lines(stage) == said)
    await stage.new_chat()
    await stage.workbench.dispatch(SendMessage(stage.open_chat.chat.id, "And here?"))
    await until(lambda: len(lines(stage)) == 1 and lines(stage) != said)
    stage.session.open_chat(first)
    await until(lambda: stage.session.chat_id == first and bool(stage.open_chat.facts))
    await stage.settle()
    assert lines(stage) == said
    await stage.workbench.dispatch(OpenTurn(first, 1))
    await until(lambda: bool(stage.window.inspector.layers._checked[2].counts))
    await stage.close()

    again = await WindowStage.open(data)
    again.session.open_chat(first)
    await until(lambda: again.session.chat_id == first and bool(again.open_chat.facts))
    await again.settle()
    assert lines(again) == said
    assert again.crashes == []
    await again.close()
