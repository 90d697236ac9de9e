"""The guide (F1): a list of pages with a search on the left, the page on the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStackedWidget, QWidget

from workbench.domain.guide import GuideText
from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.ink import Ink
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.floating import ROOM, Sheet
from workbench.ui.widgets.scroll_area import scroll_area

_tr = translator("GuideDialog")

WIDTH, HEIGHT, NAV = 1060, 816, 212


class GuideDialog(Sheet):
    """Shows the pages of the guide."""

    def __init__(
        self, pages: Sequence[GuideText], picture: Callable[[str], bytes], parent: QWidget | None = None
    ) -> None:
        super().__init__(_tr("Guide"), *_room(parent), parent)
        self._pages, self._picture = tuple(pages), picture
        self._ink = Ink(self)
        self.nav, self.stack = QListWidget(), QStackedWidget()
        self.nav.setFixedWidth(NAV)
        self.nav.setAccessibleName(_tr("Pages of the guide"))
        for page in self._pages:
            self.nav.addItem(QListWidgetItem(page.title))
            text = BlockStack(self._ink)
            text.show_text(page.text)
            self.stack.addWidget(scroll_area(text, page.title))
        self.nav.currentRowChanged.connect(self.stack.setCurrentIndex)
        side = QWidget()
        side.setObjectName("chrome")
        fill(rows(side, (8, 8, 8, 8), 8), (self.nav, 1))
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.addLayout(fill(columns(None), side, (self.stack, 1)), 1)
        self.foot.addStretch(1)
        self.foot.addWidget(on_click(button(_tr("Close"), shortcut_hint="Esc"), self.accept))
        self.show_page("")

    def page(self) -> str:
        """The name of the page that is shown."""
        return self._pages[self.nav.currentRow()].name if self._pages else ""

    def show_page(self, name: str) -> None:
        """Turn to a page; the first one where there is none of that name."""
        names = [page.name for page in self._pages]
        self.nav.setCurrentRow(names.index(name) if name in names else 0)
        self.nav.setFocus(Qt.FocusReason.OtherFocusReason)


def _room(parent: QWidget | None) -> tuple[int, int]:
    """As wide and as high as there is room for in the window."""
    if parent is None:
        return WIDTH, HEIGHT
    window = parent.window()
    return min(WIDTH, window.width() - 2 * ROOM), min(HEIGHT, window.height() - 2 * ROOM)
