"""Keys and passwords that were found in a text, said in a few words and marked where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from workbench.domain.keys.found_secret import FoundSecret
from workbench.ui import formatting
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import translator
from workbench.ui.widgets.plain import utf16_units

_tr = translator("Secrets")

MOST_MARKED = 200
"""More marks than that in one text say nothing more."""

MOST_SAID = 3


def secret_words(found: Sequence[FoundSecret]) -> str:
    """What was found: `looks like a GitHub key: line 3`; of several, the first ones. Empty where there is nothing."""
    if not found:
        return ""
    said = [
        _tr("{what} (line {n})").format(what=_what(one), n=formatting.tokens(one.line))
        for one in _first(found)
    ]
    more = len(found) - len(said)
    if more:
        said.append(_tr("{n} more").format(n=formatting.tokens(more)))
    words = _tr("replaced before sending: {list}") if found[0].replaced else _tr("looks like {list}")
    return words.format(list=", ".join(said))


def secret_word(found: Sequence[FoundSecret]) -> str:
    """The same where there is hardly any room."""
    if not found:
        return ""
    return _tr("key replaced") if found[0].replaced else _tr("holds a key")


def _first(found: Sequence[FoundSecret]) -> Iterable[FoundSecret]:
    return found[:MOST_SAID]


def _what(found: FoundSecret) -> str:
    return QCoreApplication.translate("Secrets", found.words)


def mark_secrets(edit: QTextEdit | QPlainTextEdit, text: str, found: Sequence[tuple[int, int]]) -> None:
    """Underline these characters of the text that the field shows; none where there are none."""
    if not found and not edit.extraSelections():
        return
    theme = theme_of(edit)
    look = QTextCharFormat()
    look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
    look.setUnderlineColor(QColor(colour("warn", theme)))
    look.setBackground(QColor(colour("warn_tint", theme)))
    edit.setExtraSelections([_selection(edit, look, text, span) for span in found[:MOST_MARKED]])


def _selection(
    edit: QTextEdit | QPlainTextEdit, look: QTextCharFormat, text: str, span: tuple[int, int]
) -> QTextEdit.ExtraSelection:
    made = QTextEdit.ExtraSelection()
    made.cursor = QTextCursor(edit.document())  # type: ignore[attr-defined]
    last = edit.document().characterCount() - 1
    made.cursor.setPosition(min(utf16_units(text[: span[0]]), last))  # type: ignore[attr-defined]
    made.cursor.setPosition(min(utf16_units(text[: span[1]]), last), QTextCursor.MoveMode.KeepAnchor)  # type: ignore[attr-defined]
    made.format = look  # type: ignore[attr-defined]
    return made
