"""The style sheet, filled from a theme: only what Qt paints well by a sheet, and only classes and names."""

from __future__ import annotations

from dataclasses import fields
from string import Template

from workbench.ui.look.theme import Theme

# Tokens that a label may take as its colour, by its property `token`.
LABEL_TOKENS = (
    "t1", "t2", "t3", "accent", "accent_text", "on_accent", "ok", "warn", "err", "info", "diff_add", "diff_del",
    "toast_text", "toast_action", "code_comment",
)  # fmt: skip

_SHEET = Template("""
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; border: none; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; border: none; }
QScrollBar::handle { background: $line2; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover, QScrollBar::handle:pressed { background: $t3; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; border: none; background: none; }
QScrollBar::add-page, QScrollBar::sub-page { background: none; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QSplitter::handle { background: $line; }
QHeaderView { background: transparent; border: none; }
QHeaderView::section { background: transparent; color: $t2; border: none; padding: 0 6px; }
QTreeView, QListView, QTableView { border: none; background: transparent; }
QScrollArea, QPlainTextEdit, QTextEdit { border: none; background: transparent; }
#transparent, #qt_scrollarea_viewport { background: transparent; }
TextField { background: $surface; border: 1px solid $edge; border-radius: 6px; padding: 5px 4px; }
TextField:focus { border: 2px solid $accent; padding: 4px 3px; }
TextField:disabled { background: $chrome; border-color: $btnline; }
QMenu { background: $raised; border: 1px solid $line2; border-radius: 8px; padding: 4px; }
QMenu::item { padding: 5px 20px 5px 8px; border-radius: 5px; background: transparent; color: $t1; }
QMenu::item:selected { background: $raised_hover; }
QMenu::item:disabled { color: $t3; }
QMenu::icon { padding-left: 8px; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QComboBox QAbstractItemView { background: $raised; border: 1px solid $line2; border-radius: 8px; padding: 4px; }
QComboBox QAbstractItemView { outline: none; }
QComboBox QAbstractItemView::item { min-height: 26px; padding: 0 8px; border-radius: 5px; color: $t1; }
QComboBox QAbstractItemView::item:selected { background: $sel; }
QMenuBar { background: $chrome; color: $t1; }
QMenuBar::item { padding: 5px 10px; border-radius: 5px; background: transparent; }
QMenuBar::item:selected { background: $hover; }
#chrome { background: $chrome; }
#surface { background: $surface; }
#raised { background: $raised; }
#sunken { background: $sunken; }
#code { background: $code_bg; }
#hairline { background: $line; }
""")


def sheet_of(theme: Theme) -> str:
    """The style sheet of a theme."""
    values = {field.name: getattr(theme, field.name) for field in fields(theme)}
    labels = "".join(f'QLabel[token="{token}"] {{ color: {values[token]}; }}\n' for token in LABEL_TOKENS)
    return (
        _SHEET.substitute({name: value for name, value in values.items() if isinstance(value, str)}) + labels
    )
