"""Secrets in words and marked in a text."""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from workbench.domain.secrets import FoundSecret
from workbench.ui.widgets.found_words import mark_secrets, secret_word, secret_words

KEY = FoundSecret("github", 3, 4, 8, "ghp_…")
GONE = FoundSecret("password", 12, 9, 12, replaced=True)


def test_words_name_the_kind_and_the_line(qapp: object):
    assert secret_words((KEY,)) == "looks like a GitHub key (line 3)"
    assert secret_words((KEY,) * 5) == "looks like " + ", ".join(["a GitHub key (line 3)"] * 3) + ", 2 more"
    assert secret_words((GONE,)) == "replaced before sending: a password (line 12)"
    assert (secret_word((KEY,)), secret_word((GONE,))) == ("holds a key", "key replaced")
    assert secret_words(()) == secret_word(()) == ""


def test_marks_stand_on_the_characters_in_any_script(qtbot: QtBot):
    field = QPlainTextEdit()
    qtbot.addWidget(field)
    text = "👩 漢字\nab key cd"
    field.setPlainText(text)
    start = text.index("key")
    mark_secrets(field, text, [(start, start + 3)])
    (mark,) = field.extraSelections()
    assert mark.cursor.selectedText() == "key"  # type: ignore[attr-defined]
    mark_secrets(field, text, [])
    assert field.extraSelections() == []
