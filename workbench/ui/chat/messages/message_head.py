"""The first line of a message: who said it and when, what became of it, its siblings, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, QSize, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.shown.envelope_view import RowState
from workbench.ui import formatting
from workbench.ui.chat.standing import InRequest
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import Run, badge_width, elided, paint_badge, paint_elided, paint_text, take
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import STATE_LOOK, state_word
from workbench.ui.offers import Offer, Offering
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import QuietButton
from workbench.ui.widgets.card import Panel
from workbench.ui.widgets.plain import tip

HEIGHT = 20
GAP = 8


class HeadWords(NamedTuple):
    """What a head says; `note` stands at its end, behind an icon or none. `badge` is a state's own word here.

    `when` is the day and time in full, for whoever points at it; `edited`, the words are a person's version.
    """

    name: str
    time: str = ""
    note: str = ""
    note_icon: str = ""
    state: RowState | None = None
    pinned: bool = False
    muted: bool = False
    badge: str = ""
    when: str = ""
    edited: bool = False


def edited_words() -> str:
    """What is said of words that a person wrote in place of a model's or a tool's."""
    return tr("edited by you")


def recalled_words(standing: InRequest) -> tuple[RowState | None, str, str]:
    """State, badge and note of a message that comes back, or of which somebody said whether it may."""
    if standing.recalled_for:
        badge = tr("recalled for turn {n}").format(n=formatting.tokens(standing.recalled_for))
        if standing.wanted == "always":
            badge = tr("always recalled")
        return "recalled", badge, formatting.token_words(standing.recalled_tokens)
    notes = {"always": tr("always recalled when it is cut"), "never": tr("never recalled"), "": ""}
    return standing.place or None, "", notes[standing.wanted]


class MessageHead(QWidget):
    """Painted, since there is one for every message; only the switch between siblings has widgets."""

    branch_wished = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = HeadWords("")
        self._ends: list[QWidget] = []
        self.siblings: SiblingSwitch | None = None
        self.setFixedHeight(HEIGHT)

    def words(self) -> HeadWords:
        return self._words

    def show_words(self, words: HeadWords) -> None:
        self._words = words
        self.setToolTip(tip(words.when))
        self.update()

    def show_siblings(self, current: str, siblings: tuple[str, ...]) -> None:
        if len(siblings) < 2 or current not in siblings:
            if self.siblings is not None:
                self.siblings.hide()
            return
        if self.siblings is None:
            self.siblings = SiblingSwitch()
            self.siblings.branch_wished.connect(self.branch_wished)
            self.add_end(self.siblings)
        self.siblings.show_place(current, siblings)
        self.siblings.show()
        self._place()

    def add_end(self, widget: QWidget) -> None:
        widget.setParent(self)
        widget.show()
        self._ends.insert(0, widget)
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme, words = QPainter(self), theme_of(self), self._words
        room = QRectF(self.rect()).adjusted(0, 0, -self._end_width(), 0)
        painter.setPen(colour("t3" if words.muted else "t1", theme))
        self._text(painter, room, words.name, 600)
        painter.setPen(colour("t3", theme))
        self._text(painter, room, words.time, 400)
        if words.state is not None:
            look, word = STATE_LOOK[words.state], words.badge or state_word(words.state)
            width = min(badge_width(look.icon, word), room.width())
            paint_badge(painter, take(room, width, GAP), look.tone, look.icon, word)
        if words.edited:
            width = min(badge_width("edit", edited_words()), room.width())
            paint_badge(painter, take(room, width, GAP), "accent", "edit", edited_words())
        if words.pinned:
            paint_icon(painter, take(room, 14, GAP), "pin-filled", "accent_text", 14)
        self._paint_note(painter, room)

    def _paint_note(self, painter: QPainter, room: QRectF) -> None:
        words = self._words
        if not words.note or room.width() < 40:
            return
        icon = 18 if words.note_icon else 0
        text = elided(font("small"), words.note, room.width() - icon)
        width = metrics("small").horizontalAdvance(text) + icon
        box = QRectF(room.right() - width, 0, width + 1, HEIGHT)
        if icon:
            paint_icon(painter, take(box, 14, 4), words.note_icon, "t3", 14)
        paint_text(painter, box, text, "small", "t3")

    def _text(self, painter: QPainter, room: QRectF, text: str, weight: int) -> None:
        if not text or room.width() <= 0:
            return
        painter.setFont(font("small", weight))
        width = min(metrics("small", weight).horizontalAdvance(text), room.width())
        paint_elided(painter, take(room, width, 6), text)

    def _end_width(self) -> int:
        """How much of its end is taken: from the first widget that is seen now, though later ones may not be."""
        begins = [
            widget.x()
            for widget in self._ends
            if not widget.isHidden() and (not isinstance(widget, QuietButton) or widget.takes_room())
        ]
        return self.width() - min(begins) + GAP if begins else 0

    def _place(self) -> None:
        taken = 0
        for widget in reversed([widget for widget in self._ends if not widget.isHidden()]):
            size = widget.sizeHint()
            x = self.width() - taken - size.width()
            widget.setGeometry(x, (HEIGHT - size.height()) // 2, size.width(), size.height())
            taken += size.width() + 4
        self.update()


class SiblingSwitch(Panel):
    """‹ 2 / 3 ›: which version of a message is shown, and the way to the others."""

    branch_wished = Signal(str)

    centred = True

    def __init__(self) -> None:
        super().__init__()
        self._siblings: tuple[str, ...] = ()
        self._place = 0
        self.before = QuietButton("chevron-left", tr("Previous version"), 20)
        self.after = QuietButton("chevron-right", tr("Next version"), 20)
        for button, step in ((self.before, -1), (self.after, 1)):
            button.setParent(self)
            button.clicked.connect(lambda _=False, by=step: self._go(by))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_place(self, current: str, siblings: tuple[str, ...]) -> None:
        self._siblings, self._place = siblings, siblings.index(current)
        self.runs = (Run(self.figure(), "t2"),)
        self.before.setEnabled(self._place > 0)
        self.after.setEnabled(self._place < len(siblings) - 1)
        words = tr("Version {n} of {all}").format(n=self._place + 1, all=len(siblings))
        self.setAccessibleName(words)
        self.updateGeometry()
        self.update()

    def figure(self) -> str:
        return f"{self._place + 1} / {len(self._siblings)}"

    def sizeHint(self) -> QSize:
        return QSize(40 + round(metrics("small").horizontalAdvance(self.figure())) + 6, HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.before.setGeometry(0, 0, 20, HEIGHT)
        self.after.setGeometry(self.width() - 20, 0, 20, HEIGHT)

    def _go(self, by: int) -> None:
        wanted = self._place + by
        if 0 <= wanted < len(self._siblings):
            self.branch_wished.emit(self._siblings[wanted])


# What can be done with a message for the next request, at the end of its head.

SIDE = 20
Looked = Callable[[str, QRect | None], None]
"""Told which action is looked at, and where it stands on the screen; an empty one when none is any more."""


def offer_action(widget: QWidget, action: Callable[[], str], looked: Looked) -> None:
    """Have a button's action looked at while the button is."""

    def take(offer: Offer | None) -> None:
        looked(action() if offer is not None else "", None if offer is None else offer.at)

    Offering(widget, lambda: Offer("", ()), take)


class MessageButtons(QObject):
    """Edit, pin and leave out, made when they are first looked at: while the message is, by pointer or by focus."""

    def __init__(self, head: MessageHead, asked: Callable[[str], None], looked: Looked) -> None:
        super().__init__(head)
        self._head, self._asked, self._looked = head, asked, looked
        self._standing = InRequest()
        self._editable = self._revealed = False
        self.fixed = False
        self._watched: list[QWidget] = []
        self.buttons: tuple[QuietButton, ...] = ()
        self.on_reveal: Callable[[bool], None] = lambda revealed: None

    def show_standing(self, standing: InRequest, *, editable: bool) -> None:
        """What the message is to the next request decides what can be done with it."""
        self._standing, self._editable = standing, editable
        if self.buttons:
            self._name()

    def watch(self, *widgets: QWidget) -> None:
        for widget in widgets:
            widget.installEventFilter(self)
            self._watched.append(widget)

    def reveal(self, revealed: bool) -> None:
        if revealed == self._revealed:
            return
        self._revealed = (
            revealed  # first: a button that appears under the pointer has the message entered again
        )
        if revealed and not self.buttons and not self.fixed:
            self._make()
        for made in self.buttons:
            made.reveal(revealed and not self.fixed)
        self.on_reveal(revealed)

    def action(self, place: int) -> str:
        out, pinned = self._standing.place == "excluded", self._standing.pinned
        return ("edit", "unpin" if pinned else "pin", "put_back" if out else "leave_out")[place]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the focus; who goes on from one to the next must not see them blink."""
        if event.type() == QEvent.Type.FocusIn:
            self.reveal(True)
        elif event.type() == QEvent.Type.FocusOut:
            QTimer.singleShot(0, self, self._follow)
        return False

    def _follow(self) -> None:
        view = self._head.parentWidget()
        held = any(widget.hasFocus() for widget in (*self._watched, *self.buttons))
        if not held and not view.underMouse():
            self.reveal(False)

    def _make(self) -> None:
        made: list[QuietButton] = []
        for place, icon in ((2, "eye-off"), (1, "pin"), (0, "edit")):
            if place == 0 and not self._editable:
                continue
            button = QuietButton(icon, "", SIDE, shy=True)
            button.clicked.connect(lambda _=False, at=place: self._asked(self.action(at)))
            button.setProperty("deed", place)
            self._head.add_end(button)
            offer_action(button, lambda at=place: self.action(at), self._looked)  # type: ignore[misc]
            button.installEventFilter(self)
            made.insert(0, button)
        self.buttons = tuple(made)
        self._name()
        _in_order((*self.buttons, *self._watched[:1]))

    def _name(self) -> None:
        names = {
            "edit": tr("Edit and resend"),
            "pin": tr("Pin (never trimmed)"),
            "unpin": tr("Unpin"),
            "leave_out": tr("Leave out of the next request"),
            "put_back": tr("Put back into the next request"),
        }
        for button in self.buttons:
            name = names[self.action(int(button.property("deed")))]
            button.setAccessibleName(name)
            button.setToolTip(tip(name))


def _in_order(widgets: Sequence[QWidget]) -> None:
    for before, after in pairwise(widgets):
        QWidget.setTabOrder(before, after)
