"""The composer's parts, how they lie one below the other, and the one border around them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QRectF
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QSizePolicy, QWidget

from workbench.domain.parameters import Unsent
from workbench.ui.chat.composer.bands import BAND_HEIGHT, OverLimit, QueuedLines, SecretLine
from workbench.ui.chat.composer.chips import ChipsRow
from workbench.ui.chat.composer.strip import Strip
from workbench.ui.chat.composer.text import ComposerText
from workbench.ui.look.painting import stroke_rounded
from workbench.ui.look.space import S1, S2, STRETCH, columns, fill, rows
from workbench.ui.look.theme import Theme, colour, theme_of
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.labels import ElidedLabel
from workbench.ui.widgets.plain import tip
from workbench.ui.widgets.timer import single_shot

# One quiet line in the composer: what just happened to what was pasted, or why nothing was sent.

STAY_MS = 12_000
MOST_ACTIONS = 4
FEW_ACTIONS = 2
"""More than these stand below the words, which would be cut otherwise."""
NoteAction = tuple[str, Callable[[], None]]


class ComposerNote(QWidget):
    """Says one thing, with what can be done about it; goes by itself, and when something new is done."""

    def __init__(self) -> None:
        super().__init__()
        self._acts: tuple[NoteAction, ...] = ()
        self.words = ElidedLabel("", "small", "t3")
        self.buttons = [button("", "link", size="small") for _ in range(MOST_ACTIONS)]
        self.close_button = on_click(tool_button("x", self.tr("Close"), side=20), self.hide)
        self._timer = single_shot(self, self.hide, STAY_MS)
        for place, action in enumerate(self.buttons):
            action.clicked.connect(partial(self._on_action, place))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.words.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._lines = rows(spacing=S2)
        acts = fill(columns(spacing=S2), *self.buttons, STRETCH)
        fill(self._lines, self.words, acts)
        fill(columns(self, spacing=S2), (self._lines, 1), self.close_button)
        self.hide()

    def say(self, words: str, *actions: NoteAction, stays: bool = False) -> None:
        """Say something, to the eye and to a screen reader; what waits for a decision stays."""
        self._acts = actions
        self.words.setText(words)
        below = len(actions) > FEW_ACTIONS
        self._lines.setDirection(
            QBoxLayout.Direction.TopToBottom if below else QBoxLayout.Direction.LeftToRight
        )
        self._lines.setSpacing(0 if below else S2)
        for place, shown in enumerate(self.buttons):
            shown.setText(actions[place][0] if place < len(actions) else "")
            shown.setVisible(place < len(actions))
        self.show()
        if stays:
            self._timer.stop()
        else:
            self._timer.start()
        spoken = " ".join([words, *(label for label, _ in actions)])
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, spoken))

    def _on_action(self, place: int) -> None:
        _, act = self._acts[place]
        self.hide()
        act()


class UnsentLine(QWidget):
    """Says which parameters are set and stay out, because the model does not take them, as long as it is so."""

    def __init__(self) -> None:
        super().__init__()
        self.words = ElidedLabel("", "small", "warn")
        self.change = button(self.tr("Change…"), "link", size="small")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.words.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        fill(columns(self, spacing=S2), self.words, self.change, STRETCH)
        self.hide()

    def show_unsent(self, unsent: tuple[Unsent, ...]) -> None:
        said = "; ".join(f"{one.name} ({one.reason})" for one in unsent)
        words = self.tr("Not sent: {what}").format(what=said) if said else ""
        if words != self.words.text():
            self.words.setText(words)
            self.words.setToolTip(tip(words))
            self.setVisible(bool(words))
            if words:
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))


RADIUS, BORDER, TEXT_GAP = 12, 2, 6


class ComposerFrame(QFrame):
    """What is too much, queued and attached, the text, what is secret, a note, the strip; the border says how it is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.over = OverLimit()
        self.chips = ChipsRow()
        self.text = ComposerText()
        self.secrets = SecretLine()
        self.unsent = UnsentLine()
        self.note = ComposerNote()
        self.strip = Strip()
        self.queued = QueuedLines()
        self._shown_border = (True, False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.text.setAccessibleName(self.tr("Message"))
        self.text.focused.connect(self._on_focus)
        self.setFocusProxy(self.text)
        down = rows(self, (BORDER, BORDER, BORDER, BORDER))
        down.addWidget(self.over)
        middle = rows(down, (12, 10, 12, 11))
        middle.addWidget(self.chips)
        self._writing = fill(rows(middle, spacing=S1), self.text, self.secrets, self.unsent, self.note)
        down.addWidget(self.strip)
        middle.insertWidget(0, self.queued)
        self.over.hide()
        self.chips.hide()
        self.close_up()

    def close_up(self) -> None:
        self._writing.setContentsMargins(2, 2 if self.chips.isHidden() else TEXT_GAP, 2, 0)

    def _on_focus(self) -> None:
        self.show_border()

    def show_border(self) -> None:
        """Paint the border where it is another one by now; everything within it is painted with it."""
        shown = (self.over.isHidden(), self.text.hasFocus())
        if shown != self._shown_border:
            self._shown_border = shown
            self.update()

    def order_focus(self) -> None:
        """Let Tab go through the parts as they lie, those too that came later than what they lie above."""
        fixes = [row.apply for row in self.over.fixes.fix_rows()]
        note = (*self.note.buttons, self.note.close_button)
        written = (self.text, self.secrets.replace, self.secrets.always, self.unsent.change, *note)
        order = [
            *fixes,
            *self.queued.in_order(),
            *self.chips.in_order(),
            *written,
            self.strip.attach,
            self.strip.once,
            self.strip.send,
        ]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter, box = theme_of(self), QPainter(self), QRectF(self.rect())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inside = QPainterPath()
        inside.addRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS - 0.5, RADIUS - 0.5)
        painter.setClipPath(inside)
        painter.fillRect(box, colour("raised", theme))
        strip = QRectF(0, self.strip.y(), box.width(), box.bottom() - self.strip.y())
        painter.fillRect(strip, colour("chrome", theme))
        painter.fillRect(QRectF(0, strip.top(), box.width(), 1), colour("line", theme))
        if not self.over.isHidden():
            painter.fillRect(QRectF(0, 0, box.width(), BORDER + BAND_HEIGHT), colour("err_tint", theme))
        painter.setClipping(False)
        line, width = self._border(theme)
        stroke_rounded(painter, box, line, RADIUS, width)

    def _border(self, theme: Theme) -> tuple[str, int]:
        if not self.over.isHidden():
            return theme.errline, 2
        return (theme.accent, 2) if self.text.hasFocus() else (theme.edge, 1)
