"""The head of the chat: renamed in place, the model's state in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.parameters import Parameters, Unsent
from workbench.domain.workspace import Filed, Workspace
from workbench.engine.intents import RenameChat
from workbench.engine.state import Readiness, WorkbenchState
from workbench.engine.workspace_intents import FileChats
from workbench.ui.chat.pane import ChatHead
from workbench.ui.model_button import short_name
from workbench.ui.steps import Step
from workbench.ui.wishes import ShowWorkspace


@pytest.fixture
def head(qtbot) -> ChatHead:
    made = ChatHead()
    qtbot.addWidget(made)
    made.show()
    made.show_state(sample_state(), sample_state().open[CHAT])
    return made


def test_a_title_is_changed_with_enter_and_left_alone_with_escape(qtbot, head: ChatHead):
    head.rename()
    head.field.setText("Another title")
    with qtbot.waitSignal(head.wishes.intent) as heard:
        qtbot.keyClick(head.field, Qt.Key.Key_Return)
    assert heard.args == [RenameChat(CHAT, "Another title")]
    head.rename()
    head.field.setText("Not this")
    with qtbot.assertNotEmitted(head.wishes.intent):
        qtbot.keyClick(head.field, Qt.Key.Key_Escape)


def test_an_empty_title_is_no_title(qtbot, head: ChatHead):
    head.rename()
    head.field.setText("   ")
    with qtbot.assertNotEmitted(head.wishes.intent):
        qtbot.keyClick(head.field, Qt.Key.Key_Return)


@pytest.mark.parametrize(
    ("readiness", "words"),
    [
        (None, "not started yet"),
        (Readiness(True), "ready"),
        (Readiness(False, "Loading"), "starting"),
        (Readiness(False, problem="x"), "can’t answer now"),
    ],
)
def test_the_models_state_is_said_in_words(head: ChatHead, readiness: Readiness | None, words: str):
    head.model.show_model("gpt-4o", readiness)
    assert head.model.accessibleName() == f"Model: gpt-4o, {words}"


def test_without_a_chat_nothing_can_be_changed(head: ChatHead):
    head.show_state(WorkbenchState(), None)
    assert not head.model.isEnabled()
    head.rename()
    assert not head.field.isVisible()


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("builtin", "Built-in SmolLM2"),
        ("openai:gpt-4o", "gpt-4o"),
        ("ollama:qwen3:8b", "qwen3:8b"),
        ("server:http://127.0.0.1:9/v1#llama", "llama"),
        ("gguf:/models/small.gguf", "small.gguf"),
        ("gpt-4o", "gpt-4o"),
    ],
)
def test_a_model_is_shown_without_whose_it_is(name: str, short: str):
    assert short_name(name) == short


def test_a_title_that_is_being_written_is_kept_when_another_chat_comes(qtbot, head: ChatHead):
    """Ctrl+N while a title was edited lost it: the field closed after the chat had changed."""
    head.rename()
    head.field.setText("Half a ti")
    with qtbot.waitSignal(head.wishes.intent) as heard:
        head.show_state(sample_state(), None)
    assert heard.args == [RenameChat(CHAT, "Half a ti")]
    assert head._places.currentIndex() == 0


def test_the_sliders_open_this_chat_s_parameters_and_say_what_is_set_and_what_stays_out(
    qtbot, head: ChatHead
):
    with qtbot.waitSignal(head.wishes.wish) as heard:
        head.tune.click()
    assert heard.args == ["parameters"]
    opened = sample_state().open[CHAT]
    assert opened.view is not None
    settings = replace(opened.chat.settings, parameters=Parameters(temperature=0.2))
    view = replace(opened.view, unsent=(Unsent("temperature", "it takes none"),))
    chat = replace(opened, chat=replace(opened.chat, settings=settings), view=view)
    head.show_state(sample_state(), chat)
    assert head.tune.accessibleName() == "Parameters of this chat: temperature"
    assert "temperature isn’t sent: it takes none" in head.tune.toolTip()


def test_the_workspace_is_named_opens_its_page_and_its_menu_moves_the_chat(qtbot: QtBot):
    state = sample_state()
    opened = state.open[CHAT]
    chat = replace(opened, chat=replace(opened.chat, filed=Filed("w1")))
    places = {"w1": Workspace("w1", "Auth service"), "w2": Workspace("w2", "Thesis")}
    head = ChatHead()
    qtbot.addWidget(head)
    head.resize(700, 44)
    head.show_state(state, opened)
    assert not head.place.isVisibleTo(head)
    head.show_state(replace(state, workspaces=places), chat)
    assert head.place.text() == "Auth service"
    head.resize(480, 44)
    head.show()
    qtbot.waitUntil(lambda: head.place.text() == "")
    assert head.place.accessibleName() == "Workspace: Auth service"
    wishes: list[object] = []
    steps: list[Step] = []
    head.wishes.wish.connect(wishes.append)
    head.wishes.step.connect(steps.append)
    head.place.click()
    made = head.move_menu()
    made.actions()[1].trigger()
    made.deleteLater()
    assert wishes == [ShowWorkspace("w1")]
    (step,) = steps
    assert step.do == (FileChats((CHAT,), workspace="w2"),)
    assert FileChats((CHAT,), workspace="w1") in step.undo
