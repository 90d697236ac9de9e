"""Figures that say where they come from: a tip of one sentence, and the page of the guide that says more (F1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QPoint
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QWidget

from workbench.domain.guide import GuidePage
from workbench.ui.translation import translator
from workbench.ui.widgets.plain import tip

_tr = translator("Guided")
KEYS = "workbench_keys"
"""The application's attribute that holds the keys of commands: tips are made anew wherever a figure is."""
PAGE = "guide_page"
"""A widget's property: the page about its figures; `guide_page_at` tells it where that depends on the place."""


def set_keys(keys: Mapping[str, str]) -> None:
    """Name commands by these keys from now on, by their ids; a command without a key has an empty one."""
    app = QApplication.instance()
    if app is not None:
        setattr(app, KEYS, keys)


def key_now(command: str, usual: str) -> str:
    """The key of a command: what a person chose, else the usual one."""
    keys: Mapping[str, str] = getattr(QApplication.instance(), KEYS, {})
    return keys.get(command, usual)


def with_more(sentence: str) -> str:
    """A sentence, and the key that opens the page that says more; without a key, the sentence alone."""
    key = key_now("guide", "F1")
    return f"{sentence}\n{_tr('More ({key})').format(key=key)}" if sentence and key else sentence


def tell_figure(figure: QWidget, sentence: str, page: GuidePage) -> None:
    """Say where a figure comes from, to those who point at it, who hear it, and who want to read more."""
    lead_to(figure, page)
    words = tip(with_more(sentence))
    if words != figure.toolTip():
        figure.setToolTip(words)
        figure.setAccessibleDescription(sentence)


def lead_to(widget: QWidget, page: GuidePage) -> None:
    """Let F1 open a page while a widget, or something in it, is pointed at or has the focus."""
    if widget.property(PAGE) != page:
        widget.setProperty(PAGE, page)


def wanted_page() -> GuidePage:
    """The page about what is pointed at, else about what has the focus; empty where that is no figure."""
    at = QCursor.pos()
    pointed: QWidget | None = QApplication.widgetAt(at)
    return page_of(pointed, at) or page_of(QApplication.focusWidget(), None)


def page_of(widget: QWidget | None, at: QPoint | None) -> GuidePage:
    """The page of a widget or of what it is in; `at` is where on the screen it is pointed at."""
    while widget is not None:
        told: Callable[[QPoint | None], GuidePage] | None = getattr(widget, "guide_page_at", None)
        page = (
            widget.property(PAGE) if told is None else told(None if at is None else widget.mapFromGlobal(at))
        )
        if page:
            return page
        widget = widget.parentWidget()
    return ""
