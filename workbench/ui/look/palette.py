"""A theme as Qt's palette, for everything that Qt paints by itself."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette

from workbench.ui.look.theme import Theme

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
    """The palette of a theme; what is disabled has the text of meta lines."""
    palette = QPalette()
    for role, token in _ROLES.items():
        palette.setColor(role, QColor(getattr(theme, token)))
    for role in _TEXTS:
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.t3))
    palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Base, QColor(theme.chrome))
    palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Highlight, QColor(theme.sunken))
    return palette
