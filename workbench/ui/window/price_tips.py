"""What a control costs, shown while it is pointed at or has the focus: asks the engine, and places the tooltip."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication, QPaintEvent, QScreen
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from workbench.domain.shown.price_tag import PriceTag
from workbench.engine.intents import PriceStep
from workbench.ui.look.compositing import round_corners
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.theme import theme_of
from workbench.ui.look.tones import tone_token
from workbench.ui.offers import Offer
from workbench.ui.price_words import price_line, price_lines
from workbench.ui.widgets.card import Hairline
from workbench.ui.widgets.floating import MARGIN, paint_floating
from workbench.ui.widgets.labels import ElidedLabel, IconSpot, KeyCap, label, set_text, set_token
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.timer import single_shot
from workbench.ui.window.session import Session

WAIT_MS, NEXT_MS = 300, 60
"""Nothing is built for a control that the pointer only passes; with a tip in sight the next one comes at once."""
WIDTH, RADIUS, GAP = 318, 8, 6


class PriceTips(QObject):
    """One tip for the whole window.

    Attributes:
        tip: the tip, once there was one.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._offer: Offer | None = None
        self._chat = self._key = ""
        self._count = 0
        self.tip: PriceTip | None = None
        self._wait = single_shot(self, self._ask)
        session.window.wishes.offered.connect(self.take)
        session.rendered.connect(self._answered)

    def take(self, offer: Offer | None) -> None:
        seen = self.tip is not None and self.tip.isVisible()
        self._end()
        if offer is not None and self._session.chat is not None:
            self._offer = offer
            self._wait.start(NEXT_MS if seen else WAIT_MS)

    def close(self) -> None:
        self._session.window.wishes.offered.disconnect(self.take)
        self._session.rendered.disconnect(self._answered)
        self._key = ""
        self._end()

    def _end(self) -> None:
        self._wait.stop()
        self._offer = None
        if self.tip is not None:
            self.tip.hide()
        if self._key:
            self._session.send(PriceStep(self._chat))
            self._key = ""

    def _ask(self) -> None:
        offer, chat = self._offer, self._session.chat
        if offer is None or chat is None:
            return
        self._count += 1
        self._chat, self._key = chat.chat.id, f"tip {self._count}"
        self._session.send(PriceStep(self._chat, self._key, offer.step))
        if self.tip is None:
            self.tip = PriceTip(self._session.window)
        self.tip.show_offer(offer, None)

    def _answered(self) -> None:
        chat = self._session.state.open.get(self._chat)
        price = chat.price if chat is not None else None
        if self.tip is not None and self._offer is not None and price is not None and price.key == self._key:
            self.tip.show_offer(self._offer, price.tag)


class PriceTip(QFrame):
    """A small window of its own, since Qt's tooltip has no columns; it takes neither focus nor clicks."""

    def __init__(self, parent: QWidget) -> None:
        flags = (
            Qt.WindowType.ToolTip | Qt.WindowType.FramelessWindowHint | Qt.WindowType.NoDropShadowWindowHint
        )
        super().__init__(parent, flags)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        round_corners(self, MARGIN, RADIUS)
        self.setFixedWidth(WIDTH + 2 * MARGIN)
        self._offer: Offer | None = None
        self.sign = IconSpot("", "t1", 14, QSize(16, 16))
        self.sign.hide()
        self.title = ElidedLabel("", "ui_label")
        self.line = label("", "small", "t2", wrap=True)
        self.now, self.after = label("", "small"), label("", "small", "t2")
        self.read, self.cold = label("", "small", "t2"), label("", "small", "t2")
        self.now.setFont(font("small", 600))
        self._arrange()

    def _arrange(self) -> None:
        down = rows(self, (MARGIN + 12, MARGIN + 8, MARGIN + 12, MARGIN + 9), 3)
        self._head = fill(columns(down, spacing=7), self.sign, (self.title, 1))
        self._cap: KeyCap | None = None
        fill(down, self.line, 4, Hairline(), 3)
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(1)
        for line, (left, right) in enumerate(((self.now, self.read), (self.after, self.cold))):
            right.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(left, line, 0)
            grid.addWidget(right, line, 1)
        grid.setColumnStretch(1, 1)
        down.addLayout(grid)

    def show_offer(self, offer: Offer, tag: PriceTag | None) -> None:
        if offer is not self._offer:
            self._offer = offer
            self.sign.show_icon(offer.icon, "t1")
            set_text(self.title, shown(offer.title))
            set_text(self.line, offer.line)
            self.line.setVisible(bool(offer.line))
            self._show_key(offer.key)
        self._show_price(tag)
        spoken = price_line(tag).words if tag is not None else ""
        self.setAccessibleName(". ".join(filter(None, (offer.title, offer.line, spoken))))
        self.adjustSize()
        self._place(offer.at)
        self.show()

    def words(self) -> str:
        """Everything it says, for tests and for who cannot see it."""
        parts = (self.title, self.line, self.now, self.read, self.after, self.cold)
        return " | ".join(part.text() for part in parts if part.text())

    def _show_key(self, key: str) -> None:
        if self._cap is not None:
            self._head.removeWidget(self._cap)
            self._cap.deleteLater()
            self._cap = None
        if key:
            self._cap = KeyCap(key)
            self._head.addWidget(self._cap)

    def _show_price(self, tag: PriceTag | None) -> None:
        if tag is None:
            for part in (self.now, self.after, self.cold):
                set_text(part, "")
            set_text(self.read, self.tr("Checking the price…"))
        else:
            lines = price_lines(tag)
            for part, words in zip((self.now, self.read, self.after, self.cold), lines[:4], strict=True):
                set_text(part, words)
            # The price is never cut: the other column gives way.
            self.now.setMinimumWidth(round(metrics("small", 600).horizontalAdvance(lines.now)) + 4)
            set_token(self.now, tone_token(lines.tone))
            known = tag.cached_tokens is not None
            set_token(self.cold, "err" if not tag.fits else "ok" if known else "t3")
        for part in (self.after, self.cold):
            part.setVisible(bool(self.after.text() or self.cold.text()))

    def _place(self, at: QRect) -> None:
        """Over the control where there is room, else under it, and always on the screen."""
        found: QScreen | None = QGuiApplication.screenAt(at.center())
        room = (self.screen() if found is None else found).availableGeometry()
        height = self.height() - 2 * MARGIN
        x = at.center().x() - WIDTH // 2
        above = at.top() - GAP - height
        y = above if above >= room.top() else at.bottom() + GAP
        x = max(room.left() + GAP, min(x, room.right() - GAP - WIDTH))
        self.move(QPoint(x - MARGIN, y - MARGIN))

    def paintEvent(self, _event: QPaintEvent) -> None:
        paint_floating(self, theme_of(self).raised, theme_of(self).line2, RADIUS)
