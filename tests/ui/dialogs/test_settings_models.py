"""Models and keys: a key goes out once, as a secret, and is never shown again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.sample_state import sample_state
from tests.fakes.widgets import all_of
from workbench.domain.secret import Secret
from workbench.engine.errand_intents import ChangePreferences, KeepProviderKey
from workbench.ui.dialogs.settings_models import ANTHROPIC, OPENAI, ModelsPage
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.choice import SecretField


@pytest.fixture
def page(qtbot) -> ModelsPage:
    made = ModelsPage()
    qtbot.addWidget(made)
    made.show_state(sample_state())
    return made


def field(page: ModelsPage, name: str) -> SecretField:
    return next(one for one in all_of(SecretField, page) if name in one.accessibleName())


def test_a_key_is_kept_for_its_host_and_gone_from_the_field(qtbot, page: ModelsPage):
    typed = field(page, "Anthropic")
    typed.setText(" sk-ant-1 ")
    with qtbot.waitSignal(page.wishes.intent) as heard:
        typed.returnPressed.emit()
    assert heard.args == [KeepProviderKey(ANTHROPIC, Secret.of_text("sk-ant-1"))]
    assert typed.text() == ""


def test_the_key_of_a_provider_behind_a_gateway_is_kept_for_the_gateway(qtbot, page: ModelsPage):
    state = sample_state()
    behind = replace(state.preferences, openai_url="https://gw.example/v1")
    page.show_state(replace(state, preferences=behind))
    typed = [one for one in all_of(SecretField, page) if "OpenAI" in one.accessibleName()][-1]
    typed.setText("sk-1")
    with qtbot.waitSignal(page.wishes.intent) as heard:
        typed.returnPressed.emit()
    assert heard.args == [KeepProviderKey("https://gw.example:443", Secret.of_text("sk-1"))]


def test_whether_there_is_a_key_is_said(page: ModelsPage):
    words = [badge.word() for badge in all_of(Badge, page)]
    assert words.count("key kept") == 1
    assert words.count("no key") == 1
    assert OPENAI.startswith(sample_state().key_origins[0])


def test_a_server_is_added_and_removed_in_the_preferences(qtbot, page: ModelsPage):
    page.server_name.setText("lab")
    page.server_url.setText("https://gpu1.lab.example/v1")
    with qtbot.waitSignal(page.wishes.intent) as heard:
        page.server_url.returnPressed.emit()
    (change,) = heard.args
    assert isinstance(change, ChangePreferences)
    assert dict(change.preferences.servers) == {"lab": "https://gpu1.lab.example/v1"}


def test_the_model_of_new_chats_can_be_chosen(qtbot, page: ModelsPage):
    page.default.choose("ollama:llama3.2")
    with qtbot.waitSignal(page.wishes.intent) as heard:
        page.default.activated.emit(page.default.currentIndex())
    (change,) = heard.args
    assert change.preferences.model == "ollama:llama3.2"
