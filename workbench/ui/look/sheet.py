"""The style sheet of menus and lists that drop down, filled from a theme: what Qt paints well by a sheet."""

from __future__ import annotations

from dataclasses import fields
from string import Template

from workbench.ui.look.theme import Theme

_SHEET = Template("""
QMenu { background: $raised; border: 1px solid $line2; border-radius: 8px; padding: 4px; }
QMenu::item { padding: 5px 20px 5px 8px; border-radius: 5px; background: transparent; color: $t1; }
QMenu::item:selected { background: $raised_hover; }
QMenu::item:disabled { color: $t3; }
QMenu::icon { padding-left: 8px; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QListView { background: $raised; border: 1px solid $line2; border-radius: 8px; padding: 4px; outline: none; }
QListView::item { min-height: 26px; padding: 0 8px; border-radius: 5px; color: $t1; }
QListView::item:selected { background: $sel; }
""")


def sheet_of(theme: Theme) -> str:
    """The style sheet of a menu, and of the list of a combo box; nothing else has one."""
    values = {field.name: getattr(theme, field.name) for field in fields(theme)}
    return _SHEET.substitute({name: value for name, value in values.items() if isinstance(value, str)})
