"""Makes the text of an answer safe to lay out: nothing hidden reorders it, and long words can be broken."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urlsplit

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from workbench.ui.look.space import STRETCH, columns, fill
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.floating import Popup
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.plain import shown

LONGEST_RUN = 120
BREAK = "\u200b"
"""Zero-width space, at which a line may be broken."""

MARKS_KEPT = 4
MOST_WRITTEN_OUT = 60
SIGN = "·"
"""Stands for each hidden character if there are too many to write out."""
_MARK = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
# What reorders or hides text: overrides, embeddings, isolates, controls, separators, tags, lone surrogates.
# Left-to-right and right-to-left marks and joiners stay: languages and emoji need them.
_HIDDEN = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
_SPECIAL = re.compile(
    f"(?P<hidden>{_HIDDEN})|(?P<marks>{_MARK}{{{MARKS_KEPT + 1},}})|(?P<run>\\S{{{LONGEST_RUN + 1},}})"
)
_HIDDEN_SIGN = re.compile(_HIDDEN)
_WITHIN = re.compile(f"(?P<hidden>{_HIDDEN})|(?P<marks>{_MARK}{{{MARKS_KEPT + 1},}})")


class Shown(NamedTuple):
    """A piece of text as it is shown, and the original it stands for; mostly they are the same."""

    text: str
    original: str


def safe_pieces(text: str) -> list[Shown]:
    """A text in pieces that are safe to show; their originals joined are the text."""
    if not text:
        return []
    if _hides_much(text):
        short = _HIDDEN_SIGN.sub(SIGN, text)
        return [Shown("".join(piece.text for piece in _pieces(short, _SPECIAL)), text)]
    return _pieces(text, _SPECIAL)


def safe(text: str) -> str:
    """The text with hidden characters written out and long words made breakable."""
    return "".join(piece.text for piece in safe_pieces(text))


def visible(text: str) -> str:
    """A text with hidden characters written out but words unbroken: for code, which is not wrapped."""
    if _hides_much(text):
        text = _HIDDEN_SIGN.sub(SIGN, text)
    return "".join(piece.text for piece in _pieces(text, _WITHIN))


def written_part(text: str, start: int, end: int) -> str:
    """The original of a part of `visible(text)`; a written-out character is included as a whole or not at all."""
    if _hides_much(text):
        if len(_HIDDEN_SIGN.sub(SIGN, text)) == len(visible(text)):
            return text[start:end]
        return visible(text)[start:end]
    found, at = list[str](), 0
    for piece in _pieces(text, _WITHIN):
        after = at + len(piece.text)
        if piece.text == piece.original:
            found.append(piece.text[max(0, start - at) : max(0, end - at)])
        elif start < after and end > at:
            found.append(piece.original)
        at = after
    return "".join(found)


def _hides_much(text: str) -> bool:
    """Whether a text has too many hidden characters to write each of them out."""
    found = _HIDDEN_SIGN.finditer(text)
    return sum(1 for _ in zip(range(MOST_WRITTEN_OUT + 1), found, strict=False)) > MOST_WRITTEN_OUT


def _pieces(text: str, special: re.Pattern[str]) -> list[Shown]:
    pieces: list[Shown] = []
    done = 0
    for found in special.finditer(text):
        if found.start() > done:
            plain = text[done : found.start()]
            pieces.append(Shown(plain, plain))
        pieces.extend(_replacements(found))
        done = found.end()
    if done < len(text):
        pieces.append(Shown(text[done:], text[done:]))
    return pieces


def _replacements(found: re.Match[str]) -> list[Shown]:
    matched = found.group()
    match found.lastgroup:
        case "hidden":
            return [Shown(f"⟨U+{ord(matched):04X}⟩", matched)]
        case "marks":
            return [Shown(matched[:MARKS_KEPT], matched)]
        case _:
            return _with_breaks(matched)


def _with_breaks(run: str) -> list[Shown]:
    pieces: list[Shown] = []
    for start in range(0, len(run), LONGEST_RUN):
        if start:
            pieces.append(Shown(BREAK, ""))
        pieces.extend(_pieces(run[start : start + LONGEST_RUN], _WITHIN))
    return pieces


# Which links may be opened at all, and where they lead; everything else is only text.


SCHEMES = ("http", "https", "mailto")
LONGEST_LINK = 4_000

# A control, a space or a backslash in an address is read differently by different programs.
_UNCLEAN = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
_ASCII = re.compile(r"[\x21-\x7e]+")


def may_open(url: str) -> bool:
    """Whether a link may be offered: a complete http, https or mailto address without tricks."""
    if len(url) > LONGEST_LINK or _UNCLEAN.search(url) or not _ASCII.fullmatch(url):
        return False
    scheme, colon, rest = url.partition(":")
    if not colon or scheme.lower() not in SCHEMES:
        return False
    if scheme.lower() == "mailto":
        return "@" in rest and not rest.startswith("/")
    return rest.startswith("//") and bool(host_of(url))


def host_of(url: str) -> str:
    """The host of a link, or the address of a mailto link; empty if there is none."""
    try:
        parts = urlsplit(url)
        if parts.scheme.lower() == "mailto":
            return parts.path
        return parts.hostname or ""
    except ValueError:
        return ""


# Before a link is opened: its whole address, and the computer it leads to.

WIDTH = 420


class LinkPopup(Popup):
    """Asks before anything is opened; what may not be opened can only be copied.

    Signals:
        opened: an address that the user has seen in full and chose to open.
    """

    opened = Signal(str)

    def __init__(self, url: str, parent: QWidget) -> None:
        super().__init__(parent, (12, 10, 12, 10))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._url = url
        self.body.setSpacing(8)
        host = shown(host_of(url), 200)
        self.title = label(tr("Open {host}?").format(host=host), "ui_heading", wrap=True)
        self.address = label(safe(shown(url, LONGEST_LINK)), "code", "t2", wrap=True)
        self.address.setMinimumWidth(WIDTH)
        self.address.setMaximumWidth(WIDTH)
        self.address.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        fill(self.body, self.title, self.address)
        self.open_button = on_click(button(tr("Open in browser"), "primary", "external"), self._on_open)
        self.open_button.setEnabled(may_open(url))
        self.copy_button = on_click(button(tr("Copy address"), icon="copy"), self._on_copy)
        fill(columns(self.body, spacing=8), self.open_button, self.copy_button, STRETCH)
        self.setAccessibleName(f"{self.title.text()} {url}")

    def open_at(self, place: QPoint) -> None:
        self.adjustSize()
        room = self.screen().availableGeometry()
        x = max(room.left(), min(place.x() - 24, room.right() - self.width()))
        y = max(room.top(), min(place.y(), room.bottom() - self.height()))
        self.move(x, y)
        self.show()
        self.copy_button.setFocus(Qt.FocusReason.PopupFocusReason)

    def _on_open(self) -> None:
        self.opened.emit(self._url)
        self.close()

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._url)
        self.close()
