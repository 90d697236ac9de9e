"""Models and servers in the settings: keys, leave to send without encryption, and what is listed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QLabel, QWidget

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.sample_state import sample_state
from tests.fakes.widgets import all_of, button_with
from workbench.domain.model import ModelListing
from workbench.domain.secrets import Secret
from workbench.domain.settings.app_preferences import Preferences
from workbench.engine.program_intents import ChangePreferences, KeepProviderKey
from workbench.ui.dialogs.settings_models import (
    KeyAction,
    ModelsPage,
    PlainTicks,
    can_be_plain,
    full_address,
    origins,
    server_line,
    without_plain_http,
)
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import Button
from workbench.ui.widgets.card import CardRow
from workbench.ui.widgets.choice import SecretField
from workbench.ui.wishes import DeclareModel


def test_the_field_appears_when_a_key_is_to_be_typed_and_forgets_it(qtbot):
    action = KeyAction("OpenAI", known=False)
    qtbot.addWidget(action)
    action.show()
    assert not action.field.isVisible()
    action.begin.click()
    assert action.field.isVisible()
    assert not action.save.isEnabled()
    action.field.setText(" sk-1 ")
    with qtbot.waitSignal(action.typed) as heard:
        action.save.click()
    assert heard.args == ["sk-1"]
    assert action.field.text() == ""


def test_a_known_key_can_be_removed(qtbot):
    action = KeyAction("OpenAI", known=True)
    qtbot.addWidget(action)
    action.show()
    with qtbot.waitSignal(action.removed):
        action.forget.click()


NAS = "http://NAS.lan:8000/v1"
ORIGIN = "http://nas.lan:8000"


def ticks(qtbot, preferences: Preferences) -> PlainTicks:
    made = PlainTicks(NAS, preferences)
    qtbot.addWidget(made)
    return made


def test_only_servers_that_can_have_leave_are_offered_it():
    assert can_be_plain(NAS)
    for url in ("https://nas.lan", "http://127.0.0.1:1", "http://models.example", "ftp://x", "http://[", ""):
        assert not can_be_plain(url)


def test_the_first_tick_gives_leave_and_the_second_needs_it(qtbot):
    made = ticks(qtbot, Preferences())
    assert not made.key.isEnabled()
    with qtbot.waitSignal(made.changed) as heard:
        made.plain.setChecked(True)
    assert heard.args[0] == Preferences(plain_http=(ORIGIN,))
    made = ticks(qtbot, heard.args[0])
    assert (made.plain.isChecked(), made.key.isEnabled(), made.key.isChecked()) == (True, True, False)
    with qtbot.waitSignal(made.changed) as heard:
        made.key.setChecked(True)
    assert heard.args[0] == Preferences(plain_http=(ORIGIN,), plain_http_with_key=(ORIGIN,))


def test_taking_the_first_back_takes_both_back_and_leaves_other_servers_theirs(qtbot):
    other = "http://other:80"
    made = ticks(qtbot, Preferences(plain_http=(other, NAS), plain_http_with_key=(NAS, other)))
    with qtbot.waitSignal(made.changed) as heard:
        made.plain.setChecked(False)
    assert heard.args[0] == Preferences(plain_http=(other,), plain_http_with_key=(other,))


def test_a_server_s_row_has_the_ticks_and_removing_it_ends_its_leave(qtbot):
    page = ModelsPage()
    qtbot.addWidget(page)
    state = sample_state()
    preferences = replace(state.preferences, servers={"nas": NAS}, plain_http=(ORIGIN,))
    page.show_state(replace(state, preferences=preferences))
    made: list[PlainTicks] = list(page.findChildren(PlainTicks))
    (found,) = made
    assert found.plain.isChecked()
    heard: list[ChangePreferences] = []
    page.wishes.intent.connect(heard.append)
    found.key.setChecked(True)
    button_with("Remove server", page).click()
    assert [one.preferences.plain_http_with_key for one in heard] == [(ORIGIN,), ()]
    assert [one.preferences.plain_http for one in heard] == [(ORIGIN,), ()]


def test_what_cannot_be_read_belongs_to_nothing():
    assert origins((NAS, "nonsense", "http://h:x")) == {ORIGIN}
    assert without_plain_http(Preferences(plain_http=("nonsense",)), NAS).plain_http == ("nonsense",)


OPENAI, ANTHROPIC = "https://api.openai.com:443", "https://api.anthropic.com:443"


@pytest.fixture
def page(qtbot) -> ModelsPage:
    made = ModelsPage()
    qtbot.addWidget(made)
    made.show_state(sample_state())
    return made


def field(page: ModelsPage, name: str) -> SecretField:
    """The field for a key, once its button is pressed; the newest row is the last."""
    row = [one for one in all_of(CardRow, page) if one.title.text() == name][-1]
    (action,) = all_of(KeyAction, row)
    action.begin.click()
    return action.field


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
    typed = field(page, "OpenAI")
    typed.setText("sk-1")
    with qtbot.waitSignal(page.wishes.intent) as heard:
        typed.returnPressed.emit()
    assert heard.args == [KeepProviderKey("https://gw.example:443", Secret.of_text("sk-1"))]


def test_only_the_page_itself_is_ever_a_window(qtbot, qapp):
    """Start, Remove and a model's button were shown before they had a place: windows of their own for a moment."""
    windows = Windows()
    qapp.installEventFilter(windows)
    made = ModelsPage()
    qtbot.addWidget(made)
    state = sample_state()
    listed = tuple(
        replace(one, card=one.card and replace(one.card, window_assumed=True)) for one in state.models or ()
    )
    made.show_state(replace(state, models=listed, readiness={}))
    qapp.removeEventFilter(windows)
    assert windows.shown == []
    for words in ("Start", "Remove", "Window and abilities…"):
        assert not button_with(words, made).isHidden()


class Windows(QObject):
    """Notes what is shown without a parent."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.shown.append(type(watched).__name__)
        return False


def test_whether_there_is_a_key_is_said(page: ModelsPage):
    words = [badge.word() for badge in all_of(Badge, page)]
    assert words.count("key saved") == 1
    assert words.count("no key") == 2
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


@pytest.mark.parametrize(
    ("name", "url", "said"),
    [
        ("lab", "", "needs an address"), ("lab", "two words", "looks like"),
        ("openai", "http://h/v1", "can’t be"),
        ("a:b", "http://h/v1", "can’t be"), ("lab", "ftp://h/v1", "looks like"),
    ],
)  # fmt: skip
def test_a_server_that_cannot_be_added_is_refused_in_words(
    qtbot, page: ModelsPage, name: str, url: str, said: str
):
    """Pressing Add did nothing, and said nothing."""
    page.server_name.setText(name)
    page.server_url.setText(url)
    with qtbot.assertNotEmitted(page.wishes.intent):
        page.server_url.returnPressed.emit()
    assert said in page.server_problem.text()
    assert page.server_url.text() == url


def test_what_a_server_said_stands_in_its_row():
    card = replace(WORD_MODEL, window_assumed=True)
    assert server_line("lab", None) == "being asked for its models"
    assert (
        server_line("lab", (ModelListing("lab:m", card, True), ModelListing("lab:n", card, True)))
        == "2 models"
    )
    assert (
        server_line("lab", (ModelListing("lab:m", card, True, via="p:1"),))
        == "one model · through the proxy p:1"
    )
    assert (
        server_line("lab", (ModelListing("lab:NAME", None, False, "Nothing answers."),)) == "Nothing answers."
    )


def test_an_assumed_window_is_called_so_and_can_be_set(qtbot, page: ModelsPage):
    card = replace(WORD_MODEL, context_window_tokens=32_768, window_assumed=True)
    page.show_state(replace(sample_state(), models=(ModelListing("lab:m", card, True),)))
    assert "32,768 tokens assumed" in [one.text() for one in all_of(QLabel, page)]
    (about,) = [
        one for one in all_of(Button, page) if one.accessibleName() == "Window and abilities of lab:m"
    ]
    with qtbot.waitSignal(page.wishes.wish) as heard:
        about.click()
    assert heard.args == [DeclareModel("lab:m")]


def test_a_server_that_counts_at_send_says_so_and_can_be_allowed_more(qtbot, page: ModelsPage):
    card = replace(WORD_MODEL, tokenizer="server:vllm-1", counted_at_send=True)
    page.show_state(replace(sample_state(), models=(ModelListing("lab:m", card, True),)))
    assert "counted by its own server, at Send" in [one.text() for one in all_of(QLabel, page)]
    (about,) = [
        one for one in all_of(Button, page) if one.accessibleName() == "Window and abilities of lab:m"
    ]
    assert not about.isHidden()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("localhost:8555", "http://localhost:8555/v1"), ("127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("192.168.1.20:8000", "http://192.168.1.20:8000/v1"), ("box.lan", "http://box.lan/v1"),
        ("[::1]:8080", "http://[::1]:8080/v1"), ("gpu1.lab.example", "https://gpu1.lab.example/v1"),
        ("https://gpu1.lab.example/api/v3", "https://gpu1.lab.example/api/v3"), ("", ""),
    ],
)  # fmt: skip
def test_an_address_is_understood_as_people_write_it(typed: str, meant: str):
    assert full_address(typed) == meant


def test_enter_adds_a_server_by_its_address_alone_and_the_complaint_goes_when_it_is_mended(
    qtbot, page: ModelsPage
):
    page.server_url.setText("two words")
    page.server_url.returnPressed.emit()
    assert not page.server_problem.isHidden()
    page.server_url.clear()
    qtbot.keyClicks(page.server_url, "localhost:8555")
    assert page.server_problem.isHidden()
    with qtbot.waitSignal(page.wishes.intent) as heard:
        qtbot.keyClick(page.server_url, Qt.Key.Key_Return)
    assert dict(heard.args[0].preferences.servers) == {"localhost-8555": "http://localhost:8555/v1"}


def test_an_entry_can_be_edited(qtbot):
    page = ModelsPage()
    qtbot.addWidget(page)
    state = sample_state()
    held = replace(
        state.preferences, servers={"lab": "https://a.example/v1", "home": "http://localhost:1/v1"}
    )
    page.show_state(replace(state, preferences=held))
    [edit] = [one for one in all_of(Button, page) if one.accessibleName() == "Edit lab"]
    edit.click()
    assert (page.server_name.text(), page.server_add.text()) == ("lab", "Save")
    page.server_url.setText("https://b.example/v1")
    with qtbot.waitSignal(page.wishes.intent) as heard:
        page.server_add.click()
    assert dict(heard.args[0].preferences.servers) == {
        "home": "http://localhost:1/v1", "lab": "https://b.example/v1",
    }  # fmt: skip
    assert (page.server_name.text(), page.server_add.text()) == ("", "Add")


def test_why_a_server_is_refused_is_never_cut(qtbot):
    page = ModelsPage()
    qtbot.addWidget(page)
    state = sample_state()
    why = "It answered with a page instead of a list of models. " * 4
    held = replace(state.preferences, servers={"lab": "https://a.example/v1"})
    page.show_state(
        replace(state, preferences=held, models=(ModelListing("lab:", None, False, why.strip()),))
    )
    [told] = [one for one in all_of(QLabel, page) if one.text().startswith("It answered")]
    assert (told.text(), told.wordWrap()) == (why.strip(), True)


def test_a_session_is_set_shown_kept_when_renamed_and_gone_with_its_server(qtbot):
    page = ModelsPage()
    qtbot.addWidget(page)
    state = sample_state()
    held = replace(
        state.preferences,
        servers={"lab": "https://a.example/v1"},
        sessions={"lab": "X-Session-ID", "b": "user"},
    )
    page.show_state(replace(state, preferences=held))
    [row] = [one for one in all_of(CardRow, page) if "https://a.example/v1" in one.line.text()]
    assert "session in X-Session-ID" in row.line.text()
    [edit] = [one for one in all_of(Button, page) if one.accessibleName() == "Edit lab"]
    edit.click()
    assert page.server_session.text() == "X-Session-ID"
    page.server_name.setText("den")
    page.server_session.setText("Authorization")
    with qtbot.assertNotEmitted(page.wishes.intent):
        page.server_add.click()
    assert "meaning of its own" in page.server_problem.text()
    page.server_session.setText("X-Chat")
    with qtbot.waitSignal(page.wishes.intent) as heard:
        page.server_add.click()
    assert dict(heard.args[0].preferences.sessions) == {"b": "user", "den": "X-Chat"}
    with qtbot.waitSignal(page.wishes.intent) as heard:
        page._remove_server("lab")
    assert dict(heard.args[0].preferences.sessions) == {"b": "user"}


def test_a_server_is_added_with_its_key_at_once(qtbot, page: ModelsPage):
    """It was added, refused for lack of a key, and the field for that was somewhere else."""
    sent: list[object] = []
    page.wishes.intent.connect(sent.append)
    page.server_url.setText("https://gpu1.lab.example")
    page.server_key.setText(" sk-lab-1 ")
    page.server_add.click()
    key, added = sent
    assert isinstance(key, KeepProviderKey)
    assert (key.origin, key.key and key.key.reveal_text()) == ("https://gpu1.lab.example/v1", "sk-lab-1")
    assert isinstance(added, ChangePreferences)
    assert page.server_key.text() == ""


def test_a_server_that_answers_without_a_key_needs_none(qtbot):
    page = ModelsPage()
    qtbot.addWidget(page)
    state = sample_state()
    held = replace(state.preferences, servers={"lab": "http://localhost:8080/v1"})
    page.show_state(replace(state, preferences=held, models=(ModelListing("lab:m", WORD_MODEL, True),)))
    assert "no key needed" in [badge.word() for badge in all_of(Badge, page)]
