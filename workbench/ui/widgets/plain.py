"""Makes foreign text safe to show: it can't hide, reorder, break or style the text around it."""

from __future__ import annotations

import re
import textwrap
from functools import lru_cache

from PySide6 import QtGui

from workbench.files.language import in_language

MAX_NAME = 120
MAX_TIP = 600
TIP_COLUMNS = 56

# Controls, line and paragraph separators, marks that reorder or join, invisible letters, lone surrogates, tags.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)
_MARKS_IN_A_ROW = re.compile(
    "([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4})[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)


def shown(text: str, longest: int = MAX_NAME) -> str:
    """A foreign name in one line: hidden characters are written as ⟨U+202E⟩, and a long name is cut in its middle."""
    text = in_language(text)
    if text.isascii() and text.isprintable():
        return _shortened(text, longest)  # most names and sentences: nothing in them can hide
    visible = _HIDDEN.sub(_written_out, _shortened(text, 4 * longest))
    return _shortened(_MARKS_IN_A_ROW.sub(_first_marks, visible), longest)


def tip(text: str) -> str:
    """A foreign text for a tooltip, wrapped; escaped as HTML only if Qt would take it for rich text.

    A screen reader would read unnecessary markup aloud.
    """
    return _tip(in_language(text))


@lru_cache(maxsize=512)
def _tip(text: str) -> str:
    lines = [
        piece for line in _shortened(text, MAX_TIP).split("\n") for piece in _wrapped(shown(line, MAX_TIP))
    ]
    plain = "\n".join(lines)
    if not QtGui.Qt.mightBeRichText(plain):
        return plain
    from html import escape  # with a table of all entities, which no tip before the first paint needs

    return f"<p style='white-space:pre'>{escape(plain)}</p>"


def _written_out(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found.group()):04X}⟩"


def _first_marks(found: re.Match[str]) -> str:
    """As a function: Python imports a module for a template every time it is used."""
    return found.group(1)


def _shortened(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    head = (longest - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (longest - 1 - head) :]}"


def _wrapped(line: str) -> list[str]:
    words = line.split(" ")
    if "-" in line or "" in words or max(map(len, words)) > TIP_COLUMNS:
        return textwrap.wrap(line, TIP_COLUMNS, replace_whitespace=False, drop_whitespace=True) or [""]
    # The same for plain words, in a fifth of the time: some tips are made anew with every key.
    lines = words[:1]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) <= TIP_COLUMNS:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def utf16_units(text: str) -> int:
    """The length of a text in UTF-16 units, as Qt counts: characters beyond U+FFFF count as two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
