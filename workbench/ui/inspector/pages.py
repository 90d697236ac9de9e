"""The pages under the inspector's tabs: their base class, and the stack that creates each when it is first shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from workbench.domain.shown.envelope_view import RowKey
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.look.focus_ring import focus_chain
from workbench.ui.wishes import Wishes


class Page(QWidget):
    """A page of the inspector; `chat.shown` says which request it is about.

    Signals:
        selected: the key of a row that was chosen here; None for none.
    """

    selected = Signal(object)

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        """Show a state; called only while the page is visible."""

    def let_go(self, newest: ChatState | None) -> None:
        """Hold no state any more: the page is hidden, and there is a newer one.

        It may be the last that holds a chat which was closed: the whole conversation stayed in memory with it.
        """

    def select(self, key: RowKey | None) -> None:
        """Mark a row, if the page shows rows."""

    def entry(self) -> QWidget:
        return first_tab_stop(self)


@dataclass(frozen=True, slots=True)
class PageSpec:
    """What is known of a page before it is created: its name in commands, the title of its tab, and its factory."""

    name: str
    title: str
    make: Callable[[Wishes], Page]


class Pages(QStackedWidget):
    """A stack of pages; all but the first are created when they are first shown.

    Signals:
        selected: the key of the row that was chosen on any of them.
    """

    selected = Signal(object)

    def __init__(self, specs: Sequence[PageSpec], wishes: Wishes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._specs = {spec.name: spec for spec in specs}
        self._wishes = wishes
        self._made: dict[str, Page] = {}
        self._key: RowKey | None = None
        self.turn_to(specs[0].name)

    def names(self) -> tuple[str, ...]:
        return tuple(self._specs)

    def name(self) -> str:
        return self._name

    def page(self, name: str) -> Page:
        if name not in self._made:
            page = self._made[name] = self._specs[name].make(self._wishes)
            page.selected.connect(self.selected)
            self.addWidget(page)
            page.select(self._key)
        return self._made[name]

    def turn_to(self, name: str) -> None:
        self._name = name
        self.setCurrentWidget(self.page(name))

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        """Update the visible page; the others let go of the old state, and are updated when they are shown."""
        current = self.page(self._name)
        for page in self._made.values():
            if page is not current:
                page.let_go(chat)
        current.show_state(state, chat)

    def select(self, key: RowKey | None) -> None:
        self._key = key
        for page in self._made.values():
            page.select(key)

    def entry(self) -> QWidget:
        return self.page(self._name).entry()


def first_tab_stop(page: QWidget) -> QWidget:
    """The first widget on a page that the Tab key would stop at; the page itself where there is none."""
    for widget in focus_chain(page):
        stops = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if stops and page.isAncestorOf(widget) and widget.isEnabled() and widget.isVisibleTo(page):
            return widget
    return page
