"""The palette that Qt's own painting takes from a theme."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QPalette

from workbench.ui.look.appearance import palette_of
from workbench.ui.look.theme import DARK, LIGHT

Role = QPalette.ColorRole


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_roles_take_their_tokens(qapp, theme):
    palette = palette_of(theme)
    expected = {
        Role.Window: theme.chrome,
        Role.Base: theme.surface,
        Role.Button: theme.raised,
        Role.Highlight: theme.sel,
        Role.HighlightedText: theme.t1,
        Role.PlaceholderText: theme.t3,
        Role.Link: theme.accent_text,
        Role.Accent: theme.accent,
        Role.Mid: theme.line,
    }
    assert {role: palette.color(role) for role in expected} == {
        role: QColor(value) for role, value in expected.items()
    }


def test_what_is_disabled_is_quiet(qapp):
    palette = palette_of(LIGHT)
    assert palette.color(QPalette.ColorGroup.Disabled, Role.ButtonText) == QColor(LIGHT.t3)


def test_selected_text_stays_selected_in_another_window(qapp):
    palette = palette_of(LIGHT)
    assert palette.color(QPalette.ColorGroup.Inactive, Role.Highlight) == QColor(LIGHT.sel)
