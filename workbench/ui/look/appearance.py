"""The appearance of the program: applies a theme, also while the window is open."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QPalette, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QToolTip, QWidget
from shiboken6 import isValid

from workbench.ui.look.focus_ring import FocusFollower
from workbench.ui.look.fonts import TextSizes, font, role_of, set_sizes, sizes
from workbench.ui.look.icons import clear_icons
from workbench.ui.look.proxy_style import WorkbenchStyle, polish_all
from workbench.ui.look.theme import Mode, Theme, set_theme, theme_for, theme_of

# A theme as Qt's palette, for everything that Qt paints by itself.

_ROLES = {
    QPalette.ColorRole.Window: "chrome",
    QPalette.ColorRole.Base: "surface",
    QPalette.ColorRole.AlternateBase: "sunken",
    QPalette.ColorRole.ToolTipBase: "raised",
    QPalette.ColorRole.Button: "raised",
    QPalette.ColorRole.WindowText: "t1",
    QPalette.ColorRole.Text: "t1",
    QPalette.ColorRole.ButtonText: "t1",
    QPalette.ColorRole.ToolTipText: "t1",
    QPalette.ColorRole.BrightText: "err",
    QPalette.ColorRole.Highlight: "sel",
    QPalette.ColorRole.HighlightedText: "t1",
    QPalette.ColorRole.PlaceholderText: "t3",
    QPalette.ColorRole.Link: "accent_text",
    QPalette.ColorRole.LinkVisited: "accent_text",
    QPalette.ColorRole.Accent: "accent",
    QPalette.ColorRole.Light: "raised",
    QPalette.ColorRole.Midlight: "hover",
    QPalette.ColorRole.Mid: "line",
    QPalette.ColorRole.Dark: "edge",
    QPalette.ColorRole.Shadow: "line2",
}
_TEXTS = (
    QPalette.ColorRole.WindowText,
    QPalette.ColorRole.Text,
    QPalette.ColorRole.ButtonText,
    QPalette.ColorRole.HighlightedText,
)


def palette_of(theme: Theme) -> QPalette:
    """The Qt palette of a theme; disabled text has the theme's faintest colour."""
    palette = QPalette()
    for role, token in _ROLES.items():
        palette.setColor(role, QColor(getattr(theme, token)))
    for role in _TEXTS:
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.t3))
    palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Base, QColor(theme.chrome))
    palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Highlight, QColor(theme.sunken))
    return palette


_APPLIED_BY = "workbench_dressed_by"


class Appearance(QObject):
    """Applies themes to the application; in mode `system` it follows the desktop, unless another instance is in use."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mode: Mode = "system"
        self._app: QApplication | None = None

    @property
    def mode(self) -> Mode:
        return self._mode

    def apply(self, app: QApplication, mode: Mode = "system") -> None:
        self._mode = mode
        if self._app is None:
            self._app = app
            app.styleHints().colorSchemeChanged.connect(self._on_system_change)
        app.setProperty(_APPLIED_BY, id(self))
        if app.findChild(FocusFollower) is None:
            app.setStyle(WorkbenchStyle())
            FocusFollower(app)
        elif theme_of() == theme_for(mode):
            return
        self._set_theme(app, theme_for(mode))

    def resize(self, app: QApplication, wanted: TextSizes) -> None:
        """Change the text size, also of text already shown."""
        before = sizes()
        if wanted == before:
            return
        chosen = [one for one in app.allWidgets() if one.testAttribute(Qt.WidgetAttribute.WA_SetFont)]
        roles = [(one, found) for one in chosen if (found := role_of(one.font(), before)) is not None]
        set_sizes(wanted)
        # Another copy of the same theme: whoever writes anew in another one does so now.
        self._set_theme(app, replace(theme_of()))
        for widget, found in roles:
            widget.setFont(font(*found))
        for widget in app.allWidgets():
            app.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
            if isinstance(widget, QAbstractItemView):
                widget.doItemsLayout()
            widget.updateGeometry()
        # Who lays things out by itself does so when its size changes.
        for widget in [one for one in app.allWidgets() if one.isVisible()]:
            app.sendEvent(widget, QResizeEvent(widget.size(), widget.size()))

    def _on_system_change(self) -> None:
        app = self._app
        if app is None or app.property(_APPLIED_BY) != id(self) or self._mode not in ("system", "contrast"):
            return
        if theme_for(self._mode) != theme_of():
            self._set_theme(app, theme_for(self._mode))

    def _set_theme(self, app: QApplication, theme: Theme) -> None:
        set_theme(app, theme)
        clear_icons()
        # Of all that asks to be painted, Qt paints what is opaque with what is on it, and then once more what is on it:
        # so only what is opaque asks.
        still = Qt.WidgetAttribute.WA_UpdatesDisabled
        shown = [one for one in app.allWidgets() if one.isVisible() and one.updatesEnabled()]
        for widget in shown:
            widget.setAttribute(still)
        if app.font() != font("ui"):
            app.setFont(font("ui"))
        app.setPalette(palette_of(theme))
        # Told now, not in a turn of the loop: nothing is painted in between, half in one theme and half in the other.
        app.sendPostedEvents(None, QEvent.Type.ApplicationPaletteChange.value)
        polish_all(app)
        QToolTip.setPalette(palette_of(theme))
        QToolTip.setFont(font("small"))
        shown = [widget for widget in shown if isValid(widget)]
        for widget in shown:
            widget.setAttribute(still, on=False)
        opaque = Qt.WidgetAttribute.WA_OpaquePaintEvent
        for widget in shown:
            if widget.autoFillBackground() or widget.testAttribute(opaque) or widget.isWindow():
                QWidget.update(widget)  # an item view has another function of this name
        self.changed.emit()
