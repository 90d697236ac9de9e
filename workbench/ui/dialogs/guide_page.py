"""A page of the guide: its text as the program draws Markdown, and the pictures that came with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

from workbench.domain.guide import GuideText
from workbench.ui.chat.text.block_stack import BlockStack, Spot
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.markdown import own_parts
from workbench.ui.chat.text.safe_browser import SafeBrowser
from workbench.ui.look.painting import stroke_rounded
from workbench.ui.look.space import S2, S4, S5
from workbench.ui.look.theme import theme_of
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.picture_view import decoded
from workbench.ui.widgets.stack import Stack, StackItem

WIDEST_PX = 720
_PICTURE = re.compile(r"^!\[([^\]]+)\]\((pictures/[a-z0-9-]+\.png)\)\n", re.MULTILINE)
_SCROLLING = {
    Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End,
}  # fmt: skip

Load = Callable[[str], bytes]


class GuidePicture(QWidget):
    """A picture of the window, as wide as there is room and no wider than it is."""

    def __init__(self, content: bytes, words: str) -> None:
        super().__init__()
        self._picture = QPixmap.fromImage(decoded(content))
        self.setAccessibleName(words)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._drawn(width).height()

    def sizeHint(self) -> QSize:
        return self._drawn(self.width())

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._picture.isNull():
            return
        painter, box = QPainter(self), QRectF(QPoint(), self._drawn(self.width()))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(box, self._picture, QRectF(self._picture.rect()))
        stroke_rounded(painter, box, theme_of(self).line2, 2)

    def _drawn(self, width: int) -> QSize:
        size = self._picture.size()
        return size if size.width() <= width else QSize(width, round(size.height() * width / size.width()))


class GuideView(QScrollArea):
    """One page, scrolled as a whole; arrows and page keys scroll it, Tab goes from link to link.

    Signals:
        turned: the page that a link leads to.
    """

    turned = Signal(str)

    def __init__(self, page: GuideText, load: Load, ink: Ink) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setAccessibleName(page.title)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._column = Stack()
        self._column.setObjectName("transparent")
        self._column.height_changed.connect(self._settle)
        self.texts: list[BlockStack] = []
        self._column.set_stack_items(tuple(self._items(page, load, ink)))
        self.setWidget(self._column)

    def mark_words(self, pattern: re.Pattern[str] | None) -> None:
        """Mark words, and bring the first of them into sight."""
        spot: Spot | None = None
        for text in self.texts:
            found = text.mark_words(pattern, 0 if pattern is not None and spot is None else None)
            spot = spot or found
        if spot is not None:
            self._show(spot)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        match event.key():
            case Qt.Key.Key_Home:
                bar.setValue(0)
            case Qt.Key.Key_End:
                bar.setValue(bar.maximum())
            case _:
                super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        side = max(S5, (self.viewport().width() - WIDEST_PX) // 2)
        self._column.set_margins((side, S4, side, S5))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A text with links has the focus while one goes through them, and would keep the keys that scroll."""
        scrolls = (
            isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and not event.modifiers()
        )
        if scrolls and isinstance(event, QKeyEvent) and event.key() in _SCROLLING:
            self.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)

    def _settle(self) -> None:
        """Lay out again; where the whole is as high as before, no event would say so."""
        self._column.updateGeometry()
        self._column.place_all()

    def _items(self, page: GuideText, load: Load, ink: Ink) -> Iterator[StackItem]:
        at = 0
        for found in _PICTURE.finditer(page.text):
            yield from self._text(page.text[at : found.start()], ink)
            yield StackItem(GuidePicture(load(found[2]), found[1]), S4)
            yield StackItem(label(found[1], "small", "t3", wrap=True), S2)
            at = found.end()
        yield from self._text(page.text[at:], ink)

    def _text(self, source: str, ink: Ink) -> Iterator[StackItem]:
        if source.strip():
            made = BlockStack(ink)
            made.show_parts(source, own_parts(source))
            made.link_wished.connect(lambda address: self.turned.emit(address.removesuffix(".md")))
            browsers: list[SafeBrowser] = list(made.findChildren(SafeBrowser))
            for browser in browsers:
                browser.setAccessibleName(self.accessibleName())
                browser.installEventFilter(self)
                browser.highlighted.connect(partial(self._follow, browser))
            self.texts.append(made)
            yield StackItem(made, S4)

    def _follow(self, browser: SafeBrowser, address: QUrl) -> None:
        """A link that Tab came to is brought into sight; pointing at one moves nothing."""
        cursor = browser.textCursor()
        if cursor.hasSelection() and cursor.charFormat().anchorHref() == address.toString():
            self._show(Spot(browser, browser.cursorRect(cursor)))

    def _show(self, spot: Spot) -> None:
        self._column.place_all()
        at = spot.widget.mapTo(self._column, spot.box.center())
        self.ensureVisible(round(at.x()), round(at.y()), 0, self.viewport().height() // 3)
