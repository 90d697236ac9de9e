"""Below an answer: its figures and buttons, which piece carried marked words, and what became of a broken one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import (
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from workbench.ui.chat.messages.usage_words import Group, Word, sentence
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    badge_width,
    fill_rounded,
    paint_badge,
    paint_elided,
    set_text_style,
    take,
)
from workbench.ui.look.space import STRETCH, columns, fill
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import TONES
from workbench.ui.price_words import Priced
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import Button, QuietButton, button
from workbench.ui.widgets.card import Card, LeadingIcon
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import shown, tip

# The last line of an answer: its figures, and what can be done with it.


HEIGHT = 28
DOT = " · "
WORD_GAP, ICON, ICON_GAP = 5, 12, 3


class FootLine(QWidget):
    """Painted figures, dropped from the least important one where there is no room, and buttons at the end.

    An answer that is `fixed` is another program's, and not given again; it is told before it is shown.
    """

    asked = Signal(str)
    fixed = False

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._groups: tuple[Group, ...] = ()
        self._badge: tuple[str, str] | None = None
        self._resumable = self._untrimming = False
        self._price: Priced | None = None
        self.untrim: Button | None = None
        self.copy = self._quiet("copy", tr("Copy this answer"), "copy")
        self.edit = self._quiet("edit", tr("Edit this answer (E)"), "edit")
        self.regenerate = self._quiet("refresh", tr("Regenerate"), "regenerate")
        self.more = self._quiet("more", tr("More for this answer"), "more")
        self.resume: Button | None = None
        self.again: Button | None = None
        self.setFixedHeight(HEIGHT)

    def show_foot(
        self,
        groups: tuple[Group, ...],
        badge: tuple[str, str] | None = None,
        *,
        resumable: bool,
        said: str = "",
    ) -> None:
        """Show these figures; `badge` is an icon and a word, and a resumable answer can be gone on with.

        `said` is a sentence about them that is told on hover only.
        """
        self._groups, self._badge = groups, badge
        if resumable and self.resume is None:
            self.resume = self._button(tr("Continue"), "play", "continue")
            self.again = self._button(tr("Regenerate"), "refresh", "regenerate")
        self._resumable = resumable
        if self.resume is not None:
            self.resume.setVisible(resumable)
        spoken = (badge[1] if badge is not None else "", sentence(groups))
        self.setAccessibleName(", ".join(filter(None, spoken)))
        self.setAccessibleDescription(said)
        self.setToolTip(tip("\n".join(part for part in (sentence(groups), said) if part)))
        self._place()
        self.update()

    def make_untrim(self) -> Button:
        self.untrim = self._button(tr("Untrim to here"), "undo", "untrim")
        self.untrim.set_kind("secondary")
        return self.untrim

    def show_untrim(self, shown: bool) -> None:
        if shown == self._untrimming:
            return
        self._untrimming = shown
        if self.untrim is not None:
            self.untrim.setVisible(shown)
        self._place()
        self.update()

    def show_price(self, price: Priced | None) -> None:
        if price != self._price:
            self._price = price
            if self.untrim is not None:
                self.untrim.setAccessibleDescription("" if price is None else price.words)
            self.update()

    def price(self) -> str:
        """What it says that untrimming costs; empty while that is not offered."""
        return self._price.words if self._price is not None and self._untrimming else ""

    def shown_groups(self) -> tuple[Group, ...]:
        kept = list(self._groups)
        while len(kept) > 1 and self._width_of(kept) > self._room().width():
            least = max(kept, key=lambda group: group.rank)
            if least.rank == 0:
                break
            kept.remove(least)
        return tuple(kept)

    def shows_resume(self) -> bool:
        return self.resume is not None and not self.resume.isHidden()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        room = self._room()
        if self._untrimming:
            self._paint_price(painter, room)
            return
        if self._badge is not None:
            paint_badge(painter, take(room, badge_width(*self._badge), 8), "neutral", *self._badge)
        for number, group in enumerate(self.shown_groups()):
            if number:
                self._paint_word(painter, room, Word(DOT))
            for place, word in enumerate(group.words):
                if place:
                    take(room, WORD_GAP, 0)
                self._paint_word(painter, room, word)

    def _paint_price(self, painter: QPainter, room: QRectF) -> None:
        if self.untrim is not None:
            take(room, self.untrim.sizeHint().width(), 10)
        if self._price is not None:
            token = TONES[self._price.tone].text
            self._paint_word(painter, room, Word(self._price.words, token, icon=self._price.icon))

    def _paint_word(self, painter: QPainter, room: QRectF, word: Word) -> None:
        if word.icon:
            paint_icon(painter, take(room, ICON, ICON_GAP), word.icon, word.token, ICON)
        if room.width() <= 0:
            return
        weight = 500 if word.strong else 400
        set_text_style(painter, font("small", weight), colour(word.token, theme_of(self)))
        width = min(metrics("small", weight).horizontalAdvance(word.text), room.width())
        paint_elided(painter, take(room, width, 0), word.text)

    def _width_of(self, groups: Sequence[Group]) -> float:
        dots = metrics("small").horizontalAdvance(DOT) * max(0, len(groups) - 1)
        badge = badge_width(*self._badge) + 8 if self._badge else 0
        return dots + badge + sum(_group_width(group) for group in groups)

    def _room(self) -> QRectF:
        taken = sum(widget.sizeHint().width() + gap for widget, gap in self._ends())
        return QRectF(self.rect()).adjusted(0, 0, -taken - 8, 0)

    def _ends(self) -> list[tuple[QWidget, int]]:
        wanted: list[tuple[QWidget | None, int]] = [
            (self.more, 0), (self.regenerate, 0), (self.copy, 0), (self.edit, 0), (self.again, 4),
            (self.resume, 4),
        ]  # fmt: skip
        return [(widget, gap) for widget, gap in wanted if widget is not None and not widget.isHidden()]

    def _fit(self) -> None:
        """Answering again is a word where there is room for it, else a sign."""
        self.regenerate.setVisible(not self.fixed and not self._resumable)
        # Where the words beside it need the room, E and the menu do the same.
        self.edit.setVisible(not self.fixed and not (self._resumable and self._groups))
        if self.again is not None:
            self.again.setVisible(self._resumable)
            if self._resumable and self._width_of(self._groups) > self._room().width():
                self.again.hide()
                self.regenerate.show()

    def _place(self) -> None:
        self._fit()
        taken = 0
        for widget, gap in self._ends():
            size = widget.sizeHint()
            taken += gap
            x = self.width() - taken - size.width()
            widget.setGeometry(x, (HEIGHT - size.height()) // 2, size.width(), size.height())
            taken += size.width()
        if self.untrim is not None:
            size = self.untrim.sizeHint()
            self.untrim.setGeometry(0, (HEIGHT - size.height()) // 2, size.width(), size.height())

    def _quiet(self, icon: str, name: str, action: str) -> QuietButton:
        made = QuietButton(icon, name)
        made.setParent(self)
        made.clicked.connect(lambda: self.asked.emit(action))
        return made

    def _button(self, text: str, icon: str, action: str) -> Button:
        made = button(text, "secondary" if action == "continue" else "ghost", icon, size="small")
        made.setParent(self)
        made.clicked.connect(lambda: self.asked.emit(action))
        return made


def _group_width(group: Group) -> float:
    widths = (
        metrics("small", 500 if word.strong else 400).horizontalAdvance(word.text)
        + (ICON + ICON_GAP if word.icon else 0)
        for word in group.words
    )
    return sum(widths) + WORD_GAP * (len(group.words) - 1)


# Under an answer: which piece of its request carried the words that are marked.


SWATCH = 16


class CarriedLine(QWidget):
    """A swatch of the mark, the piece's name, and what the underline means."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = ElidedLabel("", "meta", "accent_text")
        self.more = label(tr("underlined: most of all"), "meta", "t3")
        fill(columns(self, (SWATCH + 6, 0, 0, 0), 8), self.words, self.more, STRETCH)
        self.hide()

    def show_name(self, name: str) -> None:
        """Show what carried the marked words; without a name it takes no room."""
        self.words.setText(tr("carried by {name}").format(name=shown(name, 80)) if name else "")
        self.setAccessibleName(self.words.text())
        self.setVisible(bool(name))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter = theme_of(self), QPainter(self)
        box = QRectF(0, self.height() / 2 - 5, SWATCH, 10)
        fill_rounded(painter, box, theme.sel, 2)
        painter.fillRect(QRectF(0, box.bottom() - 1.5, SWATCH, 1.5), colour(theme.accent))


# Under an answer that broke off: what happened, what is kept, and how to go on.


class BrokenBar(Card):
    """A warning with two ways out.

    Signals:
        asked: "continue" or "regenerate".
    """

    leading = LeadingIcon("warn", "warn", 14, (12, 0, 14, 0))

    asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("warn", "surface")
        if parent is not None:
            self.setParent(parent)
        self.words = label("", "small", "warn", wrap=True)
        self.resume = button(tr("Continue"), icon="play", size="small")
        self.again = button(tr("Regenerate"), "ghost", "refresh", size="small")
        self.resume.clicked.connect(lambda: self.asked.emit("continue"))
        self.again.clicked.connect(lambda: self.asked.emit("regenerate"))
        fill(columns(self, (8, 7, 8, 7), 6), 20, (self.words, 1), self.resume, self.again)

    def show_words(self, words: str, fixed: bool = False) -> None:
        """Say why; `fixed`, it is another program's, and there is no way out here."""
        set_text(self.words, tr("Interrupted. {why}").format(why=words))
        for way_out in (self.resume, self.again):
            way_out.setVisible(not fixed)
