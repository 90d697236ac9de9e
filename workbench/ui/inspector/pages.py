"""The pages under the tabs: Layers at once, the others when somebody first turns to them."""

from __future__ import annotations

from typing import Literal, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.inspector.diff.page import DiffPage
from workbench.ui.inspector.layers.page import LayersPage
from workbench.ui.inspector.payload.page import PayloadPage
from workbench.ui.inspector.turns.page import HistoryPage

PageName = Literal["layers", "payload", "diff", "history"]
PAGES: tuple[PageName, ...] = ("layers", "payload", "diff", "history")
Rest = PayloadPage | DiffPage | HistoryPage
MadePage = TypeVar("MadePage", PayloadPage, DiffPage, HistoryPage)


class Pages(QStackedWidget):
    """One page at a time; what a page tells is handed on.

    Signals:
        intent: something the engine is to do or to show. step: a tuning step. wish: the name of a window action.
        selected: the key of the row that was chosen.
    """

    intent = Signal(object)
    step = Signal(object)
    wish = Signal(str)
    selected = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._made: dict[PageName, Rest] = {}
        self._name: PageName = "layers"
        self._key: RowKey | None = None
        self.layers = LayersPage(self)
        self._connect(self.layers)
        self.addWidget(self.layers)

    @property
    def payload(self) -> PayloadPage:
        """The bytes of the request."""
        page = self._made.get("payload")
        return page if isinstance(page, PayloadPage) else self._keep("payload", PayloadPage())

    @property
    def diff(self) -> DiffPage:
        """How the request differs from another one."""
        page = self._made.get("diff")
        return page if isinstance(page, DiffPage) else self._keep("diff", DiffPage())

    @property
    def history(self) -> HistoryPage:
        """The turns."""
        page = self._made.get("history")
        return page if isinstance(page, HistoryPage) else self._keep("history", HistoryPage())

    def name(self) -> PageName:
        """Which page is shown."""
        return self._name

    def turn_to(self, name: PageName) -> None:
        """Show another page."""
        self._name = name
        self.setCurrentWidget(self.layers if name == "layers" else self._page(name))

    def show_state(self, state: WorkbenchState, chat: ChatState | None, view: EnvelopeView | None) -> None:
        """Bring the page that is shown up to date; the others wait until they are."""
        if self._name == "layers":
            self.layers.show_request(state, chat, view)
        else:
            self._page(self._name).show_state(state, chat)

    def select(self, key: RowKey | None) -> None:
        """Mark a row on every page there is."""
        self._key = key
        self.layers.select(key)
        for page in self._made.values():
            page.select(key)

    def entry(self) -> QWidget:
        """What takes the focus on the page that is shown."""
        page = self.currentWidget()
        return self.layers.tree if page is self.layers else first_operable(page)

    def _page(self, name: PageName) -> Rest:
        if name == "payload":
            return self.payload
        return self.diff if name == "diff" else self.history

    def _keep(self, name: PageName, page: MadePage) -> MadePage:
        self._made[name] = page
        self._connect(page)
        self.addWidget(page)
        page.select(self._key)
        return page

    def _connect(self, page: LayersPage | Rest) -> None:
        page.intent.connect(self.intent)
        page.step.connect(self.step)
        page.wish.connect(self.wish)
        page.selected.connect(self.selected)


def first_operable(page: QWidget) -> QWidget:
    """The first widget on a page that the Tab key would stop at; the page itself where there is none."""
    widget = page.nextInFocusChain()
    while widget is not page:
        stops = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if stops and page.isAncestorOf(widget) and widget.isEnabled() and widget.isVisibleTo(page):
            return widget
        widget = widget.nextInFocusChain()
    return page
