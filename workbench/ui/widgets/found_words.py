"""Finding and marking words in texts, and secrets in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import islice, takewhile

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from workbench.domain.secrets import FoundSecret
from workbench.ui import formatting
from workbench.ui.look.theme import Theme, colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.plain import utf16_units

MOST_MARKED = 2_000
Spans = tuple[tuple[int, int], ...]
MOST_COMPARED = 400
"""How many words `differing_ranges` compares from the first that differs; nobody sees more at once."""
_LONGEST = 500
_MARKUP = "[*_`~]*"
_WORD = re.compile(r"\S+")


def wanted(words: Sequence[str], *, match_case: bool = False) -> re.Pattern[str] | None:
    """A pattern for any of these texts, with any space or emphasis between their words; None if there are none."""
    alternatives = [_word_pattern(one[:_LONGEST]) for one in words if one.strip()]
    if not alternatives:
        return None
    # The longest first: of two that begin alike, all of what was found is marked.
    pattern = "|".join(sorted(alternatives, key=len, reverse=True))
    return re.compile(pattern, re.NOFLAG if match_case else re.IGNORECASE)


def spans_in(pattern: re.Pattern[str], text: str) -> Spans:
    """Where a pattern matches, in UTF-16 units as Qt counts."""
    matches = (match.span() for match in pattern.finditer(text))
    return qt_spans(text, tuple(islice((span for span in matches if span[1] > span[0]), MOST_MARKED)))


def qt_spans(text: str, spans: Sequence[tuple[int, int]]) -> Spans:
    """Ranges of a text, given in order, converted to UTF-16 units as Qt counts."""
    if text.isascii():
        return tuple(spans)
    found: list[tuple[int, int]] = []
    units = at = 0
    for start, end in spans:
        units += utf16_units(text[at:start])
        found.append((units, units + utf16_units(text[start:end])))
        units, at = found[-1][1], end
    return tuple(found)


def differing_ranges(first: str, text: str) -> Spans:
    """Start and end of each run of words in `text` that `first` does not have at that place."""
    ours, theirs = list(_WORD.finditer(text)), _WORD.findall(first)
    words = [one.group() for one in ours]
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(theirs, words, strict=False)))
    until = same + MOST_COMPARED
    matcher = SequenceMatcher(None, theirs[same:until], words[same:until], autojunk=False)
    return tuple(
        (ours[same + start].start(), ours[same + end - 1].end())
        for kind, _, _, start, end in matcher.get_opcodes()
        if kind in ("replace", "insert") and end > start and theirs
    )


def mark_inserted(edit: QTextEdit | QPlainTextEdit, before: str) -> None:
    """Mark the words of a text that another one did not have, as a diff marks them."""
    text, look = edit.toPlainText(), QTextCharFormat()
    look.setBackground(colour("diff_add_bg", theme_of(edit)))
    look.setForeground(colour("diff_add", theme_of(edit)))
    spans = qt_spans(text, differing_ranges(before, text))
    edit.setExtraSelections([selection(edit, span, look) for span in spans])


def mark_spans(edit: QTextEdit | QPlainTextEdit, spans: Spans, current: int | None = None) -> None:
    """Mark ranges of a text, the current one more strongly."""
    looks = [_mark_format(edit, current=False), _mark_format(edit, current=True)]
    marks = (selection(edit, span, looks[number == current]) for number, span in enumerate(spans))
    edit.setExtraSelections(list(marks))


def mark_carried(edit: QTextEdit | QPlainTextEdit, plain: Spans, strong: Spans) -> None:
    """Mark the words that a piece of the request influenced; the strongest are also underlined."""
    theme, looks = theme_of(edit), (QTextCharFormat(), QTextCharFormat())
    looks[0].setBackground(colour("accent_tint", theme))
    looks[1].setBackground(colour("sel", theme))
    looks[1].setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
    looks[1].setUnderlineColor(colour("accent", theme))
    marks = [(span, look) for spans, look in zip((plain, strong), looks, strict=True) for span in spans]
    edit.setExtraSelections([selection(edit, span, look) for span, look in marks])


LINES = {
    "solid": QTextCharFormat.UnderlineStyle.SingleUnderline,
    "dashed": QTextCharFormat.UnderlineStyle.DashUnderline,
    "wavy": QTextCharFormat.UnderlineStyle.WaveUnderline,
    "double": QTextCharFormat.UnderlineStyle.DashDotLine,
    "dotted": QTextCharFormat.UnderlineStyle.DotLine,
}
"""Lines under facts by what they say; Qt has no double one under words: prose draws it, elsewhere it is broken."""


def mark_facts(
    edit: QTextEdit | QPlainTextEdit, spans: Spans, looks: Sequence[tuple[str, str, bool]], own: str = ""
) -> None:
    """Underline facts by their state, in a colour of the theme or a layer's; the chosen one has a ground, too.

    The line that is called `own` is drawn by the text view itself.
    """
    theme, marks = theme_of(edit), []
    for span, (line, token, chosen) in zip(spans, looks, strict=True):
        look = QTextCharFormat()
        look.setUnderlineStyle(LINES[line] if line != own else QTextCharFormat.UnderlineStyle.NoUnderline)
        look.setUnderlineColor(fact_colour(token, theme))
        if chosen:
            look.setBackground(colour("sel", theme))
        marks.append(selection(edit, span, look))
    edit.setExtraSelections(marks)


def fact_colour(token: str, theme: Theme) -> QColor:
    """A layer's edge, in the dark its fill, by the layer's name; else a colour of the theme."""
    layer = next((look for name, look in theme.layers.items() if name == token), None)
    if layer is None:
        return colour(token, theme)
    return QColor(layer.fill if theme.dark else layer.edge)


def mark_found(edit: QTextEdit | QPlainTextEdit, pattern: re.Pattern[str]) -> None:
    """Mark all matches of a pattern in a text."""
    mark_spans(edit, spans_in(pattern, edit.toPlainText()))


def _word_pattern(words: str) -> str:
    return f"{_MARKUP}\\s+{_MARKUP}".join(re.escape(word) for word in words.split())


def _mark_format(edit: QTextEdit | QPlainTextEdit, *, current: bool) -> QTextCharFormat:
    theme, look = theme_of(edit), QTextCharFormat()
    look.setBackground(colour("accent" if current else "warn_tint", theme))
    look.setForeground(colour("on_accent" if current else "t1", theme))
    return look


def selection(
    edit: QTextEdit | QPlainTextEdit, span: tuple[int, int], look: QTextCharFormat
) -> QTextEdit.ExtraSelection:
    """A range of a text, counted as Qt does, in another look."""
    made, cursor = QTextEdit.ExtraSelection(), QTextCursor(edit.document())
    last = edit.document().characterCount() - 1
    cursor.setPosition(min(span[0], last))
    cursor.setPosition(min(span[1], last), QTextCursor.MoveMode.KeepAnchor)
    made.cursor, made.format = cursor, look  # type: ignore[attr-defined]
    return made


# Keys and passwords that were found in a text, said in a few words and marked where they stand.


MOST_SECRETS_MARKED = 200
"""More marks than this in one text would not help."""

MOST_SAID = 3


def secret_words(found: Sequence[FoundSecret]) -> str:
    """Which secrets were found: `looks like a GitHub key (line 3)`; of several, the first ones. Empty if none."""
    if not found:
        return ""
    said = [
        tr("{what} (line {n})").format(what=_secret_name(one), n=formatting.tokens(one.line))
        for one in _first(found)
    ]
    more = len(found) - len(said)
    if more:
        said.append(tr("{n} more").format(n=formatting.tokens(more)))
    words = tr("replaced before sending: {list}") if found[0].replaced else tr("looks like {list}")
    return words.format(list=", ".join(said))


def secret_word(found: Sequence[FoundSecret]) -> str:
    """Whether secrets were found, in two words for narrow places; empty if none."""
    if not found:
        return ""
    return tr("key replaced") if found[0].replaced else tr("holds a key")


def _first(found: Sequence[FoundSecret]) -> Iterable[FoundSecret]:
    return found[:MOST_SAID]


def _secret_name(found: FoundSecret) -> str:
    return tr(found.words)


def mark_secrets(edit: QTextEdit | QPlainTextEdit, text: str, found: Sequence[tuple[int, int]]) -> None:
    """Underline these ranges of a field's text; an empty sequence removes the marks."""
    if found or edit.extraSelections():
        edit.setExtraSelections(secret_marks(edit, text, found))


def secret_marks(
    edit: QTextEdit | QPlainTextEdit, text: str, found: Sequence[tuple[int, int]]
) -> list[QTextEdit.ExtraSelection]:
    """These ranges of a field's text, underlined as secrets are."""
    theme = theme_of(edit)
    look = QTextCharFormat()
    look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
    look.setUnderlineColor(QColor(colour("warn", theme)))
    look.setBackground(QColor(colour("warn_tint", theme)))
    spans = qt_spans(text, sorted(found[:MOST_SECRETS_MARKED]))
    return [selection(edit, span, look) for span in spans]
