"""Figures that explain themselves: a tooltip of one sentence, and a guide page opened by F1."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QPoint
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QWidget

from workbench.domain.guide import GuidePage
from workbench.ui.translation import key_words, tr
from workbench.ui.widgets.plain import tip

KEYS = "workbench_keys"
"""The application's attribute with the commands' shortcuts, which every tooltip reads when it is made."""
PAGE = "guide_page"
"""A widget's property with the guide page about it; its method `guide_page_at` is used if that depends on the place."""
_TOLD = "workbench_told"
"""A figure's attribute with what its tooltip was made of: most figures tell the same after every key."""


def set_keys(keys: Mapping[str, str]) -> None:
    """Set the shortcuts that tooltips name, by command id; empty for a command without one."""
    app = QApplication.instance()
    if app is not None:
        setattr(app, KEYS, keys)


def key_now(command: str, usual: str) -> str:
    """The current shortcut of a command; `usual` if none is set."""
    keys: Mapping[str, str] = getattr(QApplication.instance(), KEYS, {})
    return keys.get(command, usual)


def with_more(sentence: str) -> str:
    """A sentence followed by the shortcut of the guide; without a shortcut, the sentence alone."""
    key = key_now("guide", "F1")
    return f"{sentence}\n{tr('More ({key})').format(key=key_words(key))}" if sentence and key else sentence


def tell_figure(figure: QWidget, sentence: str, page: GuidePage) -> None:
    """Set a figure's tooltip, its accessible description, and its guide page."""
    told = (sentence, page, key_now("guide", "F1"))
    if getattr(figure, _TOLD, None) != told:
        setattr(figure, _TOLD, told)
        lead_to(figure, page)
        figure.setToolTip(tip(with_more(sentence)))
        figure.setAccessibleDescription(sentence)


def lead_to(widget: QWidget, page: GuidePage) -> None:
    """Let F1 open a guide page while this widget or one in it is hovered or focused."""
    if widget.property(PAGE) != page:
        widget.setProperty(PAGE, page)


def wanted_page() -> GuidePage:
    """The guide page about what is hovered, else about what is focused; empty if there is none."""
    at = QCursor.pos()
    pointed: QWidget | None = QApplication.widgetAt(at)
    return page_of(pointed, at) or page_of(QApplication.focusWidget(), None)


def page_of(widget: QWidget | None, at: QPoint | None) -> GuidePage:
    """The guide page of a widget or its parents; `at` is the pointer's position on the screen."""
    while widget is not None:
        told: Callable[[QPoint | None], GuidePage] | None = getattr(widget, "guide_page_at", None)
        page = (
            widget.property(PAGE) if told is None else told(None if at is None else widget.mapFromGlobal(at))
        )
        if page:
            return page
        widget = widget.parentWidget()
    return ""
