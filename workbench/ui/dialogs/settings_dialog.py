"""The settings: pages on the left, what can be set on the right; everything is saved at once."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QShowEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStackedWidget, QWidget

from workbench.domain.about import NOTHING_KNOWN, About
from workbench.domain.keys.store_keys import KeyStatus
from workbench.engine.state import WorkbenchState
from workbench.ui.dialogs.settings_about import AboutPage
from workbench.ui.dialogs.settings_context import ChatPage, ContextPage
from workbench.ui.dialogs.settings_look import KeysPage, LookPage
from workbench.ui.dialogs.settings_models import ModelsPage
from workbench.ui.dialogs.settings_parts import Page
from workbench.ui.dialogs.settings_privacy import PrivacyPage, ToolsPage
from workbench.ui.look.fonts import TextSizes, font
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import fill_rounded
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.memory import SCALE, WindowMemory
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.floating import ROOM, Sheet
from workbench.ui.widgets.items.delegate import Index, ItemOption, RowDelegate
from workbench.ui.widgets.labels import label, set_text, set_token
from workbench.ui.widgets.plain import shown
from workbench.ui.wishes import SettingsPage, Wishes

_tr = translator("SettingsDialog")

WIDTH, HEIGHT, NAV, ROW = 1060, 816, 212, 32
ICON = Qt.ItemDataRole.UserRole


class SettingsDialog(Sheet):
    """All settings of the program.

    Signals:
        appearance_changed, motion_changed, sizes_changed: how the window shall look.

    A page is made when somebody first turns to it, or searches in all of them. `about` is asked when that page is made.
    """

    appearance_changed = Signal(str)
    motion_changed = Signal(bool)
    sizes_changed = Signal(object)

    def __init__(
        self, memory: WindowMemory, place: str, wishes: Wishes | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(_tr("Settings"), *_room(parent), parent)
        self.wishes = wishes or Wishes(self)
        self.search = Field(_tr("Search settings"), icon="search")
        self.search.setFixedWidth(220)
        self.head.insertWidget(1, self.search)
        self.about: Callable[[], About] = lambda: NOTHING_KNOWN
        self._memory = memory
        self._state: WorkbenchState | None = None
        self._keys: KeyStatus | None = None
        self._made: dict[str, Page] = {}
        self.pages: dict[str, tuple[str, str, Callable[[], Page]]] = {
            "models": (_tr("Models and keys"), "chip", ModelsPage),
            "chat": (_tr("Chat"), "chat", ChatPage),
            "context": (_tr("Context defaults"), "sliders", ContextPage),
            "tools": (_tr("Tools and approval"), "tool", ToolsPage),
            "privacy": (_tr("Privacy and storage"), "shield", lambda: self._privacy(place)),
            "appearance": (_tr("Appearance"), "bulb", self._look),
            "shortcuts": (_tr("Shortcuts"), "menu", KeysPage),
            "about": (_tr("About"), "info", lambda: AboutPage(place, self.about)),
        }
        self.nav, self.stack = QListWidget(), QStackedWidget()
        self.nothing = label(_tr("Nothing found"), "small", "t3")
        self.nothing.hide()
        self._fill()
        self.search.textChanged.connect(self._find)
        close = on_click(button(_tr("Close"), shortcut_hint="Esc"), self.accept)
        self.said = label("", "small", "t3", wrap=True)
        self.foot.addWidget(self.said, 1)
        self.foot.addWidget(close)

    def show_state(self, state: WorkbenchState) -> None:
        self._state = state
        self._turn(self.nav.currentRow())

    def page(self, name: str) -> Page:
        if name not in self._made:
            made = self._made[name] = self.pages[name][2]()
            made.wishes = self.wishes
            self.stack.addWidget(made)
        return self._made[name]

    def made(self) -> tuple[str, ...]:
        return tuple(self._made)

    def show_sizes(self, wanted: TextSizes) -> None:
        page = self._made.get("appearance")
        if isinstance(page, LookPage):
            page.show_sizes(wanted)

    def say(self, words: str = "") -> None:
        """Say what was done, or why it could not be; the usual words where there is nothing to say."""
        set_text(self.said, shown(words, 400) or _tr("Changes are saved at once."))
        set_token(self.said, "t1" if words else "t3")

    def showEvent(self, event: QShowEvent) -> None:
        self.say()
        super().showEvent(event)

    def show_page(self, name: SettingsPage) -> None:
        names = list(self.pages)
        self.nav.setCurrentRow(names.index(name) if name in names else 0)

    def show_keys(self, status: KeyStatus) -> None:
        self._keys = status
        page = self._made.get("privacy")
        if isinstance(page, PrivacyPage):
            page.show_keys(status)

    def _privacy(self, place: str) -> PrivacyPage:
        made = PrivacyPage(place)
        if self._keys is not None:
            made.show_keys(self._keys)
        return made

    def _look(self) -> LookPage:
        made = LookPage(self._memory.mode, self._memory.calm, self._memory.sizes, self._memory.scale)
        made.mode_changed.connect(self.appearance_changed)
        made.motion_changed.connect(self.motion_changed)
        made.sizes_changed.connect(self.sizes_changed)
        made.scale_changed.connect(lambda scale: self._memory.keep(SCALE, scale))
        return made

    def _turn(self, row: int) -> None:
        if row < 0:
            return
        page = self.page(list(self.pages)[row])
        if self._state is not None:
            page.show_state(self._state)
        self.stack.setCurrentWidget(page)

    def _fill(self) -> None:
        self.nav.setFixedWidth(NAV)
        self.nav.setAccessibleName(_tr("Pages of the settings"))
        self.nav.setItemDelegate(_NavDelegate(self.nav))
        for title, icon, _make in self.pages.values():
            item = QListWidgetItem(title)
            item.setData(ICON, icon)
            self.nav.addItem(item)
        self.nav.currentRowChanged.connect(self._turn)
        self.nav.setCurrentRow(0)
        side = QWidget()
        side.setObjectName("chrome")
        fill(rows(side, (8, 8, 8, 8), 8), self.nothing, (self.nav, 1))
        across = fill(columns(None), side, (self.stack, 1))
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.addLayout(across, 1)

    def _find(self, typed: str) -> None:
        wanted = typed.casefold().strip()
        fits = [not wanted or wanted in self.page(name).words.casefold() for name in self.pages]
        for row, fit in enumerate(fits):
            self.nav.item(row).setHidden(not fit)
        self.nothing.setVisible(not any(fits))
        if any(fits) and not fits[self.nav.currentRow()]:
            self.nav.setCurrentRow(fits.index(True))


class _NavDelegate(RowDelegate):
    width, height = NAV - 16, ROW

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        theme, box, chosen = theme_of(), row.box, row.selected
        if chosen:
            fill_rounded(painter, box, theme.sel, 6)
            fill_rounded(painter, QRectF(box.left(), box.top() + 6, 3, box.height() - 12), theme.accent, 1.5)
        paint_icon(painter, QRectF(box.left() + 10, box.top(), 16, box.height()), str(index.data(ICON)))
        painter.setFont(font("ui_label" if chosen else "ui"))
        painter.setPen(colour(theme.t1 if chosen else theme.t2))
        words = box.adjusted(36, 0, -8, 0)
        painter.drawText(
            words, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), str(index.data())
        )


def _room(parent: QWidget | None) -> tuple[int, int]:
    """As wide and as high as there is room for in the window."""
    if parent is None:
        return WIDTH, HEIGHT
    window = parent.window()
    return min(WIDTH, window.width() - 2 * ROOM), min(HEIGHT, window.height() - 2 * ROOM)
