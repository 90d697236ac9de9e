"""The guide (F1): a search and the list of pages on the left, the page on the right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSignalBlocker, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPixmap, QResizeEvent, QShortcut
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QScrollArea, QSizePolicy, QStackedWidget, QWidget

from workbench.domain.guide import GuideText, search_guide
from workbench.ui.chat.text.block_stack import BlockStack, Spot
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.markdown import guide_parts
from workbench.ui.chat.text.safe_browser import SafeBrowser
from workbench.ui.dialogs.shortcut_list import ShortcutList
from workbench.ui.look.fonts import font, metrics, scale
from workbench.ui.look.painting import fill_rounded, paint_elided, stroke_rounded
from workbench.ui.look.space import S2, S4, S5, columns, fill, rows
from workbench.ui.look.theme import theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.floating import ROOM, Sheet
from workbench.ui.widgets.found_words import wanted
from workbench.ui.widgets.items.views import Index, ItemOption, RowDelegate, paint_ring
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.picture_view import decoded
from workbench.ui.widgets.plain import tip
from workbench.ui.widgets.stack import Stack, StackItem

# A page of the guide: its text as the program draws Markdown, and the pictures that came with it.


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
            made.show_parts(source, guide_parts(source))
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


WIDTH, HEIGHT, NAV, ROW = 1060, 816, 236, 32
MOST_NAV = 1.4
SHORTCUTS = "shortcuts"
NAME = Qt.ItemDataRole.UserRole


class GuideDialog(Sheet):
    """Shows the pages of the guide; the list of shortcuts, which can be changed, is one of them.

    A page is made when somebody first turns to it.
    """

    def __init__(
        self,
        pages: Sequence[GuideText],
        load: Load,
        shortcuts: Callable[[], ShortcutList],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(tr("Guide"), *_room(parent), parent)
        self._pages, self._load, self._shortcuts = tuple(pages), load, shortcuts
        self._ink = Ink(self)
        self._made: dict[str, GuideView | ShortcutList] = {}
        self._past: list[str] = []
        self._ahead: list[str] = []
        self._page = ""
        self._stays = False
        self.back = on_click(tool_button("chevron-left", tr("Back"), tr("Back (Alt+Left)")), self.go_back)
        self.forward = on_click(
            tool_button("chevron-right", tr("Forward"), tr("Forward (Alt+Right)")), self.go_forward
        )
        self.search = Field(tr("Search the guide"), icon="search")
        self.nav, self.stack = QListWidget(), QStackedWidget()
        self.nothing = label(tr("No page has all these words."), "small", "t3", wrap=True)
        self._fill()
        self._list(self._pages)
        self.search.textChanged.connect(self._find)
        self.search.installEventFilter(self)
        self.search.setFocus()
        for keys, go in (("Alt+Left", self.go_back), ("Alt+Right", self.go_forward)):
            QShortcut(QKeySequence(keys), self).activated.connect(go)

    def page(self) -> str:
        """The name of the page that is shown."""
        return self._page

    def view(self, name: str) -> GuideView | ShortcutList:
        if name not in self._made:
            made = self._shortcuts() if name == SHORTCUTS else self._view(name)
            self._made[name] = made
            self.stack.addWidget(made)
        return self._made[name]

    def show_page(self, name: str) -> None:
        """Turn to a page; the first one where there is none of that name."""
        known = any(page.name == name for page in self._pages)
        if self._pages and (known or not self._page):
            self._turn(name if known else self._pages[0].name)
            self._stays = name == SHORTCUTS

    def go_back(self) -> None:
        if self._past:
            self._ahead.append(self._page)
            self._put(self._past.pop())

    def go_forward(self) -> None:
        if self._ahead:
            self._past.append(self._page)
            self._put(self._ahead.pop())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """From the search, the arrows go through the list, and Enter goes to the page."""
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and not event.modifiers():
                self.nav.keyPressEvent(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.stack.currentWidget().setFocus(Qt.FocusReason.ShortcutFocusReason)
                return True
        return super().eventFilter(watched, event)

    def _fill(self) -> None:
        self.head.insertWidget(0, self.back)
        self.head.insertWidget(1, self.forward)
        self.nothing.hide()
        self.nav.setAccessibleName(tr("Pages of the guide"))
        self.nav.setItemDelegate(_NavDelegate(self.nav))
        self.nav.currentRowChanged.connect(self._on_row)
        side = QWidget()
        side.setObjectName("chrome")
        side.setFixedWidth(_nav_px())
        fill(rows(side, (8, 8, 8, 8), 8), self.search, self.nothing, (self.nav, 1))
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.addLayout(fill(columns(None), side, (self.stack, 1)), 1)
        self.foot.addStretch(1)
        self.foot.addWidget(on_click(button(tr("Close"), shortcut_hint="Esc"), self.accept))
        self._tell_ways()

    def _view(self, name: str) -> GuideView:
        made = GuideView(next(page for page in self._pages if page.name == name), self._load, self._ink)
        made.turned.connect(self.show_page)
        return made

    def _list(self, pages: Sequence[GuideText]) -> None:
        with QSignalBlocker(self.nav):
            self.nav.clear()
            for page in pages:
                item = QListWidgetItem(page.title)
                item.setData(NAME, page.name)
                item.setToolTip(tip(page.title))
                self.nav.addItem(item)
        self.nothing.setVisible(not pages)
        self._choose()

    def _choose(self) -> None:
        """Make the page that is shown the current one of the list, without turning to it again."""
        names = [str(self.nav.item(row).data(NAME)) for row in range(self.nav.count())]
        with QSignalBlocker(self.nav):
            self.nav.setCurrentRow(names.index(self._page) if self._page in names else -1)

    def _on_row(self, row: int) -> None:
        if row >= 0:
            self.show_page(str(self.nav.item(row).data(NAME)))

    def _turn(self, name: str) -> None:
        if name != self._page:
            if self._page:
                self._past.append(self._page)
            self._ahead.clear()
        self._put(name)

    def _put(self, name: str) -> None:
        self._page = name
        self.stack.setCurrentWidget(self.view(name))
        self._choose()
        self._mark()
        self._tell_ways()

    def _find(self, typed: str) -> None:
        """List the pages that have the words, best first, and show the best.

        Whoever asked for the shortcuts looks for one of them: they stay while one fits.
        """
        found = [match.page for match in search_guide(self._pages, typed)]
        self._list(found)
        stays = not typed.strip() or (self._stays and self._page == SHORTCUTS and self._marked_shortcuts())
        if found and not stays and self._page != found[0].name:
            self._put(found[0].name)
        else:
            self._mark()

    def _mark(self) -> None:
        view = self._made.get(self._page)
        if isinstance(view, GuideView):
            view.mark_words(wanted(self.search.text().split()))
        elif view is not None:
            self._marked_shortcuts()

    def _marked_shortcuts(self) -> bool:
        view = self._made.get(SHORTCUTS)
        return isinstance(view, ShortcutList) and view.show_words(self.search.text())

    def _tell_ways(self) -> None:
        self.back.setEnabled(bool(self._past))
        self.forward.setEnabled(bool(self._ahead))


def _nav_px() -> int:
    """Wider with larger text, but never so wide that the page has no room."""
    return round(NAV * min(scale(), MOST_NAV))


class _NavDelegate(RowDelegate):
    width = 0

    def row_height(self, _index: Index) -> int:
        return max(ROW, round(metrics("ui").height()) + 2 * S2)

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        theme, box = theme_of(), row.box
        if row.selected:
            fill_rounded(painter, box, theme.sel, 6)
            fill_rounded(painter, QRectF(box.left(), box.top() + 6, 3, box.height() - 12), theme.accent, 1.5)
        paint_ring(painter, row)
        painter.setFont(font("ui_label" if row.selected else "ui"))
        painter.setPen(theme.t1 if row.selected else theme.t2)
        paint_elided(painter, box.adjusted(12, 0, -8, 0), str(index.data()))


def _room(parent: QWidget | None) -> tuple[int, int]:
    """As wide and as high as there is room for in the window."""
    if parent is None:
        return WIDTH, HEIGHT
    window = parent.window()
    return min(WIDTH, window.width() - 2 * ROOM), min(HEIGHT, window.height() - 2 * ROOM)
