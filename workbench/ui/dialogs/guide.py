"""The guide (F1): a search and the list of pages on the left, the page on the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, QSignalBlocker, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QShortcut
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStackedWidget, QWidget

from workbench.domain.guide import GuideText, search_guide
from workbench.ui.chat.text.ink import Ink
from workbench.ui.dialogs.guide_page import GuideView, Load
from workbench.ui.dialogs.shortcut_list import ShortcutList
from workbench.ui.look.fonts import font, metrics, scale
from workbench.ui.look.painting import fill_rounded, paint_elided
from workbench.ui.look.space import S2, columns, fill, rows
from workbench.ui.look.theme import theme_of
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.floating import ROOM, Sheet
from workbench.ui.widgets.found_words import wanted
from workbench.ui.widgets.items.delegate import Index, ItemOption, RowDelegate, paint_ring
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.plain import tip

_tr = translator("GuideDialog")

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
        super().__init__(_tr("Guide"), *_room(parent), parent)
        self._pages, self._load, self._shortcuts = tuple(pages), load, shortcuts
        self._ink = Ink(self)
        self._made: dict[str, GuideView | ShortcutList] = {}
        self._past: list[str] = []
        self._ahead: list[str] = []
        self._page = ""
        self._stays = False
        self.back = on_click(tool_button("chevron-left", _tr("Back"), _tr("Back (Alt+Left)")), self.go_back)
        self.forward = on_click(
            tool_button("chevron-right", _tr("Forward"), _tr("Forward (Alt+Right)")), self.go_forward
        )
        self.search = Field(_tr("Search the guide"), icon="search")
        self.nav, self.stack = QListWidget(), QStackedWidget()
        self.nothing = label(_tr("No page has all these words."), "small", "t3", wrap=True)
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
        self.nav.setAccessibleName(_tr("Pages of the guide"))
        self.nav.setItemDelegate(_NavDelegate(self.nav))
        self.nav.currentRowChanged.connect(self._on_row)
        side = QWidget()
        side.setObjectName("chrome")
        side.setFixedWidth(_nav_px())
        fill(rows(side, (8, 8, 8, 8), 8), self.search, self.nothing, (self.nav, 1))
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.addLayout(fill(columns(None), side, (self.stack, 1)), 1)
        self.foot.addStretch(1)
        self.foot.addWidget(on_click(button(_tr("Close"), shortcut_hint="Esc"), self.accept))
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
