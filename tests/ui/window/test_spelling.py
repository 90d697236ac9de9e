"""Spelling in the message field."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from workbench.domain.settings.app_preferences import Preferences
from workbench.engine.program_intents import ChangePreferences
from workbench.engine.tasks import Tasks
from workbench.ports.spelling import Speller
from workbench.ui.chat.composer.text import ComposerText
from workbench.ui.widgets.found_words import secret_marks
from workbench.ui.window.spelling import Spelling, SpellMarks, language_names, prose_words


class FewWords:
    """Knows what it is given → Speller."""

    languages: tuple[str, ...] = ("en_US",)
    available: tuple[str, ...] = ("de_DE", "en_US")

    def __init__(self, *words: str) -> None:
        self.words = {*words}

    def knows(self, word: str) -> bool:
        return word.lower() in self.words

    def suggest(self, word: str) -> tuple[str, ...]:
        return tuple(sorted(one for one in self.words if one[:2] == word[:2]))

    def learn(self, word: str) -> None:
        self.words.add(word)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, wrold!", ["Hello", "wrold"]),
        ("don’t (maybe) “so”", ["don’t", "maybe", "so"]),
        ("a well-known word—here", ["well", "known", "word", "here"]),
        ("see src/main.py, foo.bar and foo_bar", ["see", "and"]),
        ("https://exmple.org/x me@exmple.org @docs/notez.md", []),
        ("run `teh code` and\n```\nteh code\n```\nthen", ["run", "and", "then"]),
        ("{{teh}} HTTP camelCase iPhone v2 x", []),
        ("Größe Über naïve", ["Größe", "Über", "naïve"]),
        ("```\nnot closed teh", []),
    ],
)
def test_only_words_of_prose_are_looked_up(text: str, words: list[str]):
    found = list(prose_words(text))
    assert [word for _, word in found] == words
    assert all(text[at : at + len(word)] == word for at, word in found)


def test_a_long_chunk_that_is_no_prose_costs_no_more_than_its_length():
    """A name of forty letters before a slash once took longer than anybody waits."""
    assert list(prose_words("a" * 5_000 + "/x")) == []
    assert list(prose_words("well-known-" * 500 + "/x")) == []


class Stage:
    """A field with its marks, and what was wished."""

    def __init__(self, qtbot: QtBot, speller: Speller, text: str) -> None:
        self.wished: list[ChangePreferences] = []
        self.parent, self.tasks = QObject(), Tasks(lambda what, problem: None)
        self.spelling = Spelling(lambda tags: speller, self.tasks, self.parent)
        self.spelling.wished.connect(self.wished.append)
        self.field = ComposerText()
        qtbot.addWidget(self.field)
        self.marks = SpellMarks(self.field, self.spelling)
        self.field.resize(400, 60)
        self.field.show()
        self.spelling.follow(Preferences())
        self.spelling.speller = speller  # as if it had been opened
        self.spelling._wanted = self.spelling.wanted()
        self.field.begin_with(text)
        self.marks.mark()

    def marked(self) -> list[str]:
        return [mark.cursor.selectedText() for mark in self.field.extraSelections()]  # type: ignore[attr-defined]

    def menu(self, word: str) -> list[QAction]:
        cursor = self.field.document().find(word)
        place = self.field.cursorRect(cursor).center()
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, self.field.mapToGlobal(place))
        self.field.contextMenuEvent(event)
        shown, *more = (one for one in self.field.findChildren(QMenu) if one.isVisible())  # type: ignore[var-annotated]
        assert not more
        return [*shown.actions()]


def test_words_that_no_dictionary_has_are_marked(qtbot: QtBot):
    assert Stage(qtbot, FewWords("the", "cat"), "The 🐈 cta, `teh` the cat").marked() == ["cta"]


def test_letters_of_a_script_without_a_dictionary_are_left_alone(qtbot: QtBot):
    assert Stage(qtbot, FewWords(), "привет 你好 wrold").marked() == ["wrold"]


def test_a_word_that_is_being_typed_is_not_wrong_yet(qtbot: QtBot):
    stage = Stage(qtbot, FewWords("the"), "the ")
    stage.field.setFocus()
    QTest.keyClicks(stage.field, "wrol")
    stage.marks.mark()
    assert stage.marked() == []
    QTest.keyClicks(stage.field, " ")
    stage.marks.mark()
    assert stage.marked() == ["wrol"]


def test_a_click_into_a_wrong_word_keeps_its_line(qtbot: QtBot):
    stage = Stage(qtbot, FewWords("the"), "the wrol")
    stage.field.setFocus()
    QTest.keyClick(stage.field, Qt.Key.Key_Left)
    QTest.keyClick(stage.field, Qt.Key.Key_Right)
    stage.marks.mark()
    assert stage.marked() == ["wrol"]


def test_the_menu_writes_another_word_as_one_step(qtbot: QtBot):
    stage = Stage(qtbot, FewWords("the", "world"), "🐈 the wolrd")
    stage.field.document().setModified(False)
    next(one for one in stage.menu("wolrd") if one.text() == "world").trigger()
    assert stage.field.text() == "🐈 the world"
    stage.field.undo()
    assert stage.field.text() == "🐈 the wolrd"


def test_a_word_is_learnt(qtbot: QtBot):
    stage = Stage(qtbot, FewWords("the"), "the qasync")
    next(one for one in stage.menu("qasync") if "dictionary" in one.text()).trigger()
    assert stage.marked() == []


def test_a_known_word_has_the_usual_menu_alone(qtbot: QtBot):
    words = [one.text() for one in Stage(qtbot, FewWords("the"), "the cta").menu("the")]
    assert not any("dictionary" in one for one in words)
    assert any("Paste" in one for one in words)


def test_the_menu_switches_spelling_and_its_languages(qtbot: QtBot):
    stage = Stage(qtbot, FewWords(), "x")
    under = next(one.menu() for one in stage.menu("x") if one.text() == "Spelling")
    assert isinstance(under, QMenu)
    switch, *languages = [one for one in under.actions() if not one.isSeparator()]
    assert [one.text() for one in languages] == ["Deutsch", "American English"]
    assert not languages[1].isEnabled()  # one has to be left
    switch.trigger()
    languages[0].trigger()
    assert not stage.wished[0].preferences.spelling
    assert stage.wished[1].preferences.spelling_languages == ("en_US", "de_DE")


def test_secrets_stay_marked_beside_it(qtbot: QtBot):
    stage = Stage(qtbot, FewWords("the", "key"), "the wrold key")
    stage.field.set_marks("secrets", secret_marks(stage.field, stage.field.text(), [(10, 13)]))
    stage.marks.mark()
    assert sorted(stage.marked()) == ["key", "wrold"]


def test_switched_off_nothing_is_marked(qtbot: QtBot):
    stage = Stage(qtbot, FewWords("the"), "the wrold")
    stage.spelling.follow(Preferences(spelling=False))
    assert stage.marked() == []


def test_without_a_loop_no_dictionary_is_opened(qtbot: QtBot):
    """A timer that ended while the program closed began a task that nothing ran."""
    stage = Stage(qtbot, FewWords("the"), "the wrold")
    stage.spelling.speller = stage.spelling._wanted = None
    stage.marks.mark()
    assert (stage.marked(), stage.tasks._running) == ([], set())


def test_a_long_message_is_left_alone(qtbot: QtBot):
    assert Stage(qtbot, FewWords(), "wrold " * 5_000).marked() == []


def test_languages_with_the_same_name_say_their_country():
    assert language_names(("de_DE", "en_US")) == {"de_DE": "Deutsch", "en_US": "American English"}
    assert set(language_names(("de_DE", "de_LU")).values()) == {
        "Deutsch (Deutschland)",
        "Deutsch (Luxemburg)",
    }
